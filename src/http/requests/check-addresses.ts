import { foundText } from "../../config/found.ts";
import { registerUserinfo } from "../../config/secrets.ts";
import type { Settings } from "../../config/settings.ts";
import { type Fault, messageOf } from "../../core/errors.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { withoutUser } from "../../core/secrets/without-user.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { Value } from "../../core/values/value.ts";
import { checkExpressions } from "../../expression/check.ts";
import { evaluate } from "../../expression/evaluate.ts";
import { isExpression } from "../../expression/shape.ts";

/** Returns the faults of the base address, which must be http or https, even if it is the result of an expression. */
export function checkBaseUrl(
  baseUrl: Value | undefined,
  pointer: string,
  settings: Settings,
  secrets: Secrets,
): Fault[] {
  if (baseUrl === undefined) return [];
  let address = baseUrl;
  if (isExpression(baseUrl, [])) {
    // Another check reports faults in expressions.
    if (checkExpressions(baseUrl, pointer, { settings, contexts: [] }).length > 0) return [];
    try {
      address = evaluate(baseUrl, { settings, time: { currentStart: 0, previousStart: 0 }, secrets });
    } catch (error) {
      return [{ pointer, message: messageOf(error) }];
    }
  }
  if (typeof address === "string") registerUserinfo(address, secrets);
  const protocol = typeof address === "string" && URL.canParse(address) ? new URL(address).protocol : "";
  if (protocol === "http:" || protocol === "https:") return [];
  return [{ pointer, message: `must be an address with http or https, not ${foundText(address, [])}` }];
}

export function checkOrigins(origins: readonly string[] | undefined, pointer: string): Fault[] {
  return (origins ?? []).flatMap((origin, index) => {
    // The schema reports an origin that is not a text.
    if (typeof origin !== "string") return [];
    if (/^https?:\/\//i.test(origin) && URL.canParse(origin)) return [];
    return [
      {
        pointer: pointerTo(pointer, index),
        message: `must be an origin such as "https://files.example.com", not ${foundText(withoutUser(origin), [])}`,
      },
    ];
  });
}
