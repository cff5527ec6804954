import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { noNegotiate, noStreamsPolyfill, yargsParserAlone } from "./bundling.ts";

/*
 * Makes a single executable for this platform: this Node with the command in it (a single executable application, with its
 * compiled code). `npm run package` writes build/spile; `npm run package -- PATH` writes there.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.argv[2] ?? join(root, "build", "spile");
const run = promisify(execFile);
const isMac = process.platform === "darwin";
/** The mark in a Node binary that can embed a program. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

const folder = await mkdtemp(join(tmpdir(), "spile-package-"));
try {
  if (!(await readFile(process.execPath)).includes(fuse)) {
    throw new Error(`this Node (${process.execPath}) cannot embed a program: use one from nodejs.org`);
  }
  const main = join(folder, "spile.cjs");
  await bundle(main);
  const blob = join(folder, "spile.blob");
  const configuration = join(folder, "sea.json");
  const settings = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
  await writeFile(configuration, JSON.stringify(settings));
  await run(process.execPath, ["--experimental-sea-config", configuration]);
  await mkdir(dirname(target), { recursive: true });
  await rm(target, { force: true });
  await copyFile(process.execPath, target);
  await chmod(target, 0o755);
  if (isMac) await run("codesign", ["--remove-signature", target]);
  const postject = join(root, "node_modules/postject/dist/cli.js");
  const segment = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
  await run(process.execPath, [postject, target, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse, ...segment]);
  if (isMac) await run("codesign", ["--sign", "-", target]);
  console.error(target);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Writes the command as one CommonJS file: a program in an executable can load only Node's own modules. */
async function bundle(outfile: string): Promise<void> {
  await build({
    absWorkingDir: root,
    stdin: {
      contents: 'import { main } from "./src/cli/main.ts"; void main(process.argv.slice(2));',
      resolveDir: root,
      loader: "ts",
    },
    outfile,
    bundle: true,
    platform: "node",
    mainFields: ["module", "main"],
    target: "node20",
    format: "cjs",
    minifySyntax: true,
    legalComments: "none",
    loader: { ".html": "text" },
    logLevel: "silent",
    plugins: [yargsParserAlone, noStreamsPolyfill, noNegotiate],
    // Some packages ask for the address of their own file, which a program in an executable does not have.
    define: { "import.meta.url": "addressOfExecutable" },
    banner: { js: 'const addressOfExecutable = require("node:url").pathToFileURL(process.execPath).href;' },
  });
}
