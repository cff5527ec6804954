import { counted } from "../core/counted.ts";
import type { QueryStyle } from "../core/request.ts";
import { scalarText, type Value } from "../core/value.ts";
import type { HttpOptions, RateLimit, ResponseRule } from "../generated/configuration.ts";

const lists: Readonly<Record<QueryStyle["lists"], string | undefined>> = {
  indices: undefined,
  brackets: "lists as a[]=x",
  repeat: "lists as a=x&a=y",
  comma: "lists as a=x,y",
};

/** What is unusual about how requests in this style are sent, in words; nothing where nothing is. */
export function describeHttp(http: HttpOptions | undefined, style: QueryStyle): readonly string[] {
  return [
    lists[style.lists],
    style.booleans === "words" ? "true and false in words" : undefined,
    ...limitTexts(http?.rateLimit),
    http?.responses === undefined ? undefined : ruleText(http.responses),
    http?.cookies === true ? "keeps all cookies" : undefined,
    http?.lenientParser === true ? "reads broken HTTP" : undefined,
  ].filter((text) => text !== undefined);
}

function limitTexts(limit: RateLimit | undefined): (string | undefined)[] {
  if (limit === undefined) return [];
  if (typeof limit === "number") return [`at most ${Number(limit.toPrecision(3))} requests a second`];
  if (isList(limit)) return [`at most ${limit.map(rateText).join(" and ")}`];
  const heeded = limit.remaining === undefined ? undefined : `heeds ${limit.remaining}`;
  return [...limitTexts(limit.rate), limit.headers === false ? "heeds no rate limit that the API tells" : heeded];
}

function isList(limit: RateLimit): limit is readonly Value[] {
  return Array.isArray(limit);
}

function rateText(rate: Value): string {
  const text = scalarText(rate) ?? "";
  return text.includes("/") ? text : `${text}/s`;
}

/** `3 rules for answers (fail, retry)`. */
function ruleText(rules: readonly ResponseRule[]): string | undefined {
  const meanings = [...new Set(rules.map((rule) => rule.then))].join(", ");
  return rules.length === 0 ? undefined : `${counted(rules.length, "rule")} for answers (${meanings})`;
}
