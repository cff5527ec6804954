import type { Agent } from "node:http";
import { PassThrough, type Readable, type Transform } from "node:stream";
import { readConfiguration } from "./compile/read.ts";
import type { SharedOption, SharedOptions } from "./config/shared-options.ts";
import { exitCodes, messageOf, SpileError } from "./core/errors.ts";
import { concealError, concealed } from "./core/runs/conceal.ts";
import type { RunEvent } from "./core/runs/event.ts";
import { warningEvent } from "./core/runs/event.ts";
import type { RunOptions, RunResult } from "./core/runs/run.ts";
import { Secrets } from "./core/secrets/redact.ts";
import { loadPatterns } from "./expression/pattern.ts";
import type { Configuration } from "./generated/configuration.ts";
import { isCredential } from "./knowledge/credentials.ts";
import { readOptions } from "./library-options.ts";
import { type ExtractionResult, type ReportingOptions, runReporting } from "./library-run.ts";
import { RecordParser } from "./output/record-parser.ts";

export { ConfigurationError, type ErrorCode, type ErrorKind, exitCodes, SpileError } from "./core/errors.ts";
export type { EventName, Level, RunEvent } from "./core/runs/event.ts";
export type { JobResult, RunResult, StateStore } from "./core/runs/run.ts";
export type { Value } from "./core/values/value.ts";
export type * from "./generated/configuration.ts";
export type { ExtractionResult } from "./library-run.ts";
export type { Archive } from "./recording/har.ts";

/** The options of `extract`. They include the options that the command has for a run. */
export interface ExtractOptions extends SharedOptions, Pick<RunOptions, "headers">, ReportingOptions {
  /** Maximum number of bytes of a key or a watched value; default 1 MiB. */
  readonly maxStringBytes?: number | string;
  /** Settings that override those of the configuration, as `--set` does. */
  readonly set?: Readonly<Record<string, string>>;
  /** Variables in which `{"env": "NAME"}` is looked up; `process.env` if absent. */
  readonly environment?: NodeJS.ProcessEnv;
  /**
   * Data types, endpoints or ids of the jobs to run, which may be child jobs. Default: all. Records of the jobs above a chosen
   * child job are not written.
   */
  readonly jobs?: readonly string[];
  /** Returns Node's agent for an address, or undefined to let spile choose. */
  readonly agent?: (address: URL) => Agent | undefined;
  readonly signal?: AbortSignal;
  /** Receives every event of the run, with masked secrets. */
  readonly onEvent?: (event: RunEvent) => void;
}

export interface RecordOptions<T = unknown> extends Omit<ExtractOptions, "tag"> {
  /**
   * Parses the JSON text of a record. Default: `JSON.parse`, which alters numbers such as 13911860366432393 and 1.10. Pass
   * another parser, such as `lossless-json`, if such digits matter.
   */
  readonly parse?: (text: string) => T;
}

/** A run in progress, as a stream of its records. */
export interface Extraction extends Readable {
  /**
   * Resolves when the run has ended. Never rejects. The error of a failed run also destroys the stream. If the program neither
   * listens to the stream's `error` event nor reads `result`, Node ends the process with this error.
   */
  readonly result: Promise<ExtractionResult>;
}

/** A run in progress, as a stream of parsed records. `T` is the result of `parse`. */
export type RecordExtraction<T> = AsyncIterable<{ readonly dataType: string; readonly record: T }> & Extraction;

/**
 * Runs a configuration (an object, or its text). Returns a stream of its records as NDJSON: whole lines, with every value
 * unchanged. Throws ConfigurationError at once for an invalid configuration. Regular expressions are checked when the run begins,
 * and an invalid one ends it with exit code 78. Destroying the stream without an error, or leaving a loop over it, ends the run
 * without a failure (verdict limited). With `strict`, a suspect run ends with an error (`ERR_SUSPECT`) after the last record. An
 * error that `onEvent` throws destroys the stream.
 */
export function extract(configuration: Configuration | string, options: ExtractOptions = {}): Extraction {
  return start(configuration, options, new PassThrough());
}

/** Works as `extract`, in object mode: each chunk is `{ dataType, record }` with a parsed record. `T` is the result of `parse`. */
export function extractRecords<T = unknown>(
  configuration: Configuration | string,
  options: RecordOptions<T> = {},
): RecordExtraction<T> {
  const { parse = JSON.parse, ...otherOptions } = options;
  return start(configuration, { ...otherOptions, tag: true }, new RecordParser(parse));
}

/** The options with all quantities as numbers. */
type ParsedOptions = Omit<ExtractOptions, QuantityName> & Pick<RunOptions, QuantityName>;
type QuantityName = Exclude<SharedOption, "state"> | "maxStringBytes";

