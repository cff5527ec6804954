import { type Evidence, type Failure, type PageSummary, watchKey } from "../core/runs/page.ts";
import { printable, shortText } from "../core/text/printable.ts";
import { isZeroText } from "../core/values/emptiness.ts";
import { type Path, pathText } from "../core/values/path.ts";
import { roleOf } from "./fields.ts";
import { isSentField } from "./parameters.ts";
import { truthOf } from "./values.ts";
import { wordsOf } from "./words.ts";

/** A clause that says that an answer is not the whole result, and the condition of a rule that matches such answers. */
export type Unfinished = Required<Failure>;

type Facts = Pick<PageSummary, "evidence" | "records" | "found" | "dataPath" | "ended" | "request">;

const states = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** States of work that has not ended, in words without spaces. */
const working = states(
  "running queued inprogress inqueue processing executing calculating computing preparing initializing creating building generating jobrunning notready",
);

/** States of work that waits or has just begun. A record may also have them: an order that is pending. */
const waiting = states("pending waiting started submitted created accepted scheduled notstarted uploadcomplete");

/** Words in the names of objects that contain the state of a request: `status.state`. */
const stateNames = /^(status|state|stats|job|progress|query|execution|operation|task|statement)$/;

/**
 * Words in the names of objects that contain the records. An object with another name around the records may be a record itself.
 */
const envelopes = /^(data|results?|response|body|payload|output|content|value|d|reports?|export|search|request|async)$/;

/**
 * Returns a clause if an answer without records says that the result is not ready (contract C-6.15), else undefined. If an
 * identity is in the root or beside the state, the answer may be a record, whose state is data. A state that the request sent is
 * a filter.
 */
export function unreadyOf(summary: Facts): Unfinished | undefined {
  if (summary.records > 0 || summary.ended !== "document") return undefined;
  const identified = new Set(summary.evidence.filter(isIdentity).map(({ path }) => watchKey(path.slice(0, -1))));
  for (const one of summary.evidence) {
    const hasIdentity = identified.has(watchKey([])) || identified.has(watchKey(one.path.slice(0, -1)));
    if (hasIdentity && summary.found) continue;
    if (!isOfAnswer(one.path, summary.dataPath) || !isWaiting(one, hasIdentity)) continue;
    if (summary.found && isSentField(summary.request, one.path, one.value)) continue;
    const { type, text } = one.value;
    const is = type === "boolean" ? text === "true" : text;
    return { text: `${fieldText(one)}, so the result is not ready`, when: { path: pathText(one.path), is } };
  }
  return undefined;
}

function isIdentity({ path }: Evidence): boolean {
  const { kind, words } = roleOf(path.at(-1) ?? "") ?? {};
  return kind === "data" && /^(id|uuid|guid)$/.test(words?.at(-1) ?? "");
}

/**
 * Returns whether a field is about the whole answer: in the root, around the records, or in an object such as `status` or `job`.
 */
function isOfAnswer(path: Path, dataPath: Path | undefined): boolean {
  const around = path.slice(0, -1);
  const parents = wordsOf(around.at(-1) ?? "");
  const isAround = around.every((name, index) => name === dataPath?.[index]);
  const isEnvelope = around.length === 0 || parents.some((word) => envelopes.test(word));
  return (isAround && isEnvelope) || parents.some((word) => stateNames.test(word));
}

function isWaiting({ path, value }: Evidence, hasIdentity: boolean): boolean {
  const role = roleOf(path.at(-1) ?? "");
  if (role?.kind !== "progress" && (role?.kind !== "last" || hasIdentity)) return false;
  const words = role.words.filter((word) => word !== "is");
  const last = words.at(-1) ?? "";
  const truth = truthOf(value, role.numeric === true);
  if (/^(complete|completed|done|finished|ready)$/.test(last)) return truth === false;
  if (/^(running|pending)$/.test(last)) return truth === true;
  if (value.type !== "string" || !/^(status|state)$/.test(last)) return false;
  // Some APIs begin each state with the name of its kind: `QUERY_STATE_PENDING`, `JOB_STATE_RUNNING`.
  const state = wordsOf(value.text)
    .join("")
    .replace(/^(?:query|job|task|execution|operation)?state/, "");
  return working.has(state) || (waiting.has(state) && !hasIdentity);
}

/** Words of a warning that records are missing. A warning may also be about anything else, such as a field that is deprecated. */
const lossy =
  /\b(?:results?|response)\b[^.]{0,40}\b(?:truncated|incomplete)\b|\b(?:records?|rows|data|list) (?:(?:is|are|was|were|has been|have been) )?truncated\b|\b(?:truncated|incomplete|partial) (?:results?|response|list)\b|\b(?:truncated|partial) (?:records?|rows|data)\b|\b(?:quer(?:y|ies)|requests?|search|shards?) (?:has |have )?timed out\b|\bnot all (?:results|records|data)\b/i;

/**
 * Returns a clause if an answer says that records are missing, because a shard failed or a query timed out (contract C-6.15),
 * else undefined. The clause counts on every page, since no later page contains the missing records.
 */
export function partialOf({ evidence, ended }: Pick<PageSummary, "evidence" | "ended">): Failure | undefined {
  const sign = ended === "document" ? evidence.find(isPartial) : undefined;
  return sign && { text: `${fieldText(sign)}, so records are missing` };
}

function isPartial({ path, value }: Evidence): boolean {
  const role = roleOf(path.at(-1) ?? "");
  if (role?.kind !== "partial") return false;
  const words = role.words.join(" ");
  const { type, text, empty } = value;
  if (words === "failed") {
    const isPart = wordsOf(path.at(-2) ?? "").some((word) => /^(shards|clusters)$/.test(word));
    return isPart && type === "number" && !isZeroText(text);
  }
  if (/^(warnings?|remark)$/.test(words)) return lossy.test(text);
  if (/^(unreachable|missing|unprocessed)/.test(words)) {
    // A list of objects under `missing` or `unreachable` is data, so only a list of texts counts. Every list under `unprocessed`
    // counts.
    const isList = type === "array" && (role.words[0] === "unprocessed" || /^\[\s*"/.test(text));
    return !empty && (isList || (type === "object" && role.words[0] === "unprocessed"));
  }
  return truthOf(value, false) === true;
}

const shownCharacters = 100;

function fieldText({ path, value }: Evidence): string {
  const text = value.type === "string" ? JSON.stringify(value.text) : value.text;
  return `the API answered "${printable(pathText(path))}" ${shortText(printable(text), shownCharacters)}`;
}
