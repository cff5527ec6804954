import type { Settings } from "../config/settings.ts";
import type { Fault } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import { isObject, parseValue, scalarText, type Value } from "../core/value.ts";
import type { Authentication, Configuration } from "../generated/configuration.ts";

/** What the type of authentication needs elsewhere: settings of the run, OAuth credentials. */
export function checkCredentials(
  configuration: Configuration,
  settings: Settings,
  base: string,
  authorizationAt: string,
): Fault[] {
  const authentication = configuration.api?.authentication;
  if (authentication?.type === "basic") return checkBasic(settings, pointer(base, "config"));
  return needsAuthorization(authentication) ? checkOauth(configuration, authentication, authorizationAt) : [];
}

function checkBasic(settings: Settings, at: string): Fault[] {
  return ["username", "password"]
    .filter((name) => !settings.has(`#${name}`) && !settings.has(name))
    .map((name) => ({ pointer: at, message: `authentication "basic" needs the setting "#${name}" (or "${name}")` }));
}

function needsAuthorization(authentication: Authentication | undefined): authentication is Authentication {
  return ["oauth10", "oauth20", "oauth20.login"].includes(authentication?.type ?? "");
}

function checkOauth({ authorization }: Configuration, authentication: Authentication, at: string): Fault[] {
  const credentials = authorization?.oauth_api?.credentials;
  const here = pointer(at, "oauth_api", "credentials");
  const type = JSON.stringify(authentication.type);
  if (credentials === undefined)
    return [{ pointer: at, message: `authentication ${type} needs "oauth_api.credentials" here` }];
  const needed =
    authentication.type === "oauth10" ? (["appKey", "#data"] as const) : (["appKey", "#appSecret", "#data"] as const);
  const missing = needed.filter((name) => credentials[name] === undefined);
  const faults = missing.map((name) => ({
    pointer: here,
    message: `${JSON.stringify(name)} is missing: authentication ${type} needs it`,
  }));
  const data = credentials["#data"];
  const json = authentication.type !== "oauth20" || authentication.format === "json";
  if (data !== undefined && json && !isJson(data)) {
    faults.push({ pointer: pointer(here, "#data"), message: "must be a JSON object as text" });
  }
  return faults;
}

function isJson(data: Value): boolean {
  if (isObject(data)) return true;
  try {
    return isObject(parseValue(scalarText(data) ?? ""));
  } catch {
    return false;
  }
}
