import type { WireRequest } from "./request.ts";

/** A response as plain data. */
export interface WholeResponse {
  readonly status: number;
  /** In the order and spelling of the message. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** In its content encoding. */
  readonly body: Buffer;
  /** False: the message ended with its connection, so that a document that stops early was cut. True if absent. */
  readonly framed?: boolean;
  /** The connection broke where it should have ended the message. */
  readonly reset?: boolean;
}

/**
 * Stands between a run and the network: answers a request itself, or has it sent by `send`, which reads the whole
 * response into memory. If `send` rejects, the transport passes the rejection on.
 */
export type Transport = (request: WireRequest, send: () => Promise<WholeResponse>) => Promise<WholeResponse>;

/** Returns the value of a header, several of one name joined. Undefined: there is none. Case does not matter. */
export function headerOf({ headers }: Pick<WholeResponse, "headers">, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(", ");
}
