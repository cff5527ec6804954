import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, json, startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

/* Tests of logins with steps (contract C-18.5). */

const read = (step: string, path: string): object => ({ step, path });

const flow = { name: "flow", endpoint: "login/flow" };
const loginRequest = {
  endpoint: read("flow", "action"),
  method: "POST",
  params: { csrf: read("flow", "token"), password: { attr: "#password" } },
};
const apiRequest = { headers: { "X-Session": "session" } };

const configurationOf = (api: Api, more: object = {}): object => ({
  api: {
    baseUrl: api.url,
    http: { headers: { "X-Client": "c" }, defaultOptions: { params: { v: 1 } } },
    authentication: { type: "login", steps: [flow], loginRequest, apiRequest, ...more },
  },
  config: { "#password": "p-secret-1", debug: true, jobs: [{ endpoint: "data" }] },
});

const answers = {
  "/login/flow": () =>
    json(
      { action: "/login?flow=f-1", token: "csrf-12345" },
      { headers: { "Set-Cookie": "sid=cookie-123; Path=/login" } },
    ),
  "POST /login": () => ({ session: "session-1" }),
  "/data": () => [{ id: 1 }],
};

test("a login's request reads the answer of the login's step, sends the cookies of that step, and logs no secret", async () => {
  await using api = await startApi(answers);
  const { output, events, result } = await runHere(configurationOf(api));
  assert.equal(output, '{"id":1}\n');
  assert.deepEqual(api.targets(), ["/login/flow", "/login?flow=f-1", "/data?v=1"]);
  const [first, login, data] = api.log;
  assert.equal(first?.headers["x-client"], "c");
  assert.equal(login?.headers.cookie, "sid=cookie-123");
  assert.equal(login?.body, '{"csrf":"csrf-12345","password":"p-secret-1"}');
  assert.equal(data?.headers["x-session"], "session-1");
  assert.equal(result.jobs[0]?.logins, 1);
  const loggedText = JSON.stringify(events);
  for (const secret of ["csrf-12345", "cookie-123", "p-secret-1", "session-1"])
    assert.ok(!loggedText.includes(secret), secret);
});

test("a new login repeats its steps", async () => {
  let refused = false;
  await using api = await startApi({
    ...answers,
    "/data": () => {
      if (refused) return [{ id: 1 }];
      refused = true;
      return json({}, { status: 401 });
    },
  });
  await runHere(configurationOf(api));
  assert.deepEqual(api.targets(), [
    "/login/flow",
    "/login?flow=f-1",
    "/data?v=1",
    "/login/flow",
    "/login?flow=f-1",
    "/data?v=1",
  ]);
});

test("a login waits until its step meets `until`, and fails if the step meets `failWhen`", async () => {
  let asked = 0;
  await using api = await startApi({
    ...answers,
    "/approval": () => {
      asked += 1;
      return { state: asked > 2 ? "approved" : "pending", reason: "by the owner" };
    },
  });
  const approval = { name: "approval", endpoint: "approval", until: { path: "state", is: "approved" } };
  const good = await runHere(configurationOf(api, { steps: [flow, approval] }));
  assert.equal(good.output, '{"id":1}\n');
  assert.equal(asked, 3);
  const never = {
    ...approval,
    until: { path: "state", is: "never" },
    failWhen: { path: "state", is: "approved" },
    message: "reason",
  };
  const { result } = await runHere(configurationOf(api, { steps: [flow, never] }));
  assert.equal(result.exitCode, 69);
  assert.match(
    result.failure?.message ?? "",
    /^the login failed: step "approval": GET \S+: answered 200: by the owner$/,
  );
});

test("a login is sent to an address on another origin, which a step's answer gives, only if `allowedOrigins` lists that origin", async () => {
  await using other = await startApi({ "POST /login": () => ({ session: "s-12345678" }) });
  await using api = await startApi({
    ...answers,
    "/login/flow": () => ({ action: `${other.url}/login`, token: "t-12345678" }),
  });
  const { result } = await runHere(configurationOf(api));
  assert.equal(result.exitCode, 69);
  assert.match(
    result.failure?.message ?? "",
    /^the login failed: an answer leads the login to \S+, which is not a trusted origin/,
  );
  assert.equal(other.log.length, 0);
  const configuration = configurationOf(api) as { api: object };
  const listed = await runHere({ ...configuration, api: { ...configuration.api, allowedOrigins: [other.url] } });
  assert.equal(listed.output, '{"id":1}\n');
});

test("a missing value of an answer is a data error, and a refused step is a failed login", async () => {
  await using lacking = await startApi({ ...answers, "/login/flow": () => ({ action: "/login" }) });
  const { result } = await runHere(configurationOf(lacking));
  assert.equal(result.exitCode, 65);
  assert.match(result.failure?.message ?? "", /the answer to step "flow" has nothing at "token"/);
  await using refusing = await startApi({
    ...answers,
    "/login/flow": () => json({ error: "blocked" }, { status: 403 }),
  });
  const refused = await runHere(configurationOf(refusing));
  assert.equal(refused.result.exitCode, 77);
  assert.match(refused.result.failure?.message ?? "", /^the login failed: step "flow": GET \S+: answered 403/);
});

