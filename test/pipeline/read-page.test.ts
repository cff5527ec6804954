import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

test("a page without records names the data field as it is configured, and one record is one record", async () => {
  await using api = await startApi((request) => (request.path === "/none" ? null : [1]));
  const jobs = [
    { endpoint: "none", dataField: "." },
    { endpoint: "none?again", dataField: "a.b" },
    { endpoint: "one" },
  ];
  const { events } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
  const told = (name: string) => events.filter(({ event }) => event === name).map(({ message }) => message);
  assert.deepEqual(told("warning"), ['dataField "." contains no data', 'dataField "a.b" contains no data']);
  assert.deepEqual(told("page"), ["0 records", "0 records", "1 record"]);
});
