import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

/*
 * Tests of the package as users get it: packed, and installed in an empty folder. They need dist/, which `npm test` builds, and
 * the registry or npm's cache, as `npm ci` does.
 */
const project = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
let folder = "";
let tarballName = "";
let files: { path: string; mode: number }[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "spile-package-"));
  const packed = await npm(project, "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
  const [tarball] = JSON.parse(packed);
  files = tarball.files;
  tarballName = tarball.filename;
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await npm(folder, "install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, tarball.filename));
});

after(() => rm(folder, { recursive: true, force: true }));

test("the tarball contains only the built files, the documents and the examples", () => {
  const paths = files.map(({ path }) => path);
  const papers = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
  assert.deepEqual(paths.filter((path) => !/^(dist|docs|examples)\//.test(path)).sort(), papers);
  for (const path of [
    "docs/paging.md",
    "docs/reference.md",
    "dist/bin.js",
    "dist/index.js",
    "dist/types/index.d.ts",
    "dist/schema.json",
    "dist/spile.1",
    "dist/licenses.txt",
  ]) {
    assert.ok(paths.includes(path), path);
  }
  assert.deepEqual(
    paths.filter((path) => !/\.(js|d\.ts|json|txt|md|svg|1)$|^LICENSE$|^docs\/schedulers\//.test(path)),
    [],
  );
  assert.equal((files.find(({ path }) => path === "dist/bin.js")?.mode ?? 0) & 0o111, 0o111);
});

test("a global installation has the man page, and npm prints no warning", async () => {
  const prefix = await mkdtemp(join(tmpdir(), "spile-global-"));
  try {
    const words = ["install", "--global", "--prefix", prefix, "--prefer-offline", "--no-audit", "--no-fund"];
    const { stdout, stderr } = await npmOutput(folder, ...words, join(folder, tarballName));
    assert.doesNotMatch(stdout + stderr, /warn/i);
    assert.match(await readFile(join(prefix, "share/man/man1/spile.1"), "utf8"), /^\.TH /m);
  } finally {
    await rm(prefix, { recursive: true, force: true });
  }
});

test("npx spile --version prints the version of package.json", async () => {
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  assert.equal((await npm(folder, "exec", "--offline", "--", "spile", "--version")).trim(), version);
});

test("the installed command runs the demo into a reader that stops early", async () => {
  const { stdout } = await run("sh", ["-c", "node_modules/.bin/spile demo 2>/dev/null | head -n 3"], { cwd: folder });
  const records = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(records.length, 3);
});

test("the command uses none of the installed packages", async () => {
  const alone = await mkdtemp(join(tmpdir(), "spile-alone-"));
  try {
    await cp(join(folder, "node_modules/spile/dist"), alone, { recursive: true });
    await writeFile(join(alone, "package.json"), '{"type":"module"}');
    const { stdout } = await run(process.execPath, [join(alone, "bin.js"), "schema"]);
    assert.deepEqual(JSON.parse(stdout), JSON.parse(await readFile(join(alone, "schema.json"), "utf8")));
  } finally {
    await rm(alone, { recursive: true });
  }
});

for (const [module, moduleResolution] of [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
]) {
  test(`the types of the library compile under ${moduleResolution}`, async () => {
    const options = { module, moduleResolution, target: "es2023", strict: true, noEmit: true, skipLibCheck: false };
    const typeRoots = [join(project, "node_modules/@types")];
    const settings = { compilerOptions: { ...options, types: ["node"], typeRoots }, files: ["consumer.ts"] };
    await writeFile(join(folder, "consumer.ts"), consumer);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(settings));
    await run(process.execPath, [join(project, "node_modules/typescript/bin/tsc")], { cwd: folder }).catch((error) => {
      assert.fail(error.stdout);
    });
  });
}

/** Every line that must not compile is marked. The compiler reports a mark without an error. */
const consumer = `
import { type Configuration, type RunEvent, type RunResult, type SpileError, exitCodes, extract, extractRecords } from "spile";
const configuration: Configuration = {
  api: { baseUrl: "http://127.0.0.1:9/", pagination: { method: "offset", limit: 10 } },
  config: { jobs: [{ endpoint: "items", dataField: "items", params: { from: 1 } }] },
};
const onEvent = ({ message, level }: RunEvent) => console.error(level, message);
const lines = extract(configuration, { maxRecords: 1, onEvent });
for await (const chunk of lines) process.stdout.write(chunk);
const result: RunResult = await lines.result;
const failure: SpileError | undefined = result.failure;
process.exitCode = failure?.exitCode ?? exitCodes.success;
extractRecords(configuration, { parse: (line) => line }).destroy();
for await (const { dataType, record } of extractRecords<{ id: number }>(configuration, { maxTime: "2h", rate: "2/s" })) {
  console.error(dataType.length, record.id + 1);
}
// @ts-expect-error there is no such option
extract(configuration, { maxTim: 1 });
// @ts-expect-error the page size is a number
const wrong: Configuration = { ...configuration, api: { baseUrl: "", pagination: { method: "offset", limit: [] } } };
void wrong;
`;

test("the installed library extracts the records of an API", async () => {
  const api = createServer((_, response) => response.end('{"items":[{"id":13911860366432393,"n":1.10}]}'));
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  try {
    const address = api.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const configuration = { api: { baseUrl: `http://127.0.0.1:${port}/` }, config: { jobs: [{ endpoint: "items" }] } };
    const script = `import { extract } from "spile";
for await (const chunk of extract(${JSON.stringify(configuration)})) process.stdout.write(chunk);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    assert.equal(stdout, '{"id":13911860366432393,"n":1.10}\n');
  } finally {
    api.close();
  }
});

test("npm installs exactly one package besides spile", async () => {
  const installed = Object.keys(JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")).packages);
  assert.deepEqual(installed.filter(Boolean).sort(), ["node_modules/lossless-json", "node_modules/spile"]);
});

test("the library can be required and bundled", async () => {
  const required = 'const { extract } = require("spile"); process.stdout.write(typeof extract);';
  const { stdout } = await run(process.execPath, ["--input-type=commonjs", "-e", required], { cwd: folder });
  assert.equal(stdout, "function");
  const program = `import { extract } from "spile";
const wrong = () => extract({ api: { baseUrl: "x" }, config: { jobs: [{ endpoint: "a" }] } });
try { wrong(); } catch (error) { process.stdout.write(error.code); }`;
  await writeFile(join(folder, "program.mjs"), program);
  for (const format of ["esm", "cjs"] as const) {
    const outfile = join(folder, `bundled.${format === "esm" ? "mjs" : "cjs"}`);
    const entryPoints = [join(folder, "program.mjs")];
    const { warnings } = await build({ entryPoints, outfile, bundle: true, platform: "node", format });
    assert.deepEqual(warnings, []);
    assert.equal((await run(process.execPath, [outfile], { cwd: tmpdir() })).stdout, "ERR_CONFIGURATION");
  }
});

test("package-lock.json contains no download addresses", async () => {
  assert.doesNotMatch(await readFile(join(project, "package-lock.json"), "utf8"), /"resolved":\s*"https?:/);
});

/** Runs npm as if started by hand, without the variables in which `npm test` names its folder and script. */
async function npm(cwd: string, ...words: string[]): Promise<string> {
  return (await npmOutput(cwd, ...words)).stdout;
}

async function npmOutput(cwd: string, ...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(package|lifecycle|config_local)|INIT_CWD)/.test(name),
  );
  return await run("npm", words, { cwd, env: Object.fromEntries(inherited), maxBuffer: 2 ** 26 });
}
