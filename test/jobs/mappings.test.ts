import assert from "node:assert/strict";
import { test } from "node:test";
import { dataset, startApi, text } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { extractAll } from "./extraction.ts";

const mappings = {
  users: {
    id: { mapping: { destination: "id", primaryKey: true } },
    name: "name",
    tags: { type: "table", destination: "tags", tableMapping: { ".": "tag" } },
  },
  notes: {
    note: { mapping: { destination: "text" } },
    parent_id: { type: "user", mapping: { destination: "user" } },
    run: { type: "user", mapping: { destination: "run" } },
  },
};
const child = { endpoint: "users/{id}/notes", dataType: "notes", placeholders: { id: "id" }, userData: { run: "r1" } };
const jobs = [{ endpoint: "users", dataType: "users", children: [child] }];
const routes = {
  "/users": () => text('[{"id":9007199254740993,"name":"a","tags":["x","y"],"more":1},{"id":2,"tags":[]}]'),
  "*": ({ path }: { path: string }) => [{ note: `of ${path.split("/")[2]}`, more: 1 }],
};

/** Returns the record of a tagged line as it is written. */
function untagged(line: string): string {
  return /^\{"dataType":"[^"]*","record":(.*)\}$/.exec(line)?.[1] ?? line;
}

test("a mapped record comes before the records of its tables and replaces the raw one, which placeholders still read", async () => {
  await using api = await startApi(routes);
  const configuration = { api: { baseUrl: api.url }, config: { mappings, jobs } };
  const { lines, result } = await extractAll(configuration, { tag: true });
  assert.equal(result.failure, undefined);
  assert.deepEqual(lines.map(untagged), [
    '{"id":9007199254740993,"name":"a"}',
    '{"tag":"x","users_pkey":9007199254740993}',
    '{"tag":"y","users_pkey":9007199254740993}',
    '{"id":2,"name":null}',
    '{"text":"of 9007199254740993","user":9007199254740993,"run":"r1"}',
    '{"text":"of 2","user":2,"run":"r1"}',
  ]);
});

test("without --tag or --split, a mapping with tables is not applied, with a warning", async () => {
  await using api = await startApi(routes);
  const { lines, warnings } = await extractAll({ api: { baseUrl: api.url }, config: { mappings, jobs } });
  assert.deepEqual(lines, [
    '{"id":9007199254740993,"name":"a","tags":["x","y"],"more":1}',
    '{"id":2,"tags":[]}',
    '{"text":"of 9007199254740993","user":9007199254740993,"run":"r1"}',
    '{"text":"of 2","user":2,"run":"r1"}',
  ]);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /the mapping of "users" .* --tag or --split/);
});

test("--tag and --split keep datasets apart", async () => {
  await using api = await startApi(routes);
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { mappings, jobs } });
  const tagged = await spileHere([file, "--tag", "-q"]);
  assert.equal(tagged.code, 0, tagged.stderr);
  assert.deepEqual(tagged.stdout.split("\n").slice(0, 3), [
    '{"dataType":"users","record":{"id":9007199254740993,"name":"a"}}',
    '{"dataType":"tags","record":{"tag":"x","users_pkey":9007199254740993}}',
    '{"dataType":"tags","record":{"tag":"y","users_pkey":9007199254740993}}',
  ]);
  const split = await spileHere([file, "--split", `${folder.path}/out`, "-q"]);
  assert.equal(split.code, 0, split.stderr);
  assert.equal(split.stdout, "");
  assert.equal(await folder.read("out/users.ndjson"), '{"id":9007199254740993,"name":"a"}\n{"id":2,"name":null}\n');
  assert.equal(
    await folder.read("out/tags.ndjson"),
    '{"tag":"x","users_pkey":9007199254740993}\n{"tag":"y","users_pkey":9007199254740993}\n',
  );
  assert.equal((await folder.read("out/notes.ndjson")).split("\n").length, 3);
});

test("paging counts and compares raw records, and --max-records counts lines", async () => {
  const values = [1, 2, 3, 4, 5].map((id) => ({ id, kind: "same", list: ["a", "b"] }));
  await using api = await startApi({ "/things": dataset(values) });
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
    config: {
      // Pages become alike when they are mapped.
      mappings: {
        things: {
          kind: "kind",
          list: { type: "table", destination: "lists", parentKey: { disable: true }, tableMapping: { ".": "v" } },
        },
      },
      jobs: [{ endpoint: "things", dataField: "items" }],
    },
  };
  const record = ['{"kind":"same"}', '{"v":"a"}', '{"v":"b"}'];
  for (const options of [{}, { concurrency: 4 }, { hold: 0 }]) {
    const { lines, result } = await extractAll(configuration, { ...options, tag: true });
    assert.equal(result.jobs[0]?.verdict, "complete");
    assert.equal(result.jobs[0]?.records, 15);
    assert.deepEqual(
      lines.map(untagged),
      values.flatMap(() => record),
    );
  }
  const cut = await extractAll(configuration, { maxRecords: 8, tag: true });
  assert.deepEqual(cut.lines.map(untagged), [...record, ...record, ...record].slice(0, 8));
});

test("a key that is not a scalar is a data error that names the job and the address", async () => {
  await using api = await startApi({ "/users": () => [{ id: [1], tags: ["x"] }] });
  const configuration = { api: { baseUrl: api.url }, config: { mappings, jobs } };
  const { lines, result } = await extractAll(configuration, { tag: true });
  assert.equal(result.exitCode, 65);
  assert.match(result.failure?.message ?? "", /users.*primary key takes strings, numbers and booleans, not \[1\]/);
  assert.deepEqual(lines, []);
});

test("missing parts of a mapping are reported before the first request", async () => {
  await using api = await startApi({ "*": () => [] });
  const config = {
    jobs,
    mappings: {
      users: {
        a: { type: "table", destination: "users", tableMapping: { ".": "v" } },
        b: { type: "table", destination: "b", parentKey: { disable: true } },
        c: { type: "table", destination: "c", tableMapping: { d: { type: "column" } } },
      },
    },
  };
  await using folder = await temporaryFolder();
  const { code, stderr } = await spileHere([await folder.write("c.json", { api: { baseUrl: api.url }, config })]);
  assert.equal(code, 78);
  assert.match(stderr, /\/config\/mappings\/users\/a: .*"disable": true/);
  assert.match(stderr, /\/config\/mappings\/users\/b: "tableMapping" is missing/);
  assert.match(stderr, /\/config\/mappings\/users\/c\/tableMapping\/d: "mapping" is missing/);
  assert.equal(api.log.length, 0);
});
