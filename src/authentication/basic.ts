import { type Fault, SpileError } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import { withHeaders } from "../core/requests/request.ts";
import { pointerTo } from "../core/values/path.ts";
import { scalarText } from "../core/values/value.ts";
import { type ExpressionPlace, placeAt } from "../expression/place.ts";
import type { BasicAuthentication } from "../generated/configuration.ts";
import type { AuthenticationCheckOptions, AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { evaluateAt } from "./evaluation.ts";

/** Sends a user name and a password in the header `Authorization` (RFC 7617, in UTF-8). */
export const basic = {
  create,
  places,
  headers: () => ["Authorization"],
  check,
} satisfies AuthenticationType<BasicAuthentication>;

const fields = ["username", "password"] as const;

function places(authentication: BasicAuthentication, pointer: string): readonly ExpressionPlace[] {
  return fields.flatMap((name) => placeAt(pointerTo(pointer, name), authentication[name], [], "expression"));
}

function create(authentication: BasicAuthentication, options: AuthenticationOptions): Authenticator {
  const readField = hasFields(authentication) ? fieldText : settingText;
  const [username = "", password = ""] = fields.map((name) => readField(name, options, authentication));
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  options.secrets.add(password);
  options.secrets.add(credentials);
  return {
    authorize: async (request) => ({
      request: () => ({
        ...request,
        headers: withHeaders(request.headers, [["Authorization", `Basic ${credentials}`]]),
      }),
    }),
    preview: undefined,
  };
}

function check(authentication: BasicAuthentication, { settings, configPointer }: AuthenticationCheckOptions): Fault[] {
  if (hasFields(authentication)) return [];
  return fields
    .filter((name) => !settings.has(`#${name}`) && !settings.has(name))
    .map((name) => ({
      pointer: configPointer,
      message: `authentication "basic" needs the setting "#${name}" (or "${name}")`,
    }));
}

/** Returns whether `api.authentication` contains the user name or the password. If only one is there, the other is empty. */
function hasFields(authentication: BasicAuthentication): boolean {
  return fields.some((name) => authentication[name] !== undefined);
}

function fieldText(
  name: (typeof fields)[number],
  options: AuthenticationOptions,
  authentication: BasicAuthentication,
): string {
  const pointer = pointerTo("/api/authentication", name);
  const value = authentication[name] ?? "";
  const text = scalarText(evaluateAt(pointer, value, {}, options));
  if (text !== undefined) return text;
  throw new SpileError("configuration", "evaluates to a list or an object; it must be a text", { pointer });
}

/**
 * Returns the setting `name` or, if that is missing or empty, the setting `#name`. Both may be empty: some APIs need an empty user
 * name or password.
 */
function settingText(name: string, { settings }: AuthenticationOptions): string {
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
