import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The bench's server, started in a process of its own. */
export interface BenchApi {
  readonly base: string;
  close(): void;
}

export async function startBenchApi(): Promise<BenchApi> {
  const script = fileURLToPath(new URL("server.ts", import.meta.url));
  const server = spawn(process.execPath, ["--import", "tsx", script], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(server.stdout, "data");
  return { base: `http://127.0.0.1:${String(port).trim()}`, close: () => server.stdin.end() };
}
