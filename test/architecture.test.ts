import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { layers } from "../scripts/bundling.ts";
import { groupsOf, testFiles } from "../scripts/test/groups.ts";

/** A file of src/. `path` is relative to src/. */
interface Source {
  readonly path: string;
  readonly text: string;
}

const base = ["knowledge", "expression", "core", "generated", "version.ts"];
const middle = ["authentication", "pagination", "http", "extract", "output"];

/** The rooms that each room may import besides itself. A file directly in src/ is a room of its own. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "bin.ts": ["cli", "code-cache.ts"],
  "code-cache.ts": [],
  "library-options.ts": ["config", "core"],
  "library-run.ts": ["report", "recording", "pipeline", "config", ...base],
  "index.ts": [
    "library-options.ts",
    "library-run.ts",
    "recording",
    "pipeline",
    "compile",
    "config",
    ...middle,
    ...base,
  ],
  cli: [
    "demo",
    "authoring",
    "recording",
    "report",
    "shards",
    "pipeline",
    "compile",
    "resume",
    "config",
    ...middle,
    ...base,
  ],
  demo: ["core"],
  report: ["core", "version.ts"],
  authoring: ["pipeline", "compile", "config", ...middle, ...base],
  recording: ["http", ...base],
  shards: ["pipeline", "compile", "resume", "config", ...middle, ...base],
  pipeline: ["compile", "steps", "resume", "config", ...middle, ...base],
  compile: ["steps", "config", ...middle, ...base],
  steps: ["http", "config", ...base],
  resume: ["config", "output", ...base],
  ...Object.fromEntries(middle.map((room) => [room, ["config", ...base]])),
  config: base,
  expression: ["core", "generated"],
  knowledge: ["core"],
  generated: ["core"],
  core: [],
  "version.ts": [],
};

/** Folders of a room, and the siblings that each may import. The stages of the pipeline know the page, but not each other. */
const siblings: Readonly<Record<string, readonly string[]>> = {
  "pipeline/source": [],
  "pipeline/fetch": [],
  "pipeline/extract": [],
  ...following("core", ["text", "values", "files", "secrets", "requests", "runs"]),
  ...following("http", ["pacing", "requests", "connection", "body", "exchange"]),
  ...following("shards", ["plan", "manifest", "run", "merge"]),
  ...following("authoring/explore", ["first-answer", "trials", "kinds"]),
  "authoring/described": [],
  ...Object.fromEntries(
    ["airbyte", "openapi", "postman"].map((source) => [`authoring/${source}`, ["authoring/described"]]),
  ),
};

/** Returns the rules for folders of a room that follow one another: each may import the folders before it. */
function following(room: string, folders: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const paths = folders.map((folder) => `${room}/${folder}`);
  return Object.fromEntries(paths.map((path, index) => [path, paths.slice(0, index)]));
}

/** Packages that only one file may import, and this file. */
const doors: Readonly<Record<string, string>> = {
  "node-fetch": "http/connection/client.ts",
  "stream-json": "extract/envelope.ts",
  yargs: "cli/option-reader.ts",
};

const maxLines = 350;

/** Folders of test/ whose tests do not belong to a single file. The test files of all other folders mirror src/. */
const subjects: Readonly<Record<string, string>> = {
  cases: "faults that users of extractors have met, and rules of the contract about requests, through the command line",
  docs: "the documents: their examples, their rules, their reference",
  faults: "networks, readers, disks and signals that fail",
  jobs: "trees of jobs as a run shows them",
  product: "promises of the whole: its secrets, its memory, hostile answers, long runs, the package",
};

const sources = readSources(fileURLToPath(new URL("../src", import.meta.url)));

test("a room imports only the rooms below it", () => {
  assert.deepEqual(forbiddenRooms(sources), []);
});

test("a folder imports only the folders before it, and stages of the pipeline do not import each other", () => {
  assert.deepEqual(forbiddenSiblings(sources), []);
});

test("no imports form a circle, not even those of types", () => {
  assert.deepEqual(circles(sources), []);
});

test("no two exported types have the same name", () => {
  assert.deepEqual(sharedNames(sources), []);
});

test("node-fetch, stream-json and yargs are each imported by exactly one file", () => {
  assert.deepEqual(forbiddenPackages(sources), []);
  for (const [name, path] of Object.entries(doors)) {
    const door = sources.find((source) => source.path === path);
    const isUsed = door !== undefined && importsOf(door).some((target) => target.split("/", 1)[0] === name);
    assert.ok(isUsed, `${path} does not import ${name}`);
  }
});

test("a file has at most 350 lines (except the scanner and generated code), no default export, and a kebab-case name without words such as util or helper", () => {
  assert.deepEqual(styleFaults(sources), []);
});

