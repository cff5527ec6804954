import { counted } from "../../core/text/counted.ts";
import type { ForceStop } from "../../generated/configuration.ts";
import type { Reason, StopRule } from "../paginator.ts";

/** Returns the rules for limits on pages, seconds and bytes of JSON (contract C-6.9). Each ends a job after a whole page. */
export function forceStop({ pages, time, volume }: ForceStop): StopRule[] {
  const rules: StopRule[] = [];
  if (pages !== undefined) {
    rules.push({
      rank: "limit",
      stop: (_, progress) =>
        progress.pages >= pages ? limited(`after ${counted(progress.pages, "page")} by forceStop.pages`) : undefined,
      wouldStop: (progress) => progress.pages >= pages,
      words: `at most ${counted(pages, "page")}`,
    });
  }
  if (time !== undefined) {
    rules.push({
      rank: "limit",
      stop: (_, { startedAt }, now) =>
        now - startedAt >= time * 1000 ? limited(`after ${time} s by forceStop.time`) : undefined,
      words: `for ${time} s`,
    });
  }
  if (volume !== undefined) {
    rules.push({
      rank: "limit",
      volume: true,
      stop: (_, { bytes }) =>
        bytes > volume ? limited(`after ${bytes} bytes by forceStop.volume (${volume})`) : undefined,
      words: `until ${volume} bytes are exceeded`,
    });
  }
  return rules;
}

/** Returns the rule of `--max-pages`, which limits the pages of each job. */
export function maxPages(pages: number): StopRule {
  return {
    rank: "limit",
    stop: (_, progress) =>
      progress.pages >= pages
        ? { ...limited(`after ${counted(progress.pages, "page")} by --max-pages`), byCommand: true }
        : undefined,
    wouldStop: (progress) => progress.pages >= pages,
    words: `at most ${counted(pages, "page")} (--max-pages)`,
  };
}

function limited(how: string): Reason {
  return { kind: "limited", text: `stopped ${how}` };
}
