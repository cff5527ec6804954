import assert from "node:assert/strict";
import { test } from "node:test";
import { interpret } from "../../src/cli/load.ts";
import { createReport } from "../../src/cli/report.ts";
import { Secrets } from "../../src/core/redact.ts";

test("a file of variables that is not there is a fault of the configuration", () => {
  const secrets = new Secrets();
  const report = createReport({
    write: assert.fail,
    format: "text",
    verbosity: "normal",
    color: false,
    strict: false,
    secrets,
  });
  const environment = { options: { "env-file": "/nowhere/x.env" }, signal: AbortSignal.abort(), secrets, report };
  assert.throws(() => interpret("{}", "config.json", environment), {
    exitCode: 78,
    message: "cannot read --env-file /nowhere/x.env: there is no such file",
  });
});
