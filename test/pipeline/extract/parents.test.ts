import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobPlan } from "../../../src/compile/plan.ts";
import { parsePath } from "../../../src/core/values/path.ts";
import { type Value, valueText } from "../../../src/core/values/value.ts";
import { parseFilter } from "../../../src/expression/filter.ts";
import { collectParents } from "../../../src/pipeline/extract/parents.ts";
import { startApi, text } from "../../helpers/api.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

/** Returns a plan with only the parts that collecting parents needs. */
function planOf(wantedPaths: readonly string[], filters: readonly (string | undefined)[]): JobPlan {
  const children = filters.map((filter) => ({
    filters: filter !== undefined,
    accepts: filter === undefined ? () => true : parseFilter(filter),
  }));
  return { wantedPaths: wantedPaths.map((path) => parsePath(path)), children } as unknown as JobPlan;
}

const texts = (parents: Iterable<ReadonlyMap<string, Value>>): string[] =>
  [...parents].map((parent) => valueText(Object.fromEntries(parent)));

test("a parent has exactly the wanted values, including null but not missing ones", () => {
  const parents = collectParents(planOf(["id", "a.b", "list"], [undefined]));
  parents.add(Buffer.from('{"id":13911860366432393,"a":{"b":1.10},"more":1}\n{"a":{"b":null},"list":[{}]}\n'));
  parents.add(Buffer.from('"scalar"\n{"id":"\\u00e9\\n"}\n'));
  const [first] = parents.without(new Set());
  const expected = ['{"id":13911860366432393,"a.b":1.10}', '{"a.b":null,"list":[{}]}', "{}", '{"id":"é\\n"}'];
  assert.deepEqual(texts(first ?? []), expected);
  // The values can be read again.
  assert.deepEqual(texts(first ?? []), expected);
});

test("each child gets the parents that its filter accepts, without dropped records", () => {
  const parents = collectParents(planOf(["id"], [undefined, "id>1", "id==0"]));
  parents.add(Buffer.from('{"id":1}\n{"id":2}\n'));
  parents.add(Buffer.from('{"id":3}\n{"id":4}\n'));
  const ids = (dropped: number[]) => parents.without(new Set(dropped)).map((some) => texts(some));
  const of = (...numbers: number[]) => numbers.map((id) => `{"id":${id}}`);
  assert.deepEqual(ids([]), [of(1, 2, 3, 4), of(2, 3, 4), []]);
  assert.deepEqual(ids([0, 2]), [of(2, 4), of(2, 4), []]);
});

test("a record that nests too deep for a filter is a data error", async () => {
  const depth = 20_000;
  await using api = await startApi(() => text(`[{"id":1,"deep":${"[".repeat(depth)}${"]".repeat(depth)}}]`));
  await using folder = await temporaryFolder();
  const child = { endpoint: "b/{id}", placeholders: { id: "id" }, recursionFilter: "id==1" };
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a", children: [child] }] },
  });
  const { code, stderr } = await spileHere([file, "--max-depth", String(2 * depth)]);
  assert.equal(code, 65, stderr);
  assert.match(stderr, /a value is nested too deeply to be read/);
});
