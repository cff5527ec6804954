import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../helpers/free-port.ts";
import { life, type Product } from "./product.ts";

/** Milliseconds until a server must be ready; on a busy machine some take minutes to be filled. */
const timeout = 900_000;
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A running product, which can be killed and started again at the same address with the same records. */
export class Server {
  #child: ChildProcess | undefined;
  #said = "";

  private constructor(
    private readonly product: Product,
    private readonly folder: string,
    private readonly records: number,
    private readonly port: number,
  ) {}

  static async start(product: Product, folder: string, records: number): Promise<Server> {
    await mkdir(join(folder, "data"), { recursive: true });
    const server = new Server(product, folder, records, await freePort());
    await server.start();
    return server;
  }

  get base(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const words = [this.product.script, `${this.port}`, join(this.folder, "data"), `${this.records}`, `${life}`];
    const isPython = this.product.script.endsWith(".py");
    const command = isPython ? join(this.folder, "bin", "python") : process.execPath;
    const child = spawn(command, [...(isPython ? [] : ["--import", "./door.mjs"]), ...words], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    this.#child = child;
    running.add(child);
    child.once("exit", () => running.delete(child));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-2000);
      });
    }
    const until = performance.now() + timeout;
    while (performance.now() < until && !ended(child)) {
      const answered = await fetch(this.base + this.product.ready).catch(() => undefined);
      await answered?.arrayBuffer();
      if (answered?.ok) return;
      await wait(100);
    }
    const why = ended(child) ? "it has ended" : `it was not ready within ${timeout / 1000} s`;
    await this.kill();
    throw new Error(`${why}; its last output: ${this.#said.trim().slice(-400)}`);
  }

  /** Holds back the request that comes as the `number`th after this call (see servers/door.mjs). Resolves when it has come. */
  async hold(number: number): Promise<void> {
    this.#child?.send({ hold: number });
    if (this.#child !== undefined) await once(this.#child, "message");
  }

  /** Releases the request that is held back, and holds no further one. */
  letGo(): void {
    if (this.#child?.connected) this.#child.send({ hold: null });
  }

  /** Starts the server again if an attempt has left it dead. */
  async revive(): Promise<void> {
    if (this.#child === undefined || ended(this.#child)) await this.start();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || ended(child)) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

function ended({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
