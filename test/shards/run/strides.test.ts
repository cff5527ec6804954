import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { planned } from "../sharded.ts";

test("if the API leads back to an earlier page, a job of a single shard ends as in a single run", async () => {
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
