import assert from "node:assert/strict";
import { test } from "node:test";
import { windowsOf } from "../../../src/compile/jobs/windows.ts";
import { ConfigurationError } from "../../../src/core/errors.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { scalarText, type Value } from "../../../src/core/values/value.ts";
import { date } from "../../../src/expression/php/date.ts";
import { offsetAt } from "../../../src/expression/php/time-zone.ts";
import type { Windows as Configured } from "../../../src/generated/configuration.ts";
import type { Random } from "../../helpers/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";

type Given = Omit<Configured, "from" | "to"> & { readonly from: Value; readonly to?: Value };

function listOf({ from, to, ...configured }: Given, now = 1_704_067_200) {
  return windowsOf({ ...configured, from }, { from, to }, { pointer: "/windows", now, secrets: new Secrets() });
}

/** Returns the edges as texts. */
function edges(given: Given, now?: number): string[] {
  return [...listOf(given, now)].map(({ from, to }) => `${scalarText(from)} ${scalarText(to)}`);
}

function names(given: Given): string[] {
  return [...listOf(given)].map(({ name }) => name);
}

test("a window ends where the next one begins, and the last one at `to`", () => {
  assert.deepEqual(names({ from: "2024-01-01", to: "2024-01-03T08:00:00Z", step: "1 day" }), [
    "2024-01-01T00:00:00Z/2024-01-02T00:00:00Z",
    "2024-01-02T00:00:00Z/2024-01-03T00:00:00Z",
    "2024-01-03T00:00:00Z/2024-01-03T08:00:00Z",
  ]);
  assert.deepEqual(edges({ from: 100, to: "250", step: "1 minute" }), ["100 160", "160 220", "220 250"]);
  assert.deepEqual(edges({ from: "+100", to: "250", step: "90 seconds" }), ["100 190", "190 250"]);
  assert.deepEqual(edges({ from: "2024-01-01", to: "2026-01-01", step: "1 year" }), [
    "1704067200 1735689600",
    "1735689600 1767225600",
  ]);
});

test("windows without `to` end at the start of the run, and an empty period has no window", () => {
  assert.deepEqual(edges({ from: 1000, step: "PT15M" }, 2000), ["1000 1900", "1900 2000"]);
  assert.deepEqual(edges({ from: 2000, step: "PT15M" }, 2000), []);
  assert.deepEqual(edges({ from: 3000, step: "PT15M" }, 2000), []);
});

test("each closed window, the last one included, ends one unit before the next one would begin", () => {
  const closed = { bounds: "closed" } as const;
  assert.deepEqual(edges({ ...closed, from: 0, to: 100, step: "1 minute" }), ["0 59", "60 99"]);
  assert.deepEqual(edges({ ...closed, unit: "millisecond", from: 0, to: 100, step: "1 minute" }), [
    "0 59.999",
    "60 99.999",
  ]);
  assert.deepEqual(names({ ...closed, unit: "day", from: "2024-01-01", to: "2024-01-10", step: "1 week" }), [
    "2024-01-01T00:00:00Z/2024-01-07T00:00:00Z",
    "2024-01-08T00:00:00Z/2024-01-09T00:00:00Z",
  ]);
});

test("a closed window shorter than a unit is left out", () => {
  const days = { bounds: "closed", unit: "day" } as const;
  assert.deepEqual(names({ ...days, from: "2024-01-01", to: "2024-01-02T15:00:00Z", step: "1 day" }), [
    "2024-01-01T00:00:00Z/2024-01-01T00:00:00Z",
  ]);
  assert.equal(edges({ ...days, from: "2024-01-01", to: "2024-01-02", step: "1 hour" }).length, 1);
  // A moment within a second counts as the beginning of that second.
  assert.equal(edges({ bounds: "closed", from: "0.5", to: "0.9", step: "1 minute" }).length, 0);
  assert.deepEqual(edges({ bounds: "closed", from: "0.5", to: 1, step: "1 minute" }), ["0.5 0"]);
});

