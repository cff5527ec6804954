import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { type Answer, dataset, linesOf, type Received, records, startApi, text } from "../helpers/api.ts";
import { offset, run } from "./run.ts";

/*
 * Tests of logins (contract C-5): the request, its answer, the values that are attached, and the time of the next login.
 */

const config = { username: "ada", "#password": "l0ve/lace & co", realm: { id: 7.1 }, jobs: [{ endpoint: "items" }] };
const params = { user: { attr: "username" }, password: { attr: "#password" }, realm: { attr: "realm.id" }, fixed: "é" };
const http = { defaultOptions: { headers: { "X-Default": "d", "X-Both": "d" }, params: { locale: "en" } } };

/** Runs one job with a login. Returns the result, the login request, the data request, and the targets of both. */
async function logIn(authentication: Record<string, unknown>, answer: () => unknown = () => ({ token: "t0ken" })) {
  await using api = await startApi({ "/auth/login": answer as () => Answer, "/items": () => records(1) });
  const end = await run(api, { api: { authentication: { type: "login", ...authentication }, http }, config });
  const [login, data] = api.log;
  return { end, login, data, targets: api.targets() };
}

const ownHeaders = (request: Received | undefined) =>
  Object.fromEntries((request?.rawHeaders ?? []).filter(([name]) => /^(X-|Content-Type|Authorization)/i.test(name)));

describe("the login request", () => {
  const endpoint = "auth/login";
  const headers = {
    "X-Login": {
      function: "base64_encode",
      args: [{ function: "concat", args: [{ attr: "username" }, ":", { attr: "#password" }] }],
    },
  };
  const basic = Buffer.from("ada:l0ve/lace & co").toString("base64");

  for (const method of [undefined, "GET", "get"]) {
    test(`${method ?? "without a method"}: the login sends its parameters in the query, and only the headers of loginRequest`, async () => {
      const { end, login, targets } = await logIn({
        loginRequest: { endpoint, params, headers, ...(method ? { method } : {}) },
      });
      assert.equal(end.code, 0, end.stderr);
      const query = "user=ada&password=l0ve%2Flace%20%26%20co&realm=7.1&fixed=%C3%A9";
      assert.deepEqual(targets, [`/auth/login?${query}`, "/items?locale=en"]);
      assert.deepEqual([login?.method, login?.body, ownHeaders(login)], ["GET", "", { "X-Login": basic }]);
    });
  }

  test("POST: the login sends its parameters in a JSON body", async () => {
    const { login } = await logIn({
      loginRequest: { endpoint, params, method: "POST", headers: { "content-type": "text/plain" } },
    });
    assert.deepEqual([login?.method, login?.target], ["POST", "/auth/login"]);
    assert.equal(login?.body, '{"user":"ada","password":"l0ve/lace & co","realm":7.1,"fixed":"é"}');
    assert.equal(login?.headers["content-type"], "application/json");
  });

  test("FORM: the login is a POST that sends its parameters in a form", async () => {
    const { login } = await logIn({ loginRequest: { endpoint, params, method: "FORM" } });
    assert.deepEqual([login?.method, login?.target], ["POST", "/auth/login"]);
    assert.equal(login?.body, "user=ada&password=l0ve%2Flace%20%26%20co&realm=7.1&fixed=%C3%A9");
    assert.equal(login?.headers["content-type"], "application/x-www-form-urlencoded");
  });

  test("the login gets no default parameters and no default headers", async () => {
    const { login, data } = await logIn({ loginRequest: { endpoint } });
    assert.deepEqual([login?.target, ownHeaders(login)], ["/auth/login", {}]);
    assert.deepEqual(ownHeaders(data), { "X-Default": "d", "X-Both": "d" });
  });

  test("without apiRequest, the login adds nothing to data requests", async () => {
    const { end, data } = await logIn({ loginRequest: { endpoint } });
    assert.deepEqual([end.code, data?.query, ownHeaders(data)], [0, "locale=en", { "X-Default": "d", "X-Both": "d" }]);
  });
});

