import type { Oauth20LoginAuthentication } from "../generated/configuration.ts";
import type { Factory } from "./environment.ts";
import { loginWith } from "./login.ts";
import { addTokens, granted, grantedObject } from "./oauth-credentials.ts";

/**
 * A login with an OAuth 2.0 grant: its request may read `consumer` (client_id, client_secret) and `user` (the grant's
 * document) besides attr (contract C-11.1).
 */
export const oauth20Login: Factory<Oauth20LoginAuthentication> = (authentication, environment) => {
  const credentials = granted(environment, "oauth20.login");
  const user = grantedObject(credentials);
  addTokens(user, environment.secrets);
  return loginWith(authentication, environment, {
    consumer: { client_id: credentials.clientId, client_secret: credentials.clientSecret },
    user,
  });
};
