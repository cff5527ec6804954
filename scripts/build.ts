import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BuildOptions, type BuildResult, build, transform } from "esbuild";
import { messageOf } from "../src/core/errors.ts";
import {
  builtinsWhenUsed,
  entitiesWhenCalled,
  inLayers,
  noNegotiate,
  noStreamsPolyfill,
  withPlainComments,
  yargsParserAlone,
} from "./bundling.ts";

/*
 * Makes dist/: bin.js with command.js and the chunks in command/, index.js with the chunks in library/, types/, schema.json,
 * spile.1 and licenses.txt. The code is bundled, so that a start reads few files.
 * Prints nothing if it succeeds, since `npm ci` runs it.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const started = performance.now();
/**
 * Defines `require`, by which bundled CommonJS packages load Node's own modules. It does not use `import.meta.url`, because that
 * is undefined if a bundler converts the library to CommonJS.
 */
const requireForCommonJs =
  'const require = (name) => { const found = process.getBuiltinModule(name); if (found === undefined) throw new Error("there is no module " + name); return found; };';

try {
  await mkdir(dist, { recursive: true });
  if (await isScannerStale()) await (await import("./scanner.ts")).buildScanner();
  const writtenFiles = (await Promise.all([command(), library(), declarations(), schema(), manual()])).flat();
  await removeStale(new Set(writtenFiles));
  if (process.argv.includes("--verbose")) console.error(`built in ${Math.round(performance.now() - started)} ms`);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}

/**
 * Returns whether the scanner must be compiled again. Its compiler takes seconds to load, while the rest of the build takes half
 * a second.
 */
async function isScannerStale(): Promise<boolean> {
  const folder = join(root, "src/extract/scanner/assembly");
  const sources = (await readdir(folder)).map((name) => join(folder, name));
  const times = await Promise.all([...sources, join(root, "scripts/scanner.ts")].map(modified));
  return Math.max(...times) >= (await modified(join(root, "src/generated/scanner.ts")).catch(() => 0));
}

async function modified(path: string): Promise<number> {
  return (await stat(path)).mtimeMs;
}

async function command(): Promise<string[]> {
  const result = await bundle({
    entryPoints: { command: join(root, "src/cli/main.ts") },
    chunkNames: "command/[name]-[hash]",
    plugins: [
      yargsParserAlone,
      noStreamsPolyfill,
      noNegotiate,
      entitiesWhenCalled,
      builtinsWhenUsed,
      inLayers(join(root, "src")),
    ],
    metafile: true,
  });
  const entry = await bundle({ entryPoints: { bin: join(root, "src/bin.ts") } });
  const licenses = await write("licenses.txt", await licenseTexts(Object.keys(result.metafile?.inputs ?? {})));
  return [licenses, ...(await writeAll(result, asScript)), ...(await writeAll(entry))];
}

async function library(): Promise<string[]> {
  const result = await bundle({
    entryPoints: [join(root, "src/index.ts")],
    chunkNames: "library/[name]-[hash]",
    banner: { js: requireForCommonJs },
    plugins: [noStreamsPolyfill, noNegotiate, entitiesWhenCalled],
    // The library's types contain the number class of lossless-json, so users may import that package, too.
    external: ["lossless-json"],
  });
  return writeAll(result);
}

function bundle(options: BuildOptions): Promise<BuildResult> {
  return build({
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: "node",
    // "module" comes before "main": a bundler cannot see what a UMD file requires.
    mainFields: ["module", "main"],
    target: "node20",
    format: "esm",
    minifySyntax: true,
    legalComments: "none",
    loader: { ".html": "text" },
    outdir: dist,
    write: false,
    logLevel: "silent",
    ...options,
  });
}

/** Writes chunks before the entry that imports them, so that a command that starts in between finds its parts. */
async function writeAll(result: BuildResult, convert = async (text: string) => text): Promise<string[]> {
  const files = [...(result.outputFiles ?? [])].sort((a, b) => depth(b.path) - depth(a.path));
  for (const file of files) await write(relative(dist, file.path), withPlainComments(await convert(file.text)));
  return files.map((file) => relative(dist, file.path));
}

/** Converts a chunk to a script whose value is a function. src/bin.ts calls it with `exports`, `require` and `module`. */
async function asScript(text: string): Promise<string> {
  const { code } = await transform(text, {
    format: "cjs",
    target: "node20",
    supported: { "dynamic-import": false },
    define: { "import.meta.url": '"file:///"' },
  });
  return `(function (exports, require, module) { "use strict";\n${code}})`;
}

function depth(path: string): number {
  return relative(dist, path).split(/[\\/]/).length;
}

async function write(name: string, text: string): Promise<string> {
  const path = join(dist, name);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode: name === "bin.js" ? 0o755 : 0o644 });
  await rename(temporary, path);
  return name;
}

/** Returns the licence of every package whose code is in the bundle. */
async function licenseTexts(inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.flatMap((input) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...folders].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${await licenseText(join(root, folder))}\n`;
  });
  return (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
}

/** Returns the licence in a package's folder: a separate file, or the last chapter of the README. */
async function licenseText(folder: string): Promise<string> {
  const files = await readdir(folder);
  const licenceFile = files.find((name) => /^licen[cs]e/i.test(name));
  if (licenceFile !== undefined) return (await readFile(join(folder, licenceFile), "utf8")).trim();
  const readme = files.find((name) => /^readme/i.test(name));
  const [chapter] =
    readme === undefined ? [] : (/^#* *licen[cs]e$[\s\S]*/im.exec(await readFile(join(folder, readme), "utf8")) ?? []);
  if (chapter === undefined) throw new Error(`${folder} has no text of its licence`);
  return chapter.trim();
}

async function declarations(): Promise<string[]> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [compiler, "-p", "scripts/tsconfig.build.json"], { cwd: root }).catch(
    (error) => {
      throw new Error(error.stdout);
    },
  );
  return reachable("types/index.d.ts");
}

/**
 * Returns the declaration files that the entry's declarations import, directly or indirectly; the compiler writes one for every
 * file that it has read. Changes `.ts` to `.js` in their imports, because older compilers would look for sources with `.ts`.
 */
async function reachable(entry: string): Promise<string[]> {
  const found = new Set([entry]);
  for (const name of found) {
    const text = await readFile(join(dist, name), "utf8");
    const imports = /(from |import\()"(\.[^"]+)\.[jt]s"/g;
    for (const [, , path = ""] of text.matchAll(imports)) found.add(`${posix.join(dirname(name), path)}.d.ts`);
    await write(name, text.replaceAll(imports, '$1"$2.js"'));
  }
  return [...found];
}

async function schema(): Promise<string> {
  const { editorSchema } = await import("../src/cli/editor-schema.ts");
  return write("schema.json", `${JSON.stringify(editorSchema(), null, 2)}\n`);
}

async function manual(): Promise<string> {
  const { manPage } = await import("../src/cli/manual/man-page.ts");
  const { version, description } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return write("spile.1", manPage(version, description));
}

/** Removes files of an earlier build. */
async function removeStale(currentFiles: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const name = relative(dist, join(entry.parentPath, entry.name)).replaceAll("\\", "/");
    if (entry.isFile() && !currentFiles.has(name)) await rm(join(dist, name), { force: true });
  }
}
