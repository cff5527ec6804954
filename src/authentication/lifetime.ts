import { SpileError } from "../core/errors.ts";
import { sourceOf, sourceText } from "../core/runs/response-source.ts";
import { printable, shortText } from "../core/text/printable.ts";
import { greatestUnixSeconds } from "../core/values/instant.ts";
import { doubleOf, isNumber, scalarText, type Value } from "../core/values/value.ts";
import { FunctionFault } from "../expression/php/operand.ts";
import { strtotime } from "../expression/php/strtotime.ts";
import type { Expiry } from "../generated/configuration.ts";
import { answerValue, type LoginAnswer } from "./login-answer.ts";

/** Lifetime of a login's credentials. `run`: no limit. `request`: one request only. `time` is in Unix milliseconds. */
export type Lifetime =
  | { readonly kind: "run" }
  | { readonly kind: "request" }
  | { readonly kind: "seconds"; readonly seconds: number }
  | { readonly kind: "until"; readonly time: number };

/** Greatest time of a JavaScript date, in Unix milliseconds. */
const greatestTime = 8.64e15;

/**
 * Returns the lifetime that `expires` gives to a login with this answer. `now` is in Unix milliseconds. Throws SpileError
 * `authentication` if the time in the answer is invalid, negative or past (contract C-5.4).
 */
export function lifetimeOf(expires: Expiry | undefined, answer: LoginAnswer, now: number): Lifetime {
  if (expires === undefined) return { kind: "run" };
  if (typeof expires !== "object") return lasting(Number(expires));
  const value = answerValue(answer, expires.response);
  if (value === undefined || value === null) return { kind: "run" };
  const number = numberOf(value);
  const time = number === undefined ? dateTime(value, now) : number > greatestUnixSeconds ? number : number * 1000;
  const fault = (what: string): SpileError => {
    // The path may lead to a token by mistake, so the message shows the value only if it is a time.
    const text = printable(scalarText(value) ?? "");
    const shownText = time === undefined ? "something" : shortText(text);
    return new SpileError(
      "authentication",
      `the login's answer has ${shownText} ${sourceText(sourceOf(expires.response))}, ${what}`,
      {
        pointer: "/api/authentication/expires",
      },
    );
  };
  if (number !== undefined && number < 0) throw fault("a negative expiry");
  if (expires.relative === true) {
    if (number === undefined) throw fault("which is not a number; if it is a time, remove expires.relative");
    return lasting(expires.unit === "milliseconds" ? number / 1000 : number);
  }
  if (time === undefined || !Number.isFinite(time))
    throw fault("which is neither a Unix time nor a date-time; expires.response must point to the expiry");
  // Most answers are in whole seconds: a time within the current second is not past yet.
  if (time < Math.floor(now / 1000) * 1000) throw fault("an expiry in the past; is the clock of this machine right?");
  // "Never", such as 9999999999999999, is beyond the range of a date.
  return { kind: "until", time: Math.min(time, greatestTime) };
}

/** Describes a lifetime for people. */
export function lifetimeText(lifetime: Lifetime): string {
  switch (lifetime.kind) {
    case "run":
      return "the credentials are kept for the whole run";
    case "request":
      return "the credentials are for one request";
    case "seconds":
      return `the credentials expire in ${lifetime.seconds} s`;
    case "until":
      return `the credentials expire at ${new Date(lifetime.time).toISOString()}`;
  }
}

/** Returns a lifetime in seconds. 0 and Generic Extractor's -1 mean a login before every request. */
function lasting(seconds: number): Lifetime {
  return seconds > 0 ? { kind: "seconds", seconds } : { kind: "request" };
}

/** Reads a number, or a string of digits with an optional fraction. */
function numberOf(value: Value): number | undefined {
  if (isNumber(value)) return doubleOf(value);
  if (typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  return undefined;
}

/**
 * Reads a time in any form of PHP's `strtotime`, as Generic Extractor does: ISO 8601, RFC 1123 and others. A time without a zone is
 * in UTC. Returns Unix milliseconds; undefined if it is not a time.
 */
function dateTime(value: Value, now: number): number | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return strtotime(value, Math.floor(now / 1000)) * 1000;
  } catch (error) {
    if (error instanceof FunctionFault) return undefined;
    throw error;
  }
}
