import assert from "node:assert/strict";
import { test } from "node:test";
import { type Handler, json, startApi, text } from "../../helpers/api.ts";
import { start, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";
import { collector, runHere } from "../../helpers/run.ts";
import { asSinger, readSinger } from "../../helpers/singer.ts";

interface Job {
  readonly endpoint: string;
  readonly [field: string]: unknown;
}

const configure = (url: string, jobs: readonly Job[], api: object = {}, config: object = {}): string =>
  JSON.stringify({ api: { baseUrl: url, ...api }, config: { ...config, jobs } });

const exact = '[{"id":13911860366432393,"v":1.10,"e":1e400,"z":-0,"t":"\\u00e9\\/ é","id":2},7,"x",null,[1, 2],{}]';
const exactLines = exact
  .slice(1, -1)
  .replace("[1, 2]", "[1,2]")
  .split(/,(?=[7"n[{](?![a-z]+":))/);

async function messagesOf(handler: Handler, jobs: readonly Job[], more: { api?: object; config?: object } = {}) {
  await using api = await startApi(handler);
  const stdin = configure(api.url, jobs, more.api, more.config);
  const { code, stdout, stderr } = await spileHere(["-", "--singer"], { stdin });
  return { code, stderr, stdout, ...readSinger(stdout) };
}

test("messages contain records unchanged, and a value that is not an object becomes the member `data`", async () => {
  const { code, records } = await messagesOf(() => text(exact), [{ endpoint: "a" }]);
  assert.equal(code, 0);
  assert.equal(exactLines.length, 6);
  assert.deepEqual(
    records.map(({ raw }) => raw),
    asSinger(exactLines),
  );
});

test("the schema of a dataset comes once before the first record, with the settings of the dataset's job", async () => {
  const schema = { type: "object", properties: { id: { type: "integer", maximum: 5 }, sub: {} } };
  const { schemas, records, stdout } = await messagesOf(
    ({ path }) => (path === "/none" ? [] : [{ id: 1 }, { id: 2 }]),
    [
      { endpoint: "a", schema, key: "id" },
      { endpoint: "b", key: ["id"] },
      { endpoint: "none" },
      { endpoint: "a?again=1", dataType: "a" },
      { endpoint: "c", children: [{ endpoint: "c/{n}", placeholders: { n: "id" }, dataType: 'd"\u2028' }] },
    ],
  );
  assert.deepEqual([...schemas.keys()], ["a", "b", "c", 'd"\u2028']);
  assert.deepEqual(schemas.get("a"), { ...schemas.get("a"), schema, key: ["id"] });
  assert.deepEqual(schemas.get("b")?.schema, { type: "object", properties: { id: {} }, additionalProperties: true });
  assert.deepEqual(schemas.get("c")?.key, []);
  assert.equal(records.length, 2 + 2 + 2 + 2 + 4);
  assert.match(stdout, /"maximum":5/);
});

test("without --state, increments start over with a warning; with the target's last line as state, they continue", async () => {
  const incremental = { path: "at", initial: "2024-01-01T00:00:00Z" };
  const jobs = [{ endpoint: "orders", params: { from: { incremental: "from" } }, incremental }];
  await using api = await startApi(() => [{ at: "2024-02-01T00:00:00Z" }]);
  await using folder = await temporaryFolder();
  const stdin = configure(api.url, jobs);
  const first = await spileHere(["-", "--singer"], { stdin });
  assert.deepEqual(
    first.stderr.split("\n").filter((line) => line.startsWith("warning")),
    [
      "warning without --state FILE the increments of orders start over; to continue them, give --state the last state that the target printed",
    ],
  );
  const { states } = readSinger(first.stdout);
  await folder.write("state.json", `${JSON.stringify(states.at(-1)?.value)}\n`);
  const second = await spileHere(["-", "--singer", "--state", `${folder.path}/state.json`], { stdin });
  assert.doesNotMatch(second.stderr, /warning/);
  assert.deepEqual(
    api.log.map(({ params }) => params.get("from")),
    ["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"],
  );
});

test("each table of a mapping is a stream", async () => {
  const table = { type: "table", destination: "tags", tableMapping: { ".": "tag" } };
  const { schemas, records, stderr } = await messagesOf(
    () => [{ id: 1, tags: ["x", "y"] }],
    [{ endpoint: "a", key: "id" }],
    { config: { mappings: { a: { id: { mapping: { destination: "id", primaryKey: true } }, tags: table } } } },
  );
  assert.doesNotMatch(stderr, /warning/);
  assert.deepEqual([...schemas.keys()], ["a", "tags"]);
  assert.deepEqual(
    records.map(({ stream }) => stream),
    ["a", "tags", "tags"],
  );
});

test("time_extracted is the time of the answer, not of the message", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const { stream, text: output } = collector();
  let read = 0;
  const before = Date.now();
  await runHere(configure(api.url, [{ endpoint: "a" }]), {
    target: { kind: "singer", stream },
    emit: ({ event }) => {
      if (event !== "page") return;
      read = Date.now();
      while (Date.now() === read);
    },
  });
  const time = readSinger(output()).records[0]?.at ?? 0;
  assert.ok(time >= before && time <= read, `${before} ${time} ${read}`);
});

