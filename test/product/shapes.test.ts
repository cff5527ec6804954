import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { json, startApi } from "../helpers/api.ts";
import { startCommand, temporaryFolder } from "../helpers/cli.ts";

/*
 * Tests that no page, job or iteration creates a hidden class of its own (docs/performance.md, "Shapes"). V8 keeps such classes
 * in the old generation until it collects the whole heap, so memory would grow with the run, and every access to such an object
 * would be slow. V8's own log lists each new class; classes that appear nearly as often as requests are identified by their place
 * in the built command.
 */
const command = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const count = 200;
const numbers = Array.from({ length: count }, (_, number) => number);

const kinds: Readonly<Record<string, object>> = {
  "pages and children": {
    jobs: [{ endpoint: "parents", children: [{ endpoint: "items/{id}", placeholders: { id: "id" } }] }],
  },
  jobs: { jobs: numbers.map((number) => ({ endpoint: `items/${number}` })) },
  iterations: { jobs: [{ endpoint: "items/0", params: { number: { attr: "number" } } }] },
};

for (const [name, config] of Object.entries(kinds)) {
  test(`${name} share the hidden classes of their objects`, async () => {
    await using api = await startApi(({ target }) =>
      target.startsWith("/parents") ? numbers.map((id) => ({ id })) : json({ items: [{ id: 1 }], total: 1 }),
    );
    await using folder = await temporaryFolder();
    const iterations = name === "iterations" ? { iterations: numbers.map((number) => ({ number })) } : {};
    const file = await folder.write("config.json", {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: 1000 } },
      config,
      ...iterations,
    });
    const log = join(folder.path, "maps.log");
    const flags = ["--log-maps", `--logfile=${log}`, "--no-logfile-per-isolate"];
    const { code, stderr } = await startCommand(process.execPath, [...flags, command, file, "--quiet"]).finished;
    assert.equal(code, 0, stderr);
    assert.ok(api.log.length >= count);
    const places = await placesOf(log);
    assert.ok(places.size > 100, "the log contains shapes");
    const often = [...places].filter(([, times]) => times >= count * 0.8);
    assert.deepEqual(often, []);
  });
}

/** Counts how often a shape was created at each place, without those of Node itself, which have symbols as names. */
async function placesOf(log: string): Promise<ReadonlyMap<string, number>> {
  const places = new Map<string, number>();
  for (const line of (await readFile(log, "utf8")).split("\n")) {
    const [, what, , , , , row, column, , property = ""] = line.split(",");
    if (!line.startsWith("map,Transition,") || property.startsWith("symbol")) continue;
    const place = `${what} at ${row}:${column}: ${property}`;
    places.set(place, (places.get(place) ?? 0) + 1);
  }
  return places;
}
