import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import { createLease } from "../../../src/authentication/lease.ts";
import { type ErrorKind, SpileError } from "../../../src/core/errors.ts";
import type { Authenticator } from "../../../src/core/requests/authenticator.ts";
import { withHeaders } from "../../../src/core/requests/request.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { TransportFault } from "../../../src/http/exchange/session.ts";
import { evenRate } from "../../../src/http/pacing/rates.ts";
import type { Regulator } from "../../../src/http/pacing/regulator.ts";
import {
  broken,
  chunked,
  empty,
  fin,
  inTurn,
  json,
  odd,
  raw,
  redirect,
  reset,
  startApi,
  text,
  tokens,
  tooMany,
} from "../../helpers/api.ts";
import { bodyText, clientFor, readPage } from "../client.ts";

const failure =
  (kind: ErrorKind, ...messages: RegExp[]) =>
  (error: unknown) =>
    error instanceof SpileError && error.kind === kind && messages.every((message) => message.test(error.message));

test("a request is sent with its query unchanged, its headers as spelled, the default headers, and the Content-Type of its method", async () => {
  await using api = await startApi(() => 1);
  using client = clientFor(api.url);
  const params = [{ name: "limit", value: 5 }];
  await client.page("x?a=%41", { params, headers: [["X-ApiToken", " é "]] });
  await client.page("x", { method: "POST", params });
  await client.page("x", { method: "FORM", headers: [["Content-Length", "77"]] });
  const [get, post, form] = api.log;
  assert.equal(get?.target, "/x?a=%41&limit=5");
  const names = get?.rawHeaders.map(([name]) => name) ?? [];
  for (const name of ["X-ApiToken", "Accept", "Accept-Encoding", "User-Agent"]) assert.ok(names.includes(name), name);
  assert.equal(get?.headers["x-apitoken"], "é");
  assert.equal(get?.headers.accept, "application/json");
  assert.match(get?.headers["user-agent"] ?? "", /^spile\/\d/);
  assert.equal(get?.headers["content-type"], undefined);
  assert.deepEqual([post?.method, post?.body], ["POST", '{"limit":5}']);
  assert.equal(post?.headers["content-type"], "application/json");
  assert.deepEqual([form?.method, form?.body, form?.headers["content-length"]], ["POST", "", "0"]);
});

test("each request and each retry is a masked event", async () => {
  await using api = await startApi(inTurn(text("", { status: 500 }), () => 1));
  const secrets = new Secrets();
  secrets.add("s3cret/value");
  using client = clientFor(api.url, { secrets, debug: true });
  const about = { job: "j", dataType: "d", page: 2 };
  await client.page("x", { params: [{ name: "key", value: "s3cret/value" }] }, about);
  assert.deepEqual(
    client.events.map(({ event, level, message, job, page }) => ({ event, level, message, job, page })),
    [
      { event: "request", level: "debug", message: "GET /x?key=***", job: "j", page: 2 },
      {
        event: "retry",
        level: "info",
        message: `GET ${api.url}/x?key=***: answered 500 Internal Server Error; retry 1 of 10 in 0.0 s`,
        job: "j",
        page: 2,
      },
      { event: "request", level: "debug", message: "GET /x?key=***", job: "j", page: 2 },
    ],
  );
  assert.ok(!JSON.stringify(client.events).includes("s3cret"));
});

for (const status of [500, 502, 503, 504, 408, 420, 429]) {
  test(`${status} is retried as often as configured, and then is a temporary failure`, async () => {
    await using api = await startApi(() => json({ why: "busy" }, { status }));
    using client = clientFor(api.url, { retry: { maxRetries: 3 } });
    const exchange = client.exchange("x");
    await assert.rejects(
      exchange.open(),
      failure("temporary", new RegExp(`answered ${status}.*busy.*after 3 retries`)),
    );
    assert.equal(api.log.length, 4);
    assert.deepEqual([exchange.requests, exchange.retries], [4, 3]);
  });
}

