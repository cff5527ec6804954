import type { Authenticator } from "../core/authenticator.ts";
import { type Fault, SpileError } from "../core/errors.ts";
import { withHeaders } from "../core/request.ts";
import { scalarText } from "../core/value.ts";
import type { BasicAuthentication } from "../generated/configuration.ts";
import type { AuthenticationSurroundings, AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationEnvironment } from "./environment.ts";

/** User name and password of the settings in the header `Authorization` (RFC 7617, in UTF-8). */
export const basic = { create, places: () => [], check } satisfies AuthenticationType<BasicAuthentication>;

function create(_authentication: BasicAuthentication, environment: AuthenticationEnvironment): Authenticator {
  const username = required("username", environment);
  const password = required("password", environment);
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  environment.secrets.add(password);
  environment.secrets.add(credentials);
  return {
    authorize: async (request) => ({
      request: { ...request, headers: withHeaders(request.headers, [["Authorization", `Basic ${credentials}`]]) },
    }),
    preview: undefined,
  };
}

function check(_authentication: BasicAuthentication, { settings, configAt }: AuthenticationSurroundings): Fault[] {
  return ["username", "password"]
    .filter((name) => !settings.has(`#${name}`) && !settings.has(name))
    .map((name) => ({
      pointer: configAt,
      message: `authentication "basic" needs the setting "#${name}" (or "${name}")`,
    }));
}

/** Returns the setting `name` or, if that is empty, `#name`. An API may need one of the two to be empty. */
function required(name: string, { settings }: AuthenticationEnvironment): string {
  const texts = [name, `#${name}`].flatMap((key) => {
    const value = settings.get(key) ?? null;
    return value === null ? [] : (scalarText(value) ?? []);
  });
  const text = texts.find((one) => one !== "") ?? texts[0];
  if (text !== undefined) return text;
  throw new SpileError("configuration", `authentication of type "basic" needs the setting "#${name}" or "${name}"`, {
    pointer: "/config",
  });
}
