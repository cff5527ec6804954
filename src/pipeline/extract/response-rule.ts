import { SpileError } from "../../core/errors.ts";
import { type PageSummary, watchKey } from "../../core/runs/page.ts";
import { briefAddress, printable } from "../../core/text/printable.ts";
import { DataFault, type DocumentSummary } from "../../extract/document.ts";
import type { LoneDocument } from "../../extract/format/lone-document.ts";
import type { AnswerPolicy } from "../../http/exchange/answer-policy.ts";
import { documentOf, type JudgedResponse, valuesOf } from "../../http/exchange/response-rules.ts";
import { type Answer, TransportFault } from "../../http/exchange/session.ts";
import type { Hold } from "./hold.ts";
import type { ExtractOptions } from "./options.ts";

/** The decision of a rule for answers about a page that has been read. */
export interface Ruling {
  readonly then: "empty" | "end";
  /** Clause for the reason of the job's end: `answered 200, which ... treats as the end`. */
  readonly text: string;
}

type WholeBody = Pick<LoneDocument, "text"> | undefined;

/**
 * Applies the first rule that matches an answer. `read` is undefined if its body could not be read in its format. `wholeBody`
 * keeps a short body that may be a JSON object although another format is configured. Returns a fault if the page must be
 * requested again. Throws SpileError if the rule makes it a failure, DataFault if some of its lines have flowed already.
 * Tolerated answers are ignored: rules were applied to them before.
 */
export function ruleOn(
  answer: Answer,
  { read, wholeBody }: { readonly read: Pick<DocumentSummary, "watched"> | undefined; readonly wholeBody: WholeBody },
  hold: Hold,
  { rules, mask }: Pick<ExtractOptions, "mask"> & Pick<AnswerPolicy, "rules">,
): Ruling | TransportFault | undefined {
  if (rules.length === 0 || answer.kind === "tolerated") return undefined;
  const text = wholeBody?.text;
  const value = text === undefined ? undefined : valuesOf(documentOf(text));
  const judged: JudgedResponse = {
    status: answer.status,
    header: answer.header,
    value: value ?? ((path) => read?.watched.get(watchKey(path))),
  };
  // For an error status, the rule was chosen before, with the whole body as JSON, whatever the format of the records is.
  const rule = answer.rule ?? rules.find((one) => one.matches(judged));
  if (rule === undefined) return undefined;
  const { then } = rule;
  const meaning = rule.text(judged);
  // A body that is neither in its format nor JSON has no records.
  if (then === "end") return read === undefined && text === undefined ? undefined : { then, text: meaning };
  if (hold.hasFlowed) throw tooLate(meaning);
  hold.restart();
  if (then === "empty") return { then, text: meaning };
  if (then === "fail") {
    const { kind, message } = rule.failure(judged, briefAddress(mask(answer.url)));
    throw new SpileError(kind, printable(message));
  }
  return new TransportFault(meaning, { askedWaitMs: rule.wait(judged, Date.now()), unauthorized: then === "login" });
}

function tooLate(text: string): DataFault {
  return new DataFault(
    `the API ${text}, but records of the page were written before that was known; a greater --hold keeps such a page back`,
  );
}

/** Returns the summary of the page as if it had no records. */
export function withoutPageRecords(
  summary: Omit<PageSummary, "digest" | "extremes" | "last" | "dropped">,
): PageSummary {
  return {
    ...summary,
    records: 0,
    single: false,
    evidence: [],
    elsewhere: undefined,
    digest: "",
    extremes: undefined,
    last: new Map(),
    dropped: 0,
  };
}