test("maxRetries replaces the default of ten retries, and codes replace the default statuses", async () => {
  await using api = await startApi(() => json(0, { status: 503 }));
  using byDefault = clientFor(api.url);
  await assert.rejects(byDefault.page("x"), failure("temporary"));
  assert.equal(api.log.length, 11);
  using none = clientFor(api.url, { retry: { maxRetries: 0 } });
  await assert.rejects(none.page("x"), failure("temporary", /retries are off/));
  assert.equal(api.log.length, 12);
  using other = clientFor(api.url, { retry: { codes: [404] } });
  await assert.rejects(other.page("x"), failure("refused"));
  assert.equal(api.log.length, 13);
});

test("a retried status of success is accepted when retries are used up", async () => {
  await using api = await startApi(() => json("not ready", { status: 202 }));
  using client = clientFor(api.url, { retry: { maxRetries: 2, codes: [202] } });
  assert.equal(await client.page("x"), '"not ready"');
  assert.equal(api.log.length, 3);
});

test("the regulator learns of each 429, and of a 503 that asks for a wait", async () => {
  const bad = (status: number, wait?: string) =>
    json(0, { status, headers: wait === undefined ? {} : { "retry-after": wait } });
  await using api = await startApi(inTurn(bad(503), bad(503, "0.05"), bad(429), bad(500, "0.01"), () => 1));
  const refused: (number | undefined)[] = [];
  const regulator: Regulator = {
    turn: () => undefined,
    answered: () => undefined,
    refused: (_began, wait) => void refused.push(wait),
    usedUp: () => undefined,
  };
  using client = clientFor(api.url);
  await client.page("x", {}, { regulator });
  assert.deepEqual(refused, [50, undefined]);
});

test("all failures of a page share one budget of retries", async () => {
  // The first reset hits a kept connection and is not counted, the second one is.
  const bad = [tooMany("0"), text("", { status: 500 }), raw(reset), raw(reset), odd.closeDelimited("[")];
  await using api = await startApi(inTurn(...bad, () => [7]));
  using client = clientFor(api.url, { retry: { maxRetries: 4 } });
  const exchange = client.exchange("x");
  const cut = await exchange.open();
  assert.equal(await bodyText(cut.body), "[");
  const whole = await exchange.open(new TransportFault("the document ended early"));
  assert.equal(await bodyText(whole.body), "[7]");
  assert.equal(exchange.retries, 4);
  await assert.rejects(
    exchange.open(new TransportFault("the document ended early")),
    failure("temporary", /the document ended early; given up after 4 retries/),
  );
});

test("each page has its own budget", async () => {
  let calls = 0;
  await using api = await startApi(() => {
    calls += 1;
    return calls % 2 === 1 ? text("", { status: 500 }) : { ok: true };
  });
  using client = clientFor(api.url, { retry: { maxRetries: 1 } });
  for (let page = 0; page < 5; page += 1) assert.equal(await client.page(`x?page=${page}`), '{"ok":true}');
});

test("Retry-After and the configured header are obeyed, and a wait above the limit is a temporary failure", async () => {
  await using api = await startApi(inTurn(tooMany("0.3"), () => 1));
  using client = clientFor(api.url, { backoff: () => 60_000 });
  await client.page("x");
  const [first, second] = api.log;
  assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 299);

  await using named = await startApi(inTurn(json(0, { status: 503, headers: { "x-wait": "0.1" } }), () => 1));
  using other = clientFor(named.url, { retry: { retryHeader: "X-Wait" }, backoff: () => 60_000 });
  await other.page("x");

  await using long = await startApi(() => tooMany("7200"));
  using patient = clientFor(long.url);
  await assert.rejects(patient.page("x"), failure("temporary", /would be 7200 s, longer than --max-wait of 900 s/));
  assert.equal(long.log.length, 1);
});

test("a retry is reported with its request, and is counted only if it is sent", async () => {
  await using api = await startApi(inTurn(tooMany("0.01"), tooMany("7200")));
  using client = clientFor(api.url);
  const exchange = client.exchange("x?a=1", { method: "POST" });
  await assert.rejects(exchange.open(), failure("temporary", /would be 7200 s/));
  assert.deepEqual([exchange.requests, exchange.retries], [2, 1]);
  const [event, ...others] = client.events.filter((one) => one.event === "retry");
  assert.deepEqual(others, []);
  assert.deepEqual([event?.method, event?.url, event?.status], ["POST", `${api.url}/x?a=1`, 429]);
});

