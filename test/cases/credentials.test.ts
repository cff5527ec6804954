import assert from "node:assert/strict";
import { test } from "node:test";
import { counted } from "../../src/core/text/counted.ts";
import { type Api, dataset, inTurn, json, linesOf, raw, records, startApi, tokens, tooMany } from "../helpers/api.ts";
import { messagesOf, offset, run } from "./run.ts";

/* Tests of logins whose credentials expire, were never valid, or are renewed at a bad moment. */

const bearer = { function: "concat", args: ["Bearer ", { response: "token" }] };
const login = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "login",
  loginRequest: { endpoint: "login", method: "POST", params: { user: "ada", password: { attr: "#password" } } },
  apiRequest: { headers: { Authorization: bearer } },
  ...more,
});
const config = { "#password": "pass word/&%é" };
const paths = (api: Api) => api.log.map(({ path }) => path.slice(1));
const sent = (api: Api) => api.log.map(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? "-");

test("a token that expires during a wait is renewed before the retry", async () => {
  const session = tokens({ lifetime: 1 });
  const pages = session.guard(dataset(records(4)));
  await using api = await startApi({
    "/login": session.login,
    "/items": inTurn(pages, () => tooMany("2"), pages),
  });
  const end = await run(api, { api: { ...offset(3), authentication: login({ expires: 1 }) }, config });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(4))]);
  // A slow machine may need more than the token's second for the first page, and then logs in once more.
  assert.match(paths(api).join(" "), /^login items (login )?items login items$/);
  assert.equal(sent(api).at(-1), session.issued.at(-1));
  assert.ok(
    api.log.every(
      ({ headers }) => headers.authorization === undefined || !/undefined|null/.test(headers.authorization),
    ),
  );
});

test("each retry computes the token in its query anew", async () => {
  const session = tokens();
  const guarded = session.guard(() => records(1));
  await using api = await startApi({
    "/login": session.login,
    "/items": inTurn(
      () => json({}, { status: 503 }),
      () => raw("HTTP/1.1 200 OK\r\n", { act: (socket) => void socket.destroy() }),
      guarded,
    ),
  });
  const authentication = login({ apiRequest: { query: { token: "token" } }, expires: 0 });
  const end = await run(api, { api: { authentication }, config });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(1))]);
  assert.deepEqual(
    api.targets().filter((target) => target !== "/login"),
    [1, 2, 3].map((n) => `/items?token=token-${n}`),
  );
});

test("a token that is revoked during the run is renewed, and the page is requested again", async () => {
  const session = tokens();
  const pages = session.guard(dataset(records(7)));
  await using api = await startApi({
    "/login": session.login,
    "/items": (request) => {
      if (request.params.get("offset") === "4" && session.issued.length === 1) session.revoke();
      return pages(request);
    },
  });
  const end = await run(api, { api: { ...offset(2), authentication: login() }, config });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(7))]);
  assert.deepEqual(api.targets(), [
    "/login",
    "/items?limit=2&offset=0",
    "/items?limit=2&offset=2",
    "/items?limit=2&offset=4",
    "/login",
    "/items?limit=2&offset=4",
    "/items?limit=2&offset=6",
  ]);
});

test("two responses of 401 in a row are an authentication error; earlier lines stay written", async () => {
  await using api = await startApi({
    "/login": () => ({ token: "t0k3n-secret" }),
    "/items": ({ params }) => (params.get("offset") === "0" ? records(2) : json({ error: "revoked" }, { status: 401 })),
  });
  const end = await run(api, { api: { ...offset(2), authentication: login() }, config });
  assert.deepEqual([end.code, end.stdout], [77, linesOf(records(2))]);
  assert.deepEqual(paths(api), ["login", "items", "items", "login", "items"]);
  assert.match(messagesOf(end, "error").join(), /page 2.*401.*revoked/);
  assert.doesNotMatch(end.stderr, /t0k3n-secret/);
});

test("five concurrent requests share one renewal of a revoked token", async () => {
  const session = tokens({ rotate: true });
  const pages = session.guard(dataset(records(60)));
  await using api = await startApi({
    "/login": session.login,
    "/items": async (request) => {
      // The login and five pages are in flight before the first page is answered.
      await api.received(6);
      if (request.params.get("offset") === "25" && session.issued.length === 1) session.revoke();
      return pages(request);
    },
  });
  const end = await run(api, { api: { ...offset(5), authentication: login() }, config, args: ["--concurrency", "5"] });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(60))]);
  assert.equal(session.issued.length, 2);
});

