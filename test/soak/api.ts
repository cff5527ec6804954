import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FaultKind } from "./faults.ts";

export interface ServerOptions {
  /** Seconds from the first login until no more orders are added, and the least number of pages. */
  readonly seconds: number;
  readonly pages: number;
  /** Lifetime of a token. */
  readonly tokenSeconds: number;
  /** Number of requests that a revoked token serves; the first of each three tokens is revoked. */
  readonly revokedAfter: number;
  /** One answer in so many goes wrong. */
  readonly faultEvery: number;
}

/** Counts of what the server has served so far. */
export interface Served {
  /** Good answers to requests for pages. */
  readonly pages: number;
  readonly logins: number;
  readonly connections: number;
  /** Requests answered with 401. */
  readonly refused: number;
  /** Tokens that were revoked and used once more. */
  readonly revoked: number;
  /** Requests with tokens that had long expired. */
  readonly late: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Number of all orders, once that is decided. */
  readonly orders: number | undefined;
}

/** The soak's server, started in a process of its own, which ends with this one. */
export interface SoakApi {
  readonly url: string;
  served(): Promise<Served>;
  close(): void;
}

export async function startSoakApi(options: ServerOptions): Promise<SoakApi> {
  const script = fileURLToPath(new URL("server.ts", import.meta.url));
  // Detached, so that Ctrl-C does not take it away from under the client.
  const server = fork(script, [JSON.stringify(options)], { execArgv: ["--import", "tsx"], detached: true });
  const { port } = (await answer(server)) as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    async served() {
      const told = answer(server);
      server.send("tell");
      return ((await told) as { served: Served }).served;
    },
    close: () => {
      if (server.connected) server.disconnect();
    },
  };
}

async function answer(server: ChildProcess): Promise<unknown> {
  const gone = new AbortController();
  const ended = () => gone.abort(new Error("the soak's server has ended"));
  server.once("exit", ended);
  try {
    const [message] = await once(server, "message", { signal: gone.signal });
    return message;
  } finally {
    server.off("exit", ended);
  }
}