test("Retry-After delays every request to that origin", async () => {
  await using api = await startApi(inTurn(tooMany("0.3"), () => 1));
  using client = clientFor(api.url);
  const first = client.page("a");
  while (client.messages("retry").length === 0) await immediate();
  await Promise.all([first, client.page("b"), client.page("c")]);
  const [start, ...later] = api.log;
  assert.equal(later.length, 3);
  for (const request of later) assert.ok(request.at - (start?.at ?? 0) >= 299, request.target);
});

test("a rate spaces parallel requests to an origin", async () => {
  await using api = await startApi(() => 1);
  using client = clientFor(api.url, { rates: [evenRate(20)] });
  const started = performance.now();
  await Promise.all(Array.from({ length: 6 }, (_, page) => client.page(`x?page=${page}`)));
  assert.equal(api.log.length, 6);
  assert.ok(performance.now() - started >= 249);
});

test("the rate applies to requests after a redirect, separately for each origin", async () => {
  await using other = await startApi(() => 1);
  await using api = await startApi({
    "/a": () => redirect("/b"),
    "/b": () => redirect(`${other.url}/c`),
  });
  using client = clientFor(api.url, { rates: [evenRate(5)] });
  const started = performance.now();
  await client.page("a");
  await client.page(`${other.url}/d`);
  assert.deepEqual(
    [api.targets(), other.targets()],
    [
      ["/a", "/b"],
      ["/c", "/d"],
    ],
  );
  assert.ok(performance.now() - started >= 399);
});

test("a host that refuses connections has three tries before the run's first response", async () => {
  const api = await startApi(() => 1);
  const { url } = api;
  await api.close();
  using client = clientFor(url);
  const exchange = client.exchange("x");
  await assert.rejects(
    exchange.open(),
    failure("temporary", /connection was refused \(127.0.0.1:\d+\); given up after 2/),
  );
  assert.equal(exchange.requests, 3);
});

test("after the run's first response, a host that refuses connections has all retries", async () => {
  await using api = await startApi(() => 1);
  const gone = await startApi(() => 1);
  await gone.close();
  using client = clientFor(api.url);
  await client.page("x");
  const exchange = client.exchange(gone.url);
  await assert.rejects(exchange.open(), failure("temporary", /after 10 retries/));
  assert.equal(exchange.requests, 11);
});

test("an error status that is not retried fails the request at once, with a printable beginning of the body", async () => {
  const words = `no\u0007 way ${"x".repeat(400)}`;
  await using api = await startApi(() => text(words, { status: 403, headers: { "content-type": "text/plain" } }));
  using client = clientFor(api.url);
  await assert.rejects(client.page("x?a=1"), (error) => {
    assert.ok(failure("refused", /^GET http:.*\/x\?a=1: answered 403 Forbidden: no\\x07 way x+\.\.\.$/)(error));
    return error instanceof Error && (error.message.split("Forbidden: ")[1] ?? "").length === 303;
  });
  assert.equal(api.log.length, 1);
});

test("an error is reported although its body stalls", async () => {
  const stalling = () => raw("HTTP/1.1 400 X\r\nContent-Length: 50\r\n\r\nlimit max 50\n");
  await using api = await startApi(stalling);
  using client = clientFor(api.url, { timeouts: { idle: 0.2 } });
  await assert.rejects(client.page("x"), failure("refused", /answered 400 Bad Request: limit max 50$/));
});

test("a character that is cut at the end of an error's body is not shown", async () => {
  const words = Buffer.from("limit \u00e9");
  await using api = await startApi(() =>
    raw("HTTP/1.1 400 X\r\nContent-Length: 50\r\n\r\n", words.subarray(0, -1), fin),
  );
  using client = clientFor(api.url);
  await assert.rejects(client.page("x"), failure("refused", /answered 400 Bad Request: limit$/));
});

