import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, json, startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

const page = (number: number) => Array.from({ length: 10 }, (_, index) => ({ id: 10 * number + index }));
const token = { method: "response.param", responseParam: "next", queryParam: "page" };
const numbers = { method: "pagenum", limit: 10 };

/** The second page of three, the paging, and the verdict. */
const rows: readonly (readonly [title: string, second: () => unknown, pagination: object, verdict: string])[] = [
  ["an empty body after a token", () => text(""), token, "suspect"],
  ["white space after a token", () => text(" \n"), token, "suspect"],
  ["an empty body after a token, without evidence", () => text(""), { ...token, evidence: false }, "complete"],
  ["a 204 after a token", () => empty(204), token, "complete"],
  ["an empty body after a page number", () => text(""), numbers, "complete"],
  ["a text after a token", () => text('"Service busy"'), token, "suspect"],
  ["a text after a page number", () => text('"Service busy"'), numbers, "suspect"],
  ["an empty text after a token", () => text('""'), token, "complete"],
  ["a blank text after a page number", () => text('" "'), numbers, "complete"],
  ["null after a token", () => json(null), token, "complete"],
  ["an error although pages follow", () => ({ error: "timeout", data: [], next: "3" }), token, "suspect"],
];

for (const [title, second, pagination, verdict] of rows) {
  test(`a job whose second page of three is ${title} ends as ${verdict}`, async () => {
    await using api = await startApi(({ params }) => {
      const number = Number(params.get("page") ?? 1);
      if (number === 2) return second();
      return { data: page(number), ...(number < 3 ? { next: String(number + 1) } : {}) };
    });
    const jobs = [{ endpoint: "items", dataField: "data" }];
    const { result } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
    const [job] = result.jobs;
    assert.equal(job?.verdict, verdict, job?.reason);
    // A proposed rule would end the job before its third page.
    assert.doesNotMatch(job?.reason ?? "", /the rule/);
  });
}

test("the message of a doubt about an earlier page does not advise requests beyond the last page", async () => {
  await using api = await startApi(({ params }) =>
    params.get("page") === "1" ? { data: page(1) } : { data: { 3: { id: 3 } } },
  );
  const jobs = [{ endpoint: "items", dataField: "data" }];
  const { result } = await runHere({ api: { baseUrl: api.url, pagination: numbers }, config: { jobs } });
  assert.match(result.jobs[0]?.reason ?? "", /page 2 holds one value where the pages before it hold a list$/);
});

test("an empty body after a token is the end if all records of a total have come", async () => {
  await using api = await startApi(({ params }) =>
    params.get("page") === null ? { data: page(1), total: 10, next: "2" } : text(""),
  );
  const jobs = [{ endpoint: "items", dataField: "data" }];
  const { result } = await runHere({ api: { baseUrl: api.url, pagination: token }, config: { jobs } });
  assert.equal(result.jobs[0]?.verdict, "complete", result.jobs[0]?.reason);
});
