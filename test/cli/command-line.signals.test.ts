import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { SpileError } from "../../src/core/errors.ts";
import { collector } from "../helpers/run.ts";

/** Warning after the configuration is read, before its jobs are checked. */
const unusedMapping = /mappings/;
/** Warning after the jobs are checked, before they are listed. */
const queryOfBase = /query of baseUrl/;

/** Runs a command on a configuration of 2,000 jobs that causes both warnings. A signal comes after one of them. */
async function runWithSignal(
  command: string,
  warning: RegExp,
): Promise<{ code: number; lines: number; stderr: string }> {
  const jobs = Array.from({ length: 2000 }, (_, index) => ({ endpoint: `e${index}` }));
  const configuration = {
    api: { baseUrl: "http://127.0.0.1:1/?q=1" },
    config: { jobs, mappings: { unused: { id: "id" } } },
  };
  const controller = new AbortController();
  const output = collector();
  let stderr = "";
  const code = await runCommandLine([command, "-"], {
    stdin: () => Readable.from([Buffer.from(JSON.stringify(configuration))]),
    stdout: output.stream,
    stderr: new Writable({
      write(chunk: Buffer, _encoding, callback) {
        stderr += chunk.toString();
        // Like the handler of a real signal, this runs in a later turn of the event loop.
        if (warning.test(chunk.toString()))
          setImmediate(() => controller.abort(new SpileError("terminated", "stopped by SIGTERM")));
        callback();
      },
    }),
    env: {},
    signal: controller.signal,
    uncaught: new Promise(() => undefined),
    backoff: () => 1,
  });
  return { code, lines: output.text().split("\n").length - 1, stderr };
}

for (const command of ["check", "plan", "preview", "--discover"]) {
  test(`a signal ends spile ${command} between the checks of two jobs`, async () => {
    const { code, lines, stderr } = await runWithSignal(command, unusedMapping);
    assert.doesNotMatch(stderr, queryOfBase);
    assert.match(stderr, /\nerror stopped by SIGTERM\n$/);
    assert.deepEqual([code, lines], [143, 0]);
  });
}

for (const { command, most } of [
  { command: "check", most: 0 },
  { command: "plan", most: 1000 },
]) {
  test(`a signal ends spile ${command} before the lines of all jobs are written`, async () => {
    const { code, lines, stderr } = await runWithSignal(command, queryOfBase);
    assert.match(stderr, /\nerror stopped by SIGTERM\n$/);
    assert.equal(code, 143);
    assert.ok(lines <= most, `${lines} lines`);
  });
}