test("a module that import() loads is in exactly one layer of the bundle", () => {
  const late = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/import\("(\.[^"]+)"\)/g)].map(([, name = ""]) => posix.join(posix.dirname(path), name)),
  );
  const layered = layers.flatMap(({ entries }): readonly string[] => entries);
  const loaded = new Set(late.filter((path) => path !== "cli/main.ts"));
  const missing = [...loaded].filter((path) => !layered.includes(path));
  assert.deepEqual(
    missing,
    [],
    `add these modules, which import() loads, to \`layers\` in scripts/bundling.ts: ${missing}`,
  );
  const stale = layered.filter((path) => !loaded.has(path));
  assert.deepEqual(
    stale,
    [],
    `remove these modules, which no import() loads, from \`layers\` in scripts/bundling.ts: ${stale}`,
  );
  assert.equal(new Set(layered).size, layered.length, "`layers` in scripts/bundling.ts names a module twice");
});

test("a test file has the name of the file that it tests, or is in the folder of a subject", () => {
  const folder = fileURLToPath(new URL("../test", import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
  assert.deepEqual(testsWithoutSource(names, sources), []);
});

test("every test file is in exactly one of the groups that npm test runs", async () => {
  const folder = fileURLToPath(new URL(".", import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.test\.ts$/.test(name));
  const grouped = groupsOf(await testFiles([])).flatMap(({ files }) => files);
  assert.deepEqual(grouped.sort(), names.map((name) => `test/${name.replaceAll("\\", "/")}`).sort());
});

test("a group fails if its process ends before its last test", async () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const endings = {
    "await 0": 0,
    "process.exit(0)": 1,
    "setTimeout(process.exit, 0, 0)": 1,
    "await new Promise(() => 0)": 1,
  };
  for (const [ending, expected] of Object.entries(endings)) {
    const contents = `import "./scripts/test/guard.ts"; import { test } from "node:test";
      test("first", async () => { ${ending} }); test("last", () => new Promise((resolve) => setTimeout(resolve, 20)));`;
    const stdin = { contents, resolveDir: root };
    const { outputFiles } = await build({ stdin, bundle: true, format: "esm", platform: "node", write: false });
    const code = outputFiles[0]?.text ?? "";
    // Node 24 waits for a promise that never settles; the guard ends the wait.
    const env = { ...process.env, TEST_TIMEOUT_MS: "3000" };
    const flags = ["--input-type=module", "-e"];
    const { status, stdout } = spawnSync(process.execPath, [...flags, code], { encoding: "utf8", env });
    assert.equal(status, expected, `${ending}: ${stdout}`);
  }
});

test("each rule reports a file that breaks it", () => {
  const imports = (path: string, ...specifiers: string[]): Source => ({
    path,
    text: specifiers.map((specifier) => `import { a } from "${specifier}";`).join("\n"),
  });
  assert.equal(forbiddenRooms([imports("core/page.ts", "../http/session.ts")]).length, 1);
  assert.equal(forbiddenRooms([imports("http/session.ts", "./client.ts", "../core/page.ts")]).length, 0);
  assert.equal(forbiddenRooms([imports("http/session.ts", "../extract/document.ts")]).length, 1);
  assert.equal(forbiddenRooms([imports("pipeline/run.ts", "../demo/server.ts", "../cli/main.ts")]).length, 2);
  assert.equal(
    forbiddenRooms([{ path: "core/a.ts", text: 'export type {\n  A,\n} from "../resume/a.ts";' }]).length,
    1,
  );
  assert.equal(forbiddenRooms([{ path: "core/a.ts", text: 'const a = await import("../resume/a.ts");' }]).length, 1);
  assert.equal(forbiddenRooms([imports("core/a.ts", "../../scripts/build.ts", "../../package.json")]).length, 1);
  assert.equal(forbiddenRooms([imports("helpers/a.ts")]).length, 1);
  assert.equal(forbiddenSiblings([imports("pipeline/source/a.ts", "../extract/b.ts", "../page.ts")]).length, 1);
  assert.deepEqual(circles([imports("a.ts", "./b.ts"), imports("b.ts", "./c/d.ts"), imports("c/d.ts", "../a.ts")]), [
    "a.ts -> b.ts -> c/d.ts -> a.ts",
  ]);
  assert.deepEqual(circles([imports("a.ts", "./b.ts", "./c.ts"), imports("b.ts", "./c.ts"), imports("c.ts")]), []);
  const named = (path: string, text: string): Source => ({ path, text });
  assert.equal(sharedNames([named("a.ts", "export type A = 1;\n"), named("b.ts", "export interface A {\n")]).length, 1);
  assert.deepEqual(sharedNames([named("a.ts", "export type A = 1;\n"), named("b.ts", "type A = 1;\n")]), []);
  assert.equal(forbiddenPackages([imports("cli/main.ts", "stream-json/index.js", "node:fs")]).length, 1);
  assert.equal(forbiddenPackages([imports("http/connection/client.ts", "node-fetch")]).length, 0);
  const tested = [imports("http/retry.ts")];
  assert.deepEqual(
    testsWithoutSource(["http/retry.test.ts", "http/retry.dates.test.ts", "http/connection/client.ts"], tested),
    [],
  );
  assert.deepEqual(testsWithoutSource(["cases/any.test.ts", "architecture.test.ts"], tested), []);
  assert.equal(testsWithoutSource(["http/dates.test.ts", "retry.test.ts", "other/retry.test.ts"], tested).length, 3);
  for (const path of ["core/pathUtils.ts", "http/request-helpers.ts", "http/utils/a.ts", "resume/Store.ts"]) {
    assert.equal(styleFaults([{ path, text: "" }]).length, 1, path);
  }
  assert.equal(styleFaults([{ path: "core/a.ts", text: "\n".repeat(maxLines + 1) }]).length, 1);
  assert.equal(styleFaults([{ path: "core/a.ts", text: "const a = 1;\nexport default a;\n" }]).length, 1);
  assert.equal(styleFaults([{ path: "core/a.ts", text: "/** export default */\nexport const a = 1;\n" }]).length, 0);
});

/** Returns test files without a source file: `http/retry.test.ts` and `http/retry.dates.test.ts` belong to `http/retry.ts`. */
function testsWithoutSource(names: readonly string[], files: readonly Source[]): string[] {
  const paths = new Set(files.map(({ path }) => path));
  return names
    .filter((name) => name.endsWith(".test.ts") && name !== "architecture.test.ts")
    .filter((name) => !Object.hasOwn(subjects, roomOf(name)))
    .map((name) => [name, posix.join(dirname(name), `${basename(name).split(".", 1)[0]}.ts`)] as const)
    .filter(([, tested]) => !paths.has(tested))
    .map(([name, tested]) => `test/${name}: there is no src/${tested}, and ${roomOf(name)} is no subject`);
}

function forbiddenRooms(files: readonly Source[]): string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path);
    const allowed = rooms[room];
    if (allowed === undefined)
      return [`${file.path}: ${room} is not in the table of rooms of test/architecture.test.ts`];
    return importsOf(file)
      .filter((target) => target.startsWith("."))
      .map((target) => posix.join(dirname(file.path), target))
      .filter((target) => target !== "../package.json" && roomOf(target) !== room && !allowed.includes(roomOf(target)))
      .map((target) => `${file.path} imports ${target}`);
  });
}

