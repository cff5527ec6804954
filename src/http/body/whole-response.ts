import { Readable } from "node:stream";
import { SpileError } from "../../core/errors.ts";
import type { WireRequest } from "../../core/requests/request.ts";
import { headerOf, type Transport, type WholeResponse } from "../../core/requests/transport.ts";
import type { RawResponse } from "../connection/client.ts";
import { TransportFault } from "../connection/fault.ts";

export interface WholeOptions {
  /** Longest time without a byte, in ms; 0 is no limit. */
  readonly idle: number;
  /** Maximum number of bytes that are read into memory; 1 GiB if undefined. */
  readonly maxBytes: number | undefined;
}

/** Sends one request through a transport, and returns its answer in the form of a response from the network. */
export async function sendThrough(
  transport: Transport,
  wire: WireRequest,
  send: () => Promise<RawResponse>,
  options: WholeOptions,
): Promise<RawResponse> {
  return asRawResponse(await transport(wire, async () => readWhole(await send(), options)));
}

/** Maximum size of a body, encoded and decoded, that a rule can examine. */
export const longestJudged = 16 * 1024 * 1024;

/** Reads a response to its end, as `readWhole` does. Returns a function that replays the response any number of times. */
export async function replayable(response: RawResponse, idle: number): Promise<() => RawResponse> {
  const wholeResponse = await readWhole(response, { idle, maxBytes: longestJudged });
  return () => asRawResponse(wholeResponse);
}

/** Reads a response to its end. Rejects with TransportFault if it is incomplete, with SpileError (data) if it is too long. */
async function readWhole(response: RawResponse, { idle, maxBytes = 2 ** 30 }: WholeOptions): Promise<WholeResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const expire = (): void => response.abort(new TransportFault(`no byte of the body came within ${idle / 1000} s`));
  const timer = idle === 0 ? undefined : setTimeout(expire, Math.min(idle, 2 ** 31 - 1));
  try {
    for await (const chunk of response.stream) {
      timer?.refresh();
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) {
        throw new SpileError("data", `a response is longer than ${maxBytes} bytes, the most that is read into memory`);
      }
    }
  } catch (error) {
    const reason = response.aborted()?.reason ?? (error instanceof SpileError ? error : response.fault(bytes)) ?? error;
    response.abort(reason);
    throw reason;
  } finally {
    clearTimeout(timer);
    response.done();
  }
  const fault = response.fault(bytes);
  if (fault !== undefined) throw fault;
  const { status, headers, framed } = response;
  const reset = response.isReset() ? { reset: true } : {};
  return { status, headers, body: Buffer.concat(chunks), framed, ...reset };
}

function asRawResponse(whole: WholeResponse): RawResponse {
  const { status, headers, body, framed = true, reset = false } = whole;
  const stream = Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
  // An abort before anybody reads the body is no uncaught error. Node treats a message from the network in the same way.
  stream.on("error", () => undefined);
  let aborted: { readonly reason: unknown } | undefined;
  return {
    status,
    headers,
    header: (name) => headerOf(whole, name),
    cookies: headers.filter(([name]) => name.toLowerCase() === "set-cookie").map(([, value]) => value),
    stream,
    framed,
    length: framed ? body.length : undefined,
    fault: (bytes) =>
      bytes === body.length ? undefined : new TransportFault(`the body ended after ${bytes} bytes of ${body.length}`),
    isReset: () => reset,
    abort(reason) {
      aborted ??= { reason };
      stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    },
    aborted: () => aborted,
    done: () => undefined,
  };
}
