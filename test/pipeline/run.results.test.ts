import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { json, linesOf, records, startApi, text } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { type Outcome, runHere } from "../helpers/run.ts";

const summaryOf = ({ result }: Outcome): unknown[] =>
  result.jobs.map(({ job, verdict, records: lines, pages }) => [job, verdict, lines, pages]);

const tree = (url: string, ...more: unknown[]): unknown => ({
  api: { baseUrl: url, pagination: { method: "offset", limit: 2 } },
  config: {
    jobs: [
      {
        endpoint: "users",
        children: [
          { endpoint: "users/{id}/orders", dataType: "orders", placeholders: { id: "id" } },
          { endpoint: "users/{id}/none", dataType: "none", placeholders: { id: "id" }, recursionFilter: "id>100" },
        ],
      },
      ...more,
    ],
  },
});

const users = (request: { readonly params: URLSearchParams }): unknown =>
  records(3).slice(Number(request.params.get("offset")), Number(request.params.get("offset")) + 2);

test("each dataset has a result, and the result of a parent does not count its children's records", async () => {
  await using api = await startApi({ "/users": users, "*": () => [{ n: 1 }] });
  const outcome = await runHere(tree(api.url));
  assert.deepEqual(summaryOf(outcome), [
    ["users", "complete", 3, 2],
    ["orders", "complete", 3, 3],
    ["none", "complete", 0, 0],
  ]);
  const [, , none] = outcome.result.jobs;
  assert.equal(none?.reason, "it was not run for any parent record");
  assert.equal(outcome.result.records, 6);
  const ends = outcome.events
    .filter(({ event }) => event === "job.end")
    .map(({ dataType, records: lines }) => [dataType, lines]);
  assert.deepEqual(ends, [
    ["users", 3],
    ["orders", 3],
    ["none", 0],
  ]);
});

test("a child has its own verdict: if it fails for every record of its parent, only the child fails", async () => {
  let answer: () => unknown = () => ({ items: [{ n: 1 }, { n: 2 }], total: 9 });
  await using api = await startApi({ "/users": users, "*": () => answer() });
  const suspect = await runHere({ ...(tree(api.url) as object) }, { maxPages: 9 });
  assert.deepEqual(summaryOf(suspect).slice(0, 2), [
    ["users", "complete", 3, 2],
    ["orders", "suspect", 6, 6],
  ]);
  answer = () => json({}, { status: 403 });
  const failed = await runHere(tree(api.url, { endpoint: "users?b=1" }), { keepGoing: true });
  assert.deepEqual(summaryOf(failed), [
    ["users", "complete", 3, 2],
    ["orders", "failed", 0, 0],
    ["none", "complete", 0, 0],
    ["users?b=1", "complete", 3, 2],
  ]);
  assert.match(failed.result.jobs[1]?.reason ?? "", /^\d of \d parents failed: /);
});

test("jobs after a failed one are reported as not run, and run on --resume", async () => {
  let broken = true;
  await using api = await startApi({
    "/users": users,
    "/bad": () => (broken ? json({}, { status: 404 }) : [{ n: 2 }]),
    "/other": () => [{ n: 3 }],
    "*": () => [{ n: 1 }],
  });
  await using folder = await temporaryFolder();
  const configuration = {
    api: { baseUrl: api.url },
    config: {
      jobs: [
        { endpoint: "one" },
        { endpoint: "bad" },
        { endpoint: "other", children: [{ endpoint: "x/{n}", dataType: "below", placeholders: { n: "n" } }] },
        { endpoint: "two" },
      ],
    },
  };
  const options = { state: join(folder.path, "state.json"), resume: true } as const;
  const failed = await runHere(configuration, options);
  assert.deepEqual(summaryOf(failed), [
    ["one", "complete", 1, 1],
    ["bad", "failed", 0, 0],
    ["other", "failed", 0, 0],
    ["below", "failed", 0, 0],
    ["two", "failed", 0, 0],
  ]);
  for (const { reason } of failed.result.jobs.slice(2)) assert.equal(reason, "not run: bad has failed");
  broken = false;
  const whole = await runHere(configuration, options);
  assert.equal(whole.output, linesOf([{ n: 2 }, { n: 3 }, { n: 1, parent_n: 3 }, { n: 1 }]));
  assert.deepEqual(summaryOf(whole), [
    ["one", "complete", 1, 1],
    ["bad", "complete", 1, 1],
    ["other", "complete", 1, 1],
    ["below", "complete", 1, 1],
    ["two", "complete", 1, 1],
  ]);
});

