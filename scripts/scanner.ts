import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const root = fileURLToPath(new URL("..", import.meta.url));
const source = "src/extract/scanner/assembly/index.ts";
const target = join(root, "src/generated/scanner.ts");

const options = [
  "--optimizeLevel=3",
  "--shrinkLevel=0",
  "--converge",
  "--noAssert",
  "--runtime=stub",
  "--enable=simd",
  "--use=abort=",
  "--initialMemory=16",
  "--maximumMemory=16",
];

/** Compiles the byte scanner to WebAssembly and writes it as the module src/generated/scanner.ts. Rejects with the compiler's messages. */
export async function buildScanner(): Promise<void> {
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main([source, "--outFile=scanner.wasm", `--baseDir=${root}`, ...options], {
    readFile: (name, base) => readFile(join(base, name), "utf8").catch(() => null),
    writeFile: (_name, contents) => {
      if (typeof contents !== "string") binary = contents;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined)
    throw new Error(`the scanner does not compile\n${stderr.toString()}`, { cause: error });
  const text = Buffer.from(binary).toString("base64");
  await writeFile(
    target,
    `// Made by scripts/scanner.ts from ${source}. Do not edit.\n\n/** The byte scanner: a WebAssembly module in base64. */\nexport const scannerModule =\n  "${text}";\n`,
  );
}
