import type { Cancellation } from "../cancellation.ts";
import type { Request, WireRequest } from "./request.ts";

/** One attempt of a request, with credentials. */
export interface Authorized {
  /**
   * Returns the request with credentials. Called just before the request is sent, because credentials may contain the time and a
   * nonce.
   */
  request(): Request;
  /** True if `authorize` sent a login for this attempt. The attempt may then begin although its credentials expired during a wait. */
  readonly isNew?: boolean;
  /** Returns false if the credentials have expired or were replaced since `authorize`. Absent if that cannot happen. */
  isValid?(): boolean;
  /** Signs the wire form of the request. Must be called again for every redirect to a trusted origin. */
  sign?(wire: WireRequest): WireRequest;
  /**
   * Reports that the server answered 401 to this attempt. Returns true if the attempt should be repeated, because the credentials
   * were dropped or newer ones exist already.
   */
  refused?(): boolean;
}

/** Adds credentials to requests to trusted origins. */
export interface Authenticator {
  /** Sends a login if necessary. Called before every attempt, including retries (contract C-5.10). */
  authorize(request: Request, signal: Cancellation): Promise<Authorized>;
  /**
   * Returns the first request of the login, and the request with `***` for values of the login's answer. Sends nothing. Undefined
   * if the authentication has no login.
   */
  readonly preview: ((request: Request) => Preview) | undefined;
}

export interface Preview extends Authorized {
  readonly login: Request;
}