test("only a small part of a long body is read if it is not needed", async () => {
  const size = 64 * 1024 * 1024;
  let sent = 0;
  function* body(): Generator<Buffer> {
    for (const part = Buffer.alloc(65_536, 0x20); sent < size; sent += part.length) yield part;
  }
  const head = { status: 302, headers: { location: "/there" } };
  await using api = await startApi({ "/there": () => 1, "/here": () => chunked(body(), head) });
  using client = clientFor(api.url);
  assert.equal(await client.page("here"), "1");
  while (sent < size && api.open() > 1) await immediate();
  assert.ok(sent < size, `${sent}`);
});

test("a status in ignoreErrors is tolerated when the retries are used up, and the body is read", async () => {
  await using api = await startApi({
    "/gone": () => json({ error: "none" }, { status: 404 }),
    "/busy": () => json({ error: "busy" }, { status: 503 }),
  });
  using client = clientFor(api.url, { ignoreErrors: [404, 503], retry: { maxRetries: 1 } });
  const gone = await client.exchange("gone").open();
  assert.deepEqual([gone.kind, gone.status, await bodyText(gone.body)], ["tolerated", 404, '{"error":"none"}']);
  const busy = await client.exchange("busy").open();
  assert.deepEqual([busy.kind, busy.status, await bodyText(busy.body)], ["tolerated", 503, '{"error":"busy"}']);
  assert.equal(api.log.length, 3);
});

test("204, 205 and Content-Length 0 are empty, and keep their connection", async () => {
  const headers = { "content-encoding": "zstd" };
  await using api = await startApi(inTurn(empty(204), empty(205), empty(200), empty(200, headers), () => 1));
  using client = clientFor(api.url);
  for (const status of [204, 205, 200, 200]) {
    const answer = await client.exchange("x").open();
    assert.deepEqual([answer.kind, answer.status, await bodyText(answer.body)], ["empty", status, ""]);
  }
  assert.equal((await client.exchange("x").open()).kind, "body");
  assert.equal(api.connections(), 1);
});

/** Creates an authenticator that adds the token of `login`, and logs in again after a refusal. Counts its calls. */
function bearer(login: () => string, renew = true): Authenticator & { asked: number } {
  let token: string | undefined;
  const authenticator = {
    asked: 0,
    preview: undefined,
    async authorize(request: Parameters<Authenticator["authorize"]>[0]) {
      authenticator.asked += 1;
      token ??= login();
      const used = token;
      const refused = (): boolean => {
        if (token === used) token = undefined;
        return renew;
      };
      return {
        request: () => ({
          ...request,
          headers: withHeaders(request.headers, [["Authorization", `Bearer ${used}`]]),
        }),
        refused,
      };
    },
  };
  return authenticator;
}

test("credentials are requested before each attempt, and a 401 renews them once without counting as a retry", async () => {
  const issue = tokens();
  const login = () => (issue.login(undefined as never) as { token: string }).token;
  let calls = 0;
  await using api = await startApi(
    issue.guard(() => {
      calls += 1;
      if (calls === 1) return text("", { status: 500 });
      return { ok: true };
    }),
  );
  using client = clientFor(api.url, { retry: { maxRetries: 1 } });
  const authenticator = bearer(login);
  const exchange = client.exchange("x", {}, { authenticator });
  assert.equal(await readPage(exchange), '{"ok":true}');
  assert.deepEqual([authenticator.asked, exchange.retries], [2, 1]);
  issue.revoke();
  const second = client.exchange("x", {}, { authenticator });
  assert.equal(await readPage(second), '{"ok":true}');
  assert.deepEqual([second.requests, second.retries], [2, 0]);
  assert.deepEqual(
    api.log.map((request) => request.headers.authorization),
    ["Bearer token-1", "Bearer token-1", "Bearer token-1", "Bearer token-2"],
  );
});

