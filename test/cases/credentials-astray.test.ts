import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type Answer, json, linesOf, type Received, records, redirect, startApi, text } from "../helpers/api.ts";
import { spile, temporaryFolder } from "../helpers/cli.ts";
import { configurationFor, type Given, messagesOf, offset, run } from "./run.ts";

/* Tests of logins that fail, and of credentials that must not go to a wrong place. */

const login = {
  type: "login",
  loginRequest: { endpoint: "login", method: "POST", params: { user: "ada", password: { attr: "#password" } } },
  apiRequest: { headers: { "X-ApiToken": "session.token" }, query: { key: "session.key" } },
};
const config = { "#password": "pa ss/&%é-2031" };
const session = () =>
  json({ session: { token: "tok-9a8b7c", key: "k/ey+1 =" } }, { headers: { "set-cookie": "sid=c00kie; Path=/" } });
const sensitive = (request: Received | undefined) =>
  Object.keys(request?.headers ?? {}).filter(
    (name) => !/^(host|connection|accept.*|user-agent|content-.*)$/.test(name),
  );

for (const [name, answer, message] of [
  ["an error with status 200", () => ({ error: "bad password" }), /"?session\.token"?/],
  ["a null token", () => ({ session: { token: null, key: "k" } }), /null at "session\.token"/],
  ["an object for a token", () => ({ session: { token: { id: 1 }, key: "k" } }), /an object at "session\.token"/],
  ["a list", () => [{ session: { token: "t", key: "k" } }], /login.*(array|list)/],
  ["null", () => text("null"), /login.*null/],
  ["nothing", () => text(""), /login.*empty/],
  [
    "a page of HTML",
    () => text("<html>Sign in</html>", { headers: { "content-type": "text/html" } }),
    /login.*200.*text\/html/,
  ],
  ["a 403", () => json({ error: "no such user" }, { status: 403 }), /login.*403/],
  ["a 400", () => json({ error: "no such user" }, { status: 400 }), /login.*400/],
] as const) {
  test(`a login answered with ${name} ends the run before any data request`, async () => {
    await using api = await startApi({ "/login": answer as () => Answer, "*": () => records(1) });
    const end = await run(api, { api: { authentication: login }, config });
    assert.deepEqual([end.code, end.stdout, api.targets()], [77, "", ["/login"]]);
    assert.match(end.stderr, message);
  });
}

test("a page of HTML behind a redirect is a data error, so an expired session is noticed", async () => {
  await using api = await startApi({
    "/api/items": () => redirect("/signin?return=/api/items"),
    "/signin": () =>
      text("<!doctype html><title>Sign in</title>", { headers: { "content-type": "text/html; charset=utf-8" } }),
  });
  const end = await run(api, { api: { baseUrl: `${api.url}/api/` } });
  assert.deepEqual([end.code, end.stdout], [65, ""]);
  assert.match(messagesOf(end, "error").join(), /\/signin\?return=\/api\/items.*not JSON.*200.*text\/html/);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect (${status}) to another port carries no token, no cookie and no key`, async () => {
    await using other = await startApi(() => ({ items: records(2) }));
    await using api = await startApi({
      "/login": session,
      "/items": ({ query }) => redirect(`${other.url}/items?${query}&from=api`, status),
    });
    const http = { headers: { Authorization: "Basic YWRhOmFkYQ==", "X-Client": "c" } };
    const end = await run(api, { api: { authentication: login, http }, config, job: { headers: { "X-Job": "j" } } });
    assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
    const [first] = api.log.slice(1);
    assert.deepEqual(sensitive(first).sort(), ["authorization", "cookie", "x-apitoken", "x-client", "x-job"]);
    assert.equal(first?.query, "key=k%2Fey%2B1%20%3D");
    assert.deepEqual([sensitive(other.log[0]), other.targets()], [[], ["/items?from=api"]]);
    assert.match(
      messagesOf(end, "warning").join(),
      new RegExp(`http://127.0.0.1:${other.port} is not a trusted origin`),
    );
    for (const secret of ["tok-9a8b7c", "c00kie", "k%2Fey"]) assert.ok(!end.stderr.includes(secret), end.stderr);
  });

  test(`a redirect (${status}) within the API keeps token, cookie and key`, async () => {
    await using api = await startApi({
      "/login": session,
      "/items": ({ query }) => redirect(`/items/?${query}`, status),
      "/items/": () => records(2),
    });
    const end = await run(api, { api: { authentication: login }, config });
    assert.deepEqual([end.code, end.stdout, messagesOf(end, "warning")], [0, linesOf(records(2)), []]);
    assert.equal(api.log[2]?.headers["x-apitoken"], "tok-9a8b7c");
    assert.equal(api.log[2]?.headers.cookie, "sid=c00kie");
    assert.equal(api.log[2]?.target, "/items/?key=k%2Fey%2B1%20%3D");
  });

  test(`a redirect (${status}) of a POST within the API keeps its method and body only for 307 and 308`, async () => {
    await using api = await startApi({
      "/items": () => redirect("/items/", status),
      "/items/": () => records(2),
    });
    const end = await run(api, { job: { method: "POST", params: { a: 1.1 } } });
    assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
    const kept = status === 307 || status === 308;
    const { method, body, headers } = api.log[1] ?? {};
    assert.deepEqual([method, body], kept ? ["POST", '{"a":1.1}'] : ["GET", ""]);
    assert.equal(headers?.["content-type"], kept ? "application/json" : undefined);
  });
}

