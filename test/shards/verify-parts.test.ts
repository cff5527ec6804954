import assert from "node:assert/strict";
import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { SpileError } from "../../src/core/errors.ts";
import { type Manifest, partName } from "../../src/shards/manifest.ts";
import { dataset, records, startApi } from "../helpers/api.ts";
import { planned } from "./sharded.ts";

async function rejected(merging: Promise<unknown>): Promise<string> {
  const error = await merging.then(
    () => assert.fail("it was merged"),
    (failure: SpileError) => failure,
  );
  return `${error.exitCode} ${error.message.replaceAll(/\S*spile-shards-\w+\//g, "")}`;
}

test("what is not as the manifests tell is said, and nothing is written", async () => {
  await using api = await startApi(dataset(records(25)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 3 } },
    config: { jobs: [{ endpoint: "e", dataField: "items" }] },
  };
  await using sharded = await planned(configuration, 4);
  const at = (name: string): string => join(sharded.folder, name);
  await sharded.run(1);
  assert.equal(await rejected(sharded.merge()), "75 missing: 0, 2, 3");
  for (const index of [0, 2, 3]) await sharded.run(index);
  assert.equal((await sharded.merge()).records, 25);

  const text = await readFile(at("2.json"), "utf8");
  const manifest = JSON.parse(text) as Manifest;
  const part = partName(manifest);
  const bytes = await readFile(at(part));
  const remedy = "; remove 2.json and run the shard again";
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(manifest.bytes - 3) ^ 1, manifest.bytes - 3);
  await writeFile(at(part), changed);
  assert.equal(
    await rejected(sharded.merge()),
    `65 part ${part} of shard 2 is not as it was written, in page 7 of unit 0${remedy}`,
  );
  await truncate(at(part), manifest.bytes - 1);
  assert.equal(
    await rejected(sharded.merge()),
    `65 part ${part} of shard 2 has ${manifest.bytes - 1} bytes, and its manifest tells of ${manifest.bytes}${remedy}`,
  );
  await rm(at(part));
  assert.equal(await rejected(sharded.merge()), `65 part ${part} of shard 2 is not there${remedy}`);
  await writeFile(at(part), bytes);

  const spoiled = async (change: (manifest: Manifest) => unknown): Promise<string> => {
    await writeFile(at("2.json"), JSON.stringify(change(manifest)));
    return rejected(sharded.merge());
  };
  assert.match(await spoiled((told) => ({ ...told, plan: "0" })), /^65 2\.json is of another plan/);
  assert.match(await spoiled((told) => ({ ...told, index: 1 })), /^65 2\.json is no manifest of shard 2/);
  assert.match(await spoiled((told) => ({ ...told, units: [] })), /^65 the manifest of shard 2 is not of the units/);
  const [unit] = manifest.units;
  const without = (page: number) => ({ ...unit, pieces: unit?.pieces.filter((piece) => piece.page !== page) });
  assert.match(
    await spoiled((told) => ({ ...told, units: [without(2)] })),
    /has pages that its manifest does not tell/,
  );
  await writeFile(at("2.json"), text);
  assert.equal((await sharded.merge()).records, 25);
});
