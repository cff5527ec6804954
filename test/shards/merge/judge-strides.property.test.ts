import assert from "node:assert/strict";
import { test } from "node:test";
import { json, records, startApi } from "../../helpers/api.ts";
import type { Random } from "../../helpers/random.ts";
import { runHere } from "../../helpers/run.ts";
import { forSeeds } from "../../helpers/seeds.ts";
import { planned } from "../sharded.ts";

/** A page of the API: its first record, the number of all records, its request, and the number of its own records. */
interface PageOfApi {
  readonly start: number;
  readonly all: number;
  readonly query: URLSearchParams;
  readonly own: number;
}

const size = 3;

/** Members beside the records, right ones and wrong ones. */
const besides: readonly ((page: PageOfApi) => object)[] = [
  ({ all }) => ({ total: all }),
  () => ({ total: 99 }),
  ({ own }) => ({ count: own }),
  ({ all, start }) => ({ total: all - Math.floor(start / size) }),
  ({ all, start }) => ({ has_more: start + size < all }),
  () => ({ has_more: true }),
  ({ query }) => ({ next: `?${query}` }),
  () => ({ next: "/v2/items?page=2" }),
  () => ({ older: "?before=1" }),
  ({ all, start }) => ({ next_page_token: start + size < all ? "x" : "" }),
  () => ({ cursor: "abc" }),
  ({ all }) => ({ total_pages: Math.ceil(all / size) }),
  () => ({ total_pages: 9 }),
  () => ({ page_count: size }),
  ({ start }) => ({ timed_out: start === size }),
  ({ start }) => ({ warnings: start === 0 ? ["results truncated"] : [] }),
  ({ start }) => ({ jobComplete: start < size }),
  ({ start }) => (start === 2 * size ? { errors: [{ message: "busy" }] } : {}),
  () => ({}),
];

function randomHeaders(random: Random, all: number): Record<string, string> {
  if (random.oneIn(3)) return { "X-Total-Count": String(random.oneIn(2) ? all : 99) };
  return random.oneIn(4) ? { Link: '<?limit=3&offset=99>; rel="next"' } : {};
}

test("a merge of shards has the verdict of one run, and the same lines unless the verdict says that more came", async () => {
  await forSeeds(25, async (random) => {
    const all = random.below(14);
    const members = [random.pick(besides), random.pick(besides)];
    const headers = randomHeaders(random, all);
    const cap = random.oneIn(4) ? size - 1 : size;
    const failsAt = random.oneIn(6) ? random.below(4) * size : -1;
    const params = random.oneIn(3) ? { cursor: "abc" } : {};
    await using api = await startApi(({ params: query }) => {
      const start = Number(query.get("offset"));
      const items = records(all).slice(start, start + cap);
      if (start === failsAt) return json({ error: "busy" });
      const beside = members.map((made) => made({ start, all, query, own: items.length }));
      return json(Object.assign({ items }, ...beside), { headers });
    });
    const configuration = {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: size } },
      config: { jobs: [{ endpoint: "items", dataField: "items", params }] },
    };
    const { result, output } = await runHere(configuration);
    await using sharded = await planned(configuration, 3);
    for (let index = 0; index < 3; index += 1) await sharded.run(index);
    const merged = await sharded.merge();
    const [one, whole] = [result.jobs[0], merged.jobs[0]];
    assert.equal(whole?.verdict, one?.verdict, `${one?.reason}\n${whole?.reason}`);
    const saysMore = / came after page \d+/.test(whole?.reason ?? "");
    assert.equal(saysMore ? merged.output.slice(0, output.length) : merged.output, output, whole?.reason);
  });
});
