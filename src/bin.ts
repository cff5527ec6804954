#!/usr/bin/env node

import { CodeCache } from "./code-cache.ts";

const { existsSync } = process.getBuiltinModule("node:fs");
const { dirname, join } = process.getBuiltinModule("node:path");

/** The function that a chunk (a file of the bundled command) consists of: see scripts/build.ts. */
type Chunk = (exports: object, require: (name: string) => object, module: { exports: object }) => void;

/*
 * Loads the chunks as scripts, not as modules: only a script's compiled code can be kept together with the functions that were
 * compiled after the script was loaded. The code of each command is kept separately, because each command calls different
 * functions. A word that is also the name of a file counts as a configuration here, so it uses the cache of a run.
 */
const [word = ""] = /^(--help|--version|[a-z][a-z-]*)$/.exec(process.argv[2] ?? "") ?? [];
const cache = new CodeCache(import.meta.dirname, word === "" || existsSync(word) ? "run" : word);
const loaded = new Map<string, { exports: object }>();

function load(path: string): object {
  const loadedModule = loaded.get(path);
  if (loadedModule !== undefined) return loadedModule.exports;
  const module = { exports: {} };
  loaded.set(path, module);
  const chunk: Chunk = cache.compile(path).runInThisContext();
  chunk(module.exports, (name) => (name.startsWith(".") ? load(join(dirname(path), name)) : builtin(name)), module);
  return module.exports;
}

function builtin(name: string): object {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(`there is no module ${name}`);
  return found;
}

const { main } = load(join(import.meta.dirname, "command.js")) as typeof import("./cli/main.ts");
await main(process.argv.slice(2));
