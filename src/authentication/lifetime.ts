import { SpileError } from "../core/errors.ts";
import { sourceOf, sourceText } from "../core/runs/response-source.ts";
import { printable, shortText } from "../core/text/printable.ts";
import { greatestUnixSeconds } from "../core/values/instant.ts";
import { isNumber, scalarText, type Value } from "../core/values/value.ts";
import { FunctionFault } from "../expression/php/operand.ts";
import { strtotime } from "../expression/php/strtotime.ts";
import type { Expiry } from "../generated/configuration.ts";
import { answerValue, type LoginAnswer } from "./login-answer.ts";

/** Lifetime of a login's credentials. `until` is in milliseconds since 1970. */
export type Lifetime =
  | { readonly kind: "run" }
  | { readonly kind: "request" }
  | { readonly kind: "seconds"; readonly seconds: number }
  | { readonly kind: "until"; readonly time: number };

/** Greatest time of a JavaScript date, in milliseconds since 1970. */
const greatestTime = 8.64e15;

/**
 * Returns the lifetime of a login whose answer is `answer`. `now` is in milliseconds since 1970. A time in the answer
 * that is invalid, negative or past is an authentication error (contract C-5.4).
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
    if (number === undefined) throw fault("which is not a number of seconds; if it is a time, remove expires.relative");
    return lasting(expires.unit === "milliseconds" ? number / 1000 : number);
  }
  if (time === undefined || !Number.isFinite(time))
    throw fault("which is neither a Unix time nor a date-time; expires.response must point to the expiry");
  // Most answers are in whole seconds: a time within the current second is not past yet.
  if (time < Math.floor(now / 1000) * 1000) throw fault("an expiry in the past; is the clock of this machine right?");
  // "Never", such as 9999999999999999, is beyond the range of a date.
  return { kind: "until", time: Math.min(time, greatestTime) };
}

/** Returns, for people, how long the credentials are valid. */
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

/** Returns a lifetime in seconds; 0 and Generic Extractor's -1 mean a login before every request. */
function lasting(seconds: number): Lifetime {
  return seconds > 0 ? { kind: "seconds", seconds } : { kind: "request" };
}

/** Reads a number, or a string of digits with an optional fraction. */
function numberOf(value: Value): number | undefined {
  // A number that JavaScript cannot hold exactly would throw if it were converted directly.
  if (isNumber(value)) return Number(value.toString());
  if (typeof value === "string" && /^\s*-?\d+(\.\d+)?\s*$/.test(value)) return Number(value);
  return undefined;
}

/**
 * Reads a time as Generic Extractor does: in PHP's forms, among them ISO 8601 and RFC 1123, in UTC unless a zone is
 * named.
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
