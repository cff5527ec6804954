import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { command, type Finished, startCommand, temporaryFolder } from "../helpers/cli.ts";

/* Tests of a working folder that no longer exists (contract C-9.10). */

test("without the working folder, absolute paths work, and a relative path is an error (78)", {
  skip: process.platform === "win32",
}, async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "x" }] },
  });
  const run = (...words: string[]): Promise<Finished> => {
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    return startCommand("sh", ["-c", script, process.execPath, command, ...words], { cwd: folder.path }).finished;
  };
  const whole = ["-o", at("out"), "--state", at("state.json"), "--credentials", at("secrets"), "--summary", at("end")];
  const { code, stderr } = await run(config, ...whole, "--record", at("run.har"));
  assert.equal(code, 0, stderr);
  assert.equal(await folder.read("out"), '{"id":1}\n');
  const message =
    "error the working folder does not exist any more: change to another folder, or give absolute paths\n";
  for (const words of [["config.json"], [config, "-o", "out"], ["check", "config.json"], ["init", "--har", "x.har"]]) {
    const ended = await run(...words);
    assert.deepEqual([ended.code, ended.stderr], [78, message], words.join(" "));
  }
});
