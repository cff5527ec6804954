import { setImmediate as immediate } from "node:timers/promises";
import { runBlocking } from "../core/blocking-work.ts";
import { SpileError } from "../core/errors.ts";
import { readWhole } from "../core/files/read-whole.ts";
import type { WireRequest } from "../core/requests/request.ts";
import type { Transport, WholeResponse } from "../core/requests/transport.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { briefAddress, printable } from "../core/text/printable.ts";
import { reasonOf } from "../core/text/reason.ts";
import { TransportFault } from "../http/connection/fault.ts";
import { shownAddress, shownBody } from "../knowledge/credentials.ts";
import type { Archive, ArchiveEntry } from "./har.ts";

/** Answers the requests of a run from a recording. */
export interface Replay {
  readonly transport: Transport;
  /** Returns the next time of the recorded clock, in Unix milliseconds; after the last one, returns the last one again. */
  now(): number;
}

interface RecordedAnswers {
  /** Entries of one request, in the order of the recording. */
  readonly entries: readonly ArchiveEntry[];
  /** Number of these entries that were already replayed. */
  used: number;
}

/**
 * Reads a recording. Requests are matched by method, address and body, with secrets masked on both sides. Each entry answers
 * one request. Rejects with SpileError `configuration` if the file is not a recording.
 */
export async function openReplay(path: string, secrets: Secrets, signal?: AbortSignal): Promise<Replay> {
  const refuse = refusal(path);
  try {
    const bytes = await readWhole(path, signal);
    const replay = (): Replay => replayOf(JSON.parse(bytes.toString()), path, secrets);
    return signal === undefined ? replay() : await runBlocking(replay, signal);
  } catch (error) {
    if (error === signal?.reason) throw error;
    if (error instanceof SpileError) throw error;
    throw refuse(error instanceof SyntaxError ? `it is not JSON: ${error.message}` : reasonOf(error), error);
  }
}

/**
 * Replays a recording that is given as an object; `path` is its name in errors. Throws SpileError `configuration` if it is not a
 * recording.
 */
export function replayOf(archive: unknown, path: string, secrets: Secrets): Replay {
  const { log } = checkedArchive(archive, path);
  const mask = (text: string): string => secrets.mask(text);
  const recorded = new Map<string, RecordedAnswers>();
  for (const [key, entries] of grouped(log.entries)) recorded.set(key, { entries, used: 0 });
  const readings = log.entries.flatMap(({ startedDateTime, _clock }) => _clock ?? [Date.parse(startedDateTime)]);
  const started = log.pages?.[0]?.startedDateTime;
  let now = started === undefined ? (readings[0] ?? Date.now()) : Date.parse(started);

  return {
    now() {
      now = readings.shift() ?? now;
      return now;
    },
    async transport(wire) {
      const key = keyOf(
        wire.method,
        shownAddress(wire.url, mask),
        wire.body === undefined ? "" : shownBody(wire.body, mask),
      );
      const found = recorded.get(key);
      const entry = found?.entries[found.used];
      if (found === undefined || entry === undefined) throw missing(path, key, found, recorded);
      found.used += 1;
      // Lets the process handle signals. Nothing else in a replay waits for the event loop.
      await immediate();
      return answerOf(entry, path);
    },
  };
}

function refusal(path: string): (why: string, cause?: unknown) => SpileError {
  const remedy = "--replay takes a file that --record has written";
  return (why, cause) => new SpileError("configuration", `cannot replay ${path}: ${why}; ${remedy}`, { cause });
}

function checkedArchive(archive: unknown, path: string): Archive {
  const entries: unknown = (archive as Partial<Archive> | null | undefined)?.log?.entries;
  const isWhole = Array.isArray(entries) && entries.every((entry) => entry?.request?.url && entry.response);
  if (!isWhole) throw refusal(path)("it is not an HTTP archive (HAR 1.2)");
  return archive as Archive;
}

