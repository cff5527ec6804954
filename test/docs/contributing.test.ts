import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../helpers/cli.ts";
import { blocksOf } from "./markdown.ts";
import { root } from "./pages.ts";

const diffs = blocksOf(await readFile(join(root, "CONTRIBUTING.md"), "utf8")).filter(
  ({ language }) => language === "diff",
);

describe("the diffs of CONTRIBUTING", () => {
  test("there are some", () => assert.ok(diffs.length > 0));

  for (const { line, text } of diffs) {
    test(`line ${line}: applies, compiles, and its tests pass`, async () => {
      await using folder = await temporaryFolder();
      for (const name of ["schemas", "scripts", "src", "test/helpers", "docs", "package.json", "tsconfig.json"]) {
        await cp(join(root, name), join(folder.path, name), { recursive: true });
      }
      await symlink(join(root, "node_modules"), join(folder.path, "node_modules"), "junction");
      await writeFile(join(folder.path, "the.diff"), text);
      const run = (command: string, ...args: string[]): void => {
        const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder.path, encoding: "utf8" });
        assert.equal(status, 0, `${command} ${args.join(" ")}: ${stdout}${stderr}`);
      };
      run("git", "apply", "-C1", "the.diff");
      run(process.execPath, "--import", "tsx", "scripts/generate.ts");
      run(process.execPath, "node_modules/typescript/bin/tsc", "--noEmit");
      const tests = [...text.matchAll(/^\+\+\+ b\/(test\/.*\.test\.ts)$/gm)].map(([, file = ""]) => file);
      assert.ok(tests.length > 0);
      run(process.execPath, "--import", "tsx", "--test", ...tests);
    });
  }
});
