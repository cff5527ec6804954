import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfiguration } from "../../src/compile/read.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { checkIdentity, identityOf } from "../../src/resume/identity.ts";
import type { Progress } from "../../src/resume/progress.ts";

const api = { baseUrl: "http://127.0.0.1/" };

async function identity(config: object) {
  const secrets = new Secrets();
  const text = JSON.stringify({ api, config: { ...config, jobs: [{ endpoint: "a" }] } });
  const loaded = readConfiguration(text, { name: "test", set: new Map(), environment: {}, strict: false, secrets });
  const signal = new AbortController().signal;
  return await identityOf(loaded, { target: { kind: "folder", path: "out" }, signal, emit: () => undefined, secrets });
}

test("a run can be resumed with other secrets in its settings, but not with other settings", async () => {
  const { configuration } = await identity({ login: { "#pin": 1 }, team: "a" });
  assert.equal((await identity({ login: { "#pin": 2 }, team: "a" })).configuration, configuration);
  assert.notEqual((await identity({ login: { "#pin": 1 }, team: "b" })).configuration, configuration);
});

test("another version of spile does not resume the run", async () => {
  const own = await identity({});
  assert.doesNotThrow(() => checkIdentity(own as Progress, own));
  assert.throws(
    () => checkIdentity({ ...own, version: "0.0.9" } as Progress, own),
    /cannot resume: the run was interrupted under spile 0\.0\.9; without --resume the run starts over/,
  );
});
