import type { Authenticator } from "../core/authenticator.ts";
import type { Authentication } from "../generated/configuration.ts";
import { awsSignature } from "./aws-signature.ts";
import { basic } from "./basic.ts";
import type { AuthenticationEnvironment, Factory } from "./environment.ts";
import { login } from "./login.ts";
import { oauth10 } from "./oauth10.ts";
import { oauth20 } from "./oauth20.ts";
import { oauth20Login } from "./oauth20-login.ts";
import { query } from "./query.ts";

export type { AuthenticationEnvironment } from "./environment.ts";

/** Every type of authentication that a configuration may name. */
const types = {
  login,
  basic,
  query,
  "url.query": query,
  oauth10,
  oauth20,
  "oauth20.login": oauth20Login,
  "aws.signature": ({ credentials }, environment) => awsSignature(credentials, environment),
} satisfies { [T in Authentication["type"]]: Factory<Extract<Authentication, { readonly type: T }>> };

/**
 * The authenticator of one run (of one iteration): it holds that run's credentials. undefined where requests carry
 * none. Rejects with a configuration error where settings or `authorization` lack what the type needs (contract C-11.1).
 */
export async function createAuthenticator(
  authentication: Authentication | undefined,
  environment: AuthenticationEnvironment,
): Promise<Authenticator | undefined> {
  const { aws } = environment;
  const authenticator =
    authentication && (await (types[authentication.type] as Factory<Authentication>)(authentication, environment));
  if (aws === undefined || authentication?.type === "aws.signature") return authenticator;
  return awsSignature(aws, environment, authenticator);
}
