import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/** Returns the exit code of `check`, and its text on stderr. */
async function checkOutput(job: object, more: object = {}, api: object = {}, ...words: string[]): Promise<string> {
  await using folder = await temporaryFolder();
  const document = {
    api: { baseUrl: "https://api.example.com/", ...api },
    config: { jobs: [{ endpoint: "a", ...job }] },
  };
  const config = await folder.write("config.json", { ...document, ...more });
  const { code, stderr } = await spileHere(["check", config, ...words]);
  return `${code} ${stderr}`;
}

const fields: readonly [job: object, advice: RegExp][] = [
  [{ filter: "active" }, /\/config\/jobs\/0: unknown field "filter": .*select them afterwards .*"recursionFilter"/],
  [{ record_filter: {} }, /"record_filter": .*select them afterwards /],
  [{ where: "x" }, /"where": .*select them afterwards /],
  [{ transformations: [] }, /"transformations": .*add, drop and rename fields afterwards/],
  [{ addFields: [] }, /"addFields": .*add, drop and rename fields/],
  [{ columns: ["id"] }, /"columns": .*add, drop and rename fields/],
  [{ body: { a: 1 } }, /"body": .*a GET has no body/],
  [{ request_body_json: {} }, /"request_body_json": .*a GET has no body/],
  [{ propertyChunking: {} }, /"propertyChunking": name the requested fields/],
  [{ fileUploader: {} }, /"fileUploader": spile does not transfer files/],
  [{ class_name: "x" }, /"class_name": spile runs no foreign code/],
];

for (const [job, advice] of fields) {
  test(`${JSON.stringify(job)} gets advice, as a warning, or as a fault with --strict`, async () => {
    const said = await checkOutput(job);
    assert.match(said, /^0 warning /);
    assert.match(said, advice);
    assert.match(await checkOutput(job, {}, {}, "--strict"), /^78 error /);
  });
}

test("an unknown field gets advice only if other tools have a field of this name, and a parameter gets none", async () => {
  assert.match(
    await checkOutput({}, { dynamic_streams: [] }),
    /^0 warning \/: unknown field "dynamic_streams": list each job in/,
  );
  assert.match(
    await checkOutput({ recursionFiltr: "a" }),
    /^78 .*unknown field "recursionFiltr", did you mean "recursionFilter"\?\n$/,
  );
  assert.match(await checkOutput({ color: "red" }), /unknown field "color"\n/);
  assert.equal(await checkOutput({ params: { filter: "a", body: "b" } }), "0 ");
});

test("formats and types of authentication that spile does not have get advice", async () => {
  assert.match(
    await checkOutput({ format: "xml" }),
    /\/config\/jobs\/0\/format: must be .*, not "xml"; spile does not read XML/,
  );
  assert.match(
    await checkOutput({ format: { type: "xlsx" } }),
    /format\/type: must be .*; spile does not read Excel sheets/,
  );
  assert.match(
    await checkOutput({ format: "parquet" }),
    /spile does not read files of this format: ask the API for NDJSON or CSV/,
  );
  const bearer = { authentication: { type: "bearer" } };
  assert.match(
    await checkOutput({}, {}, bearer),
    /\/api\/authentication\/type: must be .*; "api.http.headers" or the "headers"/,
  );
  assert.match(
    await checkOutput({ authentication: "a" }, {}, { authentications: { a: { type: "api_key" } } }),
    /authentications\/a\/type: .*; "api.http.headers"/,
  );
});
