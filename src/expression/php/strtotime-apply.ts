import { daysOf } from "./date.ts";
import type { Moment, RelativeUnit } from "./moment.ts";
import { parseZone } from "./time-zone.ts";

export type Groups = Readonly<Record<string, string | undefined>>;

/** Writes a token of a date-time text into the moment. Returns false for a fault, such as an unknown zone or a second date. */
export type Apply = (moment: Moment, groups: Groups, text: string) => boolean;

const units: Readonly<Record<string, readonly [RelativeUnit, number]>> = {
  ms: ["microsecond", 1000],
  msec: ["microsecond", 1000],
  millisecond: ["microsecond", 1000],
  µs: ["microsecond", 1],
  µsec: ["microsecond", 1],
  usec: ["microsecond", 1],
  microsecond: ["microsecond", 1],
  sec: ["second", 1],
  second: ["second", 1],
  min: ["minute", 1],
  minute: ["minute", 1],
  hour: ["hour", 1],
  day: ["day", 1],
  week: ["day", 7],
  fortnight: ["day", 14],
  forthnight: ["day", 14],
  month: ["month", 1],
  year: ["year", 1],
};
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const romans = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
export const ordinals = [
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
  "eleventh",
  "twelfth",
];
const relatives: Readonly<Record<string, number>> = { next: 1, last: -1, previous: -1, this: 0, eight: 8 };

/** Sets the clock to midnight, as "today" and weekdays do. A time may still follow in the text. */
export function startOfDay(moment: Moment): void {
  moment.times = 0;
  setClock(moment, 0, 0, 0);
}

export function setTime(moment: Moment, hour: number, minute = 0, second = 0, microsecond = 0): boolean {
  if (moment.times > 0) return false;
  moment.times = 1;
  setClock(moment, hour, minute, second, microsecond);
  return true;
}

function setClock(moment: Moment, hour: number, minute: number, second: number, microsecond = 0): void {
  Object.assign(moment, { hour, minute, second, microsecond });
}

export function setDate(moment: Moment, year: number | undefined, month: number, day: number): boolean {
  if (moment.dates > 0) return false;
  moment.dates = 1;
  moment.year = year ?? moment.year;
  moment.month = month;
  moment.day = day;
  return true;
}

/** Applies a date, a time or both from the groups y m d (date), h i s f p (time; f: fraction, p: "a" or "p") and z (zone). */
export const applyStamp: Apply = (moment, { y, m, d, h, i, s, f, p, z }) => {
  if (m !== undefined && !setDate(moment, y === undefined ? undefined : fullYear(y), monthNumber(m), Number(d ?? 1))) {
    return false;
  }
  if (h !== undefined) {
    const microsecond = f === undefined ? 0 : Math.trunc(Number(f.slice(0, 6).padEnd(6, "0")));
    if (!setTime(moment, hourOf(h, p), Number(i ?? 0), Number(s ?? 0), microsecond)) return false;
  }
  if (z !== undefined) moment.zone = parseZone(z);
  return true;
};

/** Returns the year of a text. A number below 100 with fewer than four digits means a year from 1970 to 2069. */
function fullYear(text: string): number {
  const year = Number(text);
  return text.length >= 4 || year > 99 ? year : year + (year < 70 ? 2000 : 1900);
}

export function hourOf(hour: string, meridian: string | undefined): number {
  if (meridian === undefined) return Number(hour);
  return (Number(hour) % 12) + (meridian.toLowerCase() === "p" ? 12 : 0);
}

export function monthNumber(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  const name = text.toLowerCase();
  return (romans.includes(name) ? romans.indexOf(name) : months.indexOf(name.slice(0, 3))) + 1;
}

function weekdayNumber(text: string): number {
  return weekdays.indexOf(text.slice(0, 3).toLowerCase());
}

function relativeAmount(text: string | undefined): number {
  const word = (text ?? "").toLowerCase();
  const ordinal = ordinals.indexOf(word) + 1;
  return ordinal > 0 ? ordinal : (relatives[word] ?? 0);
}

/** Applies four digits such as "1530": a time, or a year if a time came before. */
export const applyDigits: Apply = (moment, groups, text) => {
  if (moment.times === 0) return applyStamp(moment, groups, text);
  moment.times += 1;
  moment.year = Number(text.slice(-4));
  return moment.times === 2;
};

