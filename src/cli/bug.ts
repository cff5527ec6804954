import { messageOf, SpileError } from "../core/errors.ts";
import type { Report } from "./report.ts";

/** Tells of a bug of ours: its message, with `debug` the stack too (spec 9, exit 70). */
export function reportBug(error: unknown, report: Report, debug: boolean): void {
  for (const line of bugLines(error, debug)) report.fault(new SpileError("bug", line));
}

function bugLines(error: unknown, debug: boolean): string[] {
  if (!debug) return [`a bug in spile: ${messageOf(error)}; please report it with what --debug adds to this line`];
  const stack = error instanceof Error ? error.stack : undefined;
  return ["a bug in spile; please report it with these lines", ...(stack ?? messageOf(error)).split("\n")];
}
