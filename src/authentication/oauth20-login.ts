import type { Authenticator } from "../core/requests/authenticator.ts";
import type { Oauth20LoginAuthentication } from "../generated/configuration.ts";
import type { AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { checkLogin, loginPlaces, loginWith } from "./login.ts";
import { addTokens, checkGranted, grantedObject, oauthGrant } from "./oauth-credentials.ts";

const contexts: readonly string[] = ["consumer", "user"];

/**
 * A login with an OAuth 2.0 grant: its request may read the contexts `consumer` (client_id, client_secret) and `user` (the
 * grant's document), in addition to settings (contract C-11.1).
 */
export const oauth20Login = {
  create,
  places: (authentication, pointer) => loginPlaces(authentication, pointer, contexts),
  headers: ({ apiRequest }) => Object.keys(apiRequest?.headers ?? {}),
  loginContexts: contexts,
  check: (authentication, options) => [
    ...checkLogin(authentication, options),
    ...checkGranted(authentication.type, ["appKey", "#appSecret", "#data"], "json", options),
  ],
} satisfies AuthenticationType<Oauth20LoginAuthentication>;

function create(authentication: Oauth20LoginAuthentication, options: AuthenticationOptions): Authenticator {
  const credentials = oauthGrant(options, "oauth20.login");
  const user = grantedObject(credentials);
  addTokens(user, options.secrets);
  return loginWith(authentication, options, {
    consumer: { client_id: credentials.clientId, client_secret: credentials.clientSecret },
    user,
  });
}
