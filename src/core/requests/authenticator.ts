import type { Cancellation } from "../cancellation.ts";
import type { Request, WireRequest } from "./request.ts";

/** One authorised attempt. */
export interface Authorized {
  readonly request: Request;
  /** Signs the wire form. To be called again on every redirect to a trusted origin. */
  sign?(wire: WireRequest): WireRequest;
  /**
   * Reports that the server answered 401 to this attempt. True: the credentials were dropped, or are newer already, so
   * it should be repeated.
   */
  refused?(): boolean;
}

/** Adds credentials to requests to trusted origins. Asked before every attempt, retries included (contract C-5.10). */
export interface Authenticator {
  authorize(request: Request, signal: Cancellation): Promise<Authorized>;
  /**
   * Returns what would be sent before there is a login. Undefined: requests need no login, and `authorize` sends
   * nothing.
   */
  readonly preview: ((request: Request) => Preview) | undefined;
}

/** The login's request, and a request with `***` in place of values of the login's answer. */
export interface Preview extends Authorized {
  readonly login: Request;
}
