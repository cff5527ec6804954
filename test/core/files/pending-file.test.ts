import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openPending, probeFile, replaceFile } from "../../../src/core/files/pending-file.ts";
import { temporaryName } from "../../../src/core/files/temporary-name.ts";
import { temporaryFolder } from "../../helpers/cli.ts";

test("an error about a file names it as the user does, not by its temporary name", async () => {
  await using folder = await temporaryFolder();
  const lost = join(folder.path, "nowhere", "out.ndjson");
  await assert.rejects(replaceFile(lost, "x"), {
    exitCode: 74,
    message: `cannot write to ${lost}: its folder does not exist`,
  });
  const file = await folder.write("file", "x");
  const below = join(file, "out.ndjson");
  await assert.rejects(replaceFile(below, "x"), {
    message: `cannot write to ${below}: a part of its path is not a folder`,
  });
  await mkdir(join(folder.path, "inner"));
  const inner = join(folder.path, "inner");
  await assert.rejects(replaceFile(inner, "x"), { message: `cannot write to ${inner}: it is a folder` });
});

test("a link at the name of a temporary file is replaced and not followed", async () => {
  await using folder = await temporaryFolder();
  const victim = await folder.write("victim", "precious");
  await symlink(victim, join(folder.path, temporaryName("out.ndjson", "next")));
  await replaceFile(join(folder.path, "out.ndjson"), "new", { tag: "next" });
  assert.deepEqual([await folder.read("victim"), await folder.read("out.ndjson")], ["precious", "new"]);
  assert.notEqual(temporaryName("a"), temporaryName("a"));
});

test("a link at the name of an unfinished file is refused when a run is resumed", async () => {
  await using folder = await temporaryFolder();
  const victim = await folder.write("victim", "precious");
  await symlink(victim, join(folder.path, temporaryName("out.ndjson", "t")));
  await assert.rejects(openPending(join(folder.path, "out.ndjson"), { tag: "t", length: 3 }), { exitCode: 74 });
  assert.equal(await folder.read("victim"), "precious");
});

test("if the file to write is a link, the link is followed, even if its target does not exist yet", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "inner"));
  await folder.write("inner/old", "old");
  const links = { existing: "inner/old", dangling: "inner/new", twice: "dangling" };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder.path, name));
  await replaceFile(join(folder.path, "existing"), "1");
  await replaceFile(join(folder.path, "twice"), "2");
  assert.deepEqual([await folder.read("inner/old"), await folder.read("inner/new")], ["1", "2"]);
  for (const name of Object.keys(links)) assert.ok((await lstat(join(folder.path, name))).isSymbolicLink(), name);
  await symlink("circle", join(folder.path, "circle"));
  await assert.rejects(replaceFile(join(folder.path, "circle"), "x"), { exitCode: 74 });
});

test("a file with a name of 255 bytes can be written", async () => {
  await using folder = await temporaryFolder();
  const name = `${"ž".repeat(127)}x`;
  await replaceFile(join(folder.path, name), "x");
  await replaceFile(join(folder.path, name), "y", { tag: "next" });
  assert.equal(await folder.read(name), "y");
});

test("examining a pipe does not end its reader, and the pipe is written when it has a reader", async () => {
  await using folder = await temporaryFolder();
  const pipe = join(folder.path, "pipe");
  execFileSync("mkfifo", [pipe]);
  await probeFile(pipe);
  const written = replaceFile(pipe, "x".repeat(200_000));
  const text = await readFile(pipe, "utf8");
  await written;
  assert.equal(text.length, 200_000);
});

test("after an interruption, a finished file keeps the name .suspect only if it is suspect, and a final name in any case", async () => {
  const cases: readonly (readonly [found: string, isSuspect: boolean, left: string])[] = [
    ["out.suspect", true, "out.suspect"],
    ["out.suspect", false, "out"],
    ["out", false, "out"],
    ["out", true, "out"],
  ];
  for (const [found, isSuspect, left] of cases) {
    await using folder = await temporaryFolder();
    await folder.write("out", "of yesterday");
    await folder.write(found, "new");
    const file = await openPending(join(folder.path, "out"), { tag: "t", length: 3, finished: true });
    const suspect = await file.commit({ isSuspect });
    assert.equal(await folder.read(left), "new");
    assert.equal(suspect, left === "out.suspect" ? join(folder.path, left) : undefined);
    if (left === "out") assert.deepEqual(await readdir(folder.path), ["out"]);
  }
});
