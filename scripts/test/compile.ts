import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { Group } from "./groups.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Makes compiled code find other files relative to its source. */
const sourceAddresses: Plugin = {
  name: "source-addresses",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/](src|test|scripts)[\\/].*\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: (await readFile(path, "utf8")).replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
    })),
};

/** Creates the entry of each group: a file that imports its test files in order. */
function entries(groups: readonly Group[]): Plugin {
  const byName = new Map(groups.map(({ name, files }) => [name, files]));
  return {
    name: "groups",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.replace("group:", ""), namespace: "group" }));
      onLoad({ filter: /.*/, namespace: "group" }, ({ path }) => ({
        resolveDir: root,
        contents: ["scripts/test/guard.ts", ...(byName.get(path) ?? [])]
          .map((file) => `import "./${file}";`)
          .join("\n"),
      }));
    },
  };
}

/** Groups of test files, compiled for node. */
export interface CompiledTests {
  /** Folder to remove after the run. */
  readonly folder: string;
  /** A file for each group, as a path from the repository's folder. */
  readonly files: readonly string[];
}

/**
 * Compiles groups of test files, with everything that they import from this repository, into a new folder below build/. This
 * takes half a second for all groups together; a loader would take as long in the process of each group.
 */
export async function compileTests(groups: readonly Group[]): Promise<CompiledTests> {
  await mkdir(join(root, "build"), { recursive: true });
  const folder = await mkdtemp(join(root, "build", "tests-"));
  await build({
    absWorkingDir: root,
    entryPoints: groups.map(({ name }) => ({ in: `group:${name}`, out: name })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    sourcemap: true,
    sourcesContent: false,
    loader: { ".html": "text" },
    chunkNames: "shared/[name]-[hash]",
    plugins: [entries(groups), sourceAddresses],
    logLevel: "warning",
  });
  return { folder, files: groups.map(({ name }) => relative(root, join(folder, `${name}.js`))) };
}
