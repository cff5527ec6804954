import type { Fault } from "../../core/errors.ts";
import { isHeaderName } from "../../core/text/header-syntax.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { RateLimit } from "../../generated/configuration.ts";
import type { RateLimitObject } from "./rates.ts";

/** Returns the faults in the object form of a rate limit at `pointer` that the schema cannot find. */
export function checkRateLimit(limit: RateLimit | undefined, pointer: string): Fault[] {
  if (typeof limit !== "object" || Array.isArray(limit)) return [];
  const given = limit as RateLimitObject;
  return (["remaining", "reset"] as const).flatMap((name): Fault[] => {
    const header = given[name];
    const other = name === "reset" ? "remaining" : "reset";
    if (header === undefined) return [];
    const here = pointerTo(pointer, name);
    if (!isHeaderName(header))
      return [{ pointer: here, message: `${JSON.stringify(header)} cannot be the name of a header` }];
    if (given[other] === undefined) return [{ pointer: here, message: `needs "${other}" beside it` }];
    return given.headers === false ? [{ pointer: here, message: 'has no effect beside "headers": false' }] : [];
  });
}
