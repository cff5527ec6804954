import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "../config/reading.ts";
import { broken, startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

test("a login reads an answer with an error status only if `accept` lists the status", async () => {
  await using api = await startApi({
    "/session": () => text("<h1>409</h1>", { status: 409, headers: { "content-type": "text/html" } }),
    "/data": () => [{ id: 1 }],
  });
  const loginRequest = { endpoint: "session", accept: [409] };
  const authentication = { type: "login", format: "text", loginRequest, apiRequest: { headers: { "X-Id": "data" } } };
  const configured = { api: { baseUrl: api.url, authentication }, config: { jobs: [{ endpoint: "data" }] } };
  assert.equal((await runHere(configured)).output, '{"id":1}\n');
  assert.equal(api.log[1]?.headers["x-id"], "<h1>409</h1>");
  const refusing = { ...authentication, loginRequest: { endpoint: "session" } };
  const { result } = await runHere({ ...configured, api: { baseUrl: api.url, authentication: refusing } });
  assert.equal(result.exitCode, 77);
});

test("an accepted status that is otherwise retried is not retried", async () => {
  await using api = await startApi({ "/session": () => text("S1", { status: 503 }), "/data": () => [{ id: 1 }] });
  const authentication = {
    type: "login",
    format: "text",
    loginRequest: { endpoint: "session", accept: [503] },
    apiRequest: { headers: { "X-Id": "data" } },
  };
  const retryConfig = { maxRetries: 1, http: { codes: [503] } };
  const { result } = await runHere({
    api: { baseUrl: api.url, authentication, retryConfig },
    config: { jobs: [{ endpoint: "data" }] },
  });
  assert.equal(result.exitCode, 0);
  assert.deepEqual(
    api.log.map(({ path }) => path),
    ["/session", "/data"],
  );
});

test("values of a login are read from headers or by paths with other delimiters, and an empty header is an error", async () => {
  await using api = await startApi({
    "/login": () =>
      text('{"a.b":{"token":"T1"},"user":7}', {
        headers: { "x-subject-token": "  S1 ", "x-empty": "", "x-expires-in": "90" },
      }),
    "/data": ({ body }) => (body.includes('"auth":"T1"') ? [{ id: 1 }] : []),
  });
  const authentication = {
    type: "login",
    loginRequest: { endpoint: "login" },
    apiRequest: {
      headers: {
        "X-Auth-Token": { response: { header: "X-Subject-Token" } },
        "X-Both": {
          function: "concat",
          args: [{ response: { path: "a.b/token", delimiter: "/" } }, ":", { response: { header: "x-subject-token" } }],
        },
      },
      params: [
        { path: "params.auth", value: { response: { path: "a.b|token", delimiter: "|" } } },
        { path: "user", value: "user" },
      ],
    },
    expires: { response: { header: "X-Expires-In" }, relative: true },
  };
  const jobs = [{ endpoint: "data", method: "POST", params: { params: { auth: "old", limit: 5 } } }];
  const { output, events } = await runHere({ api: { baseUrl: api.url, authentication }, config: { jobs } });
  assert.equal(output, '{"id":1}\n');
  const [, request] = api.log;
  assert.equal(request?.headers["x-auth-token"], "S1");
  assert.equal(request?.headers["x-both"], "T1:S1");
  assert.equal(request?.body, '{"params":{"auth":"T1","limit":5},"user":7}');
  assert.match(events.find(({ event }) => event === "login")?.message ?? "", /expire in 90 s/);

  const missing = { ...authentication, apiRequest: { headers: { "X-A": { response: { header: "X-Empty" } } } } };
  const { result } = await runHere({ api: { baseUrl: api.url, authentication: missing }, config: { jobs } });
  assert.equal(result.exitCode, 77);
  assert.match(
    result.failure?.message ?? "",
    /the login's answer has nothing in the header X-Empty, which the header "X-A" needs/,
  );
});

test("parameters of the login replace those of the same name in a GET's query, and new ones follow", async () => {
  await using api = await startApi({ "/login": () => ({ session: "s" }), "/data": () => [] });
  const authentication = {
    type: "login",
    loginRequest: { endpoint: "login" },
    apiRequest: { params: { session: "session", kind: { function: "concat", args: ["k"] } } },
  };
  const jobs = [{ endpoint: "data", params: { session: "own", page: 1 } }];
  await runHere({ api: { baseUrl: api.url, authentication }, config: { jobs } });
  assert.equal(api.targets()[1], "/data?session=s&page=1&kind=k");
});

test("a plain-text answer whose connection is reset is requested again, since it may be cut", async () => {
  const answers = [broken.resetWithoutLength("abcd"), text("abcd-efgh")];
  await using api = await startApi({ "/login": () => answers.shift(), "/items": () => [{ id: 1 }] });
  const apiRequest = { headers: { "X-Id": "data" } };
  const authentication = { type: "login", format: "text", loginRequest: { endpoint: "login" }, apiRequest };
  const { result } = await runHere({
    api: { baseUrl: api.url, authentication },
    config: { jobs: [{ endpoint: "items" }] },
  });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.equal(api.log.at(-1)?.headers["x-id"], "abcd-efgh");
});

test("a failed login with status 200 is reported with the API's reason if the answer gives one", async () => {
  const rows: [answer: object, reason: RegExp][] = [
    [
      { error: "invalid_grant", error_description: "Token has been revoked." },
      /; the API says: invalid_grant: Token has been revoked\.$/,
    ],
    [{ errors: [{ code: 7, message: "no such user" }] }, /; the API says: 7: no such user$/],
    [{ status: "error", message: "wrong password: hunter2-hunter2" }, /; the API says: wrong password: \*\*\*$/],
    [{ error: null, state: "x" }, /needs$/],
  ];
  for (const [answer, reason] of rows) {
    await using api = await startApi({ "/login": () => answer, "/data": () => [] });
    const loginRequest = { endpoint: "login", params: { password: { attr: "#password" } } };
    const authentication = { type: "login", loginRequest, apiRequest: { headers: { "X-Token": "access_token" } } };
    const config = { "#password": "hunter2-hunter2", jobs: [{ endpoint: "data" }] };
    const { result } = await runHere({ api: { baseUrl: api.url, authentication }, config });
    assert.equal(result.exitCode, 77);
    assert.match(result.failure?.message ?? "", /the login's answer has nothing at "access_token"/);
    assert.match(result.failure?.message ?? "", reason);
  }
});

test("`expires` and `remember` accept only a path or a header of the login's answer", async () => {
  const jobs = [{ endpoint: "data" }];
  for (const source of [{}, { lastRecord: "id" }, { header: "X-A", path: "a" }, { delimiter: "/" }]) {
    const authentication = { type: "login", loginRequest: { endpoint: "login" } };
    const expiring = { ...authentication, expires: { response: source } };
    const remembering = { ...authentication, remember: { "#a": source } };
    for (const [field, configured] of [
      ["expires/response", expiring],
      ["remember/#a", remembering],
    ]) {
      const document = {
        api: { baseUrl: "http://127.0.0.1:1/", authentication: configured },
        config: { "#a": "x", jobs },
      };
      const [fault = ""] = faultsOf(document);
      const right = `must be a path, {"path": ...} or {"header": ...} of the login's answer`;
      assert.equal(fault, `/api/authentication/${field}: ${right}`, JSON.stringify(source));
    }
  }
});
