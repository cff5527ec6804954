import type { Settings } from "../config/settings.ts";
import type { Authenticator } from "../core/authenticator.ts";
import type { Fault } from "../core/errors.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { OauthCredentials } from "../generated/configuration.ts";
import type { AuthenticationEnvironment } from "./environment.ts";

/** A type of authentication: all that is known of it. `A` is its part of the configuration. */
export interface AuthenticationType<A> {
  /** Makes the authenticator of one iteration; a fault that can be seen now is thrown now. */
  create(authentication: A, environment: AuthenticationEnvironment): Authenticator | Promise<Authenticator>;
  /** Where its expressions stand, and what they may read; `at` is the pointer of `authentication`. */
  places(authentication: A, at: string): readonly ExpressionPlace[];
  /** What its login's request and steps may read beside settings and times; absent where it sends no login. */
  readonly loginContexts?: readonly string[];
  /** What no schema can tell: what it needs elsewhere. */
  check(authentication: A, surroundings: AuthenticationSurroundings): readonly Fault[];
}

/** What stands around `authentication` in the configuration of one iteration. */
export interface AuthenticationSurroundings {
  /** JSON pointers of `authentication`, `config` and `authorization`. */
  readonly at: string;
  readonly configAt: string;
  readonly authorizationAt: string;
  readonly settings: Settings;
  readonly oauth: OauthCredentials | undefined;
}
