import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readFields } from "../../../src/cli/explain/fields.ts";
import { find, nearestName } from "../../../src/cli/explain/find.ts";
import { documentOf } from "../../../src/cli/explain/text.ts";
import { anchorsOf } from "../../docs/markdown.ts";
import { records } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

const all = readFields();

test("a field is found by its place, its name, the end of its place, or an alternative's name", () => {
  const table = [
    ["api.baseUrl", ["baseUrl"], []],
    ["API.BASEURL", ["baseUrl"], []],
    ["/api/baseUrl", ["baseUrl"], []],
    ["parameters.api.baseUrl", ["baseUrl"], []],
    ["config.jobs[0].endpoint", ["endpoint"], []],
    ["/config/jobs/0/children/1/endpoint", ["endpoint"], []],
    ["api.pagination.scrollers.<name>.offsetParam", ["offsetParam"], []],
    ["offsetParam", ["offsetParam"], []],
    ["http.requestTimeout", ["requestTimeout"], []],
    ["api.pagination.urlKey.where", ["where"], []],
    ["links[rel=next].href", ["where"], []],
    ["offset", [], ["offset"]],
    ["response.url", [], ["response.url"]],
    ["no.such.field", [], []],
  ] as const;
  for (const [word, fields, alternatives] of table) {
    const found = find(word, all);
    assert.deepEqual(
      found.fields.map(({ name }) => name),
      fields,
      word,
    );
    assert.deepEqual(
      found.alternatives.map(({ tag }) => tag),
      alternatives,
      word,
    );
  }
  assert.ok(find("limitParam", all).fields.length > 1, "the field of each method that has it");
});

test("an unknown field is answered with the most similar one", () => {
  assert.equal(nearestName("limitParm", all), "limitParam");
  assert.equal(nearestName("api.pagination.limits", all), "api.pagination.limit");
  assert.equal(nearestName("ofset", all), "offset");
  assert.equal(nearestName("pagination.dataFeild", all), "dataField");
  assert.equal(nearestName("qqqqqqqq", all), undefined);
});

test("fields refer only to existing sections of the documents", async () => {
  const anchors = anchorsOf(await readFile(new URL("../../../docs/reference.md", import.meta.url), "utf8"));
  for (const { section } of [...all.fields, ...all.alternatives]) {
    assert.ok(anchors.has(documentOf(section).split("#")[1] ?? ""), section);
  }
});

test("a field is shown with its alternative, its default and its place in the documents", async () => {
  const { code, stdout, stderr } = await spileHere(["explain", "api.pagination.offsetParam"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^api\.pagination\.offsetParam {3}with "method": "offset"\n/);
  assert.match(stdout, /\n {2}default {2}"offset"\n/);
  assert.match(stdout, /\n {2}also at {2}api\.pagination\.scrollers\.<name>\.offsetParam\n/);
  assert.match(stdout, /\n {2}see {6}docs\/reference\.md#offset-offset\n$/);
  // A definition that refers to another one has its own description.
  assert.match((await spileHere(["explain", "pageCount"])).stdout, /\nPlace of the number of pages: a path/);
  assert.match((await spileHere(["explain"])).stdout, /^The configuration:\n[\s\S]*\nconfig\.jobs:\n {2}endpoint /);
});

test("--json prints a line for each field, and an unknown field ends with 64", async () => {
  const one = records((await spileHere(["explain", "offset", "--json"])).stdout) as { tag: string; fields: string[] }[];
  assert.deepEqual([one.length, one[0]?.tag, one[0]?.fields.includes("limit")], [1, "offset", true]);
  const fields = records((await spileHere(["explain", "--json"])).stdout) as { places: string[]; required: boolean }[];
  assert.equal(fields.length, all.fields.length);
  assert.equal(fields.find(({ places }) => places.includes("api.baseUrl"))?.required, true);
  const { code, stdout, stderr } = await spileHere(["explain", "ofset"]);
  assert.deepEqual([code, stdout, stderr], [64, "", 'error no field "ofset": did you mean offset?\n']);
});
