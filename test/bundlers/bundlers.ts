import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startApi, text } from "../helpers/api.ts";

/*
 * Tests the library with common bundlers. It is packed, installed beside them in an empty folder, and bundled into a program that
 * runs in another folder, without node_modules. The program makes an extraction that needs the parts which are loaded late.
 *   npm run bundlers                               all bundlers; takes a minute, and needs npm's registry
 *   npm run bundlers -- --folder /tmp/bundlers     installs into a folder that is kept for the next time
 * Versions are pinned here. esbuild, ESM, require and the types are tested by test/product/package.test.ts at each `npm test`.
 */
const run = promisify(execFile);
const project = fileURLToPath(new URL("../..", import.meta.url));
const packages = ["webpack@5.113.0", "rollup@4.68.8", "@rollup/plugin-node-resolve@16.0.3", "esbuild@0.28.2"];

/** A bundler: the script that makes `out/` from program.mjs, and the file in `out/` that node runs. */
interface Bundler {
  readonly name: string;
  readonly script: string;
  readonly file: string;
}

const webpack = (output: string, experiments: string): string => `
import webpack from "webpack";
const settings = {
  mode: "production", target: "node20", entry: "./program.mjs", externalsPresets: { node: true },
  output: { path: process.cwd() + "/out", ${output} }, experiments: ${experiments},
};
webpack(settings, (error, stats) => {
  if (error || stats.hasErrors() || stats.hasWarnings()) { console.error(error ?? stats.toString()); process.exitCode = 1; }
});`;

const rollup = (format: string, extension: string): string => `
import { rollup } from "rollup";
import resolve from "@rollup/plugin-node-resolve";
const bundle = await rollup({
  input: "program.mjs", plugins: [resolve({ exportConditions: ["node"], preferBuiltins: true })], external: [/^node:/],
  onwarn: ({ code, message }) => { if (!/^(CIRCULAR_DEPENDENCY|UNUSED_EXTERNAL_IMPORT)$/.test(code)) throw new Error(message); },
});
await bundle.write({ dir: "out", format: "${format}", entryFileNames: "program.${extension}", chunkFileNames: "[name]-[hash].${extension}" });`;

const esbuild = (format: string, more: string): string => `
import { build } from "esbuild";
const { warnings } = await build({
  entryPoints: ["program.mjs"], bundle: true, minify: true, platform: "node", format: "${format}", ${more},
});
if (warnings.length > 0) { console.error(warnings); process.exitCode = 1; }`;

const bundlers: readonly Bundler[] = [
  { name: "webpack, CommonJS", script: webpack('filename: "program.cjs"', "{}"), file: "program.cjs" },
  {
    name: "webpack, ES modules",
    script: webpack('filename: "program.mjs", module: true, chunkFormat: "module"', "{ outputModule: true }"),
    file: "program.mjs",
  },
  { name: "rollup, ES modules", script: rollup("es", "mjs"), file: "program.mjs" },
  { name: "rollup, CommonJS", script: rollup("cjs", "cjs"), file: "program.cjs" },
  {
    name: "esbuild, ES modules in parts",
    script: esbuild("esm", 'splitting: true, outdir: "out", outExtension: { ".js": ".mjs" }'),
    file: "program.mjs",
  },
  { name: "esbuild, CommonJS", script: esbuild("cjs", 'outfile: "out/program.cjs"'), file: "program.cjs" },
];

const program = `
import { extract } from "spile";
const [, , url] = process.argv;
const main = async () => {
  const configurations = [
    { api: { baseUrl: url, pagination: { method: "offset", limit: 2 } }, config: { jobs: [{ endpoint: "items" }] } },
    { api: { baseUrl: url }, config: { jobs: [{ endpoint: "table", format: "csv" }] } },
  ];
  for (const configuration of configurations) for await (const chunk of extract(configuration)) process.stdout.write(chunk);
  try {
    extract({ api: {} });
  } catch (error) {
    process.stdout.write(error.code);
  }
};
main();
`;
const expected = '{"id":1,"n":1.10}\n{"id":2}\n{"id":3}\n{"a":"1"}\nERR_CONFIGURATION';

const { values } = parseArgs({ options: { folder: { type: "string" } } });
const kept = values.folder;
const root = kept ?? (await mkdtemp(join(tmpdir(), "spile-bundlers-")));
try {
  await prepare();
  await using api = await startApi({
    "/items": ({ params }) => text(params.get("offset") === "0" ? '[{"id":1,"n":1.10},{"id":2}]' : '[{"id":3}]'),
    "/table": () => text("a\n1\n", { headers: { "content-type": "text/csv" } }),
  });
  for (const bundler of bundlers) {
    const fault = await faultOf(bundler, api.url);
    console.log(`${bundler.name}: ${fault ?? "bundles, runs"}`);
    if (fault !== undefined) process.exitCode = 1;
  }
} finally {
  if (kept === undefined) await rm(root, { recursive: true, force: true });
}

async function prepare(): Promise<void> {
  await mkdir(root, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", root], {
    cwd: project,
  });
  const [{ filename }] = JSON.parse(stdout);
  await writeFile(join(root, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await writeFile(join(root, "program.mjs"), program);
  const options = ["--ignore-scripts=false", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel", "error"];
  await run("npm", ["install", ...options, ...packages, join(root, filename)], { cwd: root, maxBuffer: 2 ** 26 });
}

/** Returns the fault of a bundler's program; undefined if it works. */
async function faultOf({ script, file }: Bundler, url: string): Promise<string | undefined> {
  const elsewhere = await mkdtemp(join(tmpdir(), "spile-bundled-"));
  try {
    await rm(join(root, "out"), { recursive: true, force: true });
    await writeFile(join(root, "bundle.mjs"), script);
    await run(process.execPath, ["bundle.mjs"], { cwd: root });
    await run("cp", ["-r", join(root, "out"), elsewhere]);
    const { stdout } = await run(process.execPath, [join(elsewhere, "out", file), url], { cwd: elsewhere });
    return stdout === expected ? undefined : `gave ${JSON.stringify(stdout)}`;
  } catch (error) {
    return String((error as { readonly stderr?: string }).stderr ?? error).slice(0, 2000);
  } finally {
    await rm(elsewhere, { recursive: true, force: true });
  }
}
