import type { Fault } from "../core/errors.ts";
import { foundText } from "./found.ts";

/** Returns the fault of an address with another scheme than http or https (contract C-3.1). */
export function checkScheme(address: string | undefined, pointer: string): Fault[] {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address ?? "")?.[1]?.toLowerCase();
  if (scheme === undefined || scheme === "http" || scheme === "https") return [];
  return [
    {
      pointer,
      message: `must be a path or an address with http or https, not ${foundText(address ?? "", [])}`,
    },
  ];
}
