import type { Cancellation } from "./cancellation.ts";
import type { Request, WireRequest } from "./request.ts";

/** One attempt, authorised. */
export interface Authorized {
  readonly request: Request;
  /** Signs the wire form; called again on every redirect hop to a trusted origin. */
  sign?(wire: WireRequest): WireRequest;
  /** The server answered 401 to this attempt. True: credentials were dropped (or are newer already), repeat it. */
  refused?(): boolean;
}

/** Adds credentials to requests to trusted origins. Asked before every attempt, retries included (contract C-5.10). */
export interface Authenticator {
  authorize(request: Request, signal: Cancellation): Promise<Authorized>;
  /** What would be sent, while there has been no login; undefined where requests need none: `authorize` sends nothing then. */
  readonly preview: ((request: Request) => Preview) | undefined;
}

/** The login's request, and a request with `***` wherever the login's answer would stand. */
export interface Preview extends Authorized {
  readonly login: Request;
}
