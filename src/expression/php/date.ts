import { abbreviationAt, isSummerTime, offsetAt } from "./time-zone.ts";

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

/** A moment to be formatted: whole Unix seconds, a fraction, and the time zone. */
export interface DatedMoment {
  readonly time: number;
  /** Digits of the fraction, without trailing zeros; "" if there is none. */
  readonly fraction: string;
  /** IANA name of the zone; undefined for UTC. */
  readonly zone: string | undefined;
}

/**
 * Formats a moment as PHP's `date` does, in UTC unless a zone is given (contract C-4.5). A `moment` that is a number is whole
 * Unix seconds. A letter without a meaning is copied. A backslash escapes the next character; at the end of the format it
 * becomes a NUL, as in PHP. Unlike in PHP, `u` and `v` write the fraction of the moment. No library does this: locutus formats
 * in the time zone of the process, and lacks `e`, `v`, `p`, `x` and `X`.
 */
export function date(format: string, moment: number | DatedMoment): string {
  const dated = typeof moment === "number" ? { time: moment, fraction: "", zone: undefined } : moment;
  const localDate = new Date((dated.time + offsetOf(dated)) * 1000);
  return format.replace(/\\([\s\S]?)|([a-zA-Z])/g, (_all, escaped: string | undefined, letter: string | undefined) =>
    letter === undefined
      ? escaped || "\0"
      : Object.hasOwn(letters, letter)
        ? (letters[letter]?.(localDate, dated) ?? "")
        : letter,
  );
}

function offsetOf({ zone, time }: DatedMoment): number {
  return zone === undefined ? 0 : (offsetAt(zone, time) ?? 0);
}

const pad = (value: number, length = 2) => String(value).padStart(length, "0");
const hour12 = (localDate: Date) => localDate.getUTCHours() % 12 || 12;
const weekday = (localDate: Date) => localDate.getUTCDay();
const day = (localDate: Date) => localDate.getUTCDate();

/** The text of each letter for a moment. The UTC fields of `localDate` contain the local time of the moment's zone. */
const letters: Readonly<Record<string, (localDate: Date, moment: DatedMoment) => string>> = {
  d: (localDate) => pad(day(localDate)),
  D: (localDate) => (days[weekday(localDate)] ?? "").slice(0, 3),
  j: (localDate) => String(day(localDate)),
  l: (localDate) => days[weekday(localDate)] ?? "",
  N: (localDate) => String(weekday(localDate) || 7),
  S: (localDate) => ordinal(day(localDate)),
  w: (localDate) => String(weekday(localDate)),
  z: (localDate) => String(dayOfYear(localDate)),
  W: (localDate) => pad(isoWeek(localDate).week),
  o: (localDate) => String(isoWeek(localDate).year),
  F: (localDate) => months[localDate.getUTCMonth()] ?? "",
  M: (localDate) => (months[localDate.getUTCMonth()] ?? "").slice(0, 3),
  m: (localDate) => pad(localDate.getUTCMonth() + 1),
  n: (localDate) => String(localDate.getUTCMonth() + 1),
  t: (localDate) =>
    String(new Date(daysOf(localDate.getUTCFullYear(), localDate.getUTCMonth() + 2, 0) * 86_400_000).getUTCDate()),
  L: (localDate) => (dayOfYear(new Date(daysOf(localDate.getUTCFullYear(), 12, 31) * 86_400_000)) === 365 ? "1" : "0"),
  Y: (localDate) => year(localDate, ""),
  X: (localDate) => year(localDate, "+"),
  x: (localDate) => year(localDate, localDate.getUTCFullYear() > 9999 ? "+" : ""),
  y: (localDate) => pad(localDate.getUTCFullYear() % 100),
  a: (localDate) => (localDate.getUTCHours() < 12 ? "am" : "pm"),
  A: (localDate) => (localDate.getUTCHours() < 12 ? "AM" : "PM"),
  B: (_localDate, { time }) => pad(swatchBeat(time), 3),
  g: (localDate) => String(hour12(localDate)),
  G: (localDate) => String(localDate.getUTCHours()),
  h: (localDate) => pad(hour12(localDate)),
  H: (localDate) => pad(localDate.getUTCHours()),
  i: (localDate) => pad(localDate.getUTCMinutes()),
  s: (localDate) => pad(localDate.getUTCSeconds()),
  u: (_localDate, { fraction }) => fraction.slice(0, 6).padEnd(6, "0"),
  v: (_localDate, { fraction }) => fraction.slice(0, 3).padEnd(3, "0"),
  e: (_localDate, { zone }) => zone ?? "UTC",
  I: (_localDate, { zone, time }) => (zone !== undefined && isSummerTime(zone, time) ? "1" : "0"),
  O: (_localDate, moment) => offsetText(offsetOf(moment), ""),
  P: (_localDate, moment) => offsetText(offsetOf(moment), ":"),
  p: (_localDate, moment) => (offsetOf(moment) === 0 ? "Z" : offsetText(offsetOf(moment), ":")),
  T: (_localDate, { zone, time }) => (zone === undefined ? "UTC" : abbreviationAt(zone, time)),
  Z: (_localDate, moment) => String(offsetOf(moment)),
  c: (_localDate, moment) => date("Y-m-d\\TH:i:sP", moment),
  r: (_localDate, moment) => date("D, d M Y H:i:s O", moment),
  U: (_localDate, { time }) => String(time),
};

/** Returns the number of days from 1970-01-01 to a calendar date. Months and days out of range carry over (month 13, day 0). */
export function daysOf(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 86_400_000;
}

function year(localDate: Date, plus: string): string {
  const value = localDate.getUTCFullYear();
  return `${value < 0 ? "-" : plus}${pad(Math.abs(value), 4)}`;
}

function ordinal(day: number): string {
  return (day > 10 && day < 14 ? undefined : ["st", "nd", "rd"][(day % 10) - 1]) ?? "th";
}

function dayOfYear(localDate: Date): number {
  return (
    daysOf(localDate.getUTCFullYear(), localDate.getUTCMonth() + 1, day(localDate)) -
    daysOf(localDate.getUTCFullYear(), 1, 1)
  );
}

/** Returns the ISO 8601 week of a date. A week belongs to the year of its Thursday. */
function isoWeek(localDate: Date): { year: number; week: number } {
  const thursday = new Date(localDate.getTime() + (4 - (weekday(localDate) || 7)) * 86_400_000);
  return { year: thursday.getUTCFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

/** Returns the Swatch beat, a thousandth of the day in Biel (UTC+1). */
function swatchBeat(time: number): number {
  return Math.floor((((time + 3600) % 86_400) + 86_400) / 86.4) % 1000;
}

function offsetText(seconds: number, colon: string): string {
  const minutes = Math.trunc(Math.abs(seconds) / 60);
  return `${seconds < 0 ? "-" : "+"}${pad(Math.trunc(minutes / 60))}${colon}${pad(minutes % 60)}`;
}
