import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FaultKind } from "./faults.ts";

export interface ServerOptions {
  /** Seconds after the first login at which the last page of orders is chosen, once enough pages were requested. */
  readonly seconds: number;
  /** Index of a page of orders: the last page is chosen only after a request for this page or a later one. */
  readonly pages: number;
  /** Lifetime of a token. */
  readonly tokenSeconds: number;
  /** Number of requests that a token serves before it is revoked. Only the first of every three tokens is revoked. */
  readonly revokedAfter: number;
  /** One answer in this number goes wrong. */
  readonly faultEvery: number;
}

/** Counts of what the server has served so far. */
export interface Served {
  /** Good answers to requests for pages. */
  readonly pages: number;
  readonly logins: number;
  readonly connections: number;
  /** Number of requests answered with 401. */
  readonly refused: number;
  /** Number of tokens that were used again after they were revoked. */
  readonly revoked: number;
  /** Number of requests with tokens that had expired more than 5 seconds before. */
  readonly late: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
  /** Number of all orders, once it is decided. */
  readonly orders: number | undefined;
}

/** The server of the soak test, in a process that ends with this one. */
export interface SoakApi {
  readonly url: string;
  served(): Promise<Served>;
  close(): void;
}

export async function startSoakApi(options: ServerOptions): Promise<SoakApi> {
  const script = fileURLToPath(new URL("server.ts", import.meta.url));
  // Detached, so that Ctrl-C does not end it before the client.
  const server = fork(script, [JSON.stringify(options)], { execArgv: ["--import", "tsx"], detached: true });
  const { port } = (await answer(server)) as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    async served() {
      const reply = answer(server);
      server.send("tell");
      return ((await reply) as { served: Served }).served;
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