/** Creates an authenticator whose tokens last until the clock has ticked `life` times. It ticks at each `tick`. */
function shortLived(life: number, tick: "request" | "isValid"): Authenticator {
  let [time, issued] = [0, 0];
  const clock = (): number => 1000 * time;
  const renew = async () => ({ value: `t${++issued}`, lifetime: { kind: "seconds", seconds: life } }) as const;
  const lease = createLease(renew, { now: clock, elapsed: clock });
  const count = (event: typeof tick): void => {
    if (event === tick) time += 1;
  };
  return {
    preview: undefined,
    async authorize(request, signal) {
      const { value, isNew, isValid } = await lease.take(signal);
      return {
        isNew,
        isValid() {
          count("isValid");
          return isValid();
        },
        request() {
          count("request");
          return { ...request, headers: withHeaders(request.headers, [["Authorization", value]]) };
        },
      };
    },
  };
}

test("requests that wait for the rate longer than credentials are valid never use expired ones", async () => {
  const uses = new Map<string | undefined, number>();
  await using api = await startApi(({ headers: { authorization } }) => {
    uses.set(authorization, (uses.get(authorization) ?? 0) + 1);
    return (uses.get(authorization) ?? 0) > 2 ? json({}, { status: 401 }) : [];
  });
  using client = clientFor(api.url, { rates: [{ requests: 1, period: 20, even: false }] });
  const sendTen = (authenticator: Authenticator): Promise<string[]> =>
    Promise.all(Array.from({ length: 10 }, () => client.page("x", {}, { authenticator })));
  await sendTen(shortLived(2, "request"));
  assert.deepEqual([...uses.values()], [2, 2, 2, 2, 2]);
  uses.clear();
  // These tokens expire before a request that waits can use them. So each request uses the token of a login that it sent itself.
  await sendTen(shortLived(1, "isValid"));
  assert.deepEqual([...uses.values()], Array(10).fill(1));
});

test("a second 401 in a row, or one without a renewal, is an authentication error", async () => {
  const denied = json({ error: "who?" }, { status: 401 });
  await using api = await startApi(inTurn(denied, denied, denied, denied, () => 1));
  using client = clientFor(api.url);
  const authenticator = bearer(() => "t");
  await assert.rejects(client.page("x", {}, { authenticator }), failure("authentication", /answered 401.*who\?/));
  assert.equal(api.log.length, 2);
  const fixed = bearer(() => "t", false);
  await assert.rejects(client.page("x", {}, { authenticator: fixed }), failure("authentication"));
  await assert.rejects(client.page("x"), failure("authentication"));
  assert.equal(api.log.length, 4);
});

test("a 401 after a different failure counts as the first one", async () => {
  const denied = json({}, { status: 401 });
  // A kept connection that is reset is replaced silently, so only the second reset is a fault.
  for (const between of [[raw(reset), raw(reset)], [json({}, { status: 503 })], [broken.cutInBody("1234")]]) {
    await using api = await startApi(inTurn(denied, ...between, denied, () => 1));
    using client = clientFor(api.url);
    assert.equal(await client.page("x", {}, { authenticator: bearer(() => "t") }), "1");
    assert.equal(api.log.length, between.length + 3);
  }
});

test("a secret that is cut at the end of an error's body is not shown", async () => {
  await using api = await startApi(() =>
    raw("HTTP/1.1 403 Forbidden\r\nContent-Length: 40\r\n\r\nno entry for s3cret-to", fin),
  );
  const secrets = new Secrets();
  secrets.add("s3cret-token");
  using client = clientFor(api.url, { secrets });
  await assert.rejects(client.page("x"), failure("refused", /answered 403 Forbidden: no entry for \*\*\*$/));
});

test("a login whose answer is cut by its connection is repeated", async () => {
  await using api = await startApi(inTurn(broken.cutWithoutLength('{"token":"abcdef"}'), () => ({ token: "abcdef" })));
  using client = clientFor(api.url, {});
  assert.equal((await client.session.send(client.request("login"))).body, '{"token":"abcdef"}');
  assert.equal(api.log.length, 2);
});

