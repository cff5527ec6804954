import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { broken } from "../helpers/answers.ts";
import { records, startApi } from "../helpers/api.ts";
import { spile, start, temporaryFolder } from "../helpers/cli.ts";

/* Tests of hidden files that SIGKILL leaves: the next run in the same folder removes them (contract C-9.12). */

const skip = process.platform !== "linux" && "only Linux tells which start of the system a process belongs to";

for (const words of [
  ["-o", "out"],
  ["-o", "out", "--record", "recorded.har"],
]) {
  test(`files of a killed run with ${words.join(" ")} are removed by the next run`, { skip }, async () => {
    let isSilent = true;
    await using api = await startApi(({ params }) =>
      params.get("offset") === "3" && isSilent
        ? broken.stalledBeforeHeaders()
        : { items: params.get("offset") === "0" ? records(3) : [] },
    );
    await using folder = await temporaryFolder();
    const file = await folder.write("config.json", {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: 3 } },
      config: { jobs: [{ endpoint: "items" }] },
    });
    const hidden = async () => (await readdir(folder.path)).filter((name) => name.startsWith(".")).length;
    const run = () => start([file, ...words], { cwd: folder.path });
    const living = run();
    await api.received(2);
    const most = await hidden();
    const killed = run();
    await api.received(4);
    killed.kill("SIGKILL");
    await killed.finished;
    assert.ok((await hidden()) > 0);
    isSilent = false;
    const { code, stderr } = await spile([file, ...words], { cwd: folder.path });
    assert.equal(code, 0, stderr);
    // The files of a run that is still alive stay.
    assert.equal(await hidden(), words.includes("--record") ? most - 1 : most);
    living.kill("SIGTERM");
    await living.finished;
    assert.equal(await hidden(), 0);
  });
}
