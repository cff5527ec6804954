import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { startApi } from "../helpers/api.ts";
import { shell, temporaryFolder } from "../helpers/cli.ts";
import { atHome, pages, root } from "./pages.ts";

/** Output of each program in docs/library.md. */
const printed: Readonly<Record<string, string>> = {
  iterate: "users 1\nusers 2\nusers 3\n",
  pipeline: "complete 3\n",
  stop: "0 limited the reader has stopped reading\n",
  verdict: "{ id: 1 }\n{ id: 2 }\nERR_SUSPECT\n1 suspect\n",
  replay: "6 6\n",
};

test("the programs in docs/library.md compile and run", async () => {
  await using api = await startApi({
    "/users": ({ params }) => ({
      data: [{ id: 1 }, { id: 2 }, { id: 3 }].slice(Number(params.get("offset") ?? 0)).slice(0, 2),
      total: 3,
    }),
  });
  await using folder = await temporaryFolder();
  const blocks = pages.flatMap((page) => page.blocks).filter(({ example }) => example?.startsWith("library-"));
  const names = blocks.map(({ example = "" }) => example.replace("library-", ""));
  assert.deepEqual(names.sort(), Object.keys(printed).sort());
  await mkdir(join(folder.path, "node_modules"));
  await symlink(root, join(folder.path, "node_modules", "spile"), "junction");
  await symlink(join(root, "node_modules", "@types"), join(folder.path, "node_modules", "@types"), "junction");
  await folder.write("package.json", { type: "module" });
  for (const { example = "", text } of blocks) await folder.write(`${example}.ts`, atHome(text, api.port));
  await folder.write("tsconfig.json", {
    compilerOptions: { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] },
    files: blocks.map(({ example }) => `${example}.ts`),
  });
  const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: folder.path, encoding: "utf8" });
  const types = node(join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.json");
  assert.equal(types.status, 0, types.stdout);
  for (const [name, output] of Object.entries(printed)) {
    const { code, stdout, stderr } = await shell(`"$NODE" --import "$TSX" library-${name}.ts`, {
      cwd: folder.path,
      env: { TSX: import.meta.resolve("tsx") },
    });
    assert.deepEqual([code, stdout, stderr], [0, output, ""], name);
  }
  const packed = await readFile(join(folder.path, "users.ndjson.gz"));
  assert.equal(gunzipSync(packed).toString(), '{"id":1}\n{"id":2}\n{"id":3}\n');
});
