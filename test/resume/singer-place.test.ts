import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { json, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { forSeeds } from "../helpers/seeds.ts";
import { readSinger, type SingerRecord } from "../helpers/singer.ts";

/*
 * A target keeps a state once all records before it are safe, and loses the records behind the last. Whatever fails and
 * however often, from the states alone each record comes once: that is what STATE speaks for.
 */
test("a target that keeps the records before the last state, and goes on from there, has each record once", async () => {
  let failures = 0;
  await forSeeds(12, async (random) => {
    const names = ["a", "b", "c"];
    const lists = new Map(names.map((name, index) => [name, records(random.below(9), index * 100 + 1)]));
    const oneIn = random.between(3, 8);
    let troubled = true;
    await using api = await startApi(({ path, params }) => {
      if (troubled && random.oneIn(oneIn)) return json({}, { status: 403 });
      const [, name = "", parent] = path.split("/");
      if (parent !== undefined) return { of: Number(parent) };
      const offset = Number(params.get("offset"));
      return (lists.get(name) ?? []).slice(offset, offset + 2);
    });
    await using folder = await temporaryFolder();
    const child = { endpoint: "b/{n}", dataField: ".", placeholders: { n: "id" }, dataType: "of b" };
    const jobs = names.map((endpoint) => ({ endpoint, ...(endpoint === "b" ? { children: [child] } : {}) }));
    const api2 = { baseUrl: api.url, pagination: { method: "offset", limit: 2 } };
    const stdin = JSON.stringify({ api: api2, config: { jobs } });
    const kept: SingerRecord[] = [];
    for (let attempt = 1; ; attempt += 1) {
      troubled = attempt < 6;
      const more = [...(random.oneIn(2) ? ["--concurrency", "3"] : []), ...(attempt > 1 ? ["--resume"] : [])];
      const args = ["-", "--singer", "--state", `${folder.path}/state.json`, ...more];
      const { code, stdout, stderr } = await spileHere(args, { stdin });
      const output = readSinger(stdout);
      // A state may be lost on the way to the target too, with all that is behind it.
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
    const whole = names.flatMap((name) => {
      const own = lists.get(name) ?? [];
      if (name !== "b") return own.map((record) => [name, JSON.stringify(record)]);
      const pages = own.flatMap((_, index) => (index % 2 === 0 ? [own.slice(index, index + 2)] : []));
      return pages.flatMap((page) => [
        ...page.map((record) => [name, JSON.stringify(record)]),
        ...page.map(({ id }) => ["of b", `{"of":${id},"parent_id":${id}}`]),
      ]);
    });
    assert.deepEqual(
      kept.map(({ stream, raw }) => [stream, raw]),
      whole,
    );
  });
  assert.ok(failures > 0);
});

const job = { endpoint: "a", params: { since: { time: "previousStart" } } };

test("the state that a target has left is read, in whichever form it stands, and its file is not written", async () => {
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
  // Nothing beside it either: no lock, no unfinished file.
  const { code } = await spileHere(["-", "--singer", "--state", `${folder.path}/nothing/there.json`], { stdin });
  assert.equal(code, 0);
});

test("a run of plain lines is not taken up as one of messages", async () => {
  await using api = await startApi(({ path }) => (path === "/b" ? json({}, { status: 403 }) : [{ id: 1 }]));
  await using folder = await temporaryFolder();
  const stdin = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] } });
  const state = ["--state", `${folder.path}/state.json`];
  assert.equal((await spileHere(["-", ...state], { stdin })).code, 69);
  const { code, stderr } = await spileHere(["-", ...state, "--resume", "--singer"], { stdin });
  assert.equal(code, 78);
  assert.match(stderr, /wrote to stdout, this one would write to stdout as Singer messages/);
});

test("--resume without --state is refused", async () => {
  const { code, stderr } = await spileHere(["-", "--singer", "--resume"], {
    stdin: JSON.stringify({ api: { baseUrl: "http://127.0.0.1/" }, config: { jobs: [{ endpoint: "a" }] } }),
  });
  assert.equal(code, 64);
  assert.match(stderr, /--resume needs --state/);
});
