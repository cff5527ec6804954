import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/**
 * yargs comes with copies of string-width, whose segmenters and patterns of emoji take 20 ms to load. They are for help
 * that yargs lays out; ours is laid out elsewhere.
 */
export const plainStringWidth: Plugin = {
  name: "plain-string-width",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.(cliui|yargs|wrap-ansi).*node_modules.string-width.index\.js$/ }, () => ({
      contents: "export default (text) => text.length",
    })),
};

/** For versions of Node without web streams; to see whether they are there loads them. */
export const noStreamsPolyfill: Plugin = {
  name: "no-streams-polyfill",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.(web-streams-polyfill.|fetch-blob.streams\.cjs$)/ }, () => ({ contents: "" })),
};

/** Kerberos at proxies asks for a package that nobody has installed, which bundlers of the library complain of; nothing here asks for it. */
export const noNegotiate: Plugin = {
  name: "no-negotiate",
  setup: ({ onLoad }) =>
    onLoad({ filter: /node_modules.proxy-agent-negotiate./ }, () => ({
      contents: "export const createNegotiateAuth = () => undefined",
    })),
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
 * The few large chunks that a start loads. esbuild makes a chunk for each set of entries that reach a file, and each costs a
 * start half a millisecond; so every entry that is loaded later reaches what has been loaded before it.
 */
export function inLayers(layers: readonly { readonly entries: RegExp; readonly below: readonly string[] }[]): Plugin {
  return {
    name: "in-layers",
    setup({ onLoad }) {
      for (const { entries, below } of layers) {
        const imports = below.map((path) => `import ${JSON.stringify(path)};\n`).join("");
        onLoad({ filter: entries }, async ({ path }) => ({
          contents: imports + (await readFile(path, "utf8")),
          loader: "ts",
        }));
      }
    },
  };
}
