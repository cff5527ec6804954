import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

test("a map of parameters or headers is never an expression, but its values may be expressions", async () => {
  await using api = await startApi(() => []);
  const configuration = {
    api: { baseUrl: api.url },
    config: {
      color: "red",
      jobs: [
        { endpoint: "a", params: { attr: "status" } },
        { endpoint: "b", params: { time: "currentStart" } },
        { endpoint: "c", params: { function: "md5", args: ["x"] } },
        { endpoint: "d", params: { attr: { attr: "color" } }, headers: { attr: "color" } },
      ],
    },
  };
  const { result } = await runHere(configuration);
  assert.equal(result.exitCode, 0);
  assert.deepEqual(api.targets(), [
    "/a?attr=status",
    "/b?time=currentStart",
    "/c?function=md5&args%5B0%5D=x",
    "/d?attr=red",
  ]);
  assert.equal(api.log[3]?.headers.attr, "color");
});

test("defaultOptions.method is the default for jobs without a method", async () => {
  await using api = await startApi(() => []);
  await runHere({
    api: { baseUrl: api.url, http: { defaultOptions: { method: "post", params: { a: 1 } } } },
    config: { jobs: [{ endpoint: "x" }, { endpoint: "y", method: "GET" }] },
  });
  assert.deepEqual(
    api.log.map(({ method, target, body }) => [method, target, body]),
    [
      ["POST", "/x", '{"a":1}'],
      ["GET", "/y?a=1", ""],
    ],
  );
});

test("placeholders of a job without a parent have no effect", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const job = { endpoint: "users", placeholders: { "user-id": "id" } };
  const { output } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
  assert.equal(output, '{"id":1}\n');
});

test("each of several jobs is judged by its own scroller, evidence and data field", async () => {
  await using api = await startApi(({ target }) =>
    target.includes("page=2") ? { items: [] } : { total: 9, items: [{ id: 1 }] },
  );
  const jobs = [
    { endpoint: "a", dataField: "items" },
    { endpoint: "b", dataField: "items", evidence: false },
    { endpoint: "c", dataField: "items", scroller: "pages" },
    { endpoint: "d", dataField: "items" },
    { endpoint: "e", dataField: "absent", evidence: false },
  ];
  const pagination = { method: "multiple", scrollers: { pages: { method: "pagenum" } } };
  const { result } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
  assert.deepEqual(
    result.jobs.map(({ dataType, verdict, pages }) => [dataType, verdict, pages]),
    [
      ["a", "suspect", 1],
      ["b", "complete", 1],
      ["c", "suspect", 2],
      ["d", "suspect", 1],
      ["e", "suspect", 1],
    ],
  );
  const reasons = result.jobs.map(({ reason }) => reason ?? "");
  assert.equal(reasons[3], reasons[0]);
  assert.match(reasons[4] ?? "", /absent/);
});
