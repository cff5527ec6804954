import { mkdir, mkdtemp, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { StepFailed } from "./step.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Compiled code finds its neighbours where its source stands. */
const sourceAddresses: Plugin = {
  name: "source-addresses",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](src|test|scripts)[\\/].*\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: (await readFile(path, "utf8")).replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
    })),
};

/**
 * The test files whose path holds one of these words, all where there are none, as `test/http/retry.test.ts`. Throws
 * `StepFailed` where no path does.
 */
export async function testFiles(words: readonly string[]): Promise<string[]> {
  const names = await readdir(join(root, "test"), { recursive: true });
  const files = names
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
    .sort();
  if (files.length > 0) return files;
  throw new StepFailed(`no test file has ${words.join(" or ")} in its path`, 1);
}

/** Test files as node runs them. */
export interface CompiledTests {
  /** To be removed when they have run. */
  readonly folder: string;
  /** From the repository's folder. */
  readonly files: readonly string[];
}

/**
 * Compiles test files, with all they import of this repository, into a new folder below build/. For all of them together
 * it takes half a second, which is what a loader took in the process of each.
 */
export async function compileTests(files: readonly string[]): Promise<CompiledTests> {
  await mkdir(join(root, "build"), { recursive: true });
  const folder = await mkdtemp(join(root, "build", "tests-"));
  await build({
    absWorkingDir: root,
    entryPoints: [...files],
    outbase: root,
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    chunkNames: "shared/[name]-[hash]",
    plugins: [sourceAddresses],
    logLevel: "warning",
  });
  return { folder, files: files.map((file) => relative(root, join(folder, file.replace(/\.ts$/, ".js")))) };
}