const oauthConfiguration = (api: Api, steps: readonly object[]): object => ({
  api: {
    baseUrl: api.url,
    authentication: { type: "oauth20.login", steps, loginRequest, apiRequest },
  },
  config: { "#password": "p-secret-1", debug: true, jobs: [{ endpoint: "data" }] },
  authorization: {
    oauth_api: {
      credentials: { appKey: "client-1", "#appSecret": "app-secret-1", "#data": '{"refresh_token":"refresh-1"}' },
    },
  },
});

const oauthStep = {
  name: "flow",
  endpoint: "login/flow",
  method: "FORM",
  params: { client: { consumer: "client_id" }, refresh_token: { user: "refresh_token" } },
  headers: { "X-Client-Secret": { consumer: "client_secret" } },
};

test("the steps of an OAuth login read the client and the grant, and the login's request reads the steps' answers", async () => {
  await using api = await startApi({ ...answers, "POST /login/flow": answers["/login/flow"] });
  const configuration = oauthConfiguration(api, [oauthStep]);
  const planned = await spileHere(["plan", "-"], { stdin: JSON.stringify(configuration) });
  const [first] = planned.stdout.split("\n").map((line) => (line === "" ? {} : (JSON.parse(line) as { url?: string })));
  assert.equal(first?.url, `${api.url}/login/flow`);
  assert.equal(api.log.length, 0);
  const { output, events } = await runHere(configuration);
  assert.equal(output, '{"id":1}\n');
  assert.deepEqual(api.targets(), ["/login/flow", "/login?flow=f-1", "/data"]);
  const [step, login, data] = api.log;
  assert.equal(step?.body, "client=client-1&refresh_token=refresh-1");
  assert.equal(step?.headers["x-client-secret"], "app-secret-1");
  assert.equal(login?.headers.cookie, "sid=cookie-123");
  assert.equal(login?.body, '{"csrf":"csrf-12345","password":"p-secret-1"}');
  assert.equal(data?.headers["x-session"], "session-1");
  const loggedText = planned.stdout + JSON.stringify(events);
  for (const secret of ["csrf-12345", "cookie-123", "refresh-1", "app-secret-1", "session-1"])
    assert.ok(!loggedText.includes(secret), secret);
});

test("faults of the steps of an OAuth login are reported with their places", async () => {
  await using api = await startApi(answers);
  const steps = [{ ...oauthStep, reuse: 60, params: { client: { consumer: "client_id" } } }];
  const configuration = oauthConfiguration(api, [...steps, { name: "b", endpoint: { step: "c", path: "x" } }]);
  const { code, stderr } = await spileHere(["check", "-"], { stdin: JSON.stringify(configuration) });
  assert.equal(code, 78);
  const at = "/api/authentication/steps";
  assert.deepEqual(stderr.trim().split("\n"), [
    `error ${at}/0/reuse: the answers to a login are secrets, which the state does not store: leave "reuse" out`,
    `error ${at}/1/endpoint: there is no step "c"`,
  ]);
});

test("every value that is read from a login step's answer is a secret, under any name", async () => {
  await using api = await startApi({
    "/login/flow": () => ({ part: "part-9876" }),
    "/login": () => ({ session: "session-1" }),
    "/data": () => [{ id: 1 }],
  });
  const loginRequestWithPart = { endpoint: "login", params: { part: read("flow", "part") } };
  const { output, events } = await runHere(configurationOf(api, { loginRequest: loginRequestWithPart }));
  assert.equal(output, '{"id":1}\n');
  assert.equal(api.targets()[1], "/login?part=part-9876");
  assert.match(JSON.stringify(events), /login\?part=\*\*\*/);
  assert.ok(!JSON.stringify(events).includes("part-9876"));
});

test("plan prints the first step, and check reports faults of steps with their places", async () => {
  await using api = await startApi(answers);
  const planned = await spileHere(["plan", "-"], { stdin: JSON.stringify(configurationOf(api)) });
  const [login] = planned.stdout.split("\n").map((line) => (line === "" ? {} : (JSON.parse(line) as { url?: string })));
  assert.equal(login?.url, `${api.url}/login/flow`);
  assert.equal(api.log.length, 0);
  const steps = [
    { ...flow, reuse: "1 hour" },
    { name: "b", endpoint: { step: "c", path: "x" } },
  ];
  const checked = await spileHere(["check", "-"], { stdin: JSON.stringify(configurationOf(api, { steps })) });
  assert.equal(checked.code, 78);
  const at = "/api/authentication/steps";
  assert.deepEqual(checked.stderr.trim().split("\n"), [
    `error ${at}/0/reuse: the answers to a login are secrets, which the state does not store: leave "reuse" out`,
    `error ${at}/1/endpoint: there is no step "c"`,
  ]);
});