for (const [lifetime, logins] of [
  ["1799", 1],
  [1799.5, 1],
  [0, 3],
  ["0", 3],
] as const) {
  test(`with expires_in ${JSON.stringify(lifetime)}, 3 pages need ${counted(logins, "login")}`, async () => {
    await using api = await startApi({
      "/login": () => ({ token: "abc-def", expires_in: lifetime }),
      "/items": dataset(records(5)),
    });
    const expires = { response: "expires_in", relative: true };
    const end = await run(api, { api: { ...offset(2), authentication: login({ expires }) }, config });
    assert.deepEqual([end.code, end.stdout], [0, linesOf(records(5))]);
    assert.equal(paths(api).filter((path) => path === "login").length, logins);
  });
}

for (const [name, until] of [
  ["a Unix time", (now: number) => Math.floor(now / 1000) + 3600],
  ["milliseconds", (now: number) => now + 3_600_000],
  ["milliseconds as text", (now: number) => String(now + 3_600_000)],
  ["a date and a time", (now: number) => new Date(now + 3_600_000).toISOString().slice(0, 19).replace("T", " ")],
  ["a date and a time with a zone", (now: number) => new Date(now + 3_600_000).toISOString()],
  ["an HTTP date", (now: number) => new Date(now + 3_600_000).toUTCString()],
] as const) {
  test(`the lifetime of a login ends at ${name}; a time in the past is an authentication error`, async () => {
    let shift = 0;
    await using api = await startApi({
      "/login": () => ({ token: "abc-def", session: { until: until(Date.now() + shift) } }),
      "/items": dataset(records(3)),
    });
    const given = { api: { ...offset(2), authentication: login({ expires: { response: "session.until" } }) }, config };
    const good = await run(api, given);
    assert.deepEqual([good.code, good.stdout, paths(api)], [0, linesOf(records(3)), ["login", "items", "items"]]);
    shift = -7_200_000;
    const past = await run(api, given);
    assert.deepEqual([past.code, past.stdout], [77, ""]);
    assert.match(messagesOf(past, "error").join(), /session\.until/);
    assert.equal(paths(api).length, 4);
  });
}

for (const [expires, logins] of [
  [0, 3],
  ["0", 3],
  [-5, 3],
  [null, 1],
  [3600, 1],
  ["3600", 1],
  [undefined, 1],
] as const) {
  test(`with expires ${JSON.stringify(expires)}, 3 pages need ${counted(logins, "login")}`, async () => {
    const session = tokens({ rotate: true });
    await using api = await startApi({ "/login": session.login, "/items": session.guard(dataset(records(5))) });
    const end = await run(api, { api: { ...offset(2), authentication: login({ expires }) }, config });
    assert.deepEqual([end.code, end.stdout, session.issued.length], [0, linesOf(records(5)), logins]);
  });
}

for (const expires of [1.5, "1.5", "soon", true, [], { relative: true }, { response: 5 }]) {
  test(`expires: ${JSON.stringify(expires)} is refused before any request`, async () => {
    await using api = await startApi(() => []);
    const end = await run(api, { api: { authentication: login({ expires }) }, config });
    assert.deepEqual([end.code, end.stdout, api.targets()], [78, "", []]);
    assert.match(messagesOf(end, "error").join("\n"), /\/api\/authentication\/expires/);
  });
}

test("a login that expires while a page is on its way is renewed for the next page", async () => {
  const session = tokens();
  await using api = await startApi({
    "/login": session.login,
    "/items": inTurn(
      async (request) => {
        await new Promise((resolve) => setTimeout(resolve, 1200));
        return session.guard(dataset(records(3)))(request);
      },
      session.guard(dataset(records(3))),
    ),
  });
  const end = await run(api, { api: { ...offset(2), authentication: login({ expires: 1 }) }, config });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(3))]);
  assert.deepEqual(
    sent(api).filter((token) => token !== "-"),
    ["token-1", "token-2"],
  );
});
