import type { Fault } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import type { ExpressionPlace } from "../expression/place.ts";
import type { Authentication, LoginAuthentication, Oauth20LoginAuthentication } from "../generated/configuration.ts";
import type { AuthenticationCheckOptions, AuthenticationType } from "./authentication-type.ts";
import { awsSignature } from "./aws-signature.ts";
import { basic } from "./basic.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { login } from "./login.ts";
import { oauth10 } from "./oauth10.ts";
import { oauth20 } from "./oauth20.ts";
import { oauth20Login } from "./oauth20-login.ts";
import { query } from "./query.ts";

/** Every type of authentication that a configuration may name. */
const types = {
  login,
  basic,
  query,
  "url.query": query,
  oauth10,
  oauth20,
  "oauth20.login": oauth20Login,
  "aws.signature": awsSignature,
} satisfies { [T in Authentication["type"]]: AuthenticationType<Extract<Authentication, { readonly type: T }>> };

function typeOf({ type }: Authentication): AuthenticationType<Authentication> | undefined {
  // The type may be missing or unknown while all faults of a configuration are collected.
  return Object.hasOwn(types, type ?? "") ? (types[type] as AuthenticationType<Authentication>) : undefined;
}

/**
 * Creates the authenticator of one iteration. Undefined if requests carry no credentials. Rejects with a configuration error if
 * settings or `authorization` lack a value that the type needs (contract C-11.1).
 */
export async function createAuthenticator(
  authentication: Authentication | undefined,
  options: AuthenticationOptions,
): Promise<Authenticator | undefined> {
  return authentication && typeOf(authentication)?.create(authentication, options);
}

/** Returns the places of an authentication's expressions. */
export function authenticationPlaces(authentication: Authentication, pointer: string): readonly ExpressionPlace[] {
  return typeOf(authentication)?.places(authentication, pointer) ?? [];
}

/** Returns the part of the configuration that describes the login; undefined for types that send no login. */
export function loginOf(
  authentication: Authentication | undefined,
): LoginAuthentication | Oauth20LoginAuthentication | undefined {
  const logsIn = authentication !== undefined && typeOf(authentication)?.loginContexts !== undefined;
  return logsIn ? (authentication as LoginAuthentication | Oauth20LoginAuthentication) : undefined;
}

/** Returns the extra contexts that the request and the steps of a login may read. */
export function loginContexts(authentication: Authentication): readonly string[] {
  return typeOf(authentication)?.loginContexts ?? [];
}

/** Returns the names of the headers that an authentication replaces in a request. */
export function authenticationHeaders(authentication: Authentication): readonly string[] {
  return typeOf(authentication)?.headers(authentication) ?? [];
}

/** Returns the faults of an authentication that the schema cannot find. */
export function checkAuthentication(
  authentication: Authentication,
  options: AuthenticationCheckOptions,
): readonly Fault[] {
  return typeOf(authentication)?.check(authentication, options) ?? [];
}
