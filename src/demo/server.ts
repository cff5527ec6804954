import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { demoUser } from "./configuration.ts";
import { datasets } from "./datasets.ts";

export interface DemoApi {
  /** `http://127.0.0.1:PORT/`. */
  readonly url: string;
  /** Lets the event loop run dry although the API listens. Otherwise, a run that can no longer continue would not be noticed. */
  unref(): void;
  close(): Promise<void>;
}

export interface DemoOptions {
  /** Port to listen on; 0 for any free port. */
  readonly port: number;
  /** Lifetime of a token, in seconds. */
  readonly tokenSeconds: number;
  /** Number of records of each dataset. Default: each dataset has its own number. */
  readonly records?: number | undefined;
}

/** Maximum number of records of a page, even if `limit` is greater. As in many real APIs, no answer mentions it. */
export const maxPageSize = 250;

/** Starts the demo API on the loopback interface. Rejects with the system's error if the port is taken. */
export async function startDemoApi({ port, tokenSeconds, records }: DemoOptions): Promise<DemoApi> {
  const tokens = new Map<string, number>();
  const server = createServer((request, response) => {
    answer(request, { tokens, tokenSeconds, records }).then(
      ([status, body]) => send(response, status, body),
      () => send(response, 400, problem("the request cannot be read")),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    unref: () => {
      server.unref();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Answer = readonly [status: number, body: string];

interface AnswerOptions extends Omit<DemoOptions, "port"> {
  /** Time at which each token expires, in Unix milliseconds. */
  readonly tokens: Map<string, number>;
}

async function answer(request: IncomingMessage, { tokens, tokenSeconds, records }: AnswerOptions): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (pathname === "/")
    return [200, JSON.stringify({ about: "a sugarbush", login: "login", datasets: listing(records) })];
  if (pathname === "/login") return login(await credentials(request, searchParams), tokens, tokenSeconds);
  const dataset = datasets.get(pathname.slice(1));
  if (dataset === undefined) return [404, problem(`no such dataset; there are ${[...datasets.keys()].join(", ")}`)];
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? searchParams.get("token") ?? "";
  if ((tokens.get(token) ?? 0) <= Date.now()) return [401, problem("the token is unknown or has expired")];
  const limit = wholeNumber(searchParams.get("limit") ?? "20");
  const offset = wholeNumber(searchParams.get("offset") ?? "0");
  if (limit === undefined || limit === 0) return [400, problem("limit must be a whole number of at least 1")];
  if (offset === undefined) return [400, problem("offset must be a whole number of at least 0")];
  const total = records ?? dataset.size;
  const length = Math.max(0, Math.min(limit, maxPageSize, total - offset));
  const lines = Array.from({ length }, (_, index) => dataset.record(offset + index));
  const [outer, inner] = dataset.dataField;
  return [200, `{"meta":{"total":${total},"offset":${offset}},"${outer}":{"${inner}":[${lines.join(",")}]}}`];
}

/** Reads the user and the password from a JSON body, a form or, if the method is not POST, the query. */
async function credentials(request: IncomingMessage, query: URLSearchParams): Promise<ReadonlyMap<string, unknown>> {
  const body = await text(request);
  if (request.method !== "POST") return new Map(query);
  if (!(request.headers["content-type"] ?? "").includes("json")) return new Map(new URLSearchParams(body));
  return new Map(Object.entries(JSON.parse(body) as object));
}

function login(sentValues: ReadonlyMap<string, unknown>, tokens: Map<string, number>, seconds: number): Answer {
  if (sentValues.get("user") !== demoUser.user || sentValues.get("password") !== demoUser.password) {
    return [401, problem("wrong user or password")];
  }
  for (const [token, expires] of tokens) if (expires <= Date.now()) tokens.delete(token);
  const token = randomUUID();
  tokens.set(token, Date.now() + seconds * 1000);
  return [200, JSON.stringify({ session: { token, expires_in: seconds } })];
}

function listing(records: number | undefined): Record<string, { records: number; dataField: string }> {
  const entries = [...datasets].map(([name, { size, dataField }]) => [
    name,
    { records: records ?? size, dataField: dataField.join(".") },
  ]);
  return Object.fromEntries(entries);
}

function wholeNumber(text: string): number | undefined {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

function problem(error: string): string {
  return JSON.stringify({ error });
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(`${body}\n`);
}
