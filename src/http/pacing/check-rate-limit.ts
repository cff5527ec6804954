import type { Fault } from "../../core/errors.ts";
import { isHeaderName } from "../../core/text/header-syntax.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { RateLimit } from "../../generated/configuration.ts";
import type { RateLimitObject } from "./rates.ts";

/** Returns the faults of a rate limit's object form that the schema cannot find. `pointer`: JSON pointer of the rate limit. */
export function checkRateLimit(limit: RateLimit | undefined, pointer: string): Fault[] {
  if (typeof limit !== "object" || Array.isArray(limit)) return [];
  const rateLimit = limit as RateLimitObject;
  return (["remaining", "reset"] as const).flatMap((name): Fault[] => {
    const header = rateLimit[name];
    const other = name === "reset" ? "remaining" : "reset";
    if (header === undefined) return [];
    const fieldPointer = pointerTo(pointer, name);
    if (!isHeaderName(header))
      return [{ pointer: fieldPointer, message: `${JSON.stringify(header)} cannot be the name of a header` }];
    if (rateLimit[other] === undefined) return [{ pointer: fieldPointer, message: `needs "${other}" beside it` }];
    return rateLimit.headers === false
      ? [{ pointer: fieldPointer, message: 'has no effect beside "headers": false' }]
      : [];
  });
}
