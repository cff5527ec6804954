import { messageOf, SpileError } from "../core/errors.ts";
import type { Masking, Report } from "./report.ts";

export interface BugOptions {
  readonly report: Report;
  readonly secrets: Masking;
  /** True to report the stack, too. */
  readonly debug: boolean;
}

/** Reports a bug of spile (exit code 70). */
export function reportBug(error: unknown, { report, secrets, debug }: BugOptions): void {
  for (const line of bugLines(error, debug, (text) => secrets.mask(text))) report.fault(new SpileError("bug", line));
}

/** Returns the lines of the report. The stack is masked before it is split, since a secret may have several lines. */
function bugLines(error: unknown, debug: boolean, mask: (text: string) => string): string[] {
  if (!debug) return [`a bug in spile: ${messageOf(error)}; please report it with the lines that --debug adds`];
  const stack = error instanceof Error ? error.stack : undefined;
  return ["a bug in spile; please report it with these lines", ...mask(stack ?? messageOf(error)).split("\n")];
}
