import assert from "node:assert/strict";
import { test } from "node:test";
import { draftSettings } from "../../../src/authoring/described/settings.ts";

test("no two settings have the same name, no setting that of a section, and no two secrets the same variable", () => {
  const { read, members, variables } = draftSettings("API");
  const paths = [
    ["jobs"],
    ["a_b"],
    ["a", "b"],
    ["a", "b_"],
    ["b"],
    ["x", "b"],
    ["a", "x", "b"],
    ["a_x", "b"],
    ["jobs_"],
  ];
  const names = paths.map((path) => read(path, { value: "v", isSecret: false }).attr);
  assert.equal(new Set(names).size, paths.length, names.join(", "));
  assert.ok(!names.includes("jobs"), "jobs has another meaning");
  for (const name of ["X-Api-Key", "api_key", "apiKey", "api_key[]"]) read([name], { value: "s", isSecret: true });
  assert.equal(Object.keys(members()).length, paths.length + 4);
  const secretVariables = variables().map(({ variable }) => variable);
  assert.equal(new Set(secretVariables).size, 4, secretVariables.join(", "));
});
