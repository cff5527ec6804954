import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import type { Served, ServerOptions } from "./api.ts";
import { hasItemPages, itemPageSize, items, itemsOfOrder, orderIndex, orders, pageSize } from "./dataset.ts";
import { createFaults, type FaultKind, hashOf } from "./faults.ts";
import { createTokens } from "./tokens.ts";

/*
 * The soak's API, in a process that ends with its parent. `seconds` after the first login it chooses its last page of orders,
 * which comes after all pages that were requested so far. A message to the process asks for its counts.
 */
const options = JSON.parse(process.argv[2] ?? "{}") as ServerOptions;
const tokens = createTokens(options.tokenSeconds, options.revokedAfter);
const faults = createFaults(options.faultEvery);
const served = { pages: 0, logins: 0, refused: 0, connections: 0, faults: {} as Partial<Record<FaultKind, number>> };
let furthest = 0;
let over = false;
let end = Number.POSITIVE_INFINITY;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (pathname === "/login") login(response);
  else if (!tokens.accepts(request.headers.authorization ?? "")) {
    served.refused += 1;
    send(response, 401, '{"error":"no such token"}');
  } else page(request, response, pathname, searchParams);
});

function login(response: ServerResponse): void {
  if (served.logins === 0) setTimeout(finish, options.seconds * 1000);
  served.logins += 1;
  send(response, 200, `{"token":"${tokens.issue()}","expires_in":${options.tokenSeconds}}`);
}

function finish(): void {
  over = true;
  decide();
}

/** If the time is over and enough pages were requested, chooses the last page: it is short, and its orders have no items. */
function decide(): void {
  if (!over || furthest < options.pages || end !== Number.POSITIVE_INFINITY) return;
  const last = hasItemPages(furthest + 1) ? furthest + 2 : furthest + 1;
  end = last * pageSize + 137;
}

function page(request: IncomingMessage, response: ServerResponse, path: string, query: URLSearchParams): void {
  const order = /^\/orders\/(\d+)\/items$/.exec(path)?.[1];
  const offset = Number(query.get("offset"));
  const size = order === undefined ? pageSize : itemPageSize;
  if ((order === undefined && path !== "/orders") || Number(query.get("limit")) !== size || offset % size !== 0) {
    send(response, 400, `{"error":"${request.url}"}`);
    return;
  }
  if (order === undefined) reach(offset / size);
  const total = order === undefined ? end : itemsOfOrder;
  const to = Math.min(offset + size, total);
  const texts = order === undefined ? orders(offset, to) : items(orderIndex(order), offset, to);
  const body = Buffer.from(`{"status":"ok","data":{"list":[${texts.join(",\n  ")}]},"has_more":${to < total}}`);
  const key = `${path}@${offset}`;
  const fault = faults.take(key);
  if (fault !== undefined) {
    served.faults[fault] = (served.faults[fault] ?? 0) + 1;
    spoil(response, fault, body);
    return;
  }
  served.pages += 1;
  if (hashOf(`close ${key}`) % 40 === 0) response.setHeader("Connection", "close");
  const gzipped = hashOf(`gzip ${key}`) % 6 === 0;
  if (gzipped) response.setHeader("Content-Encoding", "gzip");
  send(response, 200, gzipped ? gzipSync(body, { level: 1 }) : body);
}

function reach(page: number): void {
  furthest = Math.max(furthest, page);
  decide();
}

function spoil(response: ServerResponse, fault: FaultKind, body: Buffer): void {
  const breakOff = () => response.socket?.resetAndDestroy();
  if (fault === "busy") {
    response.setHeader("Retry-After", "0");
    send(response, 429, '{"error":"too many"}');
  } else if (fault === "unavailable") {
    send(response, 503, '{"error":"later"}');
  } else if (fault === "reset") {
    breakOff();
  } else {
    const gzipped = fault === "cut gzip" ? gzipSync(body, { level: 1 }) : undefined;
    const whole = gzipped ?? body;
    if (gzipped !== undefined) response.setHeader("Content-Encoding", "gzip");
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": whole.length });
    response.write(whole.subarray(0, whole.length >> 1), () => response.socket?.destroy());
  }
}

function send(response: ServerResponse, status: number, body: string | Buffer): void {
  response
    .writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) })
    .end(body);
}

server.on("connection", () => {
  served.connections += 1;
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("message", () => {
  const { revoked, late } = tokens;
  const counts: Served = { ...served, revoked, late, orders: end === Number.POSITIVE_INFINITY ? undefined : end };
  process.send?.({ served: counts });
});
process.on("disconnect", () => process.exit(0));
