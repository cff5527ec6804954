import type { Settings } from "../config/settings.ts";
import type { Fault } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { OauthCredentials } from "../generated/configuration.ts";
import type { AuthenticationOptions } from "./environment.ts";

/** A type of authentication, with everything that depends on the type. `A`: its part of the configuration. */
export interface AuthenticationType<A> {
  /** Creates the authenticator of one iteration. Throws for a fault that can be found without a request. */
  create(authentication: A, options: AuthenticationOptions): Authenticator | Promise<Authenticator>;
  /** Returns the places of its expressions. `pointer`: the pointer of `authentication`. */
  places(authentication: A, pointer: string): readonly ExpressionPlace[];
  /** Extra contexts that its login's request and steps may read. Absent if it sends no login. */
  readonly loginContexts?: readonly string[];
  /** Returns the names of the headers that it replaces in a request. */
  headers(authentication: A): readonly string[];
  /** Returns the faults that the schema cannot find, such as a setting that the type needs. */
  check(authentication: A, options: AuthenticationCheckOptions): readonly Fault[];
}

/** The configuration of one iteration around `authentication`. */
export interface AuthenticationCheckOptions {
  /** JSON pointers of `authentication`, `config` and `authorization`. */
  readonly pointer: string;
  readonly configPointer: string;
  readonly authorizationPointer: string;
  readonly settings: Settings;
  readonly oauth: OauthCredentials | undefined;
}
