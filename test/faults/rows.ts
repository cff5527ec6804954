import { broken, encoded, json, text } from "../helpers/answers.ts";
import { records } from "../helpers/datasets.ts";

const bytes = JSON.stringify({ items: records(3, 4) });
const half = Math.floor(bytes.length / 2);

/** A way in which a page always fails. */
export interface Row {
  readonly title: string;
  readonly answer: () => unknown;
  readonly code: number;
  /** Pattern of the error's line on stderr, after the job and the page. */
  readonly says: RegExp;
  readonly http?: Record<string, unknown>;
}

const offsets = [0, 1, 8, half, bytes.length - 1].map(
  (at): Row => ({
    title: `reset in the body, after ${at} of ${bytes.length} bytes`,
    answer: () => broken.resetInBody(bytes, at),
    code: 75,
    says:
      at === 0
        ? /(the body ended early, after 0 bytes|the connection was reset)/
        : /the body ended early, after \d+ bytes of \d+/,
  }),
);

export const rows: readonly Row[] = [
  {
    title: "reset before the headers",
    answer: () => broken.resetBeforeHeaders(),
    code: 75,
    says: /the connection was reset/,
  },
  {
    title: "closed before the headers",
    answer: () => broken.closedBeforeHeaders(),
    code: 75,
    says: /the connection was (closed|reset)/,
  },
  { title: "cut headers", answer: () => broken.headersCut(), code: 75, says: /hang up|closed|reset|not HTTP/ },
  ...offsets,
  {
    title: "reset in a chunk",
    answer: () => broken.resetInChunk(bytes),
    code: 75,
    says: /ended early, after \d+ bytes/,
  },
  {
    title: "missing last chunk",
    answer: () => broken.cutWithoutTerminator(bytes),
    code: 75,
    says: /before its last chunk/,
  },
  {
    title: "closed in a body without a length",
    answer: () => broken.cutWithoutLength(bytes),
    code: 75,
    says: /closed before the document's end/,
  },
  {
    title: "body shorter than its length",
    answer: () => broken.lengthTooLarge(bytes),
    code: 75,
    says: /ended early, after \d+ bytes of \d+/,
  },
  {
    title: "body longer than its length",
    answer: () => broken.lengthTooSmallInOnePacket(bytes),
    code: 75,
    says: /longer than its Content-Length/,
  },
  { title: "invalid chunks", answer: () => broken.badChunkHeader(bytes), code: 75, says: /is not HTTP/ },
  { title: "truncated gzip", answer: () => broken.gzipCut(bytes), code: 75, says: /compressed body cannot be decoded/ },
  {
    title: "garbled gzip",
    answer: () => broken.gzipGarbled(bytes),
    code: 75,
    says: /compressed body cannot be decoded/,
  },
  {
    title: "unknown content encoding",
    answer: () => text(bytes, { headers: { "content-encoding": "zstd" } }),
    code: 65,
    says: /zstd/,
  },
  {
    title: "gzip declared as br",
    answer: () => encoded("gzip", bytes, { declared: "br" }),
    code: 75,
    says: /cannot be decoded/,
  },
  {
    title: "unknown charset",
    answer: () => text(bytes, { headers: { "content-type": "application/json; charset=klingon" } }),
    code: 65,
    says: /klingon/,
  },
  {
    title: "stalled before the headers",
    answer: () => broken.stalledBeforeHeaders(),
    code: 75,
    says: /no response within 0\.4 s/,
    http: { requestTimeout: 0.4 },
  },
  {
    title: "stalled after the headers",
    answer: () => broken.stalledAfterHeaders(bytes),
    code: 75,
    says: /no byte of the body came within 0\.4 s/,
    http: { idleTimeout: 0.4 },
  },
  {
    title: "stalled in the body",
    answer: () => broken.stalledInBody(bytes),
    code: 75,
    says: /no byte of the body came within 0\.4 s/,
    http: { idleTimeout: 0.4 },
  },
  {
    title: "HTML with status 200",
    answer: () => text("<html>down for maintenance</html>", { headers: { "content-type": "text/html" } }),
    code: 65,
    says: /items\?limit=3&offset=3: the response is not JSON: unexpected "<".*down for maintenance.*status 200.*text\/html/,
  },
  {
    title: "CSV where JSON is expected",
    answer: () => text("id,name\n1,Ada\n", { headers: { "content-type": "text/csv" } }),
    code: 65,
    says: /items\?limit=3&offset=3: the response is not JSON.*Content-Type text\/csv\); the job's "format": "csv" would read it/,
  },
  {
    title: "broken JSON in a whole message",
    answer: () => text(`${bytes.slice(0, -2)}}`),
    code: 65,
    says: /not JSON.*at byte|not JSON: unexpected/,
  },
  {
    title: "JSON cut in a whole message",
    answer: () => text(bytes.slice(0, half)),
    code: 65,
    says: /ends inside the JSON document/,
  },
  {
    title: "more text after the document",
    answer: () => text(`${bytes} x`),
    code: 65,
    says: /after the end of the document/,
  },
  {
    title: "several arrays",
    answer: () => json({ items: [1], others: [2] }),
    code: 65,
    says: /items.*others.*dataField/,
  },
  {
    title: "401",
    answer: () => json({ error: "who?" }, { status: 401 }),
    code: 77,
    says: /answered 401 Unauthorized.*who\?/,
  },
  { title: "403", answer: () => json({ error: "no" }, { status: 403 }), code: 69, says: /answered 403 Forbidden.*no/ },
  {
    title: "404",
    answer: () => json({ error: "gone" }, { status: 404 }),
    code: 69,
    says: /answered 404 Not Found.*gone/,
  },
  {
    title: "429",
    answer: () => json({ error: "slow" }, { status: 429 }),
    code: 75,
    says: /answered 429 Too Many Requests/,
  },
  {
    title: "a 429 that asks for a wait of hours",
    answer: () => json({}, { status: 429, headers: { "retry-after": "7200" } }),
    code: 75,
    says: /answered 429/,
  },
  {
    title: "500",
    answer: () => json({ error: "oops" }, { status: 500 }),
    code: 75,
    says: /answered 500 Internal Server Error.*oops/,
  },
  { title: "304", answer: () => text("", { status: 304 }), code: 69, says: /answered 304/ },
  {
    title: "endless redirects",
    answer: () => text("", { status: 302, headers: { location: "/items?limit=3&offset=3" } }),
    code: 69,
    says: /redirect/,
  },
  {
    title: "redirect to another scheme",
    answer: () => text("", { status: 302, headers: { location: "ftp://x/" } }),
    code: 69,
    says: /ftp/,
  },
];
