import { Readable } from "node:stream";
import type { WireRequest } from "../core/request.ts";
import { headerOf, type Transport, type WholeResponse } from "../core/transport.ts";
import type { RawResponse } from "./client.ts";
import { TransportFault } from "./fault.ts";

/** One request by way of a transport: what that answers, as a response like those from the network. */
export async function sendThrough(
  transport: Transport,
  wire: WireRequest,
  send: () => Promise<RawResponse>,
): Promise<RawResponse> {
  return asRawResponse(await transport(wire, async () => readWhole(await send())));
}

/** Reads a response to its end. Rejects with TransportFault where it is not whole. */
async function readWhole(response: RawResponse): Promise<WholeResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.stream) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw response.aborted()?.reason ?? response.fault(bytes) ?? error;
  } finally {
    response.done();
  }
  const fault = response.fault(bytes);
  if (fault !== undefined) throw fault;
  return { status: response.status, headers: response.headers, body: Buffer.concat(chunks) };
}

function asRawResponse(whole: WholeResponse): RawResponse {
  const { status, headers, body } = whole;
  const stream = Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
  let aborted: { readonly reason: unknown } | undefined;
  return {
    status,
    headers,
    header: (name) => headerOf(whole, name),
    cookies: headers.filter(([name]) => name.toLowerCase() === "set-cookie").map(([, value]) => value),
    stream,
    framed: true,
    length: body.length,
    fault: (bytes) =>
      bytes === body.length ? undefined : new TransportFault(`the body ended after ${bytes} bytes of ${body.length}`),
    abort(reason) {
      aborted ??= { reason };
      stream.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    },
    aborted: () => aborted,
    done: () => undefined,
  };
}
