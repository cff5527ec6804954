import assert from "node:assert/strict";
import { readdir, rename } from "node:fs/promises";
import { test } from "node:test";
import { json } from "../helpers/answers.ts";
import { type Api, linesOf, startApi } from "../helpers/api.ts";
import { type Finished, shell, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

/* Tests of a state that is read from one file and kept in another (`--state OLD --state-out NEW`, contract C-11.13). */

const all = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));

interface Shop extends Api {
  /** Returns an answer that replaces the page at this offset; undefined to leave the page. */
  trouble: ((offset: number) => unknown) | undefined;
  records: readonly { readonly id: number }[];
}

/** Starts an API with orders that have an id above `after`, three a page. */
async function shop(): Promise<Shop> {
  const own: Pick<Shop, "trouble" | "records"> = { trouble: undefined, records: all };
  const api = await startApi(({ params }) => {
    const offset = Number(params.get("offset"));
    const after = Number(params.get("after"));
    return own.trouble?.(offset) ?? own.records.filter(({ id }) => id > after).slice(offset, offset + 3);
  });
  return Object.assign(own, api);
}

const configurationOf = (url: string) => ({
  api: { baseUrl: url, pagination: { method: "offset", limit: 3 }, retryConfig: { maxRetries: 0 } },
  config: {
    jobs: [
      {
        endpoint: "orders",
        incremental: { path: "id", type: "number", initial: 0 },
        params: { after: { incremental: "from" } },
      },
    ],
  },
});

async function setUp(api: Api): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await folder.write("config.json", configurationOf(api.url));
  return folder;
}

function run(folder: TemporaryFolder, ...args: string[]): Promise<Finished> {
  const words = ["config.json", "--state", "old.json", "--state-out", "new.json", ...args];
  return spileHere(words, { cwd: folder.path });
}

interface Saved {
  readonly time: { readonly previousStart: number };
  readonly incremental?: { readonly orders?: { readonly value: number } };
  readonly progress?: object;
  readonly note?: string;
}

const saved = async (folder: TemporaryFolder, name: string): Promise<Saved> =>
  JSON.parse(await folder.read(name)) as Saved;
const first = (api: Api): (string | null)[] =>
  api.log.filter(({ params }) => params.get("offset") === "0").map(({ params }) => params.get("after"));

const old = { time: { previousStart: 5 }, incremental: { orders: { path: "id", value: 2 } }, note: "mine" };

test("runs leave the old state as it is, and read the same records again until the new state replaces it", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  const text = JSON.stringify(old);
  await folder.write("old.json", text);
  for (const _ of ["the load fails", "the load succeeds"]) {
    const { code, stdout } = await run(folder);
    assert.deepEqual([code, stdout], [0, linesOf(all.slice(2))]);
    assert.equal(await folder.read("old.json"), text);
    const { incremental, time, note } = await saved(folder, "new.json");
    assert.deepEqual([incremental?.orders?.value, note, time.previousStart > 5], [7, "mine", true]);
  }
  await rename(`${folder.path}/new.json`, `${folder.path}/old.json`);
  assert.equal((await run(folder)).stdout, "");
  assert.deepEqual(first(api), ["2", "2", "7"]);
  assert.deepEqual((await readdir(folder.path)).sort(), ["config.json", "new.json", "old.json"]);
});

test("after a suspect or failed run, the new state has the times and watermarks of the old one", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await folder.write("old.json", old);
  await run(folder);
  assert.equal((await saved(folder, "new.json")).incremental?.orders?.value, 7);
  // The records were not loaded, so old.json stays. The next run is suspect, and ends with 0.
  api.trouble = (offset) => (offset === 3 ? json({ error: "busy" }) : undefined);
  const { code, stderr } = await run(folder);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /orders suspect/);
  assert.deepEqual(await saved(folder, "new.json"), old);
  // The same applies to the library, which keeps no progress.
  await rename(`${folder.path}/old.json`, `${folder.path}/new.json`);
  await folder.write("old.json", { time: { previousStart: 3 } });
  const { result } = await runHere(configurationOf(api.url), {
    state: `${folder.path}/old.json`,
    stateOut: `${folder.path}/new.json`,
  });
  assert.equal(result.jobs[0]?.verdict, "suspect");
  assert.deepEqual(await saved(folder, "new.json"), { time: { previousStart: 3 } });
  await folder.write("old.json", old);
  // After a failed run the new file has the old times and watermarks, and progress.
  api.trouble = undefined;
  await run(folder);
  api.trouble = (offset) => (offset === 3 ? json({}, { status: 404 }) : undefined);
  assert.equal((await run(folder, "-o", "orders.ndjson")).code, 69);
  const { progress, ...others } = await saved(folder, "new.json");
  assert.deepEqual([others, progress !== undefined], [old, true]);
});

