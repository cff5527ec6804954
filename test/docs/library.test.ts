import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { shell, temporaryFolder } from "../helpers/cli.ts";
import { atHome, pages, root } from "./pages.ts";

test("the library example compiles and runs", async () => {
  await using api = await startApi({
    "/users": ({ params }) => ({
      data: [{ id: 1 }, { id: 2 }, { id: 3 }].slice(Number(params.get("offset"))).slice(0, 2),
    }),
  });
  await using folder = await temporaryFolder();
  const block = pages.flatMap((page) => page.blocks).find(({ example }) => example === "library");
  await mkdir(join(folder.path, "node_modules"));
  await symlink(root, join(folder.path, "node_modules", "spile"), "junction");
  await symlink(join(root, "node_modules", "@types"), join(folder.path, "node_modules", "@types"), "junction");
  await folder.write("package.json", { type: "module" });
  await folder.write("example.ts", atHome(block?.text ?? "", api.port));
  await folder.write("tsconfig.json", {
    compilerOptions: { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] },
    files: ["example.ts"],
  });
  const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  const types = node(join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.json");
  assert.equal(types.status, 0, types.stdout);
  const { code, stdout, stderr } = await shell(`"$NODE" --import "$TSX" example.ts`, {
    cwd: folder.path,
    env: { TSX: import.meta.resolve("tsx") },
  });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, '{"id":1}\n{"id":2}\n{"id":3}\n');
  assert.match(stderr, /^0 complete 3$[\s\S]*^users { id: 1 }$\n^users { id: 2 }$(?![\s\S]*id: 3)/m);
});
