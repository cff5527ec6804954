import type { Cancellation } from "../cancellation.ts";
import type { Request, WireRequest } from "./request.ts";

/** One attempt of a request, with credentials. */
export interface Authorized {
  /** Returns the request with credentials. Called just before the request is sent, since times and nonces may be part of it. */
  request(): Request;
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

/** Adds credentials to requests to trusted origins. It is called before every attempt, including retries (contract C-5.10). */
export interface Authenticator {
  /** Sends a login if one is needed. */
  authorize(request: Request, signal: Cancellation): Promise<Authorized>;
  /**
   * Returns the login request, and the request as it looks before any login was sent. Undefined if there are no logins: `authorize`
   * then sends nothing.
   */
  readonly preview: ((request: Request) => Preview) | undefined;
}

/** The login request, and a request with `***` in place of the values of the login's answer. */
export interface Preview extends Authorized {
  readonly login: Request;
}