function grouped(entries: readonly ArchiveEntry[]): Map<string, ArchiveEntry[]> {
  const groups = new Map<string, ArchiveEntry[]>();
  for (const entry of entries) {
    const { method, url, postData } = entry.request;
    // Earlier versions recorded credentials that no configuration marks. Here they are masked by their names, as in a run.
    const key = keyOf(method, shownAddress(url, asWritten), shownBody(postData?.text ?? "", asWritten));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

function asWritten(text: string): string {
  return text;
}

function keyOf(method: WireRequest["method"] | string, url: string, body: string): string {
  const key = `${method.toUpperCase()} ${url}`;
  return body === "" ? key : `${key}\n${body}`;
}

/** Headers that are dropped if the recorded body is already decoded. */
const codingHeaders = /^(content-encoding|content-length|transfer-encoding)$/i;

/**
 * Error codes of requests that the recorded run itself ended: after a signal, --max-time, an abort, or a closed output.
 */
const abortCodes = /^(ABORT_ERR|ERR_(HANGUP|INTERRUPTED|TERMINATED|TEMPORARY|ABORTED|CLOSEDPIPE))$/;

function answerOf({ request, response }: ArchiveEntry, path: string): WholeResponse {
  const { status, headers, content, _error: error } = response;
  const where = `${request.method} ${briefAddress(request.url)}`;
  if (abortCodes.test(error?.code ?? "")) {
    const text = `${where}: ${path} has no answer to this request: the recorded run was stopped before an answer came`;
    throw new SpileError("refused", text);
  }
  if (error !== undefined || status === 0) throw faultOf(error);
  if (content._truncated) {
    const kept = content.size < 0 ? "nothing of the body" : "only the beginning";
    const text = `${where}: ${path} has ${kept} of this answer; record it with a greater --record-body`;
    throw new SpileError("refused", text);
  }
  const keptHeaders = headers.filter(
    ({ name }) => !name.startsWith(":") && (content._encoded || !codingHeaders.test(name)),
  );
  const body = Buffer.from(content.text ?? "", content.encoding === "base64" ? "base64" : "utf8");
  return {
    status,
    headers: keptHeaders.map(({ name, value }) => [name, value] as const),
    body,
    framed: response._framed ?? true,
    ...(response._reset === true ? { reset: true } : {}),
  };
}

function faultOf(error: ArchiveEntry["response"]["_error"]): Error {
  const { message = "there was no answer", code, outlook } = error ?? {};
  if (code === undefined) return new TransportFault(message, { outlook });
  return Object.assign(new Error(message), { code });
}

/** Returns the error for a request to which the recording has no answer, or no further answer. */
function missing(
  path: string,
  key: string,
  found: RecordedAnswers | undefined,
  all: ReadonlyMap<string, RecordedAnswers>,
): SpileError {
  const requestText = nameOf(key);
  if (found !== undefined) {
    const times = found.entries.length === 1 ? "once" : `${found.entries.length} times`;
    return new SpileError(
      "refused",
      `${requestText}: ${path} contains this request ${times}, but the run sends it again`,
    );
  }
  if ([...all.values()].every(({ entries, used }) => used === entries.length)) {
    return new SpileError(
      "refused",
      `${requestText}: ${path} ends before this request; the recorded run may have been stopped`,
    );
  }
  let nearest: { readonly key: string; readonly common: number } | undefined;
  for (const other of all.keys()) {
    const common = commonLength(key, other);
    if (common > (nearest?.common ?? -1)) nearest = { key: other, common };
  }
  const hint = nearest === undefined ? "" : `; the most similar recorded request is ${nameOf(nearest.key)}`;
  return new SpileError("refused", `${requestText}: ${path} does not contain this request${hint}`);
}

function nameOf(key: string): string {
  return briefAddress(printable(key.replace("\n", " ")));
}

/** Returns the number of characters that two texts share at their beginnings and ends. */
function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return start + end;
}
