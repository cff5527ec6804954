import type { QueryStyle } from "../core/requests/request.ts";
import { counted } from "../core/text/counted.ts";
import { scalarText, type Value } from "../core/values/value.ts";
import type { HttpOptions, RateLimit } from "../generated/configuration.ts";
import type { AnswerPolicy } from "./exchange/answer-policy.ts";
import type { ResponseRule } from "./exchange/response-rules.ts";

const lists: Readonly<Record<QueryStyle["lists"], string | undefined>> = {
  indices: undefined,
  brackets: "lists as a[]=x",
  repeat: "lists as a=x&a=y",
  comma: "lists as a=x,y",
};

export interface DescribedRequests {
  readonly style: QueryStyle;
  readonly policy: AnswerPolicy;
  /** True if the job or one of its parents sets a policy. */
  readonly hasJobPolicy: boolean;
  /** Rates of the job; if it has none, those of its nearest ancestor that has rates. */
  readonly rates: RateLimit | undefined;
}

/** Describes everything about a job's requests, and about the treatment of their answers, that differs from the defaults. */
export function describeHttp(
  http: HttpOptions | undefined,
  { style, policy, hasJobPolicy, rates }: DescribedRequests,
): readonly string[] {
  return [
    lists[style.lists],
    style.booleans === "words" ? "true and false in words" : undefined,
    ...limitTexts(http?.rateLimit),
    ...limitTexts(rates).map((text) => `this job ${text}`),
    ruleText(policy.rules),
    ...(hasJobPolicy ? policyTexts(policy) : []),
    http?.cookies === true ? "keeps all cookies" : undefined,
    http?.lenientParser === true ? "reads broken HTTP" : undefined,
  ].filter((text) => text !== undefined);
}

function limitTexts(limit: RateLimit | undefined): (string | undefined)[] {
  if (limit === undefined) return [];
  if (typeof limit === "number") return [`at most ${Number(limit.toPrecision(3))} requests a second`];
  if (isList(limit)) return [`at most ${limit.map(rateText).join(" and ")}`];
  const heeded = limit.remaining === undefined ? undefined : `heeds ${limit.remaining}`;
  return [...limitTexts(limit.rate), limit.headers === false ? "ignores rate limits that the API announces" : heeded];
}

function isList(limit: RateLimit): limit is readonly Value[] {
  return Array.isArray(limit);
}

function rateText(rate: Value): string {
  const text = scalarText(rate) ?? "";
  return text.includes("/") ? text : `${text}/s`;
}

function policyTexts({ ignoreErrors, maxRetries }: AnswerPolicy): readonly string[] {
  return [
    ...(ignoreErrors.size > 0 ? [`tolerates ${[...ignoreErrors].join(", ")}`] : []),
    ...(maxRetries === 10 ? [] : [`at most ${maxRetries} retries a page`]),
  ];
}

/** Describes rules: `3 rules for answers (fail, retry)`. */
function ruleText(rules: readonly ResponseRule[]): string | undefined {
  const meanings = [...new Set(rules.map((rule) => rule.then))].join(", ");
  return rules.length === 0 ? undefined : `${counted(rules.length, "rule")} for answers (${meanings})`;
}
