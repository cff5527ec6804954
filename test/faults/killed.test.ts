import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryName } from "../../src/core/files/temporary-name.ts";
import { broken } from "../helpers/answers.ts";
import { records, startApi } from "../helpers/api.ts";
import { spile, start, temporaryFolder } from "../helpers/cli.ts";
import { createZombie } from "../helpers/zombie.ts";

/* Tests of hidden files that SIGKILL leaves: the next run in the same folder removes them (contract C-9.12). */

const skip = process.platform !== "linux" && "only on Linux does a run recognize such files";

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
    const ofLiving = await hidden();
    const killed = run();
    await api.received(4);
    killed.kill("SIGKILL");
    await killed.finished;
    assert.ok((await hidden()) > 0);
    isSilent = false;
    const { code, stderr } = await spile([file, ...words], { cwd: folder.path });
    assert.equal(code, 0, stderr);
    // The files of a run that is still alive stay, except its recording: recordings of one name have the same hidden file.
    assert.equal(await hidden(), words.includes("--record") ? ofLiving - 1 : ofLiving);
    living.kill("SIGTERM");
    await living.finished;
    assert.equal(await hidden(), 0);
  });
}

test("files of a killed run whose parent never collects its exit status are removed by the next run", {
  skip,
}, async () => {
  await using api = await startApi(() => records(3));
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "items" }] },
  });
  await using zombie = await createZombie();
  const living = temporaryName("out");
  const left = living.replace(`-${process.pid}-`, `-${zombie.pid}-`);
  for (const name of [left, living]) await folder.write(name, "{");
  const { code, stderr } = await spile([file, "-o", "out"], { cwd: folder.path });
  assert.equal(code, 0, stderr);
  assert.deepEqual((await readdir(folder.path)).sort(), [living, "config.json", "out"]);
});

test("the hidden manifest of a killed shard run is removed by the next run, and that of a living one stays", {
  skip,
}, async () => {
  await using api = await startApi(() => records(3));
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "pagenum", limit: 3 } },
    config: { jobs: [{ endpoint: "items" }] },
  });
  const plan = join(folder.path, "plan.json");
  assert.equal((await spile(["shard", "plan", config, "--count", "1", "-o", plan])).code, 0);
  const parts = join(folder.path, "parts");
  await mkdir(parts);
  const script = `import { temporaryName } from ${JSON.stringify(new URL("../../src/core/files/temporary-name.ts", import.meta.url).href)};
process.stdout.write(temporaryName("0.0123456789ab"));`;
  const left = execFileSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script]).toString();
  const living = temporaryName("0.0123456789ab");
  for (const name of [left, living]) await writeFile(join(parts, name), "{");
  const { code, stderr } = await spile(["shard", "run", plan, config, "--to", parts, "--index", "0"]);
  assert.equal(code, 0, stderr);
  assert.deepEqual(
    (await readdir(parts)).filter((name) => name.startsWith(".")),
    [living],
  );
});
