import type { Value } from "../../core/values/value.ts";
import { UnsupportedError } from "../described/values.ts";

/** Date directives of Python and of Airbyte, each with its letters for PHP's function `date`. */
const directives: Readonly<Record<string, string>> = {
  "%Y": "Y",
  "%m": "m",
  "%d": "d",
  "%H": "H",
  "%M": "i",
  "%S": "s",
  "%f": "u",
  "%z": "O",
  "%Z": "T",
  "%s": "U",
  "%y": "y",
  "%b": "M",
  "%B": "F",
  "%a": "D",
  "%A": "l",
  "%p": "A",
  "%I": "h",
  "%T": "H:i:s",
  "%F": "Y-m-d",
  "%e": "j",
  "%-d": "j",
  "%-m": "n",
  "%-H": "G",
  "%%": "%",
  "%ms": "Uv",
  "%s_as_float": "U.u",
  "%epoch_microseconds": "Uu",
  "%_ms": "v",
};

const pattern = /%(?:epoch_microseconds|s_as_float|_ms|ms|-[dmH]|[A-Za-z%])|[\s\S]/g;

/** Converts a date format of Python to a format of PHP's `date`. */
function phpFormat(format: string): string {
  return (format.match(pattern) ?? [])
    .map((piece) => {
      if (piece.length === 1) return /[A-Za-z\\]/.test(piece) ? `\\${piece}` : piece;
      const php = directives[piece];
      if (php === undefined) throw new UnsupportedError(`spile cannot write ${piece} of the date format ${format}`);
      return php;
    })
    .join("");
}

/** Matches the formats of times that an increment can read. */
const readable =
  /^(?:%s(?:_as_float)?|%ms|%epoch_microseconds|%Y-%m-%d(?:[T ]%H:%M(?::%S(?:\.?(?:%f|%_ms|0+))?)?(?:Z| ?(?:%z|[+-]\d\d:?\d\d|%Z|UTC))?)?)$/;

/** Returns whether an increment of type `time` can read times in this format. */
export function isReadable(format: string): boolean {
  return readable.test(format.replace(/\.\d+Z$/, ".%fZ"));
}

const units = ["years", "months", "weeks", "days", "hours", "minutes", "seconds"] as const;

/** Converts an ISO 8601 duration to a text for PHP's `strtotime`: `-30 days`. Throws `UnsupportedError`. */
export function relativeTime(duration: string, sign: "+" | "-"): string {
  const numbers = durationParts(duration);
  if (!numbers.every(Number.isInteger))
    throw new UnsupportedError(`the duration ${duration} has a fraction of a second`);
  const words = numbers.flatMap((number, index) => (number === 0 ? [] : [`${sign}${number} ${units[index]}`]));
  return words.length === 0 ? "now" : words.join(" ");
}

function durationParts(duration: string): readonly number[] {
  const found = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
    duration.replace("None", "0"),
  );
  if (found === null) throw new UnsupportedError(`${duration} is not an ISO 8601 duration`);
  return units.map((_, index) => Number(found[index + 1] ?? 0));
}

const secondsOfUnit = [31_536_000, 2_592_000, 604_800, 86_400, 3600, 60, 1] as const;

/** Returns the length of a duration in seconds, with months of 30 and years of 365 days. */
export function durationSeconds(duration: string): number {
  return durationParts(duration).reduce((sum, number, index) => sum + number * (secondsOfUnit[index] ?? 0), 0);
}

/** Returns an expression that prints a time in a format. `seconds`: an expression that gives Unix seconds. */
export function dateText(format: string, seconds: Value): Value {
  const php = phpFormat(format);
  return { function: "date", args: [php, seconds] };
}

/** Returns an expression that converts a text to Unix seconds. */
export function secondsOfText(text: Value): Value {
  return { function: "strtotime", args: [text] };
}
