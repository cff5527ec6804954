import { type Evidence, type Failure, type PageSummary, watchedOf } from "../core/runs/page.ts";
import { printable } from "../core/text/printable.ts";
import { isZeroText } from "../core/values/emptiness.ts";
import { isObject, scalarText, type Value, type ValueObject } from "../core/values/value.ts";
import { isFailureField } from "./fields.ts";
import { isSentField } from "./parameters.ts";
import { parsedText } from "./parsed-text.ts";

/** Maximum number of characters of a failure that are shown. */
const shownCharacters = 300;

/**
 * Returns a clause about a failure in a response with a status of success (contract C-6.15); undefined if there is none. On a
 * page without records, an error, a failed status or a false `success` in the root counts, and so does a body that is only a text.
 * Beside records, only the `errors` of GraphQL count.
 */
export function failureOf(
  summary: Pick<PageSummary, "ended" | "evidence" | "records" | "beginning" | "found" | "request">,
): Failure | undefined {
  if (summary.ended !== "document") return undefined;
  const text = summary.records === 0 ? /^"(.*?)"?$/s.exec(summary.beginning ?? "")?.[1] : undefined;
  // A blank text means "no data", as null does.
  if (text !== undefined && text.trim() !== "") return { text: `the API answered with a text: ${shortened(text)}` };
  // A status that the request sent is a filter, as in a list of failed jobs.
  const isFilter = (one: Evidence): boolean =>
    summary.found && nameOf(one) === "status" && isSentField(summary.request, one.path, one.value);
  const signs = summary.evidence.filter((one) => isFailureField(one.path) && !isFilter(one));
  const sign = signs.find(summary.records === 0 ? isFailure : isPartialFailure);
  if (sign === undefined) return undefined;
  // An error is preferred to a status, because its text says more.
  const error = signs.find((one) => isError(one) && one.value.type !== "boolean");
  const reason = error?.value.text ?? summary.beginning ?? "";
  const reported = error ?? sign;
  const when = [reported, ...signs.filter(isFailure)].map(conditionOf).find((condition) => condition !== undefined);
  return {
    text: `the API answered ${fieldText(reported)}: ${shortened(reason)}`,
    ...(when === undefined ? {} : { when }),
  };
}

/** Maximum number of characters of a text with which the condition of a rule compares. */
const longestNamed = 60;

/**
 * Returns the condition of a rule that would match this failure; undefined if the text is long, or if the rule would also match
 * good answers. Some APIs send an object with each answer (`{"error": {"code": 0}}`) or a list beside the records of a batch. A
 * scalar is compared exactly, since good answers may have another one (`{"error": "0"}`).
 */
function conditionOf({ path, value: { type, text } }: Evidence): Failure["when"] {
  if (type === "array" || type === "object" || text.length > longestNamed) return undefined;
  return { path: path.at(-1) ?? "", is: type === "boolean" ? text === "true" : text };
}

const reasonFields = ["error", "errors", "error_description", "message", "detail"];

/** Returns the reason that a document about a failure gives in the usual fields; undefined if it gives none. */
export function failureReason(document: ValueObject): string | undefined {
  const texts = reasonFields.flatMap((name) => reasonTexts(Object.hasOwn(document, name) ? document[name] : undefined));
  return texts.length === 0 ? undefined : shortened([...new Set(texts)].join(": "));
}

function reasonTexts(value: Value | undefined): readonly string[] {
  if (Array.isArray(value)) return value.slice(0, 3).flatMap((item: Value) => reasonTexts(item));
  if (isObject(value)) return [value.code, value.message].flatMap(reasonTexts);
  const text = typeof value === "boolean" || value === undefined ? "" : (scalarText(value)?.trim() ?? "");
  return text === "" || text === "0" ? [] : [text];
}

function shortened(text: string): string {
  const characters = [...printable(text)];
  return characters.slice(0, shownCharacters).join("") + (characters.length > shownCharacters ? "..." : "");
}

/**
 * Returns the clause about a failure in a JSON object that came instead of lines or a table. `isRecord`: the object may also be a
 * record, so that a `status` "failed" in it is data.
 */
export function failureOfDocument(text: string, isRecord: boolean): Failure | undefined {
  const document = parsedText(text);
  if (!isObject(document)) return undefined;
  const members = Object.entries(document).filter(([name]) => !(isRecord && name.toLowerCase() === "status"));
  const evidence = members.map(([name, value]) => ({ path: [name], value: watchedOf(value) }));
  return failureOf({ ended: "document", evidence, records: 0, found: false, beginning: text });
}

/** Names of the fields that accompany an error. */
const besideErrors = new Set([
  "code",
  "detail",
  "details",
  "path",
  "request_id",
  "requestid",
  "timestamp",
  "title",
  "trace_id",
  "type",
]);

/**
 * Returns the clause about a failure in the only record of a job. Only a record without other data counts: beside other data, an
 * `error` may be data, too.
 */
export function failureOfOnlyRecord(text: string): Failure | undefined {
  const document = parsedText(text);
  const names = isObject(document) ? Object.keys(document) : [];
  const isAllFailure = names.every((name) => {
    const lower = name.toLowerCase();
    return isFailureField([name]) || reasonFields.includes(lower) || besideErrors.has(lower);
  });
  return isAllFailure ? failureOfDocument(text, names.length === 1) : undefined;
}

function isFailure(sign: Evidence): boolean {
  const { type, text } = sign.value;
  const name = nameOf(sign);
  if (name === "success" || name === "ok") return type === "boolean" && text === "false";
  if (name === "status") return type === "string" && /^(error|fail|failed)$/i.test(text);
  return isError(sign);
}

/** Returns whether a field `error` or `errors` reports an error: it is not empty, false, zero or null. */
function isError(sign: Evidence): boolean {
  const { type, text, empty } = sign.value;
  if (nameOf(sign) !== "error" && nameOf(sign) !== "errors") return false;
  return !empty && type !== "null" && text !== "false" && !(type === "number" && isZeroText(text));
}

/** Returns whether a field holds errors of GraphQL, each of which has a message. */
function isPartialFailure(sign: Evidence): boolean {
  const { type, text, empty } = sign.value;
  if (nameOf(sign) !== "errors" || type !== "array" || empty) return false;
  const errors = parsedText(text);
  if (errors === undefined) return /^\[\s*\{/.test(text) && /"message"\s*:/.test(text);
  return Array.isArray(errors) && errors.every((error) => isObject(error) && typeof error.message === "string");
}

function nameOf({ path }: Evidence): string {
  return (path.at(-1) ?? "").toLowerCase();
}

function fieldText({ path, value }: Evidence): string {
  const name = JSON.stringify(path.at(-1));
  if (value.type === "boolean") return `${name} ${value.text}`;
  return isErrorName(path.at(-1)) ? `with ${name}` : `${name} ${JSON.stringify(value.text)}`;
}

function isErrorName(name = ""): boolean {
  return /^errors?$/i.test(name);
}
