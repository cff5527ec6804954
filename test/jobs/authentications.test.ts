import assert from "node:assert/strict";
import { test } from "node:test";
import { json, type Received, startApi } from "../helpers/api.ts";
import { records, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";
import { planned } from "../shards/sharded.ts";

const login = (endpoint: string, more: object = {}) => ({
  type: "login",
  loginRequest: { endpoint, method: "POST" },
  apiRequest: { headers: { "X-Token": "token" } },
  ...more,
});

const child = (endpoint: string, more: object = {}) => ({
  endpoint,
  dataType: endpoint,
  placeholders: { id: "id" },
  ...more,
});

/** Starts an API whose logins return a token and a cookie with their names. `expired` tokens are refused once. */
async function startTwo(expired: readonly string[] = []) {
  const left = new Set(expired);
  let count = 0;
  return await startApi(({ path, headers }) => {
    const [, kind = "", name = ""] = path.split("/");
    if (kind === "login") {
      count += 1;
      return json(
        { token: `${name}-token-${count}` },
        { headers: { "Set-Cookie": `session=${name}-session; Path=/` } },
      );
    }
    const token = headers["x-token"] ?? "";
    if (left.delete(token)) return json({}, { status: 401 });
    return [{ id: 1 }];
  });
}

const requestText = ({ path, headers }: Received): string =>
  `${path} ${headers["x-token"] ?? "-"} ${headers.cookie ?? "-"} ${headers.authorization ?? "-"}`;

test("jobs name an authentication or none, children inherit it, and the nearest level decides", async () => {
  await using api = await startTwo();
  const jobs = [
    { endpoint: "a" },
    {
      endpoint: "b",
      authentication: "second",
      children: [child("c/{id}"), child("d/{id}", { authentication: false })],
    },
    {
      endpoint: "e",
      authentication: false,
      children: [child("f/{id}"), child("g/{id}", { authentication: "second" })],
    },
    { endpoint: "h", authentication: null },
  ];
  const configuration = {
    api: { baseUrl: api.url, authentication: login("login/first"), authentications: { second: login("login/second") } },
    config: { jobs },
  };
  const { result, events } = await runHere(configuration);
  assert.equal(result.exitCode, 0, result.failure?.message);
  const [first, second] = ["first-token-1 session=first-session -", "second-token-2 session=second-session -"];
  assert.deepEqual(api.log.map(requestText), [
    "/login/first - - -",
    `/a ${first}`,
    "/login/second - - -",
    `/b ${second}`,
    `/c/1 ${second}`,
    "/d/1 - - -",
    "/e - - -",
    "/f/1 - - -",
    `/g/1 ${second}`,
    `/h ${first}`,
  ]);
  const logins = events.filter(({ event }) => event === "login").map(({ message }) => message.split(";")[0]);
  assert.deepEqual(logins, ["logged in", 'authentication "second": logged in']);
  assert.deepEqual(
    result.jobs.map((job) => job.logins),
    [1, 1, 0, 0, 0, 0, 0, 0],
  );
});

test("with `authentication: false`, configured headers are sent, but not the user and password of the base address", async () => {
  await using api = await startApi(({ params }) => ({
    items: [{ id: params.get("page") }],
    next: params.get("page") === "2" ? null : 2,
  }));
  const pagination = {
    method: "response.param",
    responseParam: "next",
    queryParam: "page",
    scrollRequest: { endpoint: "more" },
  };
  const job = { dataField: "items" };
  const { result } = await runHere({
    api: {
      baseUrl: api.url.replace("http://", "http://user:secret-word@"),
      pagination,
      http: { headers: { "X-App": "kept" } },
    },
    config: {
      jobs: [
        { endpoint: "a", ...job },
        { endpoint: "b", authentication: false, ...job },
      ],
    },
  });
  assert.equal(result.exitCode, 0, result.failure?.message);
  const basic = `Basic ${Buffer.from("user:secret-word").toString("base64")}`;
  assert.deepEqual(
    api.log.map(({ path, headers }) => [path, headers.authorization, headers["x-app"]]),
    [
      ["/a", basic, "kept"],
      ["/more", basic, "kept"],
      ["/b", undefined, "kept"],
      ["/more", undefined, "kept"],
    ],
  );
});

test("with `cookies`, each authentication keeps its own cookies", async () => {
  await using api = await startApi(({ path }) =>
    json([{ id: 1 }], { headers: { "Set-Cookie": `from=${path.slice(1)}` } }),
  );
  const authentications = { key: { type: "query", query: { key: "k-123456" } } };
  const jobs = [
    { endpoint: "a" },
    { endpoint: "b", authentication: false },
    { endpoint: "c", authentication: "key" },
    { endpoint: "d" },
    { endpoint: "e", authentication: false },
    { endpoint: "f", authentication: "key" },
  ];
  await runHere({ api: { baseUrl: api.url, http: { cookies: true }, authentications }, config: { jobs } });
  assert.deepEqual(
    api.log.map(({ target, headers }) => `${target} ${headers.cookie ?? "-"}`),
    ["/a -", "/b -", "/c?key=k-123456 -", "/d from=a", "/e from=b", "/f?key=k-123456 from=c"],
  );
});

test("a refused token is renewed for its own authentication only, and a step uses the authentication of its job", async () => {
  await using api = await startTwo(["second-token-2"]);
  const jobs = [
    { endpoint: "a" },
    { endpoint: "b", authentication: "second", steps: [{ name: "make", endpoint: "make" }] },
    { endpoint: "c" },
  ];
  const { result } = await runHere({
    api: { baseUrl: api.url, authentication: login("login/first"), authentications: { second: login("login/second") } },
    config: { jobs },
  });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.deepEqual(
    api.log.map((request) => requestText(request).split(" ").slice(0, 2).join(" ")),
    [
      "/login/first -",
      "/a first-token-1",
      "/login/second -",
      "/make second-token-2",
      "/login/second -",
      "/make second-token-3",
      "/b second-token-3",
      "/c first-token-1",
    ],
  );
});

test("an authentication that no job needs sends no login", async () => {
  await using api = await startTwo();
  const configuration = {
    api: { baseUrl: api.url, authentication: login("login/first"), authentications: { second: login("login/second") } },
    config: { jobs: [{ endpoint: "a" }, { endpoint: "b", authentication: "second" }] },
  };
  await runHere(configuration, { jobs: ["b"] });
  assert.deepEqual(api.targets(), ["/login/second", "/b"]);
});

test("`basic` may contain user name and password, and a missing one is empty", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const authentications = {
    admin: { type: "basic", username: "admin", password: { attr: "#adminPassword" } },
    key: { type: "basic", username: { attr: "#key" } },
  };
  const config = {
    "#username": "user",
    "#password": "pass-word",
    "#adminPassword": "admin-pass",
    "#key": "key-12345",
    jobs: [{ endpoint: "a" }, { endpoint: "b", authentication: "admin" }, { endpoint: "c", authentication: "key" }],
  };
  const { result } = await runHere({
    api: { baseUrl: api.url, authentication: { type: "basic" }, authentications },
    config,
  });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.deepEqual(
    api.log.map(({ headers }) => Buffer.from(headers.authorization?.slice(6) ?? "", "base64").toString()),
    ["user:pass-word", "admin:admin-pass", "key-12345:"],
  );
});

