import { SpileError } from "../../../core/errors.ts";
import type { WholeResponse } from "../../../core/transport.ts";
import type { JobDraft } from "../../configuration-draft.ts";
import { capital } from "../finding.ts";
import type { ReadAnswer } from "./answer.ts";

/** Why no records can be read of an answer. */
export interface Unreadable {
  readonly text: string;
  readonly comment: string;
  readonly job: JobDraft;
  readonly failure: SpileError | undefined;
}

/** What an answer is that holds no records, in words; undefined where it may hold some. */
export function unreadable(answer: ReadAnswer, response: WholeResponse): Unreadable | undefined {
  if (answer.kind === "json" || answer.kind === "lines") return undefined;
  if (answer.kind === "table" && answer.records !== undefined) return undefined;
  if (answer.kind === "table") {
    const text = "the answer is called a table of rows, but cannot be read as one";
    return {
      text,
      comment: `${capital(text)}: format tells how (delimiter, quote, skipLines, header; spile explain format).`,
      job: { format: answer.format },
      failure: undefined,
    };
  }
  if (answer.kind === "empty") {
    const text = `the answer (${response.status}) is empty, so nothing could be shown`;
    return {
      text,
      comment: "The answer was empty when this was written: where records stand and how the API pages is not known.",
      job: {},
      failure: undefined,
    };
  }
  const begins = JSON.stringify(answer.text.trim().slice(0, 100));
  const what = answer.kind === "page" ? "HTML, a page for people, perhaps to log in" : "no JSON";
  return {
    text: `the answer is ${what}: it begins with ${begins}`,
    comment: `The answer was ${what} when this was written: the address of the API itself, or credentials, may be missing.`,
    job: {},
    failure: new SpileError("data", `the answer is ${what}`),
  };
}
