import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { test } from "node:test";
import { readConfiguration } from "../../../src/compile/read.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";

/*
 * The cost of checking a configuration grows linearly. The test does not measure time: it counts how often V8 enters each block
 * of code. With twice as many jobs, a block may be entered twice as often. If each job were compared with each other one, it
 * would be entered four times as often.
 */
const few = 150;
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);
const api = { baseUrl: "http://127.0.0.1/" };

/** Configurations with `count` entries of a kind. Most entries cause a warning. */
const kinds: Readonly<Record<string, (count: number) => object>> = {
  jobs: (count) => ({
    config: { jobs: numbers(count).map((id) => ({ endpoint: `items/{x${id}}`, params: { q: `\${Q${id}}` } })) },
  }),
  "copies of one job": (count) => ({ config: { jobs: numbers(count).map(() => ({ endpoint: "items/{x}" })) } }),
  children: (count) => ({
    config: { jobs: [{ endpoint: "a", children: numbers(count).map((id) => ({ endpoint: `b/{x${id}}` })) }] },
  }),
  iterations: (count) => ({
    config: { jobs: [{ endpoint: "items/{x}", params: { number: { attr: "number" } } }] },
    iterations: numbers(count).map((number) => ({ number, http: { headers: { q: `\${Q${number}}` } } })),
  }),
  increments: (count) => ({
    config: {
      jobs: [
        { endpoint: "items", params: { since: { incremental: "from" } }, incremental: { path: "id", type: "number" } },
      ],
    },
    iterations: numbers(count).map((number) => ({ number })),
  }),
};

for (const [name, configuration] of Object.entries(kinds)) {
  test(`checking twice as many takes twice the work: ${name}`, async () => {
    const session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    // V8 sometimes misses counts, for example of code that it optimises meanwhile. Quadratic comparisons appear in every attempt.
    let often: readonly string[] | undefined;
    for (let round = 0; round < 5 && often?.length !== 0; round += 1) {
      const once = await counted(session, JSON.stringify({ api, ...configuration(few) }));
      const twice = await counted(session, JSON.stringify({ api, ...configuration(2 * few) }));
      assert.ok(Math.max(...once.values()) > few, "the blocks are counted");
      const found = [...twice].filter(([place, times]) => times > few && times > 3 * (once.get(place) ?? 0));
      const places = found.map(([place]) => place);
      often = often?.filter((place) => places.includes(place)) ?? places;
    }
    session.disconnect();
    assert.deepEqual(often, []);
  });
}

/** Counts how often each block is entered while a configuration is read, without blocks of Node itself. */
async function counted(session: Session, text: string): Promise<ReadonlyMap<string, number>> {
  await session.post("Profiler.takePreciseCoverage");
  readConfiguration(text, { name: "x", set: new Map(), environment: {}, strict: false, secrets: new Secrets() });
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const counts = new Map<string, number>();
  for (const { url, functions } of result.filter(({ url }) => url.startsWith("file:"))) {
    for (const { functionName, ranges } of functions) {
      for (const { startOffset, count } of ranges) counts.set(`${functionName} ${url}:${startOffset}`, count);
    }
  }
  return counts;
}