test("a 401 from an untrusted origin causes no new login", async () => {
  await using other = await startApi(() => json({ error: "who are you?" }, { status: 401 }));
  await using api = await startApi({ "/login": session, "/items": () => redirect(`${other.url}/items`) });
  const end = await run(api, { api: { authentication: login }, config });
  assert.deepEqual([end.code, end.stdout], [77, ""]);
  assert.deepEqual(
    [api.targets().map((target) => target.split("?")[0]), other.targets()],
    [["/login", "/items"], ["/items"]],
  );
});

test("a POST with a secret in its body is not repeated on another origin", async () => {
  await using other = await startApi(() => records(1));
  await using api = await startApi(() => redirect(`${other.url}/items`, 307));
  const jobs = [{ endpoint: "items", method: "POST", params: { key: { attr: "#password" } } }];
  const refused = await run(api, { config: { ...config, jobs } });
  assert.deepEqual([refused.code, refused.stdout, other.targets()], [69, "", []]);
});

test("the log, the plan and the summary show no secret", async () => {
  const key = "s3cr3t/k&y=é%41";
  await using api = await startApi(({ params, target, headers }) => {
    if (params.get("offset") === "0") return { items: [{ id: 1 }] };
    const error = `bad ${target} ${headers.authorization} ${JSON.stringify(key)}`;
    return json({ error }, { status: 403 });
  });
  const pair = { function: "concat", args: ["ada:", { attr: "#key" }] };
  const Authorization = { function: "concat", args: ["Basic ", { function: "base64_encode", args: [pair] }] };
  const authentication = { type: "query", query: { "subscription-key": { attr: "#key" } } };
  const given: Given = {
    api: { ...offset(1), authentication, http: { headers: { Authorization } } },
    config: { "#key": key, debug: true, jobs: [{ endpoint: "items", params: { deep: { "a b": { attr: "#key" } } } }] },
  };
  const wire = Buffer.from(`ada:${key}`).toString("base64");
  const parts = [wire, "s3cr3t", "k&y", "%C3%A9", "\\u00e9"];
  await using folder = await temporaryFolder();
  for (const format of ["text", "json"]) {
    const summary = join(folder.path, "summary.json");
    const state = join(folder.path, "state.json");
    const args = ["-v", "--debug", "--log-format", format, "--summary", summary, "--state", state];
    const end = await run(api, { ...given, args });
    assert.deepEqual([end.code, end.stdout], [69, '{"id":1}\n']);
    assert.match(end.stderr, /subscription-key=\*\*\*/);
    const written = end.stderr + (await folder.read("summary.json"));
    for (const part of parts) assert.ok(!written.includes(part), `${part} in ${written}`);
  }
  assert.equal(api.log[0]?.params.get("subscription-key"), key);
  assert.equal(api.log[0]?.headers.authorization, `Basic ${wire}`);
  const plan = await spile(["plan", "-"], { stdin: JSON.stringify(configurationFor(api.url, given)) });
  assert.equal(plan.code, 0);
  for (const part of parts) assert.ok(!(plan.stdout + plan.stderr).includes(part), plan.stdout);
});
