import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { root } from "./pages.ts";

test("the picture in the README shows the present output of its commands", {
  skip: process.platform === "win32" && "needs bash",
}, () => {
  const command = ["--import", "tsx", "scripts/picture.ts", "--check"];
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
  assert.equal(status, 0, stderr);
});
