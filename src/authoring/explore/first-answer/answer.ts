import { messageOf } from "../../../core/errors.ts";
import { headerOf, type WholeResponse } from "../../../core/transport.ts";
import { parseValue, type Value, valueText } from "../../../core/value.ts";
import { transcoder } from "../../../http/charset.ts";
import { decodedWhole } from "../../../http/decode.ts";
import { readTable } from "./table.ts";

/** What a response is, for one who looks for records in it. */
export type ReadAnswer =
  | { readonly kind: "json"; readonly document: Value }
  /** Values on lines of their own. */
  | { readonly kind: "lines"; readonly records: readonly Value[]; readonly unasked: boolean }
  /** Rows under a header. `records`: undefined where they cannot be read. */
  | { readonly kind: "table"; readonly format: Value; readonly records: readonly Value[] | undefined }
  | { readonly kind: "empty" }
  | { readonly kind: "page"; readonly text: string }
  | { readonly kind: "other"; readonly text: string };

/** Reads a whole response as text, and finds out what it is: by its content, then by what it is called. */
export function readAnswer(response: WholeResponse): ReadAnswer {
  const type = headerOf(response, "content-type")?.toLowerCase() ?? "";
  const text = bodyText(response);
  if (text.trim() === "") return { kind: "empty" };
  const document = jsonOf(text);
  if (document !== undefined) return { kind: "json", document };
  const records = linesOf(text);
  if (records !== undefined) return { kind: "lines", records, unasked: /ndjson|jsonl|json-seq/.test(type) };
  if (/\bcsv\b|tab-separated/.test(type))
    return { kind: "table", ...readTable(text, /\bcsv\b/.test(type) ? "csv" : "tsv") };
  if (/^\s*<(?:!doctype html|html|head|body)\b/i.test(text) || /\bhtml\b/.test(type)) return { kind: "page", text };
  return { kind: "other", text };
}

/** Bytes of the longest body that is looked into. */
const longest = 2 ** 26;

/** The body as a run would read it. */
function bodyText(response: WholeResponse): string {
  try {
    const decoded = decodedWhole(response.body, headerOf(response, "content-encoding"), longest);
    if (decoded === undefined) throw new Error("the compressed body cannot be decoded, or is longer than 64 MiB");
    const text = transcoder(headerOf(response, "content-type"), () => "the answer");
    return Buffer.concat([text.push(decoded), text.end()]).toString();
  } catch (error) {
    return `(${messageOf(error)})`;
  }
}

function jsonOf(text: string): Value | undefined {
  try {
    return parseValue(text);
  } catch {
    return undefined;
  }
}

/** Two lines or more that are each a JSON object. */
function linesOf(text: string): Value[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2 || !lines.every((line) => line.trimStart().startsWith("{"))) return undefined;
  const records = lines.map(jsonOf);
  return records.every((record) => record !== undefined) ? records : undefined;
}

/** The text of a decoded answer, to look for words in; "" for what is neither JSON nor text. */
export function answerText(response: WholeResponse): string {
  const answer = readAnswer(response);
  return answer.kind === "json" ? valueText(answer.document) : "text" in answer ? answer.text : "";
}
