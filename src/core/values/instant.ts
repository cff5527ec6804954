import { decimal } from "./decimal.ts";
import { isNumber, type Value } from "./value.ts";

/** A moment: whole Unix seconds, and the digits of the fraction of a second as they were written. */
export interface Instant {
  readonly seconds: number;
  readonly fraction: string;
}

/** First and last Unix second of the years 0 to 9999, which ISO 8601 writes with four digits. */
const range = { first: -62_167_219_200, last: 253_402_300_799 };

/** Smallest number that is read as milliseconds. It means April 1970; as seconds, it would mean the year 2286. */
const firstMilliseconds = 10_000_000_000;

/**
 * Greatest number that is read as seconds if it is the time of an expiry or of a retry. It is greater than `firstMilliseconds`,
 * since servers send 9999999999 and 99999999999 for "never" (contract C-5.4, C-8.2).
 */
export const greatestUnixSeconds = 1e11;

const iso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:(Z)| ?([+-])(\d\d)(?::?(\d\d))?)$/i;

/** Dates, and times without an offset; both mean UTC. */
const local = /^(\d{4}-\d\d-\d\d)(?:([T ])(\d\d:\d\d)(:\d\d)?(?:([.,])(\d+))?( UTC)?)?$/;

/** Reads a time as `readInstant` does, and also a date, and a time without an offset or with the word UTC. These are read as UTC. */
export function readTime(value: Value): Instant | undefined {
  const found = typeof value === "string" ? local.exec(value) : null;
  if (found === null) return readInstant(value);
  const [, date = "", , time = "00:00", seconds = ":00", , fraction] = found;
  return fromIso(`${date}T${time}${seconds}${fraction === undefined ? "" : `.${fraction}`}Z`);
}

/**
 * Writes a time in the form of the date or time `form`, rounded down to its precision. If `form` has an offset or is a number, the
 * result is ISO 8601 in UTC.
 */
export function timeLike(instant: Instant, form: Value): string {
  const found = typeof form === "string" ? local.exec(form) : null;
  if (found === null) return instantText(instant);
  const [, , separator, , seconds, point, fraction, zone = ""] = found;
  const text = new Date(instant.seconds * 1000).toISOString();
  if (separator === undefined) return text.slice(0, 10);
  const digits =
    fraction === undefined ? "" : point + instant.fraction.padEnd(fraction.length, "0").slice(0, fraction.length);
  return `${text.slice(0, 10)}${separator}${text.slice(11, seconds === undefined ? 16 : 19)}${digits}${zone}`;
}

/**
 * Reads ISO 8601 with an offset from UTC, or Unix seconds or milliseconds (a number or its digits). Undefined for anything else:
 * the zone of a time without an offset is unknown.
 */
export function readInstant(value: Value): Instant | undefined {
  if (isNumber(value)) return fromNumber(value.toString());
  if (typeof value !== "string") return undefined;
  return /^[+-]?[\d.]+$/.test(value) ? fromNumber(value) : fromIso(value);
}

function fromIso(text: string): Instant | undefined {
  const found = iso.exec(text);
  if (found === null) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", utc, sign, hours, minutes = "0"] = found;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  const isDay = date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
  // 24:00 is the end of a day. A leap second (:60) is read as the second after it.
  const isTime = (h < 24 || (h === 24 && min + s === 0)) && min < 60 && s <= 60;
  if (!isDay || !isTime || Number(hours ?? 0) > 23 || Number(minutes) > 59) return undefined;
  const offset = utc === undefined ? (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60) : 0;
  return within(date.getTime() / 1000 + h * 3600 + min * 60 + s - offset, fraction);
}

/** Reads a number of Unix seconds, never as milliseconds. Undefined if the value is not a number in range. */
export function instantOf(seconds: Value): Instant | undefined {
  return isNumber(seconds) ? fromNumber(seconds.toString(), 0) : undefined;
}

/** Reads a number. `shift`: 0 for seconds, 3 for milliseconds. */
function fromNumber(text: string, shift = Math.abs(Number(text)) >= firstMilliseconds ? 3 : 0): Instant | undefined {
  const number = decimal(text);
  if (number === undefined || number.digits.length > 40 || number.exponent < -30n || number.exponent > 20n)
    return undefined;
  const exponent = Number(number.exponent) - shift;
  const places = Math.max(0, -exponent);
  const scaled = BigInt(number.digits) * 10n ** BigInt(Math.max(0, exponent)) * (number.negative ? -1n : 1n);
  return fromScaled(scaled, places);
}

/** Returns the moment of `scaled`, which is the seconds times ten to the power of `places`. */
function fromScaled(scaled: bigint, places: number): Instant | undefined {
  const unit = 10n ** BigInt(places);
  const below = ((scaled % unit) + unit) % unit;
  const fraction = places === 0 ? "" : below.toString().padStart(places, "0");
  return within(Number((scaled - below) / unit), fraction);
}

function within(seconds: number, fraction: string): Instant | undefined {
  return seconds >= range.first && seconds <= range.last ? { seconds, fraction } : undefined;
}

/** Compares moments: negative if `a` is before `b`, zero if they are equal, positive if `a` is after `b`. */
export function compareInstants(a: Instant, b: Instant): number {
  if (a.seconds !== b.seconds) return a.seconds - b.seconds;
  const length = Math.max(a.fraction.length, b.fraction.length);
  const [x, y] = [a, b].map(({ fraction }) => fraction.padEnd(length, "0")) as [string, string];
  return x === y ? 0 : x < y ? -1 : 1;
}

/** Writes a moment as ISO 8601 in UTC, with its fraction as it was written. */
export function instantText({ seconds, fraction }: Instant): string {
  const wholeSeconds = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${wholeSeconds}${fraction === "" ? "" : `.${fraction}`}Z`;
}

/** Returns the moment that is a number of milliseconds earlier, but at least the beginning of the year 0. */
export function instantBefore({ seconds, fraction }: Instant, milliseconds: number): Instant {
  const places = Math.max(fraction.length, milliseconds % 1000 === 0 ? 0 : 3);
  const scaled = BigInt(seconds) * 10n ** BigInt(places) + BigInt(fraction.padEnd(places, "0") || "0");
  const difference = (BigInt(milliseconds) * 10n ** BigInt(places)) / 1000n;
  return fromScaled(scaled - difference, places) ?? { seconds: range.first, fraction: "" };
}
