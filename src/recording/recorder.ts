import { STATUS_CODES } from "node:http";
import { messageOf } from "../core/errors.ts";
import { decodeForm, type WireRequest } from "../core/requests/request.ts";
import { headerOf, type Transport, type WholeResponse } from "../core/requests/transport.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { briefAddress } from "../core/text/printable.ts";
import { decodeWhole } from "../http/body/decode.ts";
import { TransportFault } from "../http/connection/fault.ts";
import { shownAddress, shownBody, shownHeader } from "../knowledge/credentials.ts";
import { version } from "../version.ts";
import { type ArchiveFile, openArchiveFile } from "./archive-file.ts";
import type {
  Archive,
  ArchiveContent,
  ArchiveEntry,
  ArchivePage,
  ArchiveRequest,
  ArchiveResponse,
  Named,
} from "./har.ts";
import { maskedBody } from "./masked-body.ts";

/** Default of `--record-body`. */
const defaultLimit = 1_048_576;

/**
 * Maximum number of bytes of a body, before and after decoding, that are read into memory to mask them. Nothing of a longer body is
 * kept. A greater `--record-body` raises this number.
 */
const longestMasked = 2 ** 24;

/** Records every request that a run sends, and its answer. */
export interface Recorder {
  readonly transport: Transport;
  /** Returns the time of the run's clock in Unix milliseconds, and records it. */
  now(): number;
  /** Completes the file and gives it its name, even after a failed run. Rejects with SpileError `output`. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly secrets: Secrets;
  /** Maximum number of bytes of a body that are kept. Default: 1 MiB. */
  readonly limit?: number | undefined;
  /** Called once, for the first body of which nothing is kept. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** An entry whose answer is not masked yet. */
interface UnmaskedEntry {
  readonly startedAt: number;
  readonly milliseconds: number;
  readonly request: ArchiveRequest;
  readonly answer: WholeResponse | Error;
  readonly clock: readonly number[];
}

/**
 * Begins a recording (HTTP Archive 1.2). The file gets its name when the recording is closed. An answer is masked and written
 * when the next answer comes or the recording is closed: by then, the run knows which values of a login's answer are secrets.
 * Rejects with SpileError `output`.
 */
export async function openRecorder(path: string, options: RecorderOptions): Promise<Recorder> {
  return recordTo(await openArchiveFile(path), options);
}

/** Begins a recording in memory. After it is closed, `archive` returns it. */
export function recordInMemory(options: RecorderOptions): Recorder & { archive(): Archive } {
  const chunks: Buffer[] = [];
  const file: ArchiveFile = {
    write: (bytes) => void chunks.push(bytes),
    commit: () => undefined,
    discard: () => undefined,
    isSynchronous: false,
  };
  return { ...recordTo(file, options), archive: () => JSON.parse(Buffer.concat(chunks).toString()) };
}

function recordTo(file: ArchiveFile, { secrets, limit = defaultLimit, warn }: RecorderOptions): Recorder {
  const bytes = Math.max(longestMasked, limit);
  let hasWarned = false;
  const mask = (text: string): string => secrets.mask(text);
  /** The entry of the latest answer. It may hold secrets that the run does not know yet, until the run sends another request. */
  let newest: UnmaskedEntry | undefined;
  /** Entries to mask and write. */
  const ready: UnmaskedEntry[] = [];
  let clock: number[] = [];
  let entries = 0;
  let hasBegun = false;
  let lastWrite: Promise<void> = Promise.resolve();

  /** Returns the next piece of the file, each piece once; undefined if there is none yet. */
  function nextPiece(): Buffer | undefined {
    if (!hasBegun) {
      hasBegun = true;
      return Buffer.from(beginningAt(ready[0]?.clock[0] ?? clock[0] ?? Date.now()));
    }
    const entry = ready.shift();
    if (entry === undefined) return undefined;
    entries += 1;
    return Buffer.from(`${entries === 1 ? "" : ","}\n${JSON.stringify(entryOf(entry, mask, { limit, bytes }))}`);
  }

  function writeReady(): Promise<void> {
    lastWrite = lastWrite.then(async () => {
      try {
        for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) await file.write(piece);
      } catch (error) {
        await discard();
        throw error;
      }
    });
    return lastWrite;
  }

  function takeNewest(): void {
    if (newest !== undefined) ready.push(newest);
    newest = undefined;
  }

  async function discard(): Promise<void> {
    process.off("exit", finish);
    await file.discard();
  }

  /**
   * Completes the file if the process exits before `close`. Leaves out the newest answer, which may hold secrets that the run does
   * not know yet.
   */
  function finish(): void {
    try {
      for (let piece = nextPiece(); piece !== undefined; piece = nextPiece()) void file.write(piece);
      void file.write(Buffer.from(archiveEnd));
      void file.commit();
    } catch {
      void file.discard();
    }
  }
  if (file.isSynchronous) process.once("exit", finish);

  const transport: Transport = async (wire, send) => {
    const startedAt = Date.now();
    const beginning = performance.now();
    const request = requestOf(wire, mask);
    const readings = clock;
    clock = [];
    takeNewest();
    const keepAnswer = async (answer: WholeResponse | Error): Promise<void> => {
      takeNewest();
      newest = { startedAt, milliseconds: performance.now() - beginning, request, answer, clock: readings };
      if (ready.length > 0) await writeReady();
    };
    let answer: WholeResponse;
    try {
      answer = await send();
    } catch (error) {
      await keepAnswer(error instanceof Error ? error : new Error(messageOf(error)));
      throw error;
    }
    if (answer.hasNoBody && !hasWarned) {
      hasWarned = true;
      warn?.(
        `${wire.method} ${briefAddress(shownAddress(wire.url, mask))}: ${longText(bytes)}; --replay refuses this request`,
      );
    }
    await keepAnswer(answer);
    return answer;
  };

