import { emptyMoment, type Moment, resolve } from "./moment.ts";
import { FunctionFault } from "./operand.ts";
import { type TimeToken, tokens } from "./strtotime-tokens.ts";

/**
 * Returns the Unix time of a text as PHP's `strtotime` does in UTC (contract C-4.5): "2017-02-20 12:34:45", "21 oct 2017
 * 9:16pm", "-7 days", "first day of last month". `now`: the base of relative texts, in Unix seconds. Throws FunctionFault for a
 * text that it cannot read. No library does this: locutus computes in the time zone of the process, and lacks weekdays, "first
 * monday of" and zone names.
 */
export function strtotime(text: string, now: number): number {
  const unreadable = () => new FunctionFault("is not a date or time that strtotime can read", text);
  const rest = text.trim();
  if (rest === "" || rest.length > maxLength) throw unreadable();
  const moment = emptyMoment();
  let index = 0;
  while (index < rest.length) {
    const length = readToken(moment, rest, index);
    if (length === undefined) throw unreadable();
    index += length;
  }
  const time = resolve(moment, now);
  if (!Number.isFinite(time)) throw unreadable();
  return time + 0;
}

/** Maximum number of characters of a text. No date is longer. It limits the work, since tokens are tried at every place. */
const maxLength = 1000;

/**
 * Applies the longest token at `index`; if several are equally long, the first in the table. Returns its length. Undefined if
 * no token matches, or if this one has no meaning here.
 */
function readToken(moment: Moment, text: string, index: number): number | undefined {
  let best: { readonly match: RegExpExecArray; readonly token: TimeToken } | undefined;
  for (const token of tokens) {
    token.pattern.lastIndex = index;
    const match = token.pattern.exec(text);
    if (match !== null && match[0].length > (best?.match[0].length ?? 0)) best = { match, token };
  }
  if (best === undefined) return undefined;
  const [read] = best.match;
  return best.token.apply(moment, best.match.groups ?? {}, read) ? read.length : undefined;
}
