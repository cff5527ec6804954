import { exactNumber, type ValueObject } from "../../../core/value.ts";
import { readAnswer } from "../first-answer/answer.ts";
import { delimiterOf, fieldsOf } from "../first-answer/first-page.ts";
import type { Exchanged } from "../trials/exchange-memory.ts";

/** What an API calls its pages in the words that it refuses one with. */
const speaksOfPages = /\b(pages?|offset|ranges?|no more|last)\b/i;

/**
 * The rule of `api.http.responses` by which a refusal behind the last page ends the pages; undefined where the refusal may mean
 * something else. Only 416, and a 404 that speaks of pages, are sure: an API may refuse any page above a limit of its own.
 */
export function endRule({ response }: Exchanged): ValueObject | undefined {
  const { status } = response;
  const then = "empty";
  if (status === 416) return { when: { status: exactNumber("416") }, then };
  if (status !== 404) return undefined;
  const answer = readAnswer(response);
  if (answer.kind !== "json") return undefined;
  const said = fieldsOf(answer.document, []).find(
    ({ value }) => typeof value === "string" && value.length <= 100 && speaksOfPages.test(value),
  );
  if (said === undefined) return undefined;
  const { path, value } = said;
  const delimiter = delimiterOf(path);
  const place = { path: path.join(delimiter), ...(delimiter === "." ? {} : { delimiter }) };
  return { when: { status: exactNumber("404"), ...place, ...wording(String(value)) }, then };
}

/** The very words, whatever numbers are in them. */
function wording(text: string): ValueObject {
  if (!/[0-9]/.test(text)) return { is: text };
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/[0-9]+/g, "[0-9]+");
  return { matches: `^${pattern}$` };
}
