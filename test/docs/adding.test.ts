import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../helpers/cli.ts";
import { blocksOf } from "./markdown.ts";
import { root } from "./pages.ts";

const diffs = blocksOf(await readFile(join(root, "docs/adding.md"), "utf8")).filter(
  ({ language }) => language === "diff",
);

test("the diffs of docs/adding.md apply and compile, and their tests pass", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["schemas", "scripts", "src", "test/helpers", "docs", "package.json", "tsconfig.json"]) {
    await cp(join(root, name), join(folder.path, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(folder.path, "node_modules"), "junction");
  const run = (command: string, ...args: string[]): void => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder.path, encoding: "utf8" });
    assert.equal(status, 0, `${command} ${args.join(" ")}: ${stdout}${stderr}`);
  };
  for (const [index, { text }] of diffs.entries()) {
    await folder.write(`${index}.diff`, text);
    run("git", "apply", "-C1", `${index}.diff`);
  }
  run(process.execPath, "--import", "tsx", "scripts/generate.ts");
  run(process.execPath, "node_modules/typescript/bin/tsc", "--noEmit");
  const tests = diffs.flatMap(({ text }) => [...text.matchAll(/^\+\+\+ b\/(test\/.*\.test\.ts)$/gm)]);
  assert.equal(tests.length, 2);
  // The tests run in one process, whose exit code reports a failure.
  const imports = tests.map(([, file]) => `import "./${file}";`).join("");
  run(process.execPath, "--import", "tsx", "--input-type=module", "-e", imports);
});
