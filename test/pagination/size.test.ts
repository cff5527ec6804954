import assert from "node:assert/strict";
import { test } from "node:test";
import { type Received, startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

const seven = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));

/** An API of seven records with three a page, whatever the request asks for. */
const threeByOffset = ({ params }: Received) => {
  const start = Number(params.get("offset") ?? 0);
  return seven.slice(start, start + 3);
};
const threeByPage = ({ params }: Received) => {
  const start = (Number(params.get("page") ?? 1) - 1) * 3;
  return seven.slice(start, start + 3);
};

async function runJob(pagination: object, answer: (request: Received) => unknown, job: object = {}, options = {}) {
  await using api = await startApi(answer);
  const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: [{ endpoint: "x", ...job }] } };
  const { output, result, events } = await runHere(configuration, options);
  const { verdict, reason } = result.jobs[0] ?? {};
  const warnings = events.filter(({ event }) => event === "warning").map(({ message }) => message);
  return { targets: api.targets(), lines: output.split("\n").length - 1, verdict, reason, warnings };
}

test("a page size that is not sent still decides which page is the last", async () => {
  const offset = await runJob({ method: "offset", limit: 3, limitParam: false }, threeByOffset);
  assert.deepEqual(offset.targets, ["/x?offset=0", "/x?offset=3", "/x?offset=6"]);
  assert.deepEqual([offset.lines, offset.verdict, offset.warnings], [7, "complete", []]);
  assert.equal(offset.reason, "ended with a page of 1, fewer than the page size of 3");
  const pages = await runJob({ method: "pagenum", limit: 3, limitParam: false, firstPageParams: false }, threeByPage);
  assert.deepEqual(pages.targets, ["/x", "/x?page=2", "/x?page=3"]);
  assert.deepEqual([pages.lines, pages.verdict], [7, "complete"]);
  // A parameter of the job named "limit" is then not a page size.
  const own = await runJob({ method: "offset", limit: 3, limitParam: false }, threeByOffset, {
    params: { limit: "all" },
  });
  assert.deepEqual([own.targets[0], own.lines], ["/x?limit=all&offset=0", 7]);
});

test("a page size that the API does not reach makes the end suspect if a total is greater, and the remedy names the right size", async () => {
  const total = (request: Received) => ({ total: 7, data: threeByOffset(request) });
  const wrong = await runJob({ method: "offset", limit: 5, limitParam: false }, total, { dataField: "data" });
  assert.deepEqual([wrong.lines, wrong.verdict], [3, "suspect"]);
  assert.match(wrong.reason ?? "", /if the API's pages have 3 records, set "limit": 3 or "limit": "unknown"/);
});

test("with an unknown page size, the job goes on until an empty page, and the offset grows by the number of received records", async () => {
  const uneven = ({ params }: Received) => {
    const start = Number(params.get("offset") ?? 0);
    return seven.slice(start, start + (start === 0 ? 1 : start === 1 ? 4 : 2));
  };
  for (const concurrency of [1, 8]) {
    const { targets, lines, verdict } = await runJob(
      { method: "offset", limit: "unknown" },
      uneven,
      {},
      { concurrency },
    );
    assert.deepEqual(targets, ["/x?offset=0", "/x?offset=1", "/x?offset=5", "/x?offset=7"]);
    assert.deepEqual([lines, verdict], [7, "complete"]);
  }
  const pages = await runJob({ method: "pagenum", limit: "unknown" }, threeByPage, {}, { concurrency: 8 });
  assert.deepEqual(pages.targets, ["/x?page=1", "/x?page=2", "/x?page=3", "/x?page=4"]);
});

test("with an unknown page size, the job's own `limit` is sent but does not decide the end", async () => {
  const job = { params: { limit: "5" } };
  const offset = await runJob({ method: "offset", limit: "unknown" }, threeByOffset, job);
  assert.deepEqual(offset.targets, [
    "/x?limit=5&offset=0",
    "/x?limit=5&offset=3",
    "/x?limit=5&offset=6",
    "/x?limit=5&offset=7",
  ]);
  assert.deepEqual([offset.lines, offset.verdict], [7, "complete"]);
  const pages = await runJob({ method: "pagenum", limit: "unknown" }, threeByPage, job);
  assert.deepEqual([pages.lines, pages.verdict], [7, "complete"]);
});

test("check describes a fixed and an unknown page size, and refuses anything else", async () => {
  const check = (pagination: object, ...words: readonly string[]) => {
    const configuration = { api: { baseUrl: "http://127.0.0.1/", pagination }, config: { jobs: [{ endpoint: "x" }] } };
    return spileHere(["check", "-", ...words], { stdin: JSON.stringify(configuration) });
  };
  const words = async (pagination: object, ...more: readonly string[]) => {
    const { code, stdout, stderr } = await check(pagination, ...more);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  assert.match(
    await words({ method: "offset", limit: 3, limitParam: false }),
    /offset paging, 3 a page \(offset\), until a short page/,
  );
  assert.match(
    await words({ method: "offset", limit: "unknown" }),
    /offset paging by the number of records that came \(offset\), until an empty page/,
  );
  assert.match(
    await words({ method: "pagenum", limit: 3, limitParam: false }),
    /3 a page \(page\), until a short page/,
  );
  assert.match(await words({ method: "offset", limit: "unknown" }, "--shards", "3"), /one shard runs it/);
  assert.match(
    await words({ method: "offset", limit: 3, limitParam: false }, "--shards", "3"),
    /pages divided among 3 shards/,
  );
  const wrong = [{ limit: "all" }, { limit: 3, limitParam: true }, { limit: 3, limitParam: {} }];
  for (const fields of wrong) {
    const { code, stderr } = await check({ method: "offset", ...fields });
    assert.equal(code, 78, JSON.stringify(fields) + stderr);
    assert.match(stderr, /\/api\/pagination\/limit/);
  }
  const plan = await spileHere(["plan", "-", "--page", "2"], {
    stdin: JSON.stringify({
      api: { baseUrl: "http://127.0.0.1/", pagination: { method: "offset", limit: 3, limitParam: false } },
      config: { jobs: [{ endpoint: "x" }] },
    }),
  });
  assert.match(plan.stdout, /x\?offset=3"/);
});
