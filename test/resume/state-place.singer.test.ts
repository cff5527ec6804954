import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { json, type Received, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import type { Random } from "../helpers/random.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { readSinger, type SingerRecord } from "../helpers/singer.ts";

/*
 * A target keeps a state when all records before it are safe. Whatever fails and however often, a run that begins with the last
 * state misses nothing. Records come again only if the records of their page's children were not all written.
 */
for (const withChildren of [false, true]) {
  const name = withChildren ? "with children" : "and without children, gets each record once";
  test(`a target that stores everything before the last state misses nothing, ${name}`, async () => {
    let failures = 0;
    await forSeeds(6, async (random) => {
      const trial = trialOf(random, withChildren);
      await using api = await startApi(trial.answer);
      await using folder = await temporaryFolder();
      const stdin = JSON.stringify(trial.configuration(api.url));
      const kept: SingerRecord[] = [];
      for (let attempt = 1; ; attempt += 1) {
        trial.troubled = attempt < 6;
        const more = [...(random.oneIn(2) ? ["--concurrency", "3"] : []), ...(attempt > 1 ? ["--resume"] : [])];
        const args = ["-", "--singer", "--state", `${folder.path}/state.json`, ...more];
        const { code, stdout, stderr } = await spileHere(args, { stdin });
        const output = readSinger(stdout);
        if (output.states.length > 0) {
          assert.match(stdout, /"STATE"[^\n]*\n$/, "a state is the last line");
        }
        // The last state may be lost on the way to the target, with everything between it and the state before.
        const states = output.states.slice(0, code !== 0 && random.oneIn(3) ? -1 : undefined);
        const last = states.at(-1);
        if (last !== undefined) {
          kept.push(...output.records.slice(0, last.before));
          await folder.write("state.json", states.map(({ value }) => `${JSON.stringify(value)}\n`).join(""));
        }
        if (code === 0) break;
        assert.equal(code, 69, stderr);
        failures += 1;
      }
      const receivedLines = kept.map(({ stream, raw }) => `${stream} ${raw}`);
      if (withChildren) assert.deepEqual([...new Set(receivedLines)].sort(), [...trial.whole()].sort());
      else assert.deepEqual(receivedLines, trial.whole());
    });
    assert.ok(failures > 0);
  });
}

/** Returns a handler that sometimes refuses while `troubled` is set, its configuration, and the expected lines. */
function trialOf(random: Random, withChildren: boolean) {
  const names = ["a", "b", "c"];
  const lists = new Map(names.map((name, index) => [name, records(random.below(9), index * 100 + 1)]));
  const oneIn = random.between(3, 8);
  const child = { endpoint: "b/{n}", dataField: ".", placeholders: { n: "id" }, dataType: "of b" };
  const jobs = names.map((endpoint) => ({ endpoint, children: withChildren && endpoint === "b" ? [child] : [] }));
  const trial = {
    troubled: true,
    answer: ({ path, params }: Received): unknown => {
      if (trial.troubled && random.oneIn(oneIn)) return json({}, { status: 403 });
      const [, name = "", parent] = path.split("/");
      if (parent !== undefined) return { of: Number(parent) };
      const offset = Number(params.get("offset"));
      return (lists.get(name) ?? []).slice(offset, offset + 2);
    },
    configuration: (url: string) => ({
      api: { baseUrl: url, pagination: { method: "offset", limit: 2 } },
      config: { jobs },
    }),
    whole: () =>
      names.flatMap((name) => [
        ...(lists.get(name) ?? []).map((record) => `${name} ${JSON.stringify(record)}`),
        ...(withChildren && name === "b"
          ? (lists.get(name) ?? []).map(({ id }) => `of b {"of":${id},"parent_id":${id}}`)
          : []),
      ]),
  };
  return trial;
}

const job = { endpoint: "a", params: { since: { time: "previousStart" } } };

test("the state of a target is read in each of its forms, and its file is not written", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const stdin = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [job] } });
  const value = {
    bookmarks: { a: { path: "at", value: "2026" } },
    time: { previousStart: 1234 },
    progress: null,
    theirs: 1.5,
  };
  const texts = [
    JSON.stringify(value),
    `{"bookmarks":{}}\n${JSON.stringify(value)}\n\n`,
    JSON.stringify({ type: "STATE", value }),
    JSON.stringify({ incremental: value.bookmarks, time: value.time, theirs: 1.5 }),
  ];
  for (const text of texts) {
    const path = await folder.write("state.json", text);
    const before = await stat(path, { bigint: true });
    const { code, stdout, stderr } = await spileHere(["-", "--singer", "--state", path], { stdin });
    assert.equal(code, 0, stderr);
    assert.equal(api.targets().at(-1), "/a?since=1234");
    const last = readSinger(stdout).states.at(-1)?.value ?? {};
    assert.deepEqual({ ...last, time: value.time }, value);
    const now = (last.time as { previousStart: number }).previousStart;
    assert.ok(now > 1234, `${now}`);
    assert.equal(await folder.read("state.json"), text);
    assert.equal((await stat(path, { bigint: true })).mtimeNs, before.mtimeNs);
  }
  // No lock and no unfinished file is written beside the state, so its folder need not exist.
  const { code } = await spileHere(["-", "--singer", "--state", `${folder.path}/nothing/there.json`], { stdin });
  assert.equal(code, 0);
});

test("a run of plain lines cannot be resumed as a run of messages", async () => {
  await using api = await startApi(({ path }) => (path === "/b" ? json({}, { status: 403 }) : [{ id: 1 }]));
  await using folder = await temporaryFolder();
  const stdin = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] } });
  const state = ["--state", `${folder.path}/state.json`];
  assert.equal((await spileHere(["-", ...state], { stdin })).code, 69);
  const { code, stderr } = await spileHere(["-", ...state, "--resume", "--singer"], { stdin });
  assert.equal(code, 78);
  assert.match(stderr, /wrote to stdout, this one would write to stdout as Singer messages/);
});

test("--resume without --state starts over, since a first run has no state", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const stdin = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }] } });
  const { code, stdout } = await spileHere(["-", "--singer", "--resume"], { stdin });
  assert.deepEqual([code, readSinger(stdout).records.length], [0, 1]);
});