function forbiddenSiblings(files: readonly Source[]): string[] {
  return files.flatMap((file) => {
    const stage = dirname(file.path);
    const allowed = siblings[stage];
    if (allowed === undefined) return [];
    return targetsOf(file)
      .filter((target) => Object.hasOwn(siblings, dirname(target)) && dirname(target) !== stage)
      .filter((target) => dirname(dirname(target)) === dirname(stage))
      .filter((target) => !allowed.includes(dirname(target)))
      .map((target) => `${file.path} imports ${target}`);
  });
}

/** Returns each circle once, as a path from the file that is first in the alphabet back to it. */
function circles(files: readonly Source[]): string[] {
  const arrows = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      const circle = trail.slice(at);
      const first = circle.indexOf([...circle].sort()[0] ?? "");
      const turned = [...circle.slice(first), ...circle.slice(0, first)];
      found.add([...turned, turned[0]].join(" -> "));
      return;
    }
    if (done.has(path)) return;
    for (const target of arrows.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return [...found];
}

/** Returns the names under which several files export a type. Those of `index.ts` may repeat a name that programs use. */
function sharedNames(files: readonly Source[]): string[] {
  const places = new Map<string, string[]>();
  for (const { path, text } of files) {
    if (path === "index.ts" || roomOf(path) === "generated") continue;
    for (const [, name = ""] of text.matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm)) {
      places.set(name, [...(places.get(name) ?? []), path]);
    }
  }
  return [...places].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(", ")}`);
}

function targetsOf(file: Source): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith("."))
    .map((target) => posix.join(dirname(file.path), target));
}

function forbiddenPackages(files: readonly Source[]): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .map((target) => target.split("/", 1)[0] ?? "")
      .filter((name) => Object.hasOwn(doors, name) && doors[name] !== file.path)
      .map((name) => `${file.path} imports ${name}, which belongs in ${doors[name]}`),
  );
}

function styleFaults(files: readonly Source[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const isLong = lines > maxLines && !/^extract\/scanner(\/|\.ts$)/.test(path);
    return [
      ...(isLong && !path.startsWith("generated/") ? [`${path} has ${lines} lines`] : []),
      ...(/^[a-z0-9./-]+$/.test(path) ? [] : [`${path} is not kebab-case`]),
      ...(/(util|helper|manager|misc|common)/.test(path) ? [`${path} is not named for what it holds`] : []),
      ...(/^export default\b/m.test(text) ? [`${path} has a default export`] : []),
    ];
  });
}

function roomOf(path: string): string {
  return path.split("/", 1)[0] ?? "";
}

/** Returns the specifiers of imports and re-exports, static and dynamic. Specifiers of files begin with a dot. */
function importsOf({ text }: Source): string[] {
  const pattern = /^(?:import|export)\b[^"'`;]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...text.matchAll(pattern)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "");
}

function readSources(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(basename(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: file.slice(folder.length + 1).replaceAll("\\", "/"), text: readFileSync(file, "utf8") }));
}
