import assert from "node:assert/strict";
import { link, mkdir, symlink } from "node:fs/promises";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

test("a command line that names one file for two purposes is refused, even if the file has two names", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const at = (name: string): string => `${folder.path}/${name}`;
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a" }] },
  });
  const content = await folder.read("config.json");
  await mkdir(at("dir"));
  await symlink("config.json", at("link"));
  await symlink("new", at("dangling"));
  await symlink("dir", at("folder"));
  await folder.write("old", "{}");
  await link(at("old"), at("hard"));
  const pairs = [
    ["-o", at("x"), "--summary", at("x")],
    ["-o", at("x"), "--state", at("dir/../x")],
    ["-o", at("dir/x"), "--state", at("folder/x")],
    ["-o", at("old"), "--state", at("hard")],
    ["-o", at("dangling"), "--summary", at("new")],
    ["-o", config],
    ["--state", at("link")],
    ["--split", at("dir"), "--summary", at("folder")],
    ["--env", at("old"), "--record", at("hard")],
    ["--credentials", at("x"), "--summary", at("x")],
    ["--credentials", at("x"), "-o", at("x")],
    ["--credentials", config],
  ];
  for (const options of pairs) {
    const { code, stderr } = await spileHere([config, ...options]);
    assert.equal(code, 64, `${options}: ${stderr}`);
    assert.match(stderr, /^error .* and option --(output|state|summary|credentials|record) are the same file, /);
  }
  assert.equal(api.log.length, 0);
  assert.equal(await folder.read("config.json"), content);
});

test("commands other than run refuse one file for two purposes, too", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string): string => `${folder.path}/${name}`;
  const config = await folder.write("config.json", {
    api: { baseUrl: "http://127.0.0.1:9/" },
    config: { jobs: [{ endpoint: "a" }] },
  });
  const commands = [
    ["plan", config, "-o", config],
    ["shard", "plan", config, "--count", "2", "-o", config],
    ["get", "http://127.0.0.1:9/", "-o", at("x"), "--summary", at("x")],
    ["demo", "-o", at("x"), "--summary", at("x")],
    ["init", "--har", config, "-o", config],
    ["init", "--openapi", config, "-o", config],
  ];
  const content = await folder.read("config.json");
  for (const words of commands) {
    const { code, stderr } = await spileHere(words);
    assert.equal(code, 64, `${words}: ${stderr}`);
    assert.match(stderr, /are the same file, /);
  }
  assert.equal(await folder.read("config.json"), content);
});

test("a file that --split may write cannot have another purpose", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const at = (name: string): string => `${folder.path}/${name}`;
  const content = { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }] } };
  const config = await folder.write("a.ndjson", content);
  await mkdir(at("dir"));
  await symlink("dir", at("link"));
  const wrong = [
    [config, "--split", folder.path],
    [config, "--split", at("dir"), "--summary", at("link/a.ndjson")],
    [config, "--split", at("new"), "--state", at("new/a.ndjson")],
  ];
  for (const words of wrong) {
    const { code, stderr } = await spileHere(words);
    assert.equal(code, 64, `${words}: ${stderr}`);
    assert.match(stderr, /^error .* where option --split writes its datasets: /);
  }
  assert.equal(api.log.length, 0);
  assert.deepEqual(JSON.parse(await folder.read("a.ndjson")), content);
  const { code, stderr } = await spileHere([config, "--split", at("dir"), "--summary", at("dir/summary.json")]);
  assert.equal(code, 0, stderr);
});

test("different files are accepted, and so is one device for two purposes", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a" }] },
  });
  for (const options of [
    ["-o", "/dev/null", "--summary", "/dev/null"],
    ["-o", `${folder.path}/a`, "--summary", `${folder.path}/b`, "--state", `${folder.path}/c`],
    ["-o", "-"],
  ]) {
    const { code, stderr } = await spileHere([config, ...options]);
    assert.equal(code, 0, stderr);
  }
});