  return {
    now() {
      const now = Date.now();
      clock.push(now);
      return now;
    },
    transport: Object.assign(transport, { bound: { bytes } }),
    async close() {
      takeNewest();
      await writeReady();
      try {
        await file.write(Buffer.from(archiveEnd));
        process.off("exit", finish);
        await file.commit();
      } catch (error) {
        await discard();
        throw error;
      }
    },
  };
}

function longText(bytes: number): string {
  return `the answer is longer than ${bytes} bytes, so nothing of its body is recorded without a greater --record-body`;
}

/** The text after the last entry of an archive. */
const archiveEnd = "\n]}}\n";

function beginningAt(startedAt: number): string {
  const creator = { name: "spile", version };
  const page: ArchivePage = { startedDateTime: iso(startedAt), id: "run", title: "spile", pageTimings: {} };
  const head = JSON.stringify({ log: { version: "1.2", creator, pages: [page], entries: [] } });
  return head.slice(0, -"]}}".length);
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Describes a request, masked when it is sent. A replay masks it at the same moment, with the same secrets, and so finds it. */
function requestOf({ method, url, headers, body }: WireRequest, mask: (text: string) => string): ArchiveRequest {
  const address = shownAddress(url, mask);
  const visibleHeaders = [...headers.values()].map(([name, value]) => ({
    name,
    value: shownHeader(name, value, mask),
  }));
  const mimeType = headers.get("content-type")?.[1] ?? "";
  return {
    method,
    url: address,
    httpVersion: "HTTP/1.1",
    cookies: [],
    headers: visibleHeaders,
    queryString: queryOf(address),
    ...(body === undefined ? {} : { postData: { mimeType, text: shownBody(body, mask) } }),
    headersSize: -1,
    bodySize: body === undefined ? 0 : Buffer.byteLength(body),
  };
}

function queryOf(url: string): readonly Named[] {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return { name: decodeForm(name), value: decodeForm(value.join("=")) };
    });
}

interface Limits {
  /** Maximum number of bytes of a body that are kept. */
  readonly limit: number;
  /** Maximum number of bytes of a body that are read into memory. */
  readonly bytes: number;
}

function entryOf(entry: UnmaskedEntry, mask: (text: string) => string, limits: Limits): ArchiveEntry {
  const { startedAt, milliseconds, request, answer, clock } = entry;
  const time = Math.round(milliseconds);
  return {
    pageref: "run",
    startedDateTime: iso(startedAt),
    time,
    request,
    response: answer instanceof Error ? failureOf(answer, mask) : responseOf(answer, mask, limits),
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(clock.length === 0 ? {} : { _clock: clock }),
  };
}

const commonFields = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 } as const;

function responseOf(answer: WholeResponse, mask: (text: string) => string, limits: Limits): ArchiveResponse {
  const { status, headers, body } = answer;
  return {
    ...commonFields,
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers: headers.map(([name, value]) => ({ name, value: maskedHeader(name, value, mask) })),
    content: contentOf(answer, mask, limits),
    redirectURL: mask(headerOf(answer, "location") ?? ""),
    bodySize: answer.hasNoBody ? -1 : body.length,
    ...(answer.framed === false ? { _framed: false } : {}),
    ...(answer.reset === true ? { _reset: true } : {}),
  };
}

/**
 * Masks the secrets in a header of an answer. Other values stay, even under a name that suggests a credential, because such a
 * header may contain the token of the next page. Values of cookies are always masked.
 */
function maskedHeader(name: string, value: string, mask: (text: string) => string): string {
  return name.toLowerCase() === "set-cookie" ? mask(value).replace(/^([^=;]*=)[^;]*/, "$1***") : mask(value);
}

function contentOf(answer: WholeResponse, mask: (text: string) => string, { limit, bytes }: Limits): ArchiveContent {
  const mimeType = headerOf(answer, "content-type") ?? "";
  if (answer.hasNoBody) return { size: -1, mimeType, text: "", comment: longText(bytes), _truncated: true };
  const decoded = decodeWhole(answer.body, headerOf(answer, "content-encoding"), bytes);
  const body = decoded ?? answer.body;
  const { text, encoding, truncated } = maskedBody(body, mask, limit);
  return {
    size: body.length,
    mimeType,
    text,
    ...(encoding === undefined ? {} : { encoding }),
    ...(truncated ? { comment: `the first ${limit} of ${body.length} bytes (--record-body)`, _truncated: true } : {}),
    ...(decoded === undefined ? { _encoded: true } : {}),
  };
}

/** Describes why a request got no answer. A replay throws the same error. */
function failureOf(error: Error, mask: (text: string) => string): ArchiveResponse {
  const abortCode = error.name === "AbortError" ? "ABORT_ERR" : undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : abortCode;
  const outlook = error instanceof TransportFault ? error.outlook : undefined;
  return {
    ...commonFields,
    status: 0,
    statusText: "",
    headers: [],
    content: { size: 0, mimeType: "" },
    redirectURL: "",
    bodySize: -1,
    _error: {
      message: mask(error.message),
      ...(code === undefined ? {} : { code }),
      ...(outlook === undefined ? {} : { outlook }),
    },
  };
}