function start(configuration: Configuration | string, options: ExtractOptions, stream: Transform): Extraction {
  const parsedOptions = readOptions(options) as ParsedOptions;
  const { set = {}, environment = process.env, onEvent = () => undefined, signal, agent, ...others } = parsedOptions;
  const { record, replay, report, metrics, metricsName, ...plainOptions } = others;
  const secrets = new Secrets();
  for (const secret of secretsIn(parsedOptions.headers)) secrets.add(secret);
  const text = typeof configuration === "string" ? configuration : JSON.stringify(configuration);
  const strict = options.strict ?? false;
  const name = "configuration";
  const loaded = concealing(secrets, () =>
    readConfiguration(text, { name, set: new Map(Object.entries(set)), environment, strict, secrets }),
  );
  for (const { pointer, message } of loaded.warnings) {
    onEvent(concealed(warningEvent(`${pointer}: ${message}`), secrets));
  }
  const closed = new AbortController();
  stream.once("close", () => closed.abort(reasonOf(stream)));
  let hasStopped = false;
  const emit = (event: RunEvent): void => {
    if (hasStopped) return;
    try {
      onEvent(event);
    } catch (error) {
      // The error comes from the caller's own function: the caller gets it, and the run ends.
      hasStopped = true;
      stream.destroy(error instanceof Error ? error : new Error(String(error), { cause: error }));
    }
  };
  const runOptions: RunOptions = {
    ...plainOptions,
    agent: agent && ((address) => chosenAgent(agent, address)),
    target: { kind: "stream", stream },
    signal: signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]),
    emit,
    secrets,
  };
  const ending = loadPatterns(text).then(() =>
    runReporting(loaded, runOptions, { record, replay, report, metrics, metricsName }),
  );
  const result = ending.then((ended) => {
    const error = ended.failure ?? suspectError(ended);
    if (error !== undefined) destroyBehindRecords(stream, error);
    else if (!stream.destroyed) stream.end();
    return ended;
  });
  // A caller that reads `result` finds a failure there, so the stream's `error` event needs no listener of the caller.
  let isHandled = false;
  const handleErrors = (): void => {
    if (!isHandled) stream.on("error", () => undefined);
    isHandled = true;
  };
  return Object.defineProperty(stream, "result", {
    enumerable: true,
    get() {
      handleErrors();
      return result;
    },
  }) as Transform & { readonly result: typeof result };
}

/** Returns the values of headers whose names mean credentials, with and without a scheme such as "Bearer". */
function secretsIn(headers: RunOptions["headers"] = {}): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isCredential(name) ? value : []));
  return values.flatMap((value) => [value, value.replace(/^[A-Za-z]+ +/, "")]);
}

/**
 * Returns the agent that a program's function chooses for an address. Throws SpileError `usage` if the function throws or returns
 * something else.
 */
function chosenAgent(choose: (address: URL) => Agent | undefined, address: URL): Agent | undefined {
  let agent: Agent | undefined;
  try {
    agent = choose(address);
  } catch (error) {
    throw new SpileError("usage", `the function of the option agent failed: ${messageOf(error)}`, { cause: error });
  }
  const isAgent = typeof (agent as { addRequest?: unknown } | undefined)?.addRequest === "function";
  if (agent === undefined || isAgent) return agent;
  throw new SpileError("usage", "the option agent must return an agent of node:http or node:https, or undefined");
}

/** Returns the error of a suspect run under `strict`; undefined for any other run. */
function suspectError({ exitCode, jobs }: RunResult): SpileError | undefined {
  if (exitCode !== exitCodes.suspect) return undefined;
  const reasons = jobs.filter(({ verdict }) => verdict === "suspect").map(({ job, reason }) => `${job}: ${reason}`);
  return new SpileError("suspect", `the run is suspect: ${reasons.join("; ")}`);
}

/** Destroys a stream after its reader has taken everything that is in it, or at once if it has no reader. */
function destroyBehindRecords(stream: Transform, error: SpileError): void {
  const isRead = stream.readableFlowing !== null || stream.listenerCount("readable") > 0;
  if (!isRead || stream.readableLength === 0) {
    stream.destroy(error);
    return;
  }
  const { read } = stream;
  stream.read = (size) => {
    const chunk: unknown = read.call(stream, size);
    if (stream.readableLength === 0) process.nextTick(() => stream.destroy(error));
    return chunk;
  };
}

/** Returns the result of `work`, and masks secrets in its errors. */
function concealing<T>(secrets: Secrets, work: () => T): T {
  try {
    return work();
  } catch (error) {
    concealError(error, secrets);
    throw error;
  }
}

/**
 * Returns the reason why a stream was closed. If the reader left a loop over the stream, Node destroyed the stream with an
 * AbortError. This does not count as a failure.
 */
function reasonOf({ errored }: Transform): unknown {
  const hasLeft = errored === null || (errored as NodeJS.ErrnoException).code === "ABORT_ERR";
  return hasLeft ? new SpileError("closedPipe", "the reader has stopped reading") : errored;
}
