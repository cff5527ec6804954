import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { SpileError } from "../../../src/core/errors.ts";
import { type Api, dataset, records, startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { planned, type Sharded } from "../sharded.ts";

function configurationOf(api: Api): object {
  return {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 5 } },
    config: { jobs: [{ endpoint: "e", dataField: "items" }] },
  };
}

/** Runs an attempt that ends at its fourth request, after its state was written. */
async function die(sharded: Sharded, state: string): Promise<void> {
  const death = new AbortController();
  let left = 4;
  const outcome = await sharded.run(0, {
    state,
    signal: death.signal,
    async transport(_request, send) {
      left -= 1;
      while (left === 0 && !existsSync(state)) await setImmediate();
      // Lines since then may also be written.
      for (let turn = 0; left === 0 && turn < 2000; turn += 1) await setImmediate();
      if (left === 0) death.abort(new SpileError("terminated", "killed"));
      return send();
    },
  });
  assert.ok(outcome.kind === "ran" && outcome.result.exitCode === 143);
}

test("a shard continues where an earlier attempt ended, in its own file", async () => {
  await using api = await startApi(dataset(records(60)));
  const configuration = configurationOf(api);
  const one = await runHere(configuration);
  await using sharded = await planned(configuration, 2);
  const state = join(sharded.folder, "0.state");
  await die(sharded, state);
  // kill -9 ended it: its part contains more than its state says.
  const [left = ""] = (await readdir(sharded.folder)).filter((name) => name.endsWith(".ndjson"));
  await appendFile(join(sharded.folder, left), '{"half":');
  const before = api.log.length;
  await sharded.run(0, { state });
  assert.ok(api.log.length - before < 7, `${api.log.length - before} requests`);
  await sharded.run(1);
  assert.equal((await sharded.merge()).output, one.output);
  assert.deepEqual((await readdir(sharded.folder)).includes("0.state"), false);
});

test("if the part of an attempt has changed since the state was written, the shard starts over", async () => {
  await using api = await startApi(dataset(records(60)));
  const configuration = configurationOf(api);
  const one = await runHere(configuration);
  await using sharded = await planned(configuration, 1);
  const state = join(sharded.folder, "0.state");
  await die(sharded, state);
  const [left = ""] = (await readdir(sharded.folder)).filter((name) => name.endsWith(".ndjson"));
  const path = join(sharded.folder, left);
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(3) ^ 1, 3);
  await writeFile(path, bytes);
  const warnings: string[] = [];
  await sharded.run(0, { state, emit: ({ level, message }) => void (level === "warning" && warnings.push(message)) });
  assert.match(warnings.join(), /is not as it was written, in page 1 of unit 0.*; starting over/);
  assert.equal((await sharded.merge()).output, one.output);
});

test("each shard needs its own state", async () => {
  await using api = await startApi(dataset(records(60)));
  await using sharded = await planned(configurationOf(api), 2);
  const state = join(sharded.folder, "both.state");
  await die(sharded, state);
  await assert.rejects(sharded.run(1, { state }), {
    exitCode: 78,
    message: `${state} is the state of shard 0: each shard needs its own`,
  });
  await writeFile(state, '{"time":{}}');
  await assert.rejects(sharded.run(1, { state }), { exitCode: 78, message: /is not a state of a shard/ });
});

test("with --unique, no shard continues within a job that has several runs, since only the earlier attempt knows the keys", async () => {
  await using api = await startApi(dataset(records(4)));
  const job = { endpoint: ["a", "b", "c", "d"], dataType: "all", dataField: "items" };
  const configuration = { ...configurationOf(api), config: { jobs: [{ ...job, endpoint: "z", dataType: "z" }, job] } };
  const one = await runHere(configuration, { unique: "id" });
  await using sharded = await planned(configuration, 1, { unique: "id" });
  const state = join(sharded.folder, "0.state");
  await die(sharded, state);
  await sharded.run(0, { state });
  assert.equal((await sharded.merge()).output, one.output);
});
