import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { runCommandLine } from "../../../src/cli/command-line.ts";
import { SpileError } from "../../../src/core/errors.ts";
import { collector } from "../../helpers/run.ts";

/** Checks a configuration of 1,000 jobs that causes a warning. A signal comes after the warning, before the jobs are compiled. */
async function checkWithSignal(): Promise<{ code: number; stdout: string; stderr: string }> {
  const jobs = Array.from({ length: 1000 }, (_, index) => ({ endpoint: `e${index}` }));
  const configuration = {
    api: { baseUrl: "http://127.0.0.1:1/" },
    config: { jobs, mappings: { unused: { id: "id" } } },
  };
  const controller = new AbortController();
  const output = collector();
  let stderr = "";
  const code = await runCommandLine(["check", "-"], {
    stdin: () => Readable.from([Buffer.from(JSON.stringify(configuration))]),
    stdout: output.stream,
    stderr: new Writable({
      write(chunk: Buffer, _encoding, callback) {
        stderr += chunk.toString();
        // Like the handler of a real signal, this runs in a later turn of the event loop.
        setImmediate(() => controller.abort(new SpileError("terminated", "stopped by SIGTERM")));
        callback();
      },
    }),
    env: {},
    signal: controller.signal,
    uncaught: new Promise(() => undefined),
    backoff: undefined,
  });
  return { code, stdout: output.text(), stderr };
}

test("a signal that comes while check compiles many jobs ends it between two of them", async () => {
  const { code, stdout, stderr } = await checkWithSignal();
  assert.match(stderr, /^warning .*unused/);
  assert.match(stderr, /\nerror stopped by SIGTERM\n$/);
  assert.deepEqual([code, stdout], [143, ""]);
});
