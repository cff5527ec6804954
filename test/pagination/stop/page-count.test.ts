import assert from "node:assert/strict";
import { test } from "node:test";
import { json, type Received, startApi } from "../../helpers/api.ts";
import { spileHere } from "../../helpers/command.ts";
import { runHere } from "../../helpers/run.ts";

/** An API with three pages of two records, numbered from `first`. It refuses pages beyond them. */
const threePages =
  (first = 1, count: (page: number) => unknown = () => 3) =>
  ({ params }: Received) => {
    const page = Number(params.get("page")) - first + 1;
    if (page > 3) return json({ error: "no such page" }, { status: 404 });
    return { meta: { of: count(page) }, data: [{ id: page * 2 - 1 }, { id: page * 2 }] };
  };

const byNumber = { method: "pagenum", pageCount: "meta.of" };

async function runJob(pagination: object, answer: (request: Received) => unknown, options: object = {}) {
  await using api = await startApi(answer);
  const configuration = {
    api: { baseUrl: api.url, pagination },
    config: { jobs: [{ endpoint: "x", dataField: "data" }] },
  };
  const { output, result, events } = await runHere(configuration, options);
  const { verdict, reason } = result.jobs[0] ?? {};
  const warnings = events.filter(({ event }) => event === "warning").map(({ message }) => message);
  return { requests: api.log.length, lines: output.split("\n").length - 1, verdict, reason, warnings };
}

test("the job is complete after the last page, and requests none beyond it", async () => {
  for (const concurrency of [1, 8]) {
    const { requests, lines, verdict, reason, warnings } = await runJob(byNumber, threePages(), { concurrency });
    assert.deepEqual([requests, lines, verdict, warnings], [3, 6, "complete", []]);
    assert.equal(reason, 'ended with page 3: "meta.of" is 3');
  }
});

test("pages are counted from the API's first page, and the number of pages may be in a header or be a text", async () => {
  const zero = await runJob({ ...byNumber, firstPage: 0 }, threePages(0));
  assert.deepEqual([zero.requests, zero.verdict], [3, "complete"]);
  const second = await runJob(
    { ...byNumber, firstPage: 2 },
    threePages(1, () => "3"),
  );
  assert.deepEqual([second.requests, second.lines, second.verdict], [2, 4, "complete"]);
  const header = await runJob({ method: "pagenum", pageCount: { header: "X-Of" } }, ({ params }) =>
    json({ data: [Number(params.get("page"))] }, { headers: { "X-Of": "2" } }),
  );
  assert.deepEqual([header.requests, header.verdict], [2, "complete"]);
});

test("the number of pages ends jobs with tokens or offsets, too", async () => {
  const token = { method: "response.param", responseParam: "next", queryParam: "page", pageCount: "meta.of" };
  const answer = ({ params }: Received) => {
    const page = Number(params.get("page") ?? 1);
    return { meta: { of: 3 }, next: page + 1, data: [page] };
  };
  assert.deepEqual((await runJob(token, answer)).requests, 3);
  const offset = await runJob({ method: "offset", limit: 1, pageCount: "of" }, ({ params }) => ({
    of: 2,
    data: [params.get("offset")],
  }));
  assert.deepEqual([offset.requests, offset.verdict], [2, "complete"]);
});

test("an end before the last page is suspect, and so is a falling number of pages", async () => {
  const short = await runJob({ ...byNumber, limit: 2 }, ({ params }) => ({
    meta: { of: 3 },
    data: params.get("page") === "1" ? [1, 2] : [3],
  }));
  assert.deepEqual([short.requests, short.verdict], [2, "suspect"]);
  assert.match(short.reason ?? "", /"meta\.of" is 3 and 2 pages came/);
  const fell = await runJob(
    byNumber,
    threePages(1, (page) => (page === 1 ? 4 : 3)),
  );
  assert.deepEqual([fell.lines, fell.verdict], [6, "suspect"]);
  assert.match(fell.reason ?? "", /the number of pages at pageCount fell from 4 to 3/);
});

test("a total above the number of received records makes the end suspect, although the last page came", async () => {
  const total = await runJob(byNumber, (request) => ({ ...(threePages()(request) as object), total: 9 }));
  assert.equal(total.verdict, "suspect");
  assert.match(total.reason ?? "", /"total" is 9/);
});

test("if answers lack the number of pages, the job goes on by its other rules, with a warning", async () => {
  for (const count of [undefined, null, "many", -1, 0]) {
    const { lines, warnings, verdict } = await runJob(byNumber, ({ params }) => ({
      meta: { of: count },
      data: params.get("page") === "1" ? [1] : [],
    }));
    assert.deepEqual([lines, verdict], [1, "complete"], String(count));
    assert.ok(
      warnings.some((text) => text.includes('pageCount "meta.of" has no number of pages')),
      String(count),
    );
  }
});

test("check describes pageCount, also beside scrollers, and refuses a source in the records", async () => {
  const check = (pagination: object) => {
    const configuration = { api: { baseUrl: "http://127.0.0.1/", pagination }, config: { jobs: [{ endpoint: "x" }] } };
    return spileHere(["check", "-", "--shards", "2"], { stdin: JSON.stringify(configuration) });
  };
  const words = /until the number of pages at "meta\.of" is reached.*one shard runs it/s;
  assert.match((await check(byNumber)).stdout, words);
  const shared = await check({
    method: "multiple",
    scrollers: { default: { method: "pagenum" } },
    pageCount: "meta.of",
  });
  assert.match(shared.stdout, words);
  const wrong = await check({ method: "pagenum", pageCount: { lastRecord: "of" } });
  assert.equal(wrong.code, 78);
  assert.match(wrong.stderr, /\/api\/pagination\/pageCount/);
});
