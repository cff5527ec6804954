#!/usr/bin/env node

// Node 22.1 and later cache the compiled code of all modules that are loaded after this.
const { enableCompileCache } = process.getBuiltinModule("node:module") as { enableCompileCache?: () => unknown };
enableCompileCache?.();

const { main } = await import("./cli/main.ts");
await main(process.argv.slice(2));
