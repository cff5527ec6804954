import assert from "node:assert/strict";
import { test } from "node:test";
import { parseValue, type Value, valueText } from "../../../src/core/values/value.ts";
import { startApi } from "../../helpers/api.ts";
import { extractAll } from "../../jobs/extraction.ts";

/** Returns the lines of a job and its child job with these further fields. Their records are `{"id":1}`. */
async function linesOf(config: object, jobFields: object = {}, childFields: object = {}): Promise<readonly string[]> {
  await using api = await startApi({ "*": () => [{ id: 1 }] });
  const child = { endpoint: "x/{id}", placeholders: { id: "id" }, ...childFields };
  const jobs = [{ endpoint: "users", children: [child], ...jobFields }];
  const { lines, result } = await extractAll(
    valueText({ api: { baseUrl: api.url }, config: { ...config, jobs } } as unknown as Value),
  );
  assert.equal(result.failure, undefined);
  return lines;
}

test("user data of config applies to top-level jobs, and a job's own user data replaces equal names", async () => {
  const userData = { a: 1.5, tag: { attr: "name" } };
  assert.deepEqual(await linesOf({ name: "n", userData }), ['{"id":1,"a":1.5,"tag":"n"}', '{"id":1,"parent_id":1}']);
  assert.deepEqual(
    await linesOf({ name: "n", userData }, { userData: { z: null, a: "own" } }, { userData: { c: [1, { d: true }] } }),
    ['{"id":1,"a":"own","tag":"n","z":null}', '{"id":1,"parent_id":1,"c":[1,{"d":true}]}'],
  );
});

test("scalar user data becomes the column `userData` in config, and `job_parent_id` in a job; an empty value is ignored", async () => {
  assert.deepEqual(await linesOf({ userData: "all" }, { userData: 7 }, { userData: "sc" }), [
    '{"id":1,"userData":"all","job_parent_id":7}',
    '{"id":1,"parent_id":1,"job_parent_id":"sc"}',
  ]);
  const zeros = ["0.0", "-0", "0e0"].map(parseValue);
  for (const nothing of ["", "0", 0, false, [], {}, ...zeros]) {
    assert.deepEqual(
      await linesOf({ userData: nothing }, { userData: nothing }),
      ['{"id":1}', '{"id":1,"parent_id":1}'],
      JSON.stringify(nothing),
    );
  }
});

test("a column whose name is taken gets a suffix", async () => {
  assert.deepEqual(await linesOf({ userData: { id: "u" } }, {}, { userData: { parent_id: "u", id: 2 } }), [
    '{"id":1,"id_u0":"u"}',
    '{"id":1,"parent_id":1,"parent_id_u0":"u","id_u0":2}',
  ]);
});
