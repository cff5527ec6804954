import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startDemoApi } from "../src/demo/server.ts";
import { drawTerminal, type TerminalEntry } from "./picture/draw-terminal.ts";

/*
 * npm run picture: runs the commands of the README's picture against the demo API and draws what a terminal shows.
 * With `--check` it writes nothing and fails if the picture differs. Needs bash, and a built command.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const picture = join(root, "docs/images/terminal.svg");
/** The port in the picture, whatever port the demo API uses. */
const shownPort = 4280;

const commands = [
  'spile init curl -H "Authorization: Bearer $API_TOKEN" "$API/trees?limit=100" > trees.json',
  "spile trees.json --strict -o trees.ndjson && head -2 trees.ndjson | cut -c 1-96",
  'spile get "$API/trees?limit=100" -H "Authorization: Bearer $API_TOKEN" --records data.trees --strict > first.ndjson',
];

const drawn = drawTerminal(
  await runAll(),
  "Three commands in a terminal: spile init, a complete run, and a suspect run",
);
if (!process.argv.includes("--check")) {
  await writeFile(picture, drawn);
} else if ((await readFile(picture, "utf8").catch(() => "")) !== drawn) {
  console.error('docs/images/terminal.svg is stale; run "npm run picture" and commit the result');
  process.exitCode = 1;
}

/** Runs the commands one after another in one folder. Returns each with its output (stdout and stderr together). */
async function runAll(): Promise<TerminalEntry[]> {
  const api = await startDemoApi({ port: 0, tokenSeconds: 60 });
  const folder = await mkdtemp(join(tmpdir(), "spile-picture-"));
  try {
    const login = await fetch(new URL("login?user=sugarmaker&password=drip-drip-drip", api.url));
    const { session } = (await login.json()) as { session: { token: string } };
    const port = new URL(api.url).port;
    const entries: TerminalEntry[] = [];
    for (const command of commands) {
      const env = { ...process.env, API: api.url.slice(0, -1), API_TOKEN: session.token };
      const output = await run(command, folder, env);
      entries.push({ command, output: output.replaceAll(`127.0.0.1:${port}`, `127.0.0.1:${shownPort}`) });
    }
    return entries;
  } finally {
    await api.close();
    await rm(folder, { recursive: true });
  }
}

async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const prelude = `spile() { "${process.execPath}" "${join(root, "dist/bin.js")}" "$@"; }; exec 2>&1; set -o pipefail`;
  const child = spawn("bash", ["-c", `${prelude}\n${command}`], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return child.exitCode === 0 ? output : `${output}(exit code ${child.exitCode})\n`;
}
