import { readFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Drops everything of yargs but its parser, by declaring that the module which loads the rest has no side effects. The rest loads
 * locales and measures the width of text, which takes 33 to 37 ms of a start.
 */
export const yargsParserAlone: Plugin = {
  name: "yargs-parser-alone",
  setup: ({ onResolve }) =>
    onResolve({ filter: /platform-shims.esm\.mjs$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    })),
};

/**
 * Leaves out the web streams for old versions of Node. Their code checks whether Node has web streams of its own, which loads
 * Node's and takes 3 ms.
 */
export const noStreamsPolyfill: Plugin = {
  name: "no-streams-polyfill",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.(web-streams-polyfill.|fetch-blob.streams\.cjs$)/ }, () => ({ contents: "" })),
};

/**
 * Drops the optional package for Kerberos at proxies. It is not installed, nothing here uses it, and bundlers of the
 * library complain that it is missing.
 */
export const noNegotiate: Plugin = {
  name: "no-negotiate",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^proxy-agent-negotiate$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, () => ({
      contents: "export const createNegotiateAuth = () => undefined",
    }));
  },
};

/**
 * Loads the decoder of HTML entities at its first call: unpacking its table of names takes 2 to 3 ms, and few texts have
 * entities.
 */
export const entitiesWhenCalled: Plugin = {
  name: "entities-when-called",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^entities\/decode$/ }, ({ kind, path, resolveDir }) =>
      kind === "import-statement" ? { path, namespace: "when-called", pluginData: resolveDir } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "when-called" }, ({ path, pluginData }) => ({
      contents: `let found; export const decodeHTMLStrict = (text) => (found ??= require(${JSON.stringify(path)})).decodeHTMLStrict(text);`,
      resolveDir: pluginData,
    }));
  },
};

/** Drops imports of Node's own modules whose names are not used: they would load the modules all the same. */
export const builtinsWhenUsed: Plugin = {
  name: "builtins-when-used",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[a-z0-9:_/]+$/ }, ({ kind, path }) =>
      kind === "import-statement" && isBuiltin(path) ? { path, external: true, sideEffects: false } : undefined,
    ),
};

/**
 * Replaces characters outside ASCII in comments by question marks; esbuild escapes them elsewhere. V8 stores a text with a character beyond Latin-1 as two
 * bytes for each character, and reads it more slowly.
 */
export function withPlainComments(text: string): string {
  return text.replaceAll(/(\/\/|\*).*/g, (comment) => comment.replaceAll(/[^\0-\x7f]/g, "?"));
}

/** Modules that the command loads late, as paths in src/. The `entries` of a layer are loaded after the modules in `below`. */
export const layers = [
  {
    below: ["cli/main.ts"],
    entries: [
      "cli/commands/completion.ts",
      "cli/commands/explain.ts",
      "cli/commands/help.ts",
      "cli/commands/run.ts",
      "cli/commands/schema.ts",
      "cli/commands/version.ts",
      "cli/explain/fields.ts",
      "cli/manual/chapters.ts",
      "cli/read-given.ts",
      "core/files/pending-file.ts",
    ],
  },
  {
    below: ["cli/main.ts", "cli/commands/run.ts"],
    entries: [
      "authoring/openapi/author.ts",
      "authoring/openapi/description.ts",
      "authoring/openapi/document.ts",
      "cli/commands/check.ts",
      "cli/commands/demo.ts",
      "cli/commands/discover.ts",
      "cli/commands/get.ts",
      "cli/commands/init.ts",
      "cli/commands/plan.ts",
      "cli/commands/preview.ts",
      "cli/commands/shard.ts",
      "cli/distinct-files.ts",
      "cli/init-manifest.ts",
      "compile/jobs/windows.ts",
      "core/secrets/redact.ts",
      "extract/format/delimited.ts",
      "http/connection/tunnel.ts",
      "output/singer/catalog.ts",
      "recording/recorder.ts",
      "recording/replay.ts",
      "report/reports.ts",
    ],
  },
] as const;

/**
 * Makes each late module import the modules that are loaded before it. esbuild makes a chunk for each set of entries that reach a
 * file, so this leaves few large chunks; many small ones take 10 to 13 ms of a start. `sources`: the folder src/.
 */
export function inLayers(sources: string): Plugin {
  const below = new Map(
    layers.flatMap((layer) => layer.entries.map((entry) => [join(sources, entry), layer.below] as const)),
  );
  return {
    name: "in-layers",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const imports = below.get(path)?.map((name) => `import ${JSON.stringify(join(sources, name))};\n`);
        if (imports === undefined) return undefined;
        return { contents: imports.join("") + (await readFile(path, "utf8")), loader: "ts" };
      }),
  };
}
