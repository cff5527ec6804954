import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";

/**
 * yargs is used for its parser alone; the rest, which loads locales and measures the width of text, would take 12 ms of a
 * start. Nothing of it is kept once its module counts as free of side effects.
 */
export const yargsParserAlone: Plugin = {
  name: "yargs-parser-alone",
  setup: ({ onResolve }) =>
    onResolve({ filter: /platform-shims.esm\.mjs$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    })),
};

/** For versions of Node without web streams; to see whether they are there loads them. */
export const noStreamsPolyfill: Plugin = {
  name: "no-streams-polyfill",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.(web-streams-polyfill.|fetch-blob.streams\.cjs$)/ }, () => ({ contents: "" })),
};

/**
 * Kerberos at proxies asks for a package that nobody has installed, which bundlers of the library complain of; nothing here asks
 * for it.
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
 * The names of HTML entities are a table that takes 3 ms to unpack; few texts have any. So what decodes them is evaluated when it
 * is called for the first time.
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

/**
 * Node's own modules without `import`: that reads everything they export, and what is only loaded when it is read, such as the
 * WebSocket and the fetch of `node:http`, which is a fifth of a start.
 */
export const builtinsByName: Plugin = {
  name: "builtins-by-name",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "builtin", sideEffects: false } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== "default");
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => found.${name})();`);
      const found = `const found = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(path)});`;
      return { contents: [found, "export default found;", ...exported].join("\n") };
    });
  },
};

/**
 * Modules that the command loads late, by paths in src/: parts that print, parts that read a configuration, and modules that both
 * need.
 */
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
      "authoring/openapi/configuration.ts",
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
      "output/singer/catalog.ts",
      "recording/recorder.ts",
      "recording/replay.ts",
      "report/reports.ts",
    ],
  },
] as const;

/**
 * The few large chunks that a start loads. esbuild makes a chunk for each set of entries that reach a file, and each costs a
 * start half a millisecond; so every entry reaches what has been loaded before it. `sources`: the folder src/.
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
