import type { SmallResponse } from "../../core/requests/request.ts";
import { isJson } from "../../core/values/value.ts";
import { resetText, TransportFault } from "../connection/fault.ts";
import type { Exchange } from "./exchange.ts";

export interface WholeAnswerOptions {
  /** Maximum size of an answer in bytes. */
  readonly most: number;
  /** Creates the error for a longer answer. */
  tooLong(): Error;
  /** Examines a whole answer. If it throws a TransportFault, the request is repeated. */
  judge?(response: SmallResponse): void;
}

/**
 * Reads the answer of an exchange to its end. Repeats the request if the answer is incomplete or if `judge` throws a
 * TransportFault. Rejects as `Exchange.open` does, with the error of `tooLong`, or with any other error of `judge`.
 */
export async function wholeAnswer(exchange: Exchange, options: WholeAnswerOptions): Promise<SmallResponse> {
  let reset: string | undefined;
  for (let fault: TransportFault | undefined; ; ) {
    const { status, url, contentType, header, framed, isReset, body } = await exchange.open(fault);
    try {
      const text = await textOf(body, options);
      if (!framed && isCut(text)) throw new TransportFault("the connection was closed before the document's end");
      // The reset may have cut the text anywhere. If the same text comes twice, it is complete.
      if (isReset() && !isDocument(text) && text !== reset) {
        reset = text;
        throw new TransportFault(resetText);
      }
      const response = { status, url, contentType, header, body: text };
      options.judge?.(response);
      return response;
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      fault = error;
    }
  }
}

/** Returns whether a text begins like a JSON document but is incomplete: the end of the connection may have cut it. */
function isCut(text: string): boolean {
  return /^\s*[{[]/.test(text) && !isDocument(text);
}

/** Returns whether a text is a JSON document that itself shows where it ends. */
function isDocument(text: string): boolean {
  return /^\s*[{["]/.test(text) && isJson(text);
}

async function textOf(body: AsyncIterable<Buffer>, { most, tooLong }: WholeAnswerOptions): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
