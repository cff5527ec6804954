import assert from "node:assert/strict";
import { test } from "node:test";
import { expectedPieces, linesOf, pageSize } from "../soak/dataset.ts";
import { course } from "../soak/figures.ts";
import { createLineCheck, type LineCheck } from "../soak/line-check.ts";
import type { Sample } from "../soak/process-figures.ts";
import { momentLine, summary } from "../soak/report.ts";
import { type Moment, type Soaked, soak } from "../soak/run.ts";
import { verdicts } from "../soak/verdicts.ts";

const minute = 60;

/** Long enough for some faults, a revoked token and a renewal on any machine. */
const short = { seconds: 2, pages: 12, tokenSeconds: 1, revokedAfter: 2, faultEvery: 12 };

test("a soak of a few seconds gives every line and a report", async () => {
  const { signal } = new AbortController();
  const moments: string[] = [];
  const soaked = await soak({ ...short, signal, pause: 0.5, each: (moment) => moments.push(momentLine(moment)) });
  const { text, passed } = summary(soaked);
  assert.ok(passed, text);
  assert.equal(soaked.lines, linesOf(soaked.served.orders ?? Number.NaN));
  assert.equal(soaked.job?.logins, soaked.served.logins);
  assert.match(text, /too short {4}memory flat/);
  assert.match(text, /PASS$/);
  assert.match(moments[0] ?? "", /^0 min: [\d,]+ records, .* 401, .* faults, RSS .* MB, .* descriptors$/);
});

test("Ctrl-C ends a soak cleanly: the written records are right, and the state says where to continue", async () => {
  const controller = new AbortController();
  const each = ({ lines }: Moment) => {
    if (lines > 3000) controller.abort();
  };
  const soaked = await soak({ ...short, seconds: 3600, signal: controller.signal, pause: 0.2, each });
  assert.equal(soaked.exitCode, 130, soaked.errors);
  assert.deepEqual(
    verdicts(soaked)
      .map(({ what, holds }) => `${what} ${holds}`)
      .slice(0, 2),
    ["lines exact true", "a clean end true"],
    soaked.fault,
  );
});

test("a gap, a repetition, a change, a cut line and an extra line are noticed", () => {
  const [first = "", second = "", third = ""] = expectedPieces().next().value.lines.toString("utf8").split("\n");
  const lines = (...texts: string[]) => checked(texts.map((text) => `${text}\n`).join(""));
  assert.deepEqual([lines(first, second, third).lines, lines(first, second, third).fault], [3, undefined]);
  assert.match(
    lines(first, third).fault ?? "",
    /^line 2 is \{"id":9007199254000000002,.* not \{"id":9007199254000000001,/,
  );
  assert.match(lines(first, second, second).fault ?? "", /^line 3 is \{"id":9007199254000000001,/);
  assert.match(lines(first, second.replace(".10,", ".1,")).fault ?? "", /^line 2 /);
  assert.match(checked(`${first}\n${second.slice(0, -1)}\n${third}\n`).fault ?? "", /^line 2 /);
  assert.equal(checked(`${first}\n${second.slice(0, 20)}`).lines, 1);
  const tooFew = verdicts({ ...good, lines: good.lines - 1 });
  assert.equal(tooFew.find(({ what }) => what === "lines exact")?.holds, false);
});

test("lines may come in pieces of any size", () => {
  const { lines, count } = expectedPieces().next().value;
  for (const size of [1000, 65_537]) {
    const check = createLineCheck(expectedPieces());
    for (let at = 0; at < lines.length; at += size) check.write(lines.subarray(at, at + size));
    assert.deepEqual([check.lines, check.fault], [count, undefined]);
  }
});

test("the items of an order follow the page of that order", () => {
  const [page, ...items] = take(6);
  assert.equal(page?.count, pageSize);
  assert.deepEqual(
    items.map(({ count }) => count),
    [120, 120, 120, 120, pageSize],
  );
  assert.match(
    String(items[0]?.lines),
    /^\{"item":0,"key":"9007199254000000010-0",.*"parent_id":9007199254000000010\}\n/,
  );
  assert.equal(linesOf(9 * pageSize + 137), 9 * pageSize + 137 + 2 * 4 * 120);
});

test("a process whose memory grows slowly fails, and one whose memory varies does not", () => {
  const leak = samples(
    (at) => 80 + at / 15,
    () => 20,
  );
  const swing = samples(
    (at) => 80 + 30 * (at % 7 < 3 ? 1 : 0),
    (at) => 20 + (at % 5),
  );
  const lost = samples(
    () => 80,
    (at) => 20 + Math.floor(at / 40),
  );
  const judge = (of: readonly Sample[]) =>
    verdicts({ ...good, samples: of }).map(({ what, holds }) => `${what} ${holds}`);
  assert.ok(judge(leak).includes("memory flat false"));
  assert.ok(judge(lost).includes("descriptors flat false"));
  assert.deepEqual(judge(swing).slice(-2), ["memory flat true", "descriptors flat true"]);
  assert.ok(judge(leak.slice(0, minute)).includes("memory flat undefined"));
  assert.ok(Math.abs(course(leak, "memory").slope - 4) < 0.01);
  assert.match(summary({ ...good, samples: leak }).text, /FAIL$/);
  assert.match(summary({ ...good, samples: swing }).text, /PASS$/);
});

test("an extraction that did not end well fails the soak", () => {
  const failing = (change: Partial<Soaked>) =>
    verdicts({ ...good, ...change }).flatMap(({ what, holds }) => (holds === false ? [what] : []));
  assert.deepEqual(failing({}), []);
  assert.deepEqual(failing({ exitCode: 75 }), ["a clean end"]);
  assert.deepEqual(failing({ state: { time: { previousStart: 1 }, progress: {} } }), ["a clean end"]);
  assert.deepEqual(failing({ fault: "no line for 60 s", exitCode: null }), ["lines exact", "a clean end"]);
  assert.deepEqual(failing({ served: { ...good.served, orders: undefined } }), ["lines exact"]);
  assert.deepEqual(failing({ served: { ...good.served, revoked: 0 } }), ["a load"]);
});

function checked(text: string): LineCheck {
  const check = createLineCheck(expectedPieces());
  check.write(Buffer.from(text));
  return check;
}

function take(count: number) {
  const pieces = expectedPieces();
  return Array.from({ length: count }, () => pieces.next().value);
}

/** Returns samples of ten minutes, one a second. */
function samples(memory: (at: number) => number, descriptors: (at: number) => number): Sample[] {
  return Array.from({ length: 10 * minute }, (_, at) => ({ at, memory: memory(at), descriptors: descriptors(at) }));
}

const good: Soaked = {
  seconds: 600,
  exitCode: 0,
  errors: "",
  lines: linesOf(9137),
  fault: undefined,
  served: { pages: 40, logins: 9, connections: 5, refused: 3, revoked: 2, late: 0, faults: { reset: 2 }, orders: 9137 },
  job: { verdict: "complete", pages: 40, records: linesOf(9137), retries: 2, logins: 9 },
  samples: [],
  checkpoints: 20,
  state: { time: { previousStart: 1 } },
};
