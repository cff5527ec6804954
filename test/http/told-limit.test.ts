import assert from "node:assert/strict";
import { test } from "node:test";
import { limitHeadersOf, usedUp } from "../../src/http/told-limit.ts";

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
  [{ RateLimit: '"a,b;r=0;t=99";r=1;t=30' }, undefined],
  [{ RateLimit: '"a\\\\";r=0;t=30' }, ["RateLimit: r=0", 30_000]],
  [{ RateLimit: '"default";r=0' }, ["RateLimit: r=0", undefined]],
  [{ RateLimit: "default;pk=:cHM=:;t=2;r=0" }, ["RateLimit: r=0", 2000]],
  [{ RateLimit: ";;=,r" }, undefined],
  [
    { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "3", "RateLimit-Remaining": "0", "RateLimit-Reset": "40" },
    ["RateLimit-Remaining: 0", 40_000],
  ],
];

for (const [headers, expected] of rows) {
  test(`${JSON.stringify(headers)} is ${expected === undefined ? "no limit" : `${expected[1]} ms`}`, () => {
    const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const told = usedUp((name) => byName.get(name.toLowerCase()), common, now);
    assert.deepEqual(told === undefined ? undefined : [told.header, told.ms], expected);
  });
}

test("own names come beside the common ones; headers false is none", () => {
  const own = { remaining: "X-Quota-Left", reset: "X-Quota-Reset" };
  assert.deepEqual(limitHeadersOf(own), [own, ...common]);
  assert.deepEqual(limitHeadersOf(5), common);
  assert.deepEqual(limitHeadersOf(["5/s"]), common);
  assert.deepEqual(limitHeadersOf({ rate: 5 }), common);
  assert.equal(limitHeadersOf({ rate: 5, headers: false }), undefined);
});
