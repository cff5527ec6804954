import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, broken, type Handler, startApi, text } from "../../helpers/api.ts";
import { records, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

const offset = { method: "offset", limit: 3 };

/** Creates an API that returns the rows in pages of three. */
const paged =
  (rows: readonly unknown[]): Handler =>
  ({ params }) => {
    const from = Number(params.get("offset"));
    return { items: rows.slice(from, from + 3), total: rows.length };
  };

async function run(api: Api, config: object, words: readonly string[], pagination: object = offset) {
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", { api: { baseUrl: api.url, pagination }, config });
  const done = await spileHere([file, "--summary", `${folder.path}/summary.json`, ...words]);
  const summary = await folder.read("summary.json").then(JSON.parse, () => undefined);
  return { ...done, summary };
}

test("a record whose key was written before is dropped, but counts for paging", async () => {
  const ids = [1, 2, "1", 2, 1, 3, "\u0061", 1.5, 3, 4];
  await using api = await startApi({ "/items": paged(ids.map((id, n) => ({ n, id }))) });
  const jobs = [{ endpoint: "items" }];
  const { code, stdout, stderr, summary } = await run(api, { jobs }, ["--unique", "id", "-v", "--log-format", "json"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    records(stdout).map((record) => (record as { n: number }).n),
    [0, 1, 2, 5, 6, 7, 9],
  );
  assert.equal(api.log.length, 4);
  const [job] = summary.jobs;
  assert.deepEqual([job.records, job.duplicates, job.verdict, job.expected], [7, 3, "suspect", 10]);
  assert.match(job.reason, /; 3 dropped by --unique$/);
  const end = (records(stderr) as Record<string, unknown>[]).find(({ event }) => event === "job.end");
  assert.equal(end?.duplicates, 3);
});

test("keys at any path are compared by their JSON text, apart from escapes, also with --tag and --max-records", async () => {
  const texts = [
    '{"k":{"id":1}}',
    '{"k":{"id":1.0}}',
    '{"k":{"id":13911860366432393}}',
    '{"k":{"id":13911860366432392}}',
  ];
  const rows = [...texts, '{"k":{"id":"é"}}', '{"k":{"id":"\\u00e9"}}', texts[0], '{"k":{"id":2}}'];
  await using api = await startApi(() => text(`{"items":[${rows.join(",")}]}`));
  const jobs = [{ endpoint: "items", dataType: "t" }];
  const all = [...texts, rows[4], rows[7]].map((row) => `{"dataType":"t","record":${row}}`);
  for (const most of [20, 6, 5, 1]) {
    const { stdout } = await run(api, { jobs }, ["--unique", "k.id", "--tag", "--max-records", String(most)], {});
    assert.equal(
      stdout,
      all
        .slice(0, most)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
});

test("records without the key are kept, with one warning", async () => {
  await using api = await startApi({ "/items": paged([{ id: 1 }, {}, { id: null }, {}, 5, { id: 1 }]) });
  const { stdout, stderr } = await run(api, { jobs: [{ endpoint: "items" }] }, ["--unique", "id"]);
  assert.equal(records(stdout).length, 5);
  assert.equal(stderr.match(/no key at "id"/g)?.length, 1);
});

test("each job has its own keys, and a child job has one set for all parents", async () => {
  await using api = await startApi({
    "/a": () => [{ id: 1 }, { id: 2 }, { id: 1 }],
    "/b": () => [{ id: 1 }],
    "/a/1": () => [{ id: 7 }, { id: 1 }],
    "/a/2": () => [{ id: 7 }, { id: 8 }],
  });
  const child = { endpoint: "a/{id}", placeholders: { id: "id" } };
  const jobs = [{ endpoint: "a", children: [child] }, { endpoint: "b" }];
  const { stdout, summary } = await run(api, { jobs }, ["--unique", "id"], {});
  assert.deepEqual(
    records(stdout).map((record) => (record as { id: number }).id),
    [1, 2, 7, 1, 8, 1],
  );
  assert.equal(api.targets().filter((target) => target === "/a/1").length, 1, "a dropped record has no children");
  assert.deepEqual(
    summary.jobs.map((job: { duplicates: number }) => job.duplicates),
    [1, 1, 0],
  );
});

test("a page that is requested again keeps all its records", async () => {
  const rows = Array.from({ length: 4000 }, (_, id) => ({ id: id % 3000, text: "x".repeat(50) }));
  for (const hold of ["0", "8M"]) {
    let requests = 0;
    await using api = await startApi(() => {
      requests += 1;
      return requests === 1 ? broken.cutInBody(JSON.stringify(rows)) : rows;
    });
    const { code, stdout, summary } = await run(
      api,
      { jobs: [{ endpoint: "x" }] },
      ["--unique", "id", "--hold", hold],
      {},
    );
    assert.deepEqual([code, requests], [0, 2]);
    assert.deepEqual(records(stdout), rows.slice(0, 3000));
    assert.deepEqual([summary.jobs[0].records, summary.jobs[0].duplicates], [3000, 1000]);
  }
});

test("more keys than --unique-limit, and mapped records, are errors", async () => {
  await using api = await startApi({ "/items": paged([1, 2, 3, 4].map((id) => ({ id }))) });
  const jobs = [{ endpoint: "items", dataType: "t" }];
  const over = await run(api, { jobs }, ["--unique", "id", "--unique-limit", "3"]);
  assert.equal(over.code, 65);
  assert.match(over.stderr, /^error t page 2: --unique remembers at most 3 keys for a job.*--unique-limit/m);
  assert.equal(records(over.stdout).length, 3);
  const mapped = await run(api, { jobs, mappings: { t: { id: "id" } } }, ["--unique", "id"]);
  assert.equal(mapped.code, 64);
  assert.match(mapped.stderr, /--unique .*"t".*config\.mappings/);
});

test("a repeated page is recognised, and a changed total is a warning", async () => {
  await using stuck = await startApi(() => ({ items: [{ id: 1 }, { id: 2 }, { id: 3 }] }));
  const repeated = await run(stuck, { jobs: [{ endpoint: "x" }] }, ["--unique", "id"]);
  assert.deepEqual([records(repeated.stdout).length, repeated.summary.jobs[0].verdict], [3, "suspect"]);
  assert.equal(stuck.log.length, 2);
  await using moving = await startApi(({ params }) => {
    const from = Number(params.get("offset"));
    return { total: from === 0 ? 5 : 4, items: [1, 2, 3, 4].slice(from, from + 3) };
  });
  const moved = await run(moving, { jobs: [{ endpoint: "x" }] }, []);
  assert.match(moved.stderr, /^warning x page 2: "total" changed from 5 to 4 during the job/m);
});

test("records of a repeated last page are not counted as duplicates", async () => {
  const rows = Array.from({ length: 6 }, (_, id) => ({ id }));
  await using api = await startApi(({ params }) => {
    const from = Math.min(Number(params.get("offset")), 3);
    return { items: rows.slice(from, from + 3), total: rows.length };
  });
  const { summary } = await run(api, { jobs: [{ endpoint: "items" }] }, ["--unique", "id"]);
  const [{ records: written, duplicates, verdict }] = summary.jobs;
  assert.deepEqual([written, duplicates, verdict], [6, 0, "complete"]);
});