test("a repeated page is recognised although its messages have a later time", async () => {
  const { stderr, records } = await messagesOf(() => [{ id: 1 }, { id: 2 }], [{ endpoint: "a" }], {
    api: { pagination: { method: "offset", limit: 2 } },
  });
  assert.equal(records.length, 2);
  assert.match(stderr, /suspect/);
});

test("schemas, names and states contain no secret", async () => {
  await using api = await startApi(({ params }) => ({
    items: [{ id: params.has("t") ? 2 : 1 }],
    next: params.has("t") ? null : "s3cr3t-token",
  }));
  const jobs = [
    { endpoint: "a?key=s3cr3t-token", dataField: "items", schema: { type: "object", const: "s3cr3t-token" } },
  ];
  const pagination = { method: "response.param", responseParam: "next", queryParam: "t" };
  const stdin = configure(api.url, jobs, { pagination }, { "#token": "s3cr3t-token" });
  const { stdout } = await spileHere(["-", "--singer"], { stdin });
  assert.equal(stdout.split("\n").filter((line) => line.includes('"RECORD"')).length, 2);
  assert.doesNotMatch(stdout, /s3cr3t/);
});

test("two different schemas or keys for one dataset, and a key that is not in the schema, are errors", async () => {
  const errorOf = async (jobs: readonly Job[]): Promise<string> => {
    const { code, stderr } = await spileHere(["check", "-"], { stdin: configure("http://127.0.0.1/", jobs) });
    return `${code} ${stderr}`;
  };
  assert.match(
    await errorOf([
      { endpoint: "a", key: "id" },
      { endpoint: "b", dataType: "a", key: "n" },
    ]),
    /^78 .*\/config\/jobs\/1: another job of the dataset "a" has a different "key"/,
  );
  const schema = { type: "object", properties: { id: {} } };
  assert.match(await errorOf([{ endpoint: "a", schema, key: "n" }]), /^78 .*\/config\/jobs\/0\/key: "n" .*"id"/);
  assert.match(await errorOf([{ endpoint: "a", schema: [] }]), /^78 .*\/config\/jobs\/0\/schema/);
});

test("a run that fails writes the state of the records before the failure, and --keep-going continues", async () => {
  const handler: Handler = ({ path }) => (path === "/b" ? json({}, { status: 403 }) : [{ id: 1 }]);
  await using api = await startApi(handler);
  const stdin = configure(api.url, [{ endpoint: "a" }, { endpoint: "b" }, { endpoint: "c" }]);
  const stopped = await spileHere(["-", "--singer"], { stdin });
  assert.equal(stopped.code, 69);
  const { records, states } = readSinger(stopped.stdout);
  assert.deepEqual([records.length, states.at(-1)?.before], [1, 1]);
  const went = await spileHere(["-", "--singer", "--keep-going"], { stdin });
  assert.equal(went.code, 69);
  const all = readSinger(went.stdout);
  assert.deepEqual([all.records.length, all.states.at(-1)?.before], [2, 2]);
});

test("a job that --max-records cut short is not complete in the state", async () => {
  await using api = await startApi(() => [{ id: 1 }, { id: 2 }]);
  const stdin = configure(api.url, [{ endpoint: "a" }, { endpoint: "b" }], {
    pagination: { method: "offset", limit: 2 },
  });
  const { code, stdout } = await spileHere(["-", "--singer", "--max-records", "2"], { stdin });
  assert.equal(code, 0);
  assert.deepEqual(
    readSinger(stdout).states.map(({ value, before }) => [value.progress, before]),
    [[null, 2]],
  );
});

test("--singer excludes options that write records elsewhere or in another form", async () => {
  for (const other of [["-o", "f"], ["--split", "d"], ["--tag"]]) {
    const { code, stderr } = await spileHere(["-", "--singer", ...other]);
    assert.equal(code, 64);
    assert.match(stderr, /--singer and --\w+ exclude each other|exclude each other/);
  }
});

test("after a signal, every line is whole, and the last one is the state of the records before it", async () => {
  await using api = await startApi(async ({ params }) => {
    const offset = Number(params.get("offset"));
    if (offset < 40) return Array.from({ length: 10 }, (_, index) => ({ id: offset + index }));
    return new Promise(() => undefined);
  });
  const stdin = configure(api.url, [{ endpoint: "a" }], { pagination: { method: "offset", limit: 10 } });
  const running = start(["-", "--singer"], { stdin });
  await api.received(5);
  await running.until("stdout", /"id":39\}\}\n/);
  running.kill("SIGTERM");
  const { code, stdout } = await running.finished;
  assert.equal(code, 143);
  const { records, states } = readSinger(stdout);
  assert.deepEqual([records.length, states.at(-1)?.before], [40, 40]);
});