test("a child is not suspect if two parents give the same records", async () => {
  await using api = await startApi({ "/users": users, "*": () => ({ items: [{ n: 1 }], total: 1 }) });
  const outcome = await runHere(tree(api.url), { unique: "n" });
  assert.deepEqual(summaryOf(outcome).slice(0, 2), [
    ["users", "complete", 3, 2],
    ["orders", "complete", 1, 3],
  ]);
});

test("a parent whose own records are not wanted is still read to its end", async () => {
  const five = ({ params }: { readonly params: URLSearchParams }): unknown =>
    records(5).slice(Number(params.get("offset")), Number(params.get("offset")) + 2);
  await using api = await startApi({ "/users": five, "*": ({ path }) => [{ path }] });
  const { output, result } = await runHere(tree(api.url), { datasets: new Set(["orders"]) });
  assert.equal(output, linesOf(records(5).map(({ id }) => ({ path: `/users/${id}/orders`, parent_id: id }))));
  assert.equal(result.exitCode, 0);
});

test("jobs and iterations beyond --max-records are reported as limited", async () => {
  await using api = await startApi({ "/users": users, "/other": users, "*": () => [{ n: 1 }] });
  const configuration = {
    ...(tree(api.url, { endpoint: "other" }) as object),
    iterations: [{ a: 1 }, { a: 2 }, { a: 3 }],
  };
  const cut = await runHere(configuration, { maxRecords: 6 });
  assert.equal(cut.output.split("\n").length - 1, 6);
  assert.deepEqual(summaryOf(cut), [
    ["users", "complete", 3, 2],
    ["orders", "complete", 3, 3],
    ["none", "complete", 0, 0],
    ["other", "limited", 0, 0],
    ["users", "limited", 0, 0],
    ["orders", "limited", 0, 0],
    ["none", "limited", 0, 0],
    ["other", "limited", 0, 0],
  ]);
  assert.equal(cut.result.jobs[3]?.reason, "not run: stopped by --max-records");
  assert.equal(
    cut.result.jobs[4]?.reason,
    "not run in this iteration, nor in 1 further iteration: stopped by --max-records",
  );
  const inTheMidst = await runHere(tree(api.url), { maxRecords: 3 });
  assert.deepEqual(summaryOf(inTheMidst), [
    ["users", "limited", 2, 1],
    ["orders", "limited", 1, 1],
    ["none", "limited", 0, 0],
  ]);
});

test("whole lines before a fault are written and counted if none are held back", async () => {
  const list = records(2000);
  const rows = list.map((record) => JSON.stringify(record)).join(",");
  for (const [body, config] of [
    [`{"a":[${rows}],"b":[1]}`, {}],
    [`{"a":[${rows}],"b":x}`, { dataField: "a" }],
    [`{"a":[${rows},x]}`, { dataField: "a" }],
  ] as const) {
    await using api = await startApi(() => text(body));
    const jobs = [{ endpoint: "items", ...config }];
    const { result, output } = await runHere({ api: { baseUrl: api.url }, config: { jobs } }, { hold: 0 });
    assert.equal(result.exitCode, 65);
    assert.equal(output, linesOf(list), body.slice(-10));
    assert.equal(result.records, 2000);
    const held = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
    assert.deepEqual([held.output, held.result.records], ["", 0]);
  }
});
