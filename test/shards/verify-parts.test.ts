import assert from "node:assert/strict";
import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SpileError } from "../../src/core/errors.ts";
import { type Manifest, manifestPath, partName } from "../../src/shards/manifest.ts";
import { openPart } from "../../src/shards/part.ts";
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

test("a merge can be stopped while it still proves", async () => {
  await using api = await startApi(dataset(records(3)));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ endpoint: "e", dataField: "items" }] } };
  await using sharded = await planned(configuration, 1);
  await sharded.run(0);
  const { bytes, ...others } = JSON.parse(await readFile(join(sharded.folder, "0.json"), "utf8")) as Manifest;
  const [unit] = others.units;
  const [piece] = unit?.pieces ?? [];
  // A fault that shows at the end of the proof alone.
  const units = [{ ...unit, pieces: [{ ...piece, sha256: "0" }] }];
  await writeFile(join(sharded.folder, "0.json"), JSON.stringify({ ...others, bytes, units }));
  assert.match(await rejected(sharded.merge()), /^65 .* is not as it was written/);
  const stopped = AbortSignal.abort(new SpileError("terminated", "stopped"));
  assert.equal(await rejected(sharded.merge({ signal: stopped })), "143 stopped");
});

test("a link that was made, and told as failed, is the attempt's own", async () => {
  await using api = await startApi(() => ({ items: [] }));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ endpoint: "e", dataField: "items" }] } };
  await using sharded = await planned(configuration, 1);
  const { folder, read } = sharded;
  const own: Manifest = {
    version: 1,
    plan: read.digest,
    index: 0,
    attempt: "0123456789ab",
    host: "here",
    startedAt: "",
    endedAt: "",
    bytes: 0,
    units: [],
  };
  const publish = async (attempt: string): Promise<boolean> =>
    (await openPart(folder, { index: 0, attempt })).publish({ ...own, attempt });
  await writeFile(manifestPath(folder, 0), JSON.stringify(own));
  assert.equal(await publish(own.attempt), true);
  assert.equal(await publish("ba9876543210"), false);
  await writeFile(manifestPath(folder, 0), JSON.stringify({ ...own, plan: "another" }));
  await assert.rejects(publish("000000000000"), { exitCode: 65, message: /is of another plan/ });
});
