import assert from "node:assert/strict";
import { test } from "node:test";
import { json, records, startApi, text } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { planned } from "../sharded.ts";

/**
 * Returns the merged verdict of eight shards. `totalBehind`: whether pages after the end report the total. `change`: what happens
 * to the API's records at the ninth request.
 */
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

test("a changed total is noticed even on the pages after the end", async () => {
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

/** Returns the answer to a request with this offset. */
type Answers = (offset: number, params: URLSearchParams) => unknown;

const nine = records(9);

/** Returns a rule for answers whose field `end` is true. */
const rule = (then: string) => ({ when: { path: "end", is: true }, then });

/** The page of three records at an offset. */
const pageAt = (offset: number): object[] => nine.slice(offset, offset + 3);

interface AsOne {
  readonly name: string;
  readonly answers: Answers;
  readonly job?: object;
  readonly verdict: "complete" | "suspect";
  /** True if the merge also writes the pages after the end, since shards read them. */
  readonly writesMore?: true;
}

/** Jobs whose shards must be judged as a single run is, by more than the records and totals of their pages. */
const judgedAsOne: readonly AsOne[] = [
  {
    name: "a failure in place of lines",
    answers: (offset) => {
      const lines = pageAt(offset).map((one) => `${JSON.stringify(one)}\n`);
      return offset === 3 ? json({ error: "busy" }) : text(lines.join(""));
    },
    job: { format: "ndjson", dataField: undefined },
    verdict: "suspect",
    writesMore: true,
  },
  {
    name: "an address that leads on, relative to that of the page",
    answers: (offset) => ({ items: pageAt(offset).slice(0, offset === 6 ? 2 : 3), older: "?before=3" }),
    verdict: "suspect",
  },
  {
    name: "an address of the page itself",
    answers: (offset, params) => ({ items: pageAt(offset), ...(offset === 9 ? {} : { next: `?${params}` }) }),
    verdict: "complete",
  },
  {
    name: "an address of the short page itself",
    answers: (offset, params) => ({ items: pageAt(offset).slice(0, offset === 6 ? 2 : 3), next: `?${params}` }),
    verdict: "complete",
  },
  {
    name: "a token that the request sent",
    answers: (offset) => ({ items: pageAt(offset).slice(0, offset === 6 ? 2 : 3), cursor: "abc" }),
    job: { params: { cursor: "abc" } },
    verdict: "complete",
  },
  {
    name: "a page that says records are missing",
    answers: (offset) => ({ items: pageAt(offset), timed_out: offset === 3 }),
    verdict: "suspect",
  },
  {
    name: "an estimate of the total that changes from page to page",
    answers: (offset) => ({ items: pageAt(offset), estimatedTotalHits: 30 - offset }),
    verdict: "complete",
  },
  {
    name: "a rule that ends the job at a full page",
    answers: (offset) => ({ items: pageAt(offset), end: offset === 3 }),
    job: { responses: [rule("end")] },
    verdict: "complete",
  },
  {
    name: "elements whose inner records fill the page",
    answers: (offset) => {
      const full = pageAt(0).map((one) => ({ l: [one] }));
      const short = [{ l: pageAt(3).slice(0, 2) }, { l: pageAt(3).slice(2) }];
      return { items: offset === 0 ? full : offset === 3 ? short : [] };
    },
    job: { dataField: { path: "items", each: ["l", "*"] } },
    verdict: "suspect",
  },
];

for (const { name, answers, job = {}, verdict, writesMore = false } of judgedAsOne) {
  test(`shards are judged as a single run is: ${name}`, async () => {
    await using api = await startApi(({ params }) => answers(Number(params.get("offset")), params));
    const configuration = {
      api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit: 3 } },
      config: { jobs: [{ endpoint: "e", dataField: "items", ...job }] },
    };
    const { result, output } = await runHere(JSON.parse(JSON.stringify(configuration)));
    const [single] = result.jobs;
    assert.equal(single?.verdict, verdict, single?.reason);
    await using sharded = await planned(configuration, 3);
    for (let index = 0; index < 3; index += 1) await sharded.run(index);
    const merged = await sharded.merge();
    const [whole] = merged.jobs;
    assert.equal(whole?.verdict, verdict, whole?.reason);
    assert.equal(writesMore ? merged.output.slice(0, output.length) : merged.output, output);
  });
}