test("--resume continues at the place in the new file, and without --resume, the progress there is dropped", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await folder.write("old.json", old);
  const stop = (offset: number): unknown => (offset === 3 ? json({}, { status: 404 }) : undefined);
  const interrupt = async (): Promise<void> => {
    api.trouble = stop;
    assert.equal((await run(folder, "-o", "orders.ndjson", "--resume")).code, 69);
    api.trouble = undefined;
  };
  await interrupt();
  const asked = api.log.length;
  const resumed = await run(folder, "-o", "orders.ndjson", "--resume");
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(
    api.log.slice(asked).map(({ params }) => params.get("offset")),
    ["3"],
  );
  assert.equal(await folder.read("orders.ndjson"), linesOf(all.slice(2)));
  assert.equal((await saved(folder, "new.json")).incremental?.orders?.value, 7);
  await interrupt();
  const { stderr } = await run(folder, "-o", "orders.ndjson");
  assert.match(stderr, /new\.json holds the progress of an interrupted run, which is discarded/);
  assert.deepEqual(await saved(folder, "old.json"), old);
  assert.deepEqual((await readdir(folder.path)).sort(), ["config.json", "new.json", "old.json", "orders.ndjson"]);
});

test("the lock belongs to the new file, so two runs may read one old state", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  const configuration = configurationOf(api.url);
  const [from, to] = [`${folder.path}/old.json`, `${folder.path}/new.json`];
  let beside: readonly number[] = [];
  api.trouble = (offset) => {
    if (offset !== 0 || beside.length > 0) return undefined;
    beside = [0];
    return Promise.all([runHere(configuration, { state: to }), runHere(configuration, { state: from })]).then(
      ([taken, free]) => {
        beside = [taken.result.exitCode, free.result.exitCode];
        return [];
      },
    );
  };
  await runHere(configuration, { state: from, stateOut: to });
  assert.deepEqual(beside, [75, 0]);
});

test("--state-out needs --state and another file, and excludes --singer (64)", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [["--state-out", "new.json"], /--state-out needs --state FILE/],
    [["--state", "old.json", "--state-out", "new.json", "--singer"], /--state-out.*--singer|--singer.*--state-out/],
    [["--state", "old.json", "--state-out", "./old.json"], /option --state and option --state-out are the same file/],
  ];
  for (const [words, message] of cases) {
    const { code, stderr } = await spileHere(["config.json", ...words], { cwd: folder.path });
    assert.equal(code, 64, stderr);
    assert.match(stderr, message);
  }
  const { code, stderr } = await spileHere(["shard", "merge", "plan.json", "parts", "--state-out", "new.json"], {
    cwd: folder.path,
  });
  assert.deepEqual([code, /needs --state FILE/.test(stderr)], [64, true], stderr);
  assert.equal(api.log.length, 0);
});

test("shard merge reads the old state and writes the new one, even if no watermark moves", async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  await folder.write("old.json", old);
  const here = (...words: string[]): Promise<Finished> => spileHere(["shard", ...words], { cwd: folder.path });
  const merge = ["merge", "plan.json", "parts", "--state", "old.json", "--state-out", "new.json"];
  for (const moved of [7, 2]) {
    // The second time, a page is wrong, so the increment does not move.
    api.trouble = (offset) => (moved === 2 && offset === 3 ? json({ error: "busy" }) : undefined);
    const parts = `parts-${moved}`;
    await here("plan", "config.json", "--count", "1", "--state", "old.json", "-o", "plan.json");
    assert.equal((await here("run", "plan.json", "config.json", "--to", parts, "--index", "0")).code, 0);
    const { code, stderr } = await here(...merge.with(2, parts));
    assert.equal(code, 0, stderr);
    assert.deepEqual(await saved(folder, "old.json"), old);
    const { incremental, note, time } = await saved(folder, "new.json");
    assert.deepEqual([incremental?.orders?.value, note, time.previousStart > 5], [moved, "mine", moved === 7]);
  }
});

test("with the script from the documents, the next run fetches records again if loading them failed", {
  skip: process.platform === "win32",
}, async () => {
  await using api = await shop();
  await using folder = await setUp(api);
  const script = `set -e
spile config.json -q --strict --state state.json --state-out state.next.json --resume -o new.ndjson
load < new.ndjson
mv state.next.json state.json`;
  const loads = ["load() { return 1; }", "load() { cat; }", "load() { cat; }"];
  const seen: [number | null, string][] = [];
  for (const load of loads) {
    const { code, stdout } = await shell(`${load}\n${script}`, { cwd: folder.path });
    seen.push([code, stdout]);
  }
  assert.deepEqual(seen, [
    [1, ""],
    [0, linesOf(all)],
    [0, ""],
  ]);
});
