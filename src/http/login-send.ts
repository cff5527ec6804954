import { SpileError } from "../core/errors.ts";
import type { Request, Send, SmallResponse } from "../core/request.ts";
import type { SessionContext } from "./context.ts";
import { Exchange } from "./exchange.ts";
import { TransportFault } from "./fault.ts";
import { originOf } from "./origin.ts";

/** The most that is read of a login's response. */
const mebibyte = 1_048_576;

/**
 * Sends login requests: to the login's own origin and the trusted ones alone, keeping cookies, with no error status
 * ignored but those that the login accepts. Rejects with SpileError: authentication where it is refused, temporary where retries are used up.
 */
export function createLoginSend(context: SessionContext, signal: AbortSignal): Send {
  return async (request: Request, accept: readonly number[] = []): Promise<SmallResponse> => {
    const own = originOf(request.url);
    const login: SessionContext = {
      ...context,
      login: true,
      ignoreErrors: new Set(accept),
      isTrusted: (origin) => origin === own || context.isTrusted(origin),
      maxResponseBytes: undefined,
      // The run's first response may be the login's; the flag itself is the session's.
      get answered() {
        return context.answered;
      },
      set answered(value) {
        context.answered = value;
      },
    };
    const exchange = new Exchange(request, { signal }, login);
    for (let fault: TransportFault | undefined; ; ) {
      const { status, url, contentType, header, framed, body } = await exchange.open(fault);
      try {
        const text = await textOf(body);
        if (!framed && isCut(text)) throw new TransportFault("the connection was closed before the document's end");
        return { status, url, contentType, header, body: text };
      } catch (error) {
        if (!(error instanceof TransportFault)) throw error;
        fault = error;
      }
    }
  };
}

/** Does the text begin as a JSON document and not end as one? The connection's end may have cut it. */
function isCut(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mebibyte) throw new SpileError("authentication", "the login's response is longer than 1 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