test("send reads the whole answer of a login with retries, and refuses more than 1 MiB", async () => {
  await using api = await startApi({
    "/login": inTurn(raw(reset), odd.closeDelimited('{"token":"t"}')),
    "/denied": () => json({ error: "bad password" }, { status: 403 }),
    "/busy": () => json(0, { status: 503 }),
    "/large": () => text("x".repeat(1_048_577)),
    "/none": () => empty(),
  });
  using client = clientFor(api.url, { ignoreErrors: [403], retry: { maxRetries: 1 } });
  const { status, url, contentType, body } = await client.session.send(client.request("login"));
  assert.deepEqual([status, url, contentType, body], [200, `${api.url}/login`, "application/json", '{"token":"t"}']);
  await assert.rejects(client.session.send(client.request("denied")), failure("authentication", /bad password/));
  await assert.rejects(client.session.send(client.request("busy")), failure("temporary"));
  await assert.rejects(client.session.send(client.request("large")), failure("authentication", /1 MiB/));
  assert.equal((await client.session.send(client.request("none"))).body, "");
});

test("an answer that is not HTTP has three tries", async () => {
  await using api = await startApi(() => raw("HTTP/1.1 200 OK\r\nBro ken\u0001: 1\r\n\r\n", reset));
  using client = clientFor(api.url);
  const exchange = client.exchange("x");
  await assert.rejects(exchange.open(), failure("temporary", /is not HTTP: .*; given up after 2 retries/));
  assert.equal(exchange.requests, 3);
});

test("answers that are not HTTP have three tries within the page's budget, also with other failures in between", async () => {
  const busy = text("", { status: 500 });
  const garbled = raw("HTTP/1.1 200 OK\r\nBro ken\u0001: 1\r\n\r\n", reset);
  await using api = await startApi(inTurn(busy, busy, garbled, garbled, busy, () => 1));
  using client = clientFor(api.url);
  assert.equal(await client.page("x"), "1");
  await using worse = await startApi(inTurn(busy, garbled, busy, garbled, busy, garbled, () => 1));
  using other = clientFor(worse.url);
  await assert.rejects(other.page("x"), failure("temporary", /given up after 5 retries/));
});

test("a wait above 10 s is a warning, a shorter one is not, and both name the reason", async () => {
  for (const [ms, level, seconds] of [
    [10_000, "info", "10 s"],
    [10_001, "warning", "10 s"],
    [8_000, "info", "8.0 s"],
  ] as const) {
    await using api = await startApi(() => text("", { status: 503 }));
    using client = clientFor(api.url, { backoff: () => ms });
    const page = client.page("x");
    await api.received(1);
    while (client.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    client.abort.abort(new Error("enough"));
    await assert.rejects(page, /enough/);
    const [event] = client.events;
    assert.deepEqual([event?.level, event?.reason], [level, `503, retry 1 of 10 in ${seconds}`]);
  }
});

test("`debug` logs the body of a request, masked and cut", async () => {
  await using api = await startApi(() => 1);
  const secrets = new Secrets();
  secrets.add("s3cret/value");
  using client = clientFor(api.url, { secrets, debug: true });
  const params = [
    { name: "key", value: "s3cret/value" },
    { name: "text", value: "x".repeat(2000) },
  ];
  await client.page("x", { method: "POST", params });
  await client.page("x", { method: "FORM", params: params.slice(0, 1) });
  const [post, form] = client.messages("request");
  assert.equal(post, `POST /x ${`{"key":"***","text":"${"x".repeat(2000)}`.slice(0, 1024)}...`);
  assert.equal(form, "POST /x key=***");
});

test("a refusal that mentions a session or a token comes without advice to tolerate it", async () => {
  await using api = await startApi(() => text('{"code":209,"error":"Session token is expired."}', { status: 400 }));
  using client = clientFor(api.url, {});
  await assert.rejects(client.page("x", {}, { page: 2 }), (error: Error) => !error.message.includes("ignoreErrors"));
});

test("a 404 after the first page comes with advice on how to make it the end", async () => {
  await using api = await startApi(() => text("gone", { status: 404 }));
  using client = clientFor(api.url, {});
  const hint = '"ignoreErrors": [404]';
  await assert.rejects(client.page("x", {}, { page: 2 }), (error: Error) => error.message.includes(hint));
  await assert.rejects(client.page("x", {}, { page: 1 }), (error: Error) => !error.message.includes(hint));
});
