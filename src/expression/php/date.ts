const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/**
 * PHP's `date` in UTC, whatever zone the process has (contract C-4.5); `time` in whole Unix seconds. A letter without a
 * meaning stands for itself, a backslash takes the meaning from the next one; at the end it is a NUL, as
 * in PHP.
 * Own code: locutus formats in the local zone of the process and lacks `e`, `v`, `p`, `x` and `X`.
 */
export function date(format: string, time: number): string {
  const at = new Date(time * 1000);
  return format.replace(/\\([\s\S]?)|([a-zA-Z])/g, (_all, escaped: string | undefined, letter: string | undefined) =>
    letter === undefined ? escaped || "\0" : Object.hasOwn(letters, letter) ? (letters[letter]?.(at) ?? "") : letter,
  );
}

const pad = (value: number, length = 2) => String(value).padStart(length, "0");
const hour12 = (at: Date) => at.getUTCHours() % 12 || 12;
const weekday = (at: Date) => at.getUTCDay();
const day = (at: Date) => at.getUTCDate();
const fixed = (text: string) => () => text;

const letters: Readonly<Record<string, (at: Date) => string>> = {
  d: (at) => pad(day(at)),
  D: (at) => (days[weekday(at)] ?? "").slice(0, 3),
  j: (at) => String(day(at)),
  l: (at) => days[weekday(at)] ?? "",
  N: (at) => String(weekday(at) || 7),
  S: (at) => ordinal(day(at)),
  w: (at) => String(weekday(at)),
  z: (at) => String(dayOfYear(at)),
  W: (at) => pad(isoWeek(at).week),
  o: (at) => String(isoWeek(at).year),
  F: (at) => months[at.getUTCMonth()] ?? "",
  M: (at) => (months[at.getUTCMonth()] ?? "").slice(0, 3),
  m: (at) => pad(at.getUTCMonth() + 1),
  n: (at) => String(at.getUTCMonth() + 1),
  t: (at) => String(new Date(daysOf(at.getUTCFullYear(), at.getUTCMonth() + 2, 0) * 86_400_000).getUTCDate()),
  L: (at) => (dayOfYear(new Date(daysOf(at.getUTCFullYear(), 12, 31) * 86_400_000)) === 365 ? "1" : "0"),
  Y: (at) => year(at, ""),
  X: (at) => year(at, "+"),
  x: (at) => year(at, at.getUTCFullYear() > 9999 ? "+" : ""),
  y: (at) => pad(at.getUTCFullYear() % 100),
  a: (at) => (at.getUTCHours() < 12 ? "am" : "pm"),
  A: (at) => (at.getUTCHours() < 12 ? "AM" : "PM"),
  B: (at) => pad(swatchBeat(at), 3),
  g: (at) => String(hour12(at)),
  G: (at) => String(at.getUTCHours()),
  h: (at) => pad(hour12(at)),
  H: (at) => pad(at.getUTCHours()),
  i: (at) => pad(at.getUTCMinutes()),
  s: (at) => pad(at.getUTCSeconds()),
  u: fixed("000000"),
  v: fixed("000"),
  e: fixed("UTC"),
  I: fixed("0"),
  O: fixed("+0000"),
  P: fixed("+00:00"),
  p: fixed("Z"),
  T: fixed("UTC"),
  Z: fixed("0"),
  c: (at) => date("Y-m-d\\TH:i:sP", at.getTime() / 1000),
  r: (at) => date("D, d M Y H:i:s O", at.getTime() / 1000),
  U: (at) => String(at.getTime() / 1000),
};

/** Days since 1970-01-01 of a calendar date; months and days out of range count on (month 13, day 0). */
export function daysOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000;
}

function year(at: Date, plus: string): string {
  const value = at.getUTCFullYear();
  return `${value < 0 ? "-" : plus}${pad(Math.abs(value), 4)}`;
}

function ordinal(day: number): string {
  return (day > 10 && day < 14 ? undefined : ["st", "nd", "rd"][(day % 10) - 1]) ?? "th";
}

function dayOfYear(at: Date): number {
  return daysOf(at.getUTCFullYear(), at.getUTCMonth() + 1, day(at)) - daysOf(at.getUTCFullYear(), 1, 1);
}

/** ISO 8601: the week belongs to the year of its Thursday. */
function isoWeek(at: Date): { year: number; week: number } {
  const thursday = new Date(at.getTime() + (4 - (weekday(at) || 7)) * 86_400_000);
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

/** Swatch beats: thousandths of the day in Biel (UTC+1). */
function swatchBeat(at: Date): number {
  return Math.floor((((at.getTime() / 1000 + 3600) % 86_400) + 86_400) / 86.4) % 1000;
}
