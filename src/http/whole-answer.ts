import type { SmallResponse } from "../core/request.ts";
import type { Exchange } from "./exchange.ts";
import { resetText, TransportFault } from "./fault.ts";

export interface WholeAnswerOptions {
  /** Bytes of the longest answer that is read. */
  readonly most: number;
  /** What is thrown for a longer one. */
  tooLong(): Error;
  /** Looks at an answer that has come whole; a fault that it throws has it asked for again. */
  judge?(response: SmallResponse): void;
}

/** Reads the answer of an exchange to its end, and asks again where it breaks off. Rejects as `Exchange.open` does. */
export async function wholeAnswer(exchange: Exchange, options: WholeAnswerOptions): Promise<SmallResponse> {
  let reset: string | undefined;
  for (let fault: TransportFault | undefined; ; ) {
    const { status, url, contentType, header, framed, isReset, body } = await exchange.open(fault);
    try {
      const text = await textOf(body, options);
      if (!framed && isCut(text)) throw new TransportFault("the connection was closed before the document's end");
      // A text may be cut anywhere; the same one twice is whole.
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

/** Does the text begin as a JSON document and not end as one? The connection's end may have cut it. */
function isCut(text: string): boolean {
  return /^\s*[{[]/.test(text) && !isDocument(text);
}

/** Is the text a JSON document that shows where it ends? */
function isDocument(text: string): boolean {
  if (!/^\s*[{["]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
