import type { SpileError } from "../errors.ts";
import type { WireRequest } from "./request.ts";

/** A response as plain data. */
export interface WholeResponse {
  readonly status: number;
  /** Headers in the order and spelling of the message. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Body in its content encoding. */
  readonly body: Buffer;
  /**
   * False if only the end of the connection marks the end of the message, so that a document that stops early may have been cut
   * off. Default: true.
   */
  readonly framed?: boolean;
  /** True if the message does not mark its own end and the connection was reset instead of closed. */
  readonly reset?: boolean;
  /** True if the body is longer than the bound of the transport. Only the run then reads the body, and `body` is empty. */
  readonly hasNoBody?: boolean;
}

/**
 * Answers the requests of a run: either by itself, or by calling `send`, which sends the request and reads the whole response into
 * memory. If `send` rejects, the transport rejects with the same error.
 */
export interface Transport {
  (request: WireRequest, send: () => Promise<WholeResponse>): Promise<WholeResponse>;
  readonly bound?: TransportBound | undefined;
}

/** Bound on the responses that `send` reads into memory. */
export interface TransportBound {
  /** Maximum number of bytes of a body, before and after decoding. */
  readonly bytes: number;
  /**
   * Returns the error for a longer body. If undefined, `send` returns an answer without the body (`hasNoBody`), and the run reads the
   * body from the network once the transport has returned this answer.
   */
  readonly refuse?: (() => SpileError) | undefined;
}

/** Returns the values of a header, joined by commas; undefined if there are none. `name` may be in any case. */
export function headerOf({ headers }: Pick<WholeResponse, "headers">, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(", ");
}
