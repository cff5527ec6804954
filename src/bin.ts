#!/usr/bin/env node

// Node 22.1 and later keep the compiled code of everything loaded from here on.
const { enableCompileCache } = process.getBuiltinModule("node:module") as { enableCompileCache?: () => unknown };
enableCompileCache?.();

const { main } = await import("./cli/main.ts");
await main(process.argv.slice(2));