export const applyUnixTime: Apply = (moment, { n = "0", f }) => {
  if (moment.zones > 0) return moment.zones === 1;
  startOfDay(moment);
  Object.assign(moment, { dates: 0, year: 1970, month: 1, day: 1, zone: 0, zones: 1 });
  moment.relative.second += Number(n);
  const fraction = Number((f ?? "").padEnd(6, "0"));
  moment.relative.microsecond = n.startsWith("-") ? -fraction : fraction;
  return true;
};

export const applyIsoWeek: Apply = (moment, { y, w, n }) => {
  const first = (((daysOf(Number(y), 1, 1) + 4) % 7) + 7) % 7;
  moment.relative.day = (first > 4 ? 7 - first : 0 - first) + (Number(w) - 1) * 7 + Number(n ?? 1);
  return setDate(moment, Number(y), 1, 1);
};

export const applyAgo: Apply = (moment) => {
  const { relative, weekday } = moment;
  for (const unit of ["year", "month", "day", "hour", "minute", "second"] as const) relative[unit] = 0 - relative[unit];
  if (weekday !== undefined) moment.weekday = { ...weekday, day: weekday.day === 0 ? -7 : -weekday.day };
  if (moment.workdays !== undefined) moment.workdays = 0 - moment.workdays;
  return true;
};

export const applyWeekday: Apply = (moment, { unit = "" }) => {
  startOfDay(moment);
  const mode = moment.weekday?.mode === "withinWeek" ? "withinWeek" : "onOrAfter";
  moment.weekday = { day: weekdayNumber(unit), mode };
  return true;
};

/** Applies "next week". It means the Monday of that week, or the weekday that the text names. */
export const applyWeek: Apply = (moment, { amount }) => {
  moment.relative.day += relativeAmount(amount) * 7;
  moment.weekday = { day: moment.weekday?.day ?? 1, mode: "withinWeek" };
  return true;
};

export const applyWeekdayOf: Apply = (moment, { amount: word, unit = "" }) => {
  const amount = relativeAmount(word);
  moment.weekdayOf = amount > 0 ? "first" : "last";
  startOfDay(moment);
  return addRelative(moment, amount, unit, amount > 0 ? "onOrAfter" : "after");
};

/** Applies "next month", "third tuesday" or "last weekday". A weekday sets the clock to midnight. */
export const applyRelativeText: Apply = (moment, { amount, unit = "" }) => {
  if (/^(sun|mon|tue|wed|thu|fri|sat|weekday)/i.test(unit) && !isUnit(unit)) startOfDay(moment);
  return addRelative(moment, relativeAmount(amount), unit, amount?.toLowerCase() === "this" ? "onOrAfter" : "after");
};

/** Applies "+2 days", "-1 week" or "+3 weekdays". The time of day stays. */
export const applyRelative: Apply = (moment, { amount = "", unit = "" }) => {
  const negative = amount.replace(/[^-]/g, "").length % 2 === 1;
  const count = Number(amount.replace(/\D/g, ""));
  return addRelative(moment, negative ? 0 - count : count, unit, "onOrAfter");
};

function isUnit(text: string): boolean {
  return unitOf(text) !== undefined;
}

function unitOf(text: string): readonly [RelativeUnit, number] | undefined {
  const name = text.toLowerCase();
  const singular = Object.hasOwn(units, name) ? name : name.replace(/s$/, "");
  return Object.hasOwn(units, singular) ? units[singular] : undefined;
}

function addRelative(moment: Moment, amount: number, text: string, mode: "after" | "onOrAfter"): boolean {
  const unit = unitOf(text);
  if (unit !== undefined) moment.relative[unit[0]] += amount * unit[1];
  else if (/^weekday/i.test(text)) moment.workdays = amount;
  else {
    moment.relative.day += (amount > 0 ? amount - 1 : amount) * 7;
    moment.weekday = { day: weekdayNumber(text), mode };
  }
  return true;
}

/** Applies a zone. A second zone is ignored, a third is an error, as in PHP. */
export const applyZone: Apply = (moment, { z, name }) => {
  const zone = parseZone(z ?? name ?? "");
  if (zone === undefined || moment.zones > 1) return false;
  moment.zones += 1;
  if (moment.zones === 1) moment.zone = zone;
  return true;
};
