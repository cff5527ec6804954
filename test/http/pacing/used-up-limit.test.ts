import assert from "node:assert/strict";
import { test } from "node:test";
import { SpileError } from "../../../src/core/errors.ts";
import { limitHeadersOf, usedUpLimit } from "../../../src/http/pacing/used-up-limit.ts";
import { inTurn, json, startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { clientFor } from "../client.ts";

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
const common = limitHeadersOf(undefined) ?? [];

const rows: readonly [
  headers: Record<string, string>,
  expected: readonly [header: string, ms: number | undefined] | undefined,
][] = [
  [{}, undefined],
  [{ "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "30" }, undefined],
  [{ "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30" }, ["X-RateLimit-Remaining: 0", 30_000]],
  [{ "X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "1.5" }, ["X-RateLimit-Remaining: -1", 1500]],
  [
    { "X-Rate-Limit-Remaining": " 0 ", "X-Rate-Limit-Reset": String(now / 1000 + 7) },
    ["X-Rate-Limit-Remaining: 0", 7000],
  ],
  [{ "RateLimit-Remaining": "0", "RateLimit-Reset": String(now + 250) }, ["RateLimit-Remaining: 0", 250]],
  [
    { "RateLimit-Remaining": "0", "RateLimit-Reset": "Thu, 01 Jan 2026 12:00:09 GMT" },
    ["RateLimit-Remaining: 0", 9000],
  ],
  [{ "X-RateLimit-Remaining": "0" }, ["X-RateLimit-Remaining: 0", undefined]],
  [{ "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon" }, ["X-RateLimit-Remaining: 0", undefined]],
  [{ "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0" }, ["X-RateLimit-Remaining: 0", undefined]],
  [{ "X-RateLimit-Remaining": "0", "X-Rate-Limit-Reset": "30" }, ["X-RateLimit-Remaining: 0", undefined]],
  [{ "X-RateLimit-Remaining": "none" }, undefined],
  [{ "X-RateLimit-Remaining": "" }, undefined],
  [{ RateLimit: '"default";r=0;t=30' }, ["RateLimit: r=0", 30_000]],
  [{ RateLimit: '"default";r=10;t=30' }, undefined],
  [{ RateLimit: '"burst";r=0;t=5, "day" ; r=0 ; t=60 ,"hour";r=9;t=900' }, ["RateLimit: r=0", 60_000]],
  [{ RateLimit: '"a,b;r=0;t=99,c";r=1;t=30' }, undefined],
  [{ RateLimit: '"a\\\\";r=0;t=30' }, ["RateLimit: r=0", 30_000]],
  [{ RateLimit: '"default";r=0' }, ["RateLimit: r=0", undefined]],
  [{ RateLimit: "default;pk=:cHM=:;t=2;r=0" }, ["RateLimit: r=0", 2000]],
  [{ RateLimit: ";;=,r" }, undefined],
  [{ RateLimit: "limit=10, remaining=0, reset=2" }, ["RateLimit: remaining=0", 2000]],
  [{ RateLimit: "limit=10, remaining=3, reset=2" }, undefined],
  ...[1, 1e3, 1e6].map((unit): (typeof rows)[number] => [
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(BigInt(now + 2000) * BigInt(unit)) },
    ["X-RateLimit-Remaining: 0", 2000],
  ]),
  [
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(now + 2 * 365 * 86_400_000) },
    ["X-RateLimit-Remaining: 0", undefined],
  ],
  [
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "3", "RateLimit-Remaining": "0", "RateLimit-Reset": "40" },
    ["RateLimit-Remaining: 0", 40_000],
  ],
];

function meaningOf(expected: (typeof rows)[number][1]): string {
  if (expected === undefined) return "that the limit is not used up";
  return expected[1] === undefined ? "a used-up limit whose renewal is unknown" : `a wait of ${expected[1]} ms`;
}

for (const [headers, expected] of rows) {
  test(`${JSON.stringify(headers)} means ${meaningOf(expected)}`, () => {
    const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const limit = usedUpLimit((name) => byName.get(name.toLowerCase()), common, now);
    assert.deepEqual(limit === undefined ? undefined : [limit.header, limit.ms], expected);
  });
}

test("configured names add to the common ones, and headers: false disables all", () => {
  const configured = { remaining: "X-Quota-Left", reset: "X-Quota-Reset" };
  assert.deepEqual(limitHeadersOf(configured), [configured, ...common]);
  assert.deepEqual(limitHeadersOf(5), common);
  assert.deepEqual(limitHeadersOf(["5/s"]), common);
  assert.deepEqual(limitHeadersOf({ rate: 5 }), common);
  assert.equal(limitHeadersOf({ rate: 5, headers: false }), undefined);
});

const limitHeaders = common;
const limited = (seconds: number, status = 200) =>
  json([], { status, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(seconds) } });

test("after a remaining of 0, all requests to that origin wait for the reset, and the wait is reported once", async () => {
  await using other = await startApi(() => 1);
  await using api = await startApi(inTurn(limited(1.5), () => 1));
  using client = clientFor(api.url, { limitHeaders });
  await client.page("a");
  await Promise.all([client.page("b"), client.page("c"), client.page(other.url)]);
  const [first, ...later] = api.log;
  for (const { at } of later) assert.ok(at - (first?.at ?? 0) >= 1490, `${at}`);
  assert.equal(later.length, 2);
  const waits = client.events.filter(({ event }) => event === "wait");
  assert.deepEqual(
    waits.map(({ level }) => level),
    ["info"],
  );
  assert.match(
    waits[0]?.reason ?? "",
    /^the API's rate limit is used up \(X-RateLimit-Remaining: 0\), next request in [01]\.\d s$/,
  );
  assert.ok((other.log[0]?.at ?? 0) < (later[0]?.at ?? 0));
});

test("a wait of more than 60 s for the reset is a warning, and a wait above --max-wait is a temporary failure", async () => {
  await using api = await startApi(inTurn(limited(61), () => 1));
  using client = clientFor(api.url, { limitHeaders });
  await client.page("a");
  const page = client.page("b");
  while (client.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
  client.abort.abort(new Error("enough"));
  await assert.rejects(page, /enough/);
  assert.deepEqual([client.events[0]?.event, client.events[0]?.level], ["wait", "warning"]);
  using impatient = clientFor(api.url, { limitHeaders, maxWait: 1000 });
  await using hourly = await startApi(() => limited(3600));
  await impatient.page(`${hourly.url}/a`);
  await assert.rejects(
    impatient.page(`${hourly.url}/b`),
    (error) =>
      error instanceof SpileError &&
      error.kind === "temporary" &&
      /\/b: the API's rate limit is used up \(X-RateLimit-Remaining: 0\); the wait for its renewal would be 3600 s, longer than --max-wait of 1.0 s/.test(
        error.message,
      ),
  );
  assert.equal(hourly.log.length, 1);
});

test("without a readable reset, or with headers: false, requests do not wait", async () => {
  const bare = json([], { headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon" } });
  for (const [answer, headers] of [
    [bare, limitHeaders],
    [limited(3600), undefined],
  ] as const) {
    await using api = await startApi(() => answer);
    using client = clientFor(api.url, { limitHeaders: headers, maxWait: 0 });
    for (const page of ["a", "b"]) assert.equal(await client.page(page), "[]");
    assert.deepEqual(client.events, []);
  }
});

test("Retry-After takes precedence over the reset", async () => {
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "3600", "retry-after": "0.1" };
  await using api = await startApi(inTurn(json(0, { status: 429, headers }), () => 1));
  using client = clientFor(api.url, { limitHeaders });
  assert.equal(await client.page("a"), "1");
});

test("Retry-After in a good answer says when the limit is renewed, with or without a reset header", async () => {
  for (const [headers, isOverMaxWait] of [
    [{ "x-ratelimit-reset": "0.05", "retry-after": "3600" }, true],
    [{ "retry-after": "3600" }, true],
    [{ "x-ratelimit-reset": "3600", "retry-after": "0.05" }, false],
    [{ "x-ratelimit-reset": "3600", "retry-after": "0" }, true],
  ] as const) {
    await using api = await startApi(
      inTurn(json([], { headers: { "x-ratelimit-remaining": "0", ...headers } }), json([])),
    );
    using client = clientFor(api.url, { limitHeaders, maxWait: 60_000 });
    await client.page("a");
    if (isOverMaxWait) await assert.rejects(client.page("b"), /its renewal would be 3\d\d\d s, longer than --max-wait/);
    else assert.equal(await client.page("b"), "[]");
    assert.equal(api.log.length, isOverMaxWait ? 1 : 2);
  }
});

test("a 429 without Retry-After is repeated at the reset", async () => {
  await using api = await startApi(inTurn(limited(0.2, 429), () => 1));
  using client = clientFor(api.url, { limitHeaders, backoff: () => 60_000 });
  assert.equal(await client.page("a"), "1");
  assert.deepEqual(
    client.events.map(({ event, reason }) => [event, reason]),
    [["retry", "429, retry 1 of 10 in 0.2 s"]],
  );
});

test("a 403 with a remaining of 0 or with Retry-After is retried like a 429, and any other is refused", async () => {
  const soon = json(0, { status: 403, headers: { "retry-after": "0.05" } });
  const bare = json(0, { status: 403, headers: { "ratelimit-remaining": "0" } });
  await using api = await startApi(inTurn(limited(0.05, 403), soon, bare, () => 1));
  using client = clientFor(api.url, { limitHeaders });
  const exchange = client.exchange("a");
  await exchange.open();
  assert.equal(exchange.retries, 3);
  for (const [answer, options] of [
    [json(0, { status: 403 }), { limitHeaders }],
    [json(0, { status: 403, headers: { "retry-after": "0" } }), { limitHeaders }],
    [soon, {}],
    [soon, { limitHeaders, retry: { codes: [500] } }],
  ] as const) {
    await using refusing = await startApi(() => answer);
    using refused = clientFor(refusing.url, options);
    await assert.rejects(refused.page("x"), (error) => error instanceof SpileError && error.kind === "refused");
    assert.equal(refusing.log.length, 1);
  }
});

test("configured and common header names are obeyed, unless headers is false", async () => {
  const headers = { "x-quota-left": "0", "x-quota-reset": "3600" };
  for (const [rateLimit, exitCode] of [
    [{ rate: "100/s", remaining: "X-Quota-Left", reset: "X-Quota-Reset" }, 75],
    [["100/s", "1000/h"], 0],
    [undefined, 0],
  ] as const) {
    await using api = await startApi(() => json([1], { headers }));
    const http = rateLimit === undefined ? {} : { rateLimit };
    const { result } = await runHere({
      api: { baseUrl: api.url, http },
      config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] },
    });
    assert.equal(result.exitCode, exitCode, JSON.stringify(rateLimit));
  }
  for (const [rateLimit, exitCode] of [
    [undefined, 75],
    [{ headers: false }, 0],
  ] as const) {
    await using api = await startApi(() => limited(3600));
    const http = rateLimit === undefined ? {} : { rateLimit };
    const { result } = await runHere({
      api: { baseUrl: api.url, http },
      config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] },
    });
    assert.equal(result.exitCode, exitCode, JSON.stringify(rateLimit));
  }
});

test("a wait beyond --max-wait fails at once as temporary, and the message says how long the API asked to wait", async () => {
  const used = { headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "3600" } };
  const rows = [
    [
      inTurn(json([], { status: 503, headers: { "retry-after": "3600" } })),
      /the wait before the next try would be 3600 s/,
    ],
    [inTurn(json([], used), json([])), /the wait for its renewal would be 3\d\d\d s, longer than --max-wait/],
  ] as const;
  for (const [handler, message] of rows) {
    await using api = await startApi(handler);
    const configuration = { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] } };
    const { result } = await runHere(configuration, { maxWait: 60 });
    assert.deepEqual([result.exitCode, api.log.length], [75, 1]);
    assert.match(result.failure?.message ?? "", message);
  }
});
