import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordSampler } from "../../../src/extract/record-sampler.ts";
import { createScroll, type Position } from "../../../src/pagination/index.ts";
import { strided } from "../../../src/shards/run/strides.ts";
import { startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { build, summarize } from "../../pagination/crawl.ts";
import { planned } from "../sharded.ts";

test("if the API leads back to an earlier page, a job that one shard runs ends as in a single run", async () => {
  const ids = [
    [0, 10],
    [1, 11],
    [2, 12],
    [3, 13],
    [1, 11],
    [4, 14],
    [5, 15],
  ];
  await using api = await startApi(({ params }) => {
    const page = Number(params.get("token") ?? 0);
    const items = ids[page]?.map((id) => ({ id, page }));
    return { items, ...(page + 1 < ids.length ? { next: page + 1 } : {}) };
  });
  const configuration = {
    api: {
      baseUrl: api.url,
      pagination: { method: "response.param", responseParam: "next", queryParam: "token" },
    },
    config: { jobs: [{ endpoint: "e", dataField: "items" }] },
  };
  const one = await runHere(configuration, { unique: "id" });
  assert.equal(one.result.jobs[0]?.verdict, "suspect");
  await using sharded = await planned(configuration, 2, { unique: "id" });
  for (const index of [0, 1]) await sharded.run(index);
  const { output, jobs } = await sharded.merge();
  assert.equal(output, one.output);
  assert.deepEqual([jobs[0]?.verdict, jobs[0]?.reason], ["suspect", one.result.jobs[0]?.reason]);
});

/** Returns the end of a share of an API's pages, and the number of its pages. `idsOf`: ids of the n-th page of the share. */
function endOfShare(idsOf: (page: number) => readonly number[]) {
  const scroll = strided(createScroll({ method: "pagenum" }, { build }), { index: 1, count: 2 }, () => undefined);
  const { summary } = summarize(scroll, '[{"id":1}]', "http://api.test/v1/items");
  let position: Position | undefined = scroll.start([], 0);
  for (let page = 1; page < 60_000; page += 1) {
    const sampler = new RecordSampler();
    const ids = idsOf(page);
    for (const id of ids) sampler.take(Buffer.from(`{"id":${id},"age":${page * 10 + id}}\n`), 1);
    const facts = { records: ids.length, digest: String(page), sample: sampler.sample(0) };
    const step = scroll.advance(position, { ...summary, ...facts }, 0);
    if (step.next === undefined) return { page, error: step.failure?.message, verdict: step.verdict?.kind };
    position = step.next;
  }
  return undefined;
}

test("a share of pages ends if the API repeats pages for ever, although one field differs in each answer", () => {
  const last = endOfShare(() => [1, 2]);
  assert.equal(last?.page, 10_001);
  assert.match(last?.error ?? "", /^page 20002 of the job holds the same 2 records as an earlier one, as did /);
  const loop = endOfShare((page) => (page % 2 === 1 ? [1, 2] : [3, 4]));
  assert.equal(loop?.page, 52_768);
  assert.match(loop?.error ?? "", /^page 105536 of the job holds the same 2 records as an earlier one, as did /);
  const other = endOfShare((page) => (page > 300 ? [] : [page % 10]));
  assert.deepEqual(other, { page: 301, error: undefined, verdict: "limited" });
});
