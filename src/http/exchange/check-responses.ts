import type { Fault } from "../../core/errors.ts";
import type { ConfiguredSource } from "../../core/runs/response-source.ts";
import { pointerTo } from "../../core/values/path.ts";
import { patternFault } from "../../expression/pattern.ts";
import type { ResponseCondition, ResponseRule } from "../../generated/configuration.ts";
import { retryCodes } from "../pacing/retry.ts";
import type { RetryOptions } from "./answer-policy.ts";

/**
 * Returns the faults of `api.http.responses` that the schema cannot find. `login`: true if there is a login, which a rule may
 * renew.
 */
export function checkResponses(rules: readonly ResponseRule[] | undefined, pointer: string, login: boolean): Fault[] {
  return (rules ?? []).flatMap((rule, index) => checkRule(rule, pointerTo(pointer, index), login));
}

function checkRule(
  { when, then, message, after, temporary, authentication }: ResponseRule,
  pointer: string,
  login: boolean,
): Fault[] {
  const faults: Fault[] = [];
  const fault = (field: string, text: string): void =>
    void faults.push({ pointer: pointerTo(pointer, field), message: text });
  if (when === undefined) return faults;
  faults.push(...checkCondition(when, pointerTo(pointer, "when")));
  for (const [name, value] of Object.entries({ message, temporary, authentication })) {
    if (value !== undefined && value !== false && then !== "fail") fault(name, 'is only allowed with "then": "fail"');
  }
  if (after !== undefined && then !== "retry") fault("after", 'is only allowed with "then": "retry"');
  if (temporary === true && authentication === true) fault("temporary", 'cannot be combined with "authentication"');
  for (const [name, source] of Object.entries({ message, after }))
    faults.push(...checkRuleSource(source, pointerTo(pointer, name)));
  if (then === "login" && !login) fault("then", '"login" needs an authentication that logs in');
  return faults;
}

/** Returns the faults of a condition on a response that the schema cannot find. */
export function checkCondition(when: ResponseCondition, pointer: string): Fault[] {
  const faults: Fault[] = [];
  const fault = (text: string): void => void faults.push({ pointer, message: text });
  if (when.header !== undefined && when.path !== undefined) fault('"header" cannot be combined with "path"');
  const examined = when.header ?? when.path;
  if (when.where !== undefined && when.path === undefined) fault('"where" needs "path", which points to the list');
  if (when.value !== undefined && when.where === undefined) fault('"value" needs "where", which finds the element');
  if (when.is !== undefined && examined === undefined) fault('"is" needs "header" or "path"');
  if (when.matches !== undefined && examined === undefined) fault('"matches" needs "header" or "path"');
  if (when.status === undefined && examined === undefined) fault('needs "status", "header" or "path"');
  const pattern = when.matches === undefined ? undefined : patternFault(when.matches);
  if (pattern !== undefined) fault(`"matches" ${pattern}`);
  return faults;
}

/** Returns the fault of a source that only paging can read. */
export function checkRuleSource(source: ConfiguredSource | undefined, pointer: string): Fault[] {
  if (typeof source !== "object" || source.lastRecord === undefined) return [];
  return [{ pointer, message: '"lastRecord" works in paging only: use "path" or "header"' }];
}

const busy = [429, 503];

/**
 * Returns a hint for each rule without a status that would fail or accept an answer that is now retried. Rules take precedence
 * over retried statuses (contract C-14.3), and the answer to too many requests may contain the field that the rule examines.
 */
export function hintResponses(
  rules: readonly ResponseRule[] | undefined,
  pointer: string,
  { maxRetries, codes = retryCodes }: RetryOptions,
): Fault[] {
  let retriedStatuses = maxRetries === 0 ? [] : busy.filter((status) => codes.includes(status));
  return (rules ?? []).flatMap(({ when, then }, index) => {
    if (when?.status !== undefined) {
      const ruleStatuses = [when.status].flat();
      if (when.header === undefined && when.path === undefined)
        retriedStatuses = retriedStatuses.filter((one) => !ruleStatuses.includes(one));
      return [];
    }
    if (retriedStatuses.length === 0 || !["fail", "empty", "end"].includes(then)) return [];
    const message = `also matches a ${retriedStatuses.join(" or ")}, which is then not retried; name the statuses: "status": 200`;
    return [{ pointer: pointerTo(pointer, index, "when"), message }];
  });
}
