import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { ConfigurationError } from "../../../src/core/errors.ts";
import { concealError, concealed } from "../../../src/core/runs/conceal.ts";
import type { RunEvent } from "../../../src/core/runs/event.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";

const secrets = new Secrets();
secrets.add("correct horse\nbattery");

test("a reported text has no secrets and no control characters, and is cut", () => {
  const event: RunEvent = {
    event: "page",
    level: "info",
    message: `\u001b[31m correct horse\nbattery ${"x".repeat(9000)}`,
    url: `http://api.test/?k=correct%20horse%0Abattery&x=${"y".repeat(3940)}correct%20horse%0Abattery`,
    records: 3,
  };
  const { message, url = "", records } = concealed(event, secrets);
  assert.match(message, /^\\x1b\[31m \*\*\* x{3900,}\.\.\.$/);
  assert.match(url, /^http:\/\/api\.test\/\?k=\*\*\*&x=y+\*\*\*\.\.\.$/);
  assert.equal(records, 3);
});

test("a secret is masked before control characters are made visible", () => {
  const own = new Secrets();
  own.add("line one\nline two\\");
  const event: RunEvent = { event: "page", level: "info", message: "token: line one\nline two\\ of\nthree" };
  assert.equal(concealed(event, own).message, "token: *** of\\x0athree");
});

test("an error is masked with its causes, its stack and its other properties", () => {
  const inner = Object.assign(new Error("correct horse\nbattery"), {
    input: "correct horse\nbattery",
    rawPacket: Buffer.from("correct horse\nbattery"),
  });
  const error = new Error("outer", { cause: new AggregateError([inner], "correct horse\nbattery") });
  concealError(error, secrets);
  assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /horse|63 6f 72/);
});

test("faults of a configuration are masked, and so are lists and objects of a cause", () => {
  const fault = { pointer: "/a", message: "found correct horse\nbattery", kind: "value" } as const;
  const error = new ConfigurationError([fault]);
  const list: unknown[] = ["correct horse\nbattery", new Error("correct horse\nbattery")];
  list.push(list);
  Object.assign(error, { cause: { deep: { list } } });
  concealError(error, secrets);
  assert.doesNotMatch(inspect(error, { depth: 10, showHidden: true }), /horse/);
  assert.deepEqual(error.faults, [{ ...fault, message: "found ***" }]);
});