test("an error of a named authentication contains its place", async () => {
  await using api = await startApi(({ path }) => (path === "/login" ? { other: 1 } : [{ id: 1 }]));
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url, authentications: { second: login("login") } },
    config: { jobs: [{ endpoint: "b", authentication: "second" }] },
  });
  const { code, stderr } = await spileHere([config]);
  assert.equal(code, 77);
  assert.match(stderr, /nothing at token|has nothing/);
  const { result } = await runHere(JSON.parse(await folder.read("config.json")));
  assert.equal(result.failure?.pointer, "/api/authentications/second/apiRequest/headers/X-Token");
});

test("`remember` in a named login changes its own setting for the run and the credentials file", async () => {
  let count = 0;
  await using api = await startApi(({ path, body }) => {
    if (path !== "/login") return [{ id: 1 }];
    count += 1;
    return { token: `token-${count}`, refresh: `refresh-${count}`, sent: body };
  });
  await using folder = await temporaryFolder();
  const credentials = await folder
    .write("credentials.json", { version: 1, settings: {} })
    .then(() => `${folder.path}/new.json`);
  const refreshing = login("login", { remember: { "#refresh": "refresh" } });
  const configuration = {
    api: {
      baseUrl: api.url,
      authentications: {
        second: {
          ...refreshing,
          loginRequest: { endpoint: "login", method: "POST", params: { r: { attr: "#refresh" } } },
        },
      },
    },
    config: { "#refresh": "first-one", jobs: [{ endpoint: "b", authentication: "second" }] },
  };
  for (const sent of ['{"r":"first-one"}', '{"r":"refresh-1"}']) {
    const { result } = await runHere(configuration, { credentials });
    assert.equal(result.exitCode, 0, result.failure?.message);
    assert.equal(api.log.findLast(({ path }) => path === "/login")?.body, sent);
  }
  const without = await runHere(configuration);
  assert.match(
    without.result.failure?.message ?? "",
    /\/api\/authentications\/second\/remember: needs --credentials FILE/,
  );
});

