import type { Fault } from "../core/errors.ts";
import { foundText } from "./found.ts";

/** A path, or an address with http or https only (contract C-3.1). */
export function checkScheme(address: string | undefined, at: string): Fault[] {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address ?? "")?.[1]?.toLowerCase();
  if (scheme === undefined || scheme === "http" || scheme === "https") return [];
  return [
    { pointer: at, message: `must be a path or an address with http or https, not ${foundText(address ?? "", [])}` },
  ];
}
