import { SpileError } from "./errors.ts";
import type { RunEvent } from "./event.ts";
import { printable } from "./printable.ts";
import type { Secrets } from "./redact.ts";
import type { JobResult } from "./run.ts";

/** A signal that is also aborted when the run has taken too long; `end` forgets the time. */
export interface TimeLimit {
  readonly signal: AbortSignal;
  end(): void;
}

/** Bounds a run by `maxTime` (ms): the reason of the abort is a temporary failure, as running again later may help. */
export function limitTime(signal: AbortSignal, maxTime: number | undefined): TimeLimit {
  if (maxTime === undefined) return { signal, end: () => undefined };
  const over = new AbortController();
  const text = `the run has taken longer than --max-time of ${maxTime / 1000} s and was stopped; lines written stay`;
  const stop = (): void => over.abort(new SpileError("temporary", text));
  // Node's timers end at 24 days.
  const timer = setTimeout(stop, Math.min(maxTime, 2 ** 31 - 1));
  return { signal: AbortSignal.any([signal, over.signal]), end: () => clearTimeout(timer) };
}

/** The longest text of an event: what an API has answered may be of any length. */
const longest = 4000;

/** An event, or a job's result, fit to be told: no secrets, no control characters, cut where a text is long. */
export function concealed<T extends RunEvent | JobResult>(told: T, secrets: Secrets): T {
  let result = told;
  for (const [name, value] of Object.entries(told)) {
    const fitting = typeof value === "string" ? fit(value, secrets) : value;
    if (fitting !== value) result = { ...result, [name]: fitting };
  }
  return result;
}

/** Masks an error where it stands: message, stack and what Node has put beside them, its causes too; programs print all that. */
export function concealError(error: unknown, secrets: Secrets): void {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (writable !== true) continue;
      if (typeof value === "string") Reflect.set(at, name, secrets.mask(value));
      // The parser's errors carry the bytes they stumbled over.
      else if (Buffer.isBuffer(value)) Reflect.deleteProperty(at, name);
    }
    if (at instanceof AggregateError) for (const one of at.errors) concealError(one, secrets);
  }
}

function fit(text: string, secrets: Secrets): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}...` : text;
  return printable(secrets.mask(cut));
}
