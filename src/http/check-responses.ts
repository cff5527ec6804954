import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import type { ResponseRule, RetryConfig } from "../generated/configuration.ts";
import { retryCodes } from "./retry.ts";

/** What no schema can tell of `api.http.responses`; `login`: is there a login that a rule could ask for? */
export function checkResponses(rules: readonly ResponseRule[] | undefined, at: string, login: boolean): Fault[] {
  return (rules ?? []).flatMap((rule, index) => checkRule(rule, pointer(at, index), login));
}

function checkRule(
  { when, then, message, after, temporary, authentication }: ResponseRule,
  at: string,
  login: boolean,
): Fault[] {
  const faults: Fault[] = [];
  const fault = (field: string, text: string): void => void faults.push({ pointer: pointer(at, field), message: text });
  if (when === undefined) return faults;
  const inWhen = (field: string, text: string): void => fault("when", `${JSON.stringify(field)} ${text}`);
  if (when.header !== undefined && when.path !== undefined) inWhen("header", 'cannot stand beside "path"');
  const named = when.header ?? when.path;
  if (when.is !== undefined && named === undefined) inWhen("is", 'needs "header" or "path"');
  if (when.matches !== undefined && named === undefined) inWhen("matches", 'needs "header" or "path"');
  if (when.status === undefined && named === undefined) fault("when", 'needs "status", "header" or "path"');
  if (when.matches !== undefined && !isPattern(when.matches))
    inWhen("matches", "is no regular expression of at most 1000 characters");
  for (const [name, value] of Object.entries({ message, temporary, authentication })) {
    if (value !== undefined && value !== false && then !== "fail") fault(name, 'goes with "then": "fail" alone');
  }
  if (after !== undefined && then !== "retry") fault("after", 'goes with "then": "retry" alone');
  if (temporary === true && authentication === true) fault("temporary", 'cannot stand beside "authentication"');
  for (const [name, source] of Object.entries({ message, after })) {
    const isLast = typeof source === "object" && source.lastRecord !== undefined;
    if (isLast) fault(name, '"lastRecord" is known to paging alone: it needs "path" or "header"');
  }
  if (then === "login" && !login) fault("then", '"login" needs an authentication that logs in');
  return faults;
}

const busy = [429, 503];

/**
 * Rules that would also end a run at a status which is tried again else: a rule beats the retried statuses (contract C-14.3), and an
 * API that is asked too often often says `error` in its answer.
 */
export function hintResponses(
  rules: readonly ResponseRule[] | undefined,
  at: string,
  { maxRetries, http }: RetryConfig = {},
): Fault[] {
  const codes = http?.codes ?? retryCodes;
  let retried = maxRetries === 0 ? [] : busy.filter((status) => codes.includes(status));
  return (rules ?? []).flatMap(({ when, then }, index) => {
    if (when?.status !== undefined) {
      const own = [when.status].flat();
      if (when.header === undefined && when.path === undefined) retried = retried.filter((one) => !own.includes(one));
      return [];
    }
    if (retried.length === 0 || !["fail", "empty", "end"].includes(then)) return [];
    const message = `holds for a ${retried.join(" or ")} too, which is then not tried again; name the statuses that are meant: "status": 200`;
    return [{ pointer: pointer(at, index, "when"), message }];
  });
}

function isPattern(text: string): boolean {
  if (text.length > 1000) return false;
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
