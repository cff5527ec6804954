import assert from "node:assert/strict";
import { open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SpileError } from "../../../src/core/errors.ts";
import {
  isPiece,
  type ManifestHead,
  type ManifestLine,
  manifestPath,
  partName,
} from "../../../src/shards/manifest/manifest.ts";
import { writeManifest } from "../../../src/shards/manifest/manifest-file.ts";
import { openPart } from "../../../src/shards/run/part.ts";
import { dataset, records, startApi } from "../../helpers/api.ts";
import { planned } from "../sharded.ts";

interface Manifest {
  readonly head: ManifestHead;
  readonly lines: readonly ManifestLine[];
}

async function manifestOf(path: string): Promise<Manifest> {
  const [head, ...lines] = (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return { head, lines: lines.slice(0, -1) };
}

async function write(path: string, { head, lines }: Manifest): Promise<void> {
  await using file = await open(path, "w");
  await writeManifest(file, head, lines);
}

async function rejected(merging: Promise<unknown>): Promise<string> {
  const error = await merging.then(
    () => assert.fail("it was merged"),
    (failure: SpileError) => failure,
  );
  return `${error.exitCode} ${error.message.replaceAll(/\S*spile-shards-\w+\//g, "")}`;
}

test("a part that differs from its manifest is reported, and nothing is written", async () => {
  await using api = await startApi(dataset(records(25)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 3 } },
    config: { jobs: [{ endpoint: "e", dataField: "items" }] },
  };
  await using sharded = await planned(configuration, 4);
  const at = (name: string): string => join(sharded.folder, name);
  await sharded.run(1);
  assert.match(await rejected(sharded.merge()), /^75 missing shards: 0, 2, 3 \(no finished part in .*--index\)$/);
  for (const index of [0, 2, 3]) await sharded.run(index);
  assert.equal((await sharded.merge()).records, 25);

  const manifest = await manifestOf(at("2.json"));
  const { head, lines } = manifest;
  const part = partName(head);
  const bytes = await readFile(at(part));
  const remedy = "; remove 2.json and run the shard again";
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(head.bytes - 3) ^ 1, head.bytes - 3);
  await writeFile(at(part), changed);
  assert.equal(
    await rejected(sharded.merge()),
    `65 part ${part} of shard 2 is not as it was written, in page 7 of unit 0${remedy}`,
  );
  await truncate(at(part), head.bytes - 1);
  assert.equal(
    await rejected(sharded.merge()),
    `65 part ${part} of shard 2 has ${head.bytes - 1} bytes, but its manifest says ${head.bytes}${remedy}`,
  );
  await rm(at(part));
  assert.equal(await rejected(sharded.merge()), `65 part ${part} of shard 2 is not there${remedy}`);
  await writeFile(at(part), bytes);

  const spoiled = async (change: Partial<Manifest>): Promise<string> => {
    await write(at("2.json"), { ...manifest, ...change });
    return rejected(sharded.merge());
  };
  assert.match(await spoiled({ head: { ...head, plan: "0" } }), /^65 2\.json belongs to another plan/);
  assert.match(await spoiled({ head: { ...head, index: 1 } }), /^65 2\.json is not a manifest of shard 2/);
  assert.match(await spoiled({ lines: [] }), /^65 the manifest of shard 2 has other units/);
  assert.match(await spoiled({ lines: [...lines, ...lines] }), /^65 the manifest of shard 2 has other units/);
  const unlisted = /has pages that its manifest does not list/;
  const page = lines.findIndex(isPiece);
  assert.match(await spoiled({ lines: lines.toSpliced(page, 2) }), unlisted);
  assert.match(await spoiled({ lines: lines.toSpliced(page + 1, 1) }), unlisted);
  assert.match(await spoiled({ lines: lines.toSpliced(-3, 2) }), unlisted);
  await write(at("2.json"), manifest);
  assert.equal((await sharded.merge()).records, 25);
});

test("a manifest that is cut or changed is refused", async () => {
  await using api = await startApi(dataset(records(25)));
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 3 } },
    config: { jobs: [{ endpoint: "e", dataField: "items" }] },
  };
  await using sharded = await planned(configuration, 2);
  for (const index of [0, 1]) await sharded.run(index);
  const path = join(sharded.folder, "1.json");
  const text = await readFile(path, "utf8");
  const wrong = "65 1.json is incomplete or was changed; remove it and run the shard again";
  const all = text.split("\n");
  for (let kept = 1; kept < all.length - 1; kept += 1) {
    await writeFile(path, `${all.slice(0, kept).join("\n")}\n`);
    assert.equal(await rejected(sharded.merge()), wrong, `${kept} lines`);
  }
  await writeFile(path, text.slice(0, -1));
  assert.equal(await rejected(sharded.merge()), wrong);
  await writeFile(path, text.replace('"records":3', '"records":4'));
  assert.equal(await rejected(sharded.merge()), wrong);
  await writeFile(path, "");
  assert.match(await rejected(sharded.merge()), /^65 cannot read the manifest 1\.json: its first line has no end$/);
});

test("a merge can be stopped while it verifies", async () => {
  await using api = await startApi(dataset(records(3)));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ endpoint: "e", dataField: "items" }] } };
  await using sharded = await planned(configuration, 1);
  await sharded.run(0);
  const path = join(sharded.folder, "0.json");
  const { head, lines } = await manifestOf(path);
  // Without the signal, the verification reports this fault.
  await write(path, { head, lines: lines.map((line) => (isPiece(line) ? { ...line, sha256: "0" } : line)) });
  assert.match(await rejected(sharded.merge()), /^65 .* is not as it was written/);
  const stopped = AbortSignal.abort(new SpileError("terminated", "stopped"));
  assert.equal(await rejected(sharded.merge({ signal: stopped })), "143 stopped");
});

test("an attempt has published its manifest even if the call that created the link reported a failure", async () => {
  await using api = await startApi(() => ({ items: [] }));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ endpoint: "e", dataField: "items" }] } };
  await using sharded = await planned(configuration, 1);
  const { folder, read } = sharded;
  const own: ManifestHead = {
    version: 1,
    plan: read.digest,
    index: 0,
    attempt: "0123456789ab",
    host: "here",
    startedAt: "",
    endedAt: "",
    bytes: 0,
  };
  const publish = async (attempt: string): Promise<boolean> =>
    (await openPart(folder, { index: 0, attempt })).publish({ ...own, attempt }, []);
  await write(manifestPath(folder, 0), { head: own, lines: [] });
  assert.equal(await publish(own.attempt), true);
  assert.equal(await publish("ba9876543210"), false);
  await write(manifestPath(folder, 0), { head: { ...own, plan: "another" }, lines: [] });
  await assert.rejects(publish("000000000000"), { exitCode: 65, message: /belongs to another plan/ });
});
