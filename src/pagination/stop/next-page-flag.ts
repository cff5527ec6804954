import type { PageSummary, Watched } from "../../core/runs/page.ts";
import { readSource, type SourceInResponse, sourceName, sourceOf } from "../../core/runs/response-source.ts";
import { shortText } from "../../core/text/printable.ts";
import type { NextPageFlag } from "../../generated/configuration.ts";
import type { StopRule } from "../paginator.ts";

/**
 * Stops when a field of the response is `stopOn`. A missing field counts as `ifNotSet`, else as `stopOn`. The texts "false" and
 * "no" count as true, as in Generic Extractor, although the API means the opposite: so they are not evidence of more pages, and a
 * job that ends at one of them is suspect unless a total proves the end.
 */
export function nextPageFlag(flag: NextPageFlag): StopRule {
  const { field: configured, stopOn, ifNotSet = stopOn } = flag;
  const source = flagSource(flag);
  const field = sourceName(source);
  const isPath = typeof configured === "string" && configured.includes(".");
  const remedy = isPath
    ? `"field" is the name of a member of the root; write {"path": ${JSON.stringify(configured)}} for a path`
    : undefined;
  const read = (summary: PageSummary) => {
    const watched = readSource(source, summary);
    const set = watched !== undefined && watched.type !== "null";
    return {
      // A list that is not empty, such as the list of records, says only that this page has records, not that another one has.
      isList: watched?.type === "array",
      value: set ? truth(watched, source) : ifNotSet,
      isMisread: watched?.type === "string" && !("header" in source) && negative.test(watched.text),
      words: set
        ? `${field} is ${plain(watched)}`
        : `${field} is ${watched === undefined ? "absent" : "null"}, which counts as ${ifNotSet}`,
    };
  };
  return {
    sources: [source],
    rank: "word",
    stop(summary) {
      const { isMisread, value, words } = read(summary);
      if (value === stopOn) {
        if (!isMisread) return { kind: "complete", text: `ended because ${words}`, remedy };
        return { kind: "complete", text: `ended because ${words}`, doubt: misread };
      }
      const isLast = isMisread && summary.records === 0 && summary.ended === "document";
      return isLast ? { kind: "complete", text: `ended with an empty page, where ${words}` } : undefined;
    },
    objection(summary) {
      if (summary.records === 0 || summary.ended !== "document") return undefined;
      const { isList, isMisread, value, words } = read(summary);
      return isList || isMisread || value === stopOn ? undefined : words;
    },
    words: `until ${field} is ${stopOn}`,
  };
}

/** The texts that an API writes for false, although they count as true. */
const negative = /^(false|no)$/i;

/** The doubt about an end by such a text, with its remedy. */
const misread =
  'a text that is not empty counts as true; if the API means false, the rule {"when": {"path": ..., "is": ["true"]}, "then": "end"} in "responses" ends the job instead';

/** Returns the source of a flag. A bare name is a member of the root, not a path. */
export function flagSource({ field }: NextPageFlag): SourceInResponse {
  return typeof field === "string" ? { path: [field] } : sourceOf(field);
}

/**
 * Returns the truth of a value as in Generic Extractor: false, 0, "", "0" and [] are false; {} and the text "false" are true. In a
 * header the texts false, no and 0 are false.
 */
function truth({ type, text, empty }: Watched, source: SourceInResponse): boolean {
  if ("header" in source) return !/^(false|no|0)$/i.test(text);
  if (type === "boolean") return text === "true";
  if (type === "number") return Number(text) !== 0;
  if (type === "string") return text !== "" && text !== "0";
  return type === "object" || !empty;
}

function plain({ type, text }: Watched): string {
  if (type === "array" || type === "object") return `an ${type}`;
  const excerpt = shortText(text, 40);
  return type === "string" ? JSON.stringify(excerpt) : excerpt;
}
