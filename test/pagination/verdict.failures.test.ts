import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

const json = "application/json";
const lines = "application/x-ndjson";

/**
 * Jobs, the answer to their first page, and its type. `isRecord`: true if this page has a record. Then a second page follows, and
 * the remedy must not lose either record.
 */
const rows: readonly (readonly [title: string, job: object, answer: string, type: string, isRecord: boolean])[] = [
  ["an error without records", { dataField: "data" }, '{"error":"no data"}', json, false],
  ["success false", { dataField: "data" }, '{"success":false,"data":[]}', json, false],
  ["a failed status", { dataField: "data" }, '{"status":"Failed","data":[]}', json, false],
  ["a single object", { dataField: "." }, '{"error":"no login"}', json, true],
  ["a line of NDJSON", { format: "ndjson" }, '{"error":"no"}\n', lines, true],
  ["a line of NDJSON sent as JSON", { format: "ndjson" }, '{"error":"no"}\n', json, true],
  ["errors of GraphQL", { dataField: "data" }, '{"errors":[{"message":"x"}],"data":[1]}', json, true],
];

for (const [title, job, answer, type, isRecord] of rows) {
  test(`the proposed remedy accepts a failure and loses no record: ${title}`, async () => {
    await using api = await startApi(({ params }) => {
      const page = params.get("page");
      const body = page === "2" ? answer.replace("1]", "2]").replace("no", "not") : answer;
      return text(page === "3" ? "" : body, { headers: { "content-type": type } });
    });
    const runJob = async (more: object) => {
      const pagination = isRecord ? { method: "pagenum" } : undefined;
      const jobs = [{ endpoint: "a", ...job, ...more }];
      const { result } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
      return result.jobs[0];
    };
    const doubted = await runJob({});
    assert.equal(doubted?.verdict, "suspect", doubted?.reason);
    const [, evidence, rule] =
      /if such an answer is not a failure, (?:("evidence": false) in the job|the rule (.*) in "responses") accepts it$/.exec(
        doubted?.reason ?? "",
      ) ?? [];
    assert.equal(evidence !== undefined, isRecord, doubted?.reason);
    const accepted = await runJob(JSON.parse(rule === undefined ? `{${evidence}}` : `{"responses": [${rule}]}`));
    assert.deepEqual([accepted?.verdict, accepted?.records], ["complete", doubted?.records], accepted?.reason);
    if (isRecord) assert.ok((accepted?.records ?? 0) >= 2, title);
    else {
      // The rule does not match a good answer.
      await using good = await startApi(() => ({ success: true, ok: true, status: "ok", error: null, data: [1] }));
      const config = { jobs: [{ endpoint: "a", ...job, responses: [JSON.parse(rule ?? "")] }] };
      const { result } = await runHere({ api: { baseUrl: good.url }, config });
      assert.equal(result.jobs[0]?.records, 1);
    }
  });
}

/** Failures for which a rule would lose records: those of the same page, or those of the pages after it. */
const records: readonly (readonly [title: string, pagination: object | undefined, job: object, bodies: object[]])[] = [
  ["the only page has a record", undefined, { dataField: "." }, [{ error: "no login" }]],
  [
    "a page with records follows",
    { method: "response.param", responseParam: "next", queryParam: "page" },
    { dataField: "data" },
    [{ error: "no data", data: [], next: "2" }, { data: [1] }],
  ],
];

for (const [title, pagination, job, bodies] of records) {
  test(`no rule is proposed for a failure if ${title}`, async () => {
    await using api = await startApi(({ params }) => bodies[Number(params.get("page") ?? "1") - 1]);
    const { result } = await runHere({
      api: { baseUrl: api.url, pagination },
      config: { jobs: [{ endpoint: "a", ...job }] },
    });
    const [ended] = result.jobs;
    assert.deepEqual([ended?.verdict, ended?.records], ["suspect", 1], ended?.reason);
    assert.match(ended?.reason ?? "", /; if such an answer is not a failure, "evidence": false in the job accepts it$/);
  });
}

/** Bodies without records, each with a good answer of the same API that has records. */
const good: readonly (readonly [empty: object, full: object])[] = [
  [{ error: 1 }, { error: 0 }],
  [{ error: "7" }, { error: "0" }],
  [{ error: true }, { error: false }],
  [{ error: { code: 0 } }, { error: { code: 0 } }],
  [{ errors: [{ message: "no member" }] }, { errors: [{ message: "no member" }] }],
  [
    { success: false, errors: ["none found"] },
    { success: true, errors: ["one skipped"] },
  ],
  [{ error: "x".repeat(100) }, { error: "ok" }],
];

for (const [empty, full] of good) {
  test(`with the proposed remedy, the records of good answers are written: ${JSON.stringify(empty)}`, async () => {
    await using api = await startApi(({ path }) => ({
      data: path === "/full" ? [1] : [],
      ...(path === "/full" ? full : empty),
    }));
    const runJob = async (more: object) => {
      const jobs = ["empty", "full"].map((endpoint) => ({ endpoint, dataField: "data", ...more }));
      const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
      return result.jobs;
    };
    const [doubted] = await runJob({});
    assert.equal(doubted?.verdict, "suspect");
    const [, evidence, rule] = /, (?:("evidence": false) in|the rule (.*) in "responses") /.exec(doubted.reason) ?? [];
    assert.ok((rule ?? "").length < 100, `the proposed rule is too long: ${rule}`);
    const accepted = await runJob(JSON.parse(rule === undefined ? `{${evidence}}` : `{"responses": [${rule}]}`));
    assert.deepEqual(
      accepted.map(({ verdict, records }) => [verdict, records]),
      [
        ["complete", 0],
        ["complete", 1],
      ],
    );
  });
}
