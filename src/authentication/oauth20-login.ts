import type { Authenticator } from "../core/requests/authenticator.ts";
import type { Oauth20LoginAuthentication } from "../generated/configuration.ts";
import type { AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationEnvironment } from "./environment.ts";
import { checkLogin, loginPlaces, loginWith } from "./login.ts";
import { addTokens, checkGranted, granted, grantedObject } from "./oauth-credentials.ts";

const contexts: readonly string[] = ["consumer", "user"];

/**
 * A login with an OAuth 2.0 grant: its request may read `consumer` (client_id, client_secret) and `user` (the grant's
 * document) beside attr (contract C-11.1).
 */
export const oauth20Login = {
  create,
  places: (authentication, pointer) => loginPlaces(authentication, pointer, contexts),
  headers: ({ apiRequest }) => Object.keys(apiRequest?.headers ?? {}),
  loginContexts: contexts,
  check: (authentication, surroundings) => [
    ...checkLogin(authentication, surroundings),
    ...checkGranted(authentication.type, ["appKey", "#appSecret", "#data"], "json", surroundings),
  ],
} satisfies AuthenticationType<Oauth20LoginAuthentication>;

function create(authentication: Oauth20LoginAuthentication, environment: AuthenticationEnvironment): Authenticator {
  const credentials = granted(environment, "oauth20.login");
  const user = grantedObject(credentials);
  addTokens(user, environment.secrets);
  return loginWith(authentication, environment, {
    consumer: { client_id: credentials.clientId, client_secret: credentials.clientSecret },
    user,
  });
}
