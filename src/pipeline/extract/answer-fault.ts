import type { ReadingPlan } from "../../compile/jobs/reading-plan.ts";
import { SpileError } from "../../core/errors.ts";
import { fieldWith } from "../../core/field-name.ts";
import { briefAddress, printable } from "../../core/text/printable.ts";
import { DataFault, IncompleteDocument } from "../../extract/document.ts";
import { CutBody } from "../../extract/fault.ts";
import { type Answer, TransportFault } from "../../http/exchange/session.ts";

/**
 * Judges an error from reading an answer. Returns a fault after which the page is requested again, and throws every other error.
 * A fault of the data gets the address, status and content type of the answer (contract C-7.7).
 */
export function answerFault(
  error: unknown,
  answer: Answer,
  { mask, remedies }: Pick<ReadingPlan, "mask" | "remedies">,
): TransportFault {
  if (error instanceof TransportFault) return error;
  if (error instanceof IncompleteDocument && !answer.framed) {
    return new TransportFault(`the connection was closed before the document's end (${error.message})`);
  }
  if (error instanceof CutBody) return new TransportFault(error.message, { cause: error });
  if (!(error instanceof DataFault)) throw error;
  const { url, status, contentType } = answer;
  const type = contentType === undefined ? "no Content-Type" : `Content-Type ${contentType}`;
  const hint = remedy(error, contentType, remedies) + pageOfHtml(error, answer, mask);
  const text = `${briefAddress(mask(url))}: ${error.message} (status ${status}, ${type})${hint}`;
  throw new SpileError("data", printable(mask(text)), { cause: error });
}

/** Returns a clause that says whether the answer is a page of HTML, and from which address it was redirected; "" if neither. */
function pageOfHtml(
  { misread }: DataFault,
  { contentType = "", redirectedFrom }: Answer,
  mask: ReadingPlan["mask"],
): string {
  const head = misread?.head.toString("latin1") ?? "";
  const isPage =
    /^\s*(text\/html|application\/xhtml)/i.test(contentType) ||
    /^\s*(<\?xml[^>]*>\s*)?<(!doctype html|html[\s>])/i.test(head);
  const redirect = redirectedFrom === undefined ? "" : `${briefAddress(mask(redirectedFrom))} was redirected here`;
  if (!isPage) return redirect === "" ? "" : `; ${redirect}`;
  return `; it is a page of HTML, such as that of a login${redirect === "" ? "" : `, and ${redirect}`}`;
}

/** Returns a clause that names the format to configure if a table was read as JSON, else "". */
function remedy({ misread }: DataFault, contentType = "", remedies: ReadingPlan["remedies"]): string {
  const format = /\bcsv\b/i.test(contentType) ? "csv" : /tab-separated/i.test(contentType) ? "tsv" : undefined;
  if (format === undefined || misread?.format !== "json") return "";
  return `; ${remedies === "options" ? "" : "the job's "}${fieldWith("format", format, remedies)} would read it`;
}
