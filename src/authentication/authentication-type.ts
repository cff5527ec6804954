import type { Settings } from "../config/settings.ts";
import type { Fault } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { OauthCredentials } from "../generated/configuration.ts";
import type { AuthenticationOptions } from "./environment.ts";

/** A type of authentication, with all that depends on the type. `A` is its part of the configuration. */
export interface AuthenticationType<A> {
  /** Creates the authenticator of one iteration. Throws at once for a fault that shows without a request. */
  create(authentication: A, options: AuthenticationOptions): Authenticator | Promise<Authenticator>;
  /** Returns the places of its expressions, and what they may read. `pointer` is the pointer of `authentication`. */
  places(authentication: A, pointer: string): readonly ExpressionPlace[];
  /** Extra contexts that its login's request and steps may read. Absent if it sends no login. */
  readonly loginContexts?: readonly string[];
  /** Returns the names of the headers that it sends in place of a request's own. */
  headers(authentication: A): readonly string[];
  /** Returns the faults that no schema can find: what the type needs elsewhere in the configuration. */
  check(authentication: A, options: AuthenticationCheckOptions): readonly Fault[];
}

/** The configuration of one iteration around `authentication`. */
export interface AuthenticationCheckOptions {
  /** JSON pointers of `authentication`, `config` and `authorization`. */
  readonly pointer: string;
  readonly configAt: string;
  readonly authorizationAt: string;
  readonly settings: Settings;
  readonly oauth: OauthCredentials | undefined;
}