describe("the login's answer", () => {
  const loginRequest = { endpoint: "auth/login" };
  const sha1 = (value: string) => createHash("sha1").update(value).digest("hex");

  test("values of the answer are read by paths of keys and indexes", async () => {
    const apiRequest = {
      headers: {
        "X-Plain": "auth.tokens.1.value",
        "X-Response": { response: "auth.tokens.0.value" },
        "X-Both": { response: "n" },
      },
      query: {
        plain: "auth.tokens.0.value",
        hash: {
          function: "sha1",
          args: [{ function: "concat", args: [{ attr: "username" }, ":", { attr: "#password" }, { response: "n" }] }],
        },
        fixed: { function: "concat", args: ["auth", ".n"] },
      },
    };
    const answer = () => text('{"auth":{"tokens":[{"value":"a b"},{"value":"c&d"}]},"n":12345678901234567890.10}');
    const { end, data } = await logIn({ loginRequest, apiRequest, format: "json" }, answer);
    assert.equal(end.code, 0, end.stderr);
    const n = "12345678901234567890.10";
    assert.equal(data?.query, `locale=en&plain=a%20b&hash=${sha1(`ada:l0ve/lace & co${n}`)}&fixed=auth.n`);
    assert.deepEqual(ownHeaders(data), { "X-Default": "d", "X-Both": n, "X-Plain": "c&d", "X-Response": "a b" });
  });

  for (const [name, format, body, sent] of [
    ["text", "text", "plain t0ken", "plain t0ken"],
    ["text that looks like JSON", "text", '{"a":1}', '{"a":1}'],
    ["a JSON string", "json", '"t0ken"', "t0ken"],
    ["a JSON number", "json", "12345678901234567.0", "12345678901234567.0"],
    ["a JSON true", undefined, "true", "1"],
  ] as const) {
    test(`an answer that is ${name} is read at "data"`, async () => {
      const apiRequest = { headers: { "X-Token": { response: "data" } }, query: { t: "data" } };
      const { end, data } = await logIn({ loginRequest, apiRequest, ...(format ? { format } : {}) }, () => text(body));
      assert.equal(end.code, 0, end.stderr);
      assert.equal(data?.headers["x-token"], sent);
      assert.equal(data?.params.get("t"), sent);
    });
  }
});

describe("the time of the next login", { concurrency: 4 }, () => {
  const authentication = (expires: unknown) => ({
    type: "login",
    loginRequest: { endpoint: "login" },
    apiRequest: { headers: { "X-Token": "token" } },
    ...(expires === undefined ? {} : { expires }),
  });
  // Returns the requests of two jobs with three pages each: "login" or the token that was sent, and the time.
  const logins = async (expires: unknown, answer: () => Record<string, unknown> = () => ({}), delay = 0) => {
    let count = 0;
    await using api = await startApi({
      "/login": () => {
        count += 1;
        return { token: `t${count}`, ...answer() };
      },
      "*": async (request) => {
        await new Promise((resolve) => setTimeout(resolve, delay));
        return dataset(records(5))(request);
      },
    });
    const jobs = [{ endpoint: "a" }, { endpoint: "b" }];
    const end = await run(api, { api: { ...offset(2), authentication: authentication(expires) }, config: { jobs } });
    assert.deepEqual([end.code, end.stdout], [0, linesOf([...records(5), ...records(5)])], end.stderr);
    return api.log.map(
      ({ path, headers, at }) => [path === "/login" ? "login" : String(headers["x-token"]), at] as const,
    );
  };

  const names = (log: readonly (readonly [string, number])[]) => log.map(([name]) => name);

  test("without expires, the run logs in once, before all other requests", async () => {
    assert.deepEqual(names(await logins(undefined)), ["login", "t1", "t1", "t1", "t1", "t1", "t1"]);
  });

  test("with expires 0, a login precedes every request", async () => {
    const each = [1, 2, 3, 4, 5, 6].flatMap((n) => ["login", `t${n}`]);
    assert.deepEqual(names(await logins(0)), each);
    assert.deepEqual(names(await logins("0")), each);
  });

  for (const [name, expires, answer] of [
    ["a number of seconds", 1, () => ({})],
    ["a number of seconds as text", "1", () => ({})],
    [
      "a number of seconds in the answer",
      { response: "session.seconds", relative: true },
      () => ({ session: { seconds: 1 } }),
    ],
    ["a time in the answer", { response: "session.until" }, () => ({ session: { until: soon(2) } })],
    ["a time, relative: false", { response: "until", relative: false }, () => ({ until: soon(2) })],
  ] as const) {
    test(`a login is renewed after its lifetime and not before: ${name}`, async () => {
      const log = await logins(expires, answer, 400);
      const times = log.filter(([entry]) => entry === "login").map(([, at]) => at);
      // Six requests take 2.4 s, so a lifetime of one or two seconds ends between two of them.
      assert.ok(times.length >= 2, log.join());
      for (const [index, at] of times.entries())
        assert.ok(index === 0 || at - Number(times[index - 1]) > 900, log.join());
      // Each request contains the token from the login before it.
      let current = 0;
      for (const [entry] of log) {
        if (entry === "login") current += 1;
        else assert.equal(entry, `t${current}`);
      }
    });
  }

  test("a long lifetime needs one login", async () => {
    for (const [expires, more] of [
      [3600, {}],
      [{ response: "s", relative: true }, { s: "3600" }],
      [{ response: "s" }, { s: soon(3600) }],
    ] as const) {
      const log = names(await logins(expires, () => more));
      assert.equal(log.filter((entry) => entry === "login").length, 1);
    }
  });
});

/** Returns the time this many seconds from now, as `2024-05-01 10:30:00`. */
function soon(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
}