test("plan shows the login of each authentication, check describes them, and both report faults", async () => {
  await using folder = await temporaryFolder();
  const baseUrl = "https://api.example.com/";
  const runCommand = async (command: string, api: object, jobs: readonly object[], ...words: string[]) =>
    await spileHere([
      command,
      await folder.write("config.json", { api: { baseUrl, ...api }, config: { "#r": "r-123456", jobs } }),
      ...words,
    ]);
  const authentications = { second: login("login/second") };
  const jobs = [
    { endpoint: "a" },
    { endpoint: "b", authentication: "second" },
    { endpoint: "c", authentication: false },
  ];
  const both = { authentication: login("login/first"), authentications };
  const plan = records((await runCommand("plan", both, jobs)).stdout) as {
    request: string;
    authentication?: string;
    job?: string;
  }[];
  assert.deepEqual(
    plan.map(({ request, authentication, job }) => [request, authentication ?? job]),
    [
      ["login", undefined],
      ["page", "a"],
      ["login", "second"],
      ["page", "b"],
      ["page", "c"],
    ],
  );
  assert.match((await runCommand("plan", both, jobs, "--curl")).stdout, /^# login second$/m);
  const { stdout } = await runCommand("check", both, jobs);
  assert.match(stdout, /^b\tGET b\t.*; authentication "second"$/m);
  assert.match(stdout, /^c\tGET c\t.*; no authentication$/m);
  const wrong = async (api: object, job: object) =>
    (await runCommand("check", api, [{ endpoint: "a", ...job }])).stderr;
  assert.match(
    await wrong(both, { authentication: "secnd" }),
    /\/config\/jobs\/0\/authentication: there is no "secnd" in "api.authentications", which has "second", did you mean "second"\?/,
  );
  assert.match(await wrong({}, { authentication: "x" }), /there is no "x" in "api.authentications", which is empty/);
  assert.match(
    await wrong(both, { authentication: true }),
    /\/config\/jobs\/0\/authentication: must be the name of one of "api.authentications", or false/,
  );
  assert.match(
    await wrong(both, {}),
    /warning .*\/api\/authentications\/second: no job names it as its "authentication"/,
  );
  assert.match(
    await wrong({ authentications: { second: { type: "basik" } } }, { authentication: "second" }),
    /\/api\/authentications\/second\/type: must be .*did you mean "basic"\?/,
  );
  const remember = { remember: { "#r": "refresh" } };
  const twice = { authentication: login("login", remember), authentications: { second: login("login", remember) } };
  assert.match(
    await wrong(twice, { authentication: "second" }),
    /\/api\/authentications\/second\/remember\/#r: \/api\/authentication remembers the same setting/,
  );
  const rule = { responses: JSON.parse('[{ "when": { "status": 440 }, "then": "login" }]') };
  assert.doesNotMatch(await wrong({ authentications }, { authentication: "second", ...rule }), /logs in/);
  assert.match(await wrong(both, { authentication: false, ...rule }), /"login" needs an authentication that logs in/);
  assert.doesNotMatch(await wrong({ authentications, http: rule }, { authentication: "second" }), /logs in/);
});

test("check warns about a job's header that the authentication replaces", async () => {
  await using folder = await temporaryFolder();
  const hinted = async (api: object, job: object) => {
    const configuration = {
      api: { baseUrl: "https://api.example.com/", ...api },
      config: { "#key": "k-123456", jobs: [{ endpoint: "a", ...job }] },
    };
    return (await spileHere(["check", await folder.write("config.json", configuration)])).stderr;
  };
  const headers = { authorization: "Bearer other-token" };
  const bearer = { apiRequest: { headers: { Authorization: "token" } } };
  const replaced = /\/config\/jobs\/0\/headers\/authorization: is not sent, because the authentication replaces it/;
  assert.match(await hinted({ authentication: login("login", bearer) }, { headers }), replaced);
  const basic = { type: "basic", username: { attr: "#key" } };
  assert.match(await hinted({ authentication: basic }, { headers }), replaced);
  assert.match(await hinted({ authentications: { basic } }, { headers, authentication: "basic" }), replaced);
  assert.equal(await hinted({ authentication: basic }, { headers, authentication: false }), "");
  assert.equal(await hinted({ authentication: login("login") }, { headers }), "");
  assert.equal(await hinted({ authentication: { type: "query", query: { k: { attr: "#key" } } } }, { headers }), "");
});

test("shards log in with the authentication of each job, and a login that remembers credentials cannot be sharded", async () => {
  await using api = await startTwo();
  const configuration = {
    api: { baseUrl: api.url, authentications: { second: login("login/second") } },
    config: { jobs: [{ endpoint: "a" }, { endpoint: "b", authentication: "second" }] },
  };
  await using sharded = await planned(configuration, 2);
  for (const index of [0, 1]) await sharded.run(index);
  assert.equal((await sharded.merge()).output, '{"id":1}\n{"id":1}\n');
  assert.deepEqual(
    new Set(
      api.log.filter(({ path }) => path === "/b").map(({ headers }) => /^second-token/.test(headers["x-token"] ?? "")),
    ),
    new Set([true]),
  );
  const remember = login("login/second", { remember: { "#r": "token" } });
  const changing = {
    ...configuration,
    api: { ...configuration.api, authentications: { second: remember } },
    config: { "#r": "r", ...configuration.config },
  };
  await assert.rejects(
    planned(changing, 2),
    /\/api\/authentications\/second\/remember: credentials that a login changes/,
  );
});
