import assert from "node:assert/strict";
import { test } from "node:test";
import { parentContext } from "../../../src/compile/jobs/parent-context.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";

test("two parents have different contexts, although their placeholders have the same names", () => {
  for (const path of ["id", "__proto__", "constructor"]) {
    const [one, two] = [1, 2].map((value) =>
      parentContext([{ name: "id", path, value, raw: undefined }], new Secrets()),
    );
    assert.notEqual(one, two, path);
  }
});

test("placeholders with the same path keep their values apart, and a secret is kept as a digest", () => {
  const secrets = new Secrets();
  secrets.add("sk-live-1234");
  const text = parentContext(
    [
      { name: "id", path: "id", value: 1, raw: undefined },
      { name: "2:id", path: "id", value: "sk-live-1234", raw: undefined },
    ],
    secrets,
  );
  assert.equal(Object.keys(JSON.parse(text)).length, 2);
  assert.match(text, /"sha256:[0-9a-f]{64}"/);
  assert.doesNotMatch(text, /sk-live/);
});
