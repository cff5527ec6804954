import assert from "node:assert/strict";
import { test } from "node:test";
import { records, startApi } from "../../helpers/api.ts";
import { planned } from "../sharded.ts";

/** Runs four shards of an API with three records a page, whose records change at the n-th request. */
async function changing(totalBehind: "all" | "none", change?: (values: object[]) => object[]) {
  let values: object[] = records(20);
  let left = 9;
  await using api = await startApi(({ params }) => {
    left -= 1;
    if (left === 0 && change !== undefined) values = change(values);
    const offset = Number(params.get("offset"));
    const items = values.slice(offset, offset + 3);
    return { items, total: items.length === 0 && totalBehind === "none" ? 0 : values.length };
  });
  const configuration = {
    api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 3 } },
    config: { jobs: [{ endpoint: "e", dataField: "items" }] },
  };
  await using sharded = await planned(configuration, 8);
  for (let index = 0; index < 8; index += 1) await sharded.run(index);
  const [job] = (await sharded.merge()).jobs;
  return `${job?.verdict}: ${job?.reason}`;
}

test("a changed total is noticed on the pages after the end, too", async () => {
  const outcome = await changing("all", (values) => [...values.slice(0, 10), ...values.slice(18)]);
  assert.match(
    outcome,
    /^suspect: ended with an empty page, but "total" fell from 20 to 12 .*"total" was 20, 12: the data changed while/,
  );
});

test("a total of zero after the end does not count as a change", async () => {
  assert.match(await changing("none"), /^complete: /);
  assert.match(await changing("all"), /^complete: /);
});
