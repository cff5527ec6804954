import type { Secrets } from "../core/secrets/redact.ts";
import { isNumber, isObject, parseValue, type Value } from "../core/values/value.ts";

/** Registers the texts and numbers under every name that begins with `#`, at any depth, and those inside a text that is JSON. */
export function registerSecrets(value: Value, secrets: Secrets, isSecret = false): void {
  if (Array.isArray(value)) for (const item of value) registerSecrets(item, secrets, isSecret);
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      // A login's `remember` contains places of values, not values.
      if (key === "remember" && Object.hasOwn(value, "loginRequest")) continue;
      registerSecrets(inner, secrets, isSecret || key.startsWith("#"));
    }
  } else if (isSecret && isNumber(value)) secrets.add(value.toString());
  else if (isSecret && typeof value === "string") {
    secrets.add(value);
    // OAuth's `#data` is JSON as text: the tokens in it are secrets too.
    if (/^\s*[{[]/.test(value)) registerParts(value, secrets);
  }
}

function registerParts(text: string, secrets: Secrets): void {
  try {
    registerSecrets(parseValue(text), secrets, true);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Registers the user and the password in an address, as written and decoded, even if the address is not valid. */
export function registerUserinfo(address: string, secrets: Secrets): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const begin = address.indexOf("//") + 2;
  // A pattern over the whole address would take time that grows with the cube of its length.
  const userInfo = begin < 2 ? "" : address.slice(begin, Math.max(begin, address.lastIndexOf("@")));
  const user = /^[^:@]*/.exec(userInfo)?.[0] ?? "";
  const password = userInfo.slice(user.length).replace(/^:/, "");
  for (const part of [url?.username ?? "", url?.password ?? "", userInfo, user, password]) {
    secrets.add(part);
    secrets.add(decodePart(part));
  }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
