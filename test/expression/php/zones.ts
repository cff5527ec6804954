import assert from "node:assert/strict";
import { test } from "node:test";

/** Zones that a process may have; `offset` is the offset of the clock on a day in January, in minutes west of UTC. */
const zones = [
  { zone: "UTC", offset: 0 },
  { zone: "America/New_York", offset: 300 },
  { zone: "Asia/Kolkata", offset: -330 },
];

/** Runs a test in every zone: times are in UTC whatever zone the process has. */
export function inEveryZone(name: string, body: () => void): void {
  for (const { zone, offset } of zones) {
    test(`${name} (process in the zone ${zone})`, () => {
      const before = process.env.TZ;
      process.env.TZ = zone;
      try {
        assert.equal(
          new Date(1_483_228_800_000).getTimezoneOffset(),
          offset,
          `the process does not use the zone ${zone}`,
        );
        body();
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    });
  }
}