test("steps of months from a 31st take the last day of shorter months, and the 31st again in longer ones", () => {
  const days = names({ from: "2024-01-31", to: "2024-06-15", step: "1 month" }).map((name) => name.slice(0, 10));
  assert.deepEqual(days, ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31"]);
});

test("a day on which clocks change is one window of 23 or 25 hours", () => {
  const lengths = (from: string, to: string, step = "1 day"): number[] =>
    [...listOf({ from, to, step, timeZone: "Europe/Prague" })].map((one) => (Number(one.to) - Number(one.from)) / 3600);
  assert.deepEqual(lengths("2024-03-30", "2024-04-02"), [24, 23, 24]);
  assert.deepEqual(lengths("2024-10-26", "2024-10-29"), [24, 25, 24]);
  // The zone in which an edge is written does not matter.
  assert.deepEqual(lengths("2024-03-30T23:00:00Z", "2024-04-01T22:00:00Z"), [23, 24]);
  assert.deepEqual(lengths("1711839600", "1712008800"), [23, 24]);
  const closed = { bounds: "closed", unit: "day", step: "1 week", timeZone: "Europe/Prague" } as const;
  assert.deepEqual(names({ ...closed, from: "2024-03-30", to: "2024-04-01" }), [
    "2024-03-30T00:00:00+01:00/2024-03-31T00:00:00+01:00",
  ]);
  // Steps of hours do not follow the calendar.
  assert.deepEqual(lengths("2024-10-27", "2024-10-28", "12 hours"), [12, 12, 1]);
});

test("a day that a time zone has skipped has no window", () => {
  const apia = { from: "2011-12-29", to: "2012-01-01", step: "1 day", timeZone: "Pacific/Apia" };
  assert.deepEqual(
    names(apia).map((name) => name.slice(0, 10)),
    ["2011-12-29", "2011-12-31"],
  );
});

test("times are Unix seconds or ISO 8601, in `timeZone` if they have no zone", () => {
  const begin = (from: Value, timeZone = "America/New_York"): string => {
    const [first] = listOf({ from, to: 5_000_000_000, step: "1000 years", timeZone });
    return String(scalarText(first?.from ?? null));
  };
  assert.equal(begin("2024-01-01"), "1704085200");
  assert.equal(begin("2024-01-01T00:00"), "1704085200");
  assert.equal(begin("2024-01-01 00:00:00"), "1704085200");
  assert.equal(begin("2024-01-01T00:00:00Z"), "1704067200");
  assert.equal(begin("2024-01-01T01:00:00+01:00"), "1704067200");
  assert.equal(begin("2024-01-01T00:00:00.123456Z"), "1704067200.123456");
  assert.equal(begin("2024-01-01 01:00:00+01:00"), "1704067200");
  assert.equal(begin(" 1704067200 "), "1704067200");
  assert.equal(begin("1704067200.5"), "1704067200.5");
  assert.equal(begin("1704067200.05"), "1704067200.05");
  assert.equal(begin("1704067200.123456789"), "1704067200.123456789");
  assert.equal(begin("1704067200.1234567891"), "1704067200.123456789");
  assert.equal(begin(-1.5), "-1.5");
});

test("an invalid time or step is reported with its place", () => {
  const day = { from: 0, to: 1, step: "1 day" };
  for (const [given, pointer] of [
    [{ ...day, from: "yesterday" }, "/windows/from"],
    [{ ...day, from: null }, "/windows/from"],
    [{ ...day, from: true }, "/windows/from"],
    [{ ...day, to: "2024-13-01" }, "/windows/to"],
    [{ ...day, to: "" }, "/windows/to"],
    [{ ...day, step: "a day" }, "/windows/step"],
    [{ ...day, step: "0 days" }, "/windows/step"],
    [{ ...day, step: "-P1D" }, "/windows/step"],
    [{ ...day, step: "PT0.5S" }, "/windows/step"],
    [{ ...day, step: "P" }, "/windows/step"],
  ] as const) {
    assert.throws(
      () => listOf(given),
      (error) => error instanceof ConfigurationError && error.faults[0]?.pointer === pointer,
      JSON.stringify(given),
    );
  }
});

const zones = [
  "UTC",
  "Europe/Prague",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Sao_Paulo",
  "Pacific/Apia",
];
const steps = [
  "15 minutes",
  "1 hour",
  "7 hours",
  "1 day",
  "2 days",
  "1 week",
  "1 month",
  "PT45M",
  "P1D",
  "P1M",
  "P1DT6H",
];

/** Returns a moment to the millisecond, near a change of clocks or anywhere else. */
function moment(random: Random): number {
  const changes = [1_711_846_800, 1_729_990_800, 1_710_054_000, 1_730_613_600, 1_325_239_200, 1_550_368_800];
  const around = random.oneIn(2) ? random.pick(changes) : random.between(1_300_000_000, 1_760_000_000);
  const seconds = around + random.between(-3, 3) * random.pick([1, 3600, 86_400]);
  return seconds + (random.oneIn(3) ? random.below(1000) / 1000 : 0);
}

test("every moment is in exactly one window, for all bounds, units, steps and zones", async () => {
  await forSeeds(150, (random) => {
    const step = random.pick(steps);
    const bounds = random.pick(["half-open", "closed"] as const);
    const unit = random.pick(["millisecond", "second", "day"] as const);
    const timeZone = random.pick(zones);
    const from = moment(random);
    const to = from + random.between(1, 40) * random.pick([60, 3600, 86_400]);
    const input = `${JSON.stringify({ from, to, step, bounds, unit, timeZone })}`;
    const windows = [...listOf({ from: String(from), to: String(to), step, bounds, unit, timeZone })];
    /** Returns a number that the API derives from a moment and that grows with it. */
    const known = (time: Value): number => {
      const seconds = Number(scalarText(time));
      if (bounds === "half-open" || unit === "millisecond") return Math.round(seconds * 1000);
      if (unit === "second") return Math.floor(seconds);
      return Number(date("Ymd", { time: Math.floor(seconds), fraction: "", zone: timeZone }));
    };
    for (let count = 0; count < 50; count += 1) {
      const time = random.oneIn(2)
        ? from + (to - from) * (random.below(1000) / 1000)
        : from + random.between(-90_000, 4e6);
      const record = known(time);
      const found = windows.filter((window) => {
        const isBefore = bounds === "closed" ? record <= known(window.to) : record < known(window.to);
        return record >= known(window.from) && isBefore;
      });
      const isWithin = record >= known(from) && record < known(to);
      assert.equal(found.length, isWithin ? 1 : 0, `${input}, record ${time}`);
    }
    assert.deepEqual(
      windows.map(({ index }) => index),
      windows.map((_, index) => index),
    );
  });
});

test("steps of days begin at the clock time of `from`, except where a zone skips it", async () => {
  await forSeeds(100, (random) => {
    const zone = random.pick(zones);
    const from = Math.floor(moment(random));
    const clock = (time: number): string => date("H:i:s", { time, fraction: "", zone });
    for (const window of listOf({
      from,
      to: from + 60 * 86_400,
      step: random.pick(["1 day", "1 week"]),
      timeZone: zone,
    })) {
      const time = Number(window.from);
      // A change of clocks may have skipped that time.
      const jumped = (offsetAt(zone, time) ?? 0) > (offsetAt(zone, time - 7200) ?? 0);
      assert.ok(clock(time) === clock(from) || jumped, `${zone} ${from} ${window.name}`);
    }
  });
});

test("steps shorter than the unit of closed windows are skipped many at a time, and reported", () => {
  const year = { from: "2023-01-01", to: "2024-01-01", bounds: "closed", unit: "day" } as const;
  for (const step of ["1 second", "7 seconds", "23 hours"]) {
    const made = listOf({ ...year, step });
    assert.equal(made.isFinerThanUnit, true);
    const windows = [...made];
    // No two windows begin on the same day.
    const days = windows.map(({ from }) => Math.floor(Number(scalarText(from)) / 86_400));
    assert.equal(new Set(days).size, windows.length, step);
    assert.ok(windows.length >= 350 && windows.length <= 365, `${step}: ${windows.length}`);
  }
  assert.equal(listOf({ ...year, step: "1 day" }).isFinerThanUnit, false);
  assert.equal(listOf({ ...year, bounds: "half-open", step: "1 second" }).isFinerThanUnit, false);
});

test("an invalid time is shown in the message unless it is a secret", () => {
  const at = "/windows";
  const secrets = new Secrets();
  secrets.add("soonish-secret");
  const wrong = (from: Value) => () =>
    windowsOf({ from, step: "1 day" }, { from, to: undefined }, { pointer: at, now: 0, secrets });
  const right = "a time is Unix seconds, or ISO 8601 such as 2024-01-31 or 2024-01-31T08:00:00Z";
  assert.throws(wrong("soonish"), { message: `/windows/from: evaluates to "soonish"; ${right}` });
  assert.throws(wrong(null), { message: `/windows/from: evaluates to null; ${right}` });
  assert.throws(wrong("soonish-secret"), { message: `/windows/from: evaluates to a secret; ${right}` });
});
