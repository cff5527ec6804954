import { daysOf } from "./date.ts";
import { toUnix, type Zone } from "./time-zone.ts";

/**
 * The parts of a date-time text that have been read so far. A part that the text has not named is undefined. Numbers may be
 * out of range (month 0, second 60).
 */
export interface Moment {
  year: number | undefined;
  month: number | undefined;
  day: number | undefined;
  hour: number | undefined;
  minute: number | undefined;
  second: number | undefined;
  microsecond: number;
  zone: Zone | undefined;
  /** Number of dates that have been read; likewise of times and zones. */
  dates: number;
  times: number;
  zones: number;
  /** Amounts to add to the date and time. */
  readonly relative: Relative;
  /** A weekday (0 is Sunday; negative after "ago"), and the rule by which `adjustToWeekday` moves the date to it. */
  weekday: { day: number; mode: "after" | "onOrAfter" | "withinWeek" } | undefined;
  /** Number of working days to add: "+3 weekdays". */
  workdays: number | undefined;
  /**
   * "first" for "first monday of": counts forward from the first day of the month. "last" for "last monday of": counts back from
   * the first day of the next month.
   */
  weekdayOf: "first" | "last" | undefined;
  /** Day of the month to which the date moves: "first day of", "last day of". */
  edge: "first" | "last" | undefined;
}

export type RelativeUnit = "year" | "month" | "day" | "hour" | "minute" | "second" | "microsecond";
export type Relative = Record<RelativeUnit, number>;

export function emptyMoment(): Moment {
  return {
    ...{ year: undefined, month: undefined, day: undefined, hour: undefined, minute: undefined, second: undefined },
    ...{ microsecond: 0, zone: undefined, dates: 0, times: 0, zones: 0 },
    relative: { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, microsecond: 0 },
    ...{ weekday: undefined, workdays: undefined, weekdayOf: undefined, edge: undefined },
  };
}

interface Day {
  year: number;
  month: number;
  day: number;
}

/**
 * Returns the Unix time of a moment, in whole seconds; NaN if it is out of range. Missing fields come from `now` in UTC, except the
 * time if the text has a date and no time: it is then midnight. The steps are in PHP's order: the result of "last day of" with an
 * added month depends on it.
 */
export function resolve(moment: Moment, now: number): number {
  const base = new Date(now * 1000);
  const { relative } = moment;
  const midnight = moment.dates > 0 && moment.times === 0;
  let date: Day = {
    year: moment.year ?? base.getUTCFullYear(),
    month: moment.month ?? base.getUTCMonth() + 1,
    day: moment.day ?? base.getUTCDate(),
  };
  if (moment.weekdayOf !== undefined) {
    const month = date.month + relative.month + (moment.weekdayOf === "last" ? 1 : 0);
    date = { year: date.year, month, day: 1 };
  }
  const seconds = midnight
    ? 0
    : (moment.hour ?? base.getUTCHours()) * 3600 +
      (moment.minute ?? base.getUTCMinutes()) * 60 +
      (moment.second ?? base.getUTCSeconds());
  const overflow = Math.floor(seconds / 86_400);
  date = toEdge(date, moment.edge);
  date = calendarDay({ ...date, day: date.day + overflow });
  if (moment.weekday !== undefined) date = adjustToWeekday(date, moment.weekday, relative.day);
  date = {
    year: date.year + relative.year,
    month: date.month + (moment.weekdayOf === undefined ? relative.month : 0),
    day: date.day + relative.day,
  };
  // Added hours may change the day. Working days are counted from the changed day.
  const added = relative.hour * 3600 + relative.minute * 60 + relative.second;
  const fraction = Math.floor((moment.microsecond + relative.microsecond) / 1e6);
  const clock = seconds - overflow * 86_400 + added + fraction;
  const carried = Math.floor(clock / 86_400);
  date = toEdge(date, moment.edge);
  date = calendarDay({ ...date, day: date.day + carried });
  if (moment.workdays !== undefined) date = addWorkdays(date, moment.workdays);
  return toUnix(daysOf(date.year, date.month, date.day) * 86_400 + clock - carried * 86_400, moment.zone ?? 0);
}

/** Carries a day or month that is out of range over to the next or previous month or year. */
function calendarDay({ year, month, day }: Day): Day {
  const date = new Date(daysOf(year, month, day) * 86_400_000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function toEdge(date: Day, edge: Moment["edge"]): Day {
  if (edge === undefined) return date;
  return calendarDay(edge === "first" ? { ...date, day: 1 } : { ...date, month: date.month + 1, day: 0 });
}

function weekdayOf({ year, month, day }: Day): number {
  return (((daysOf(year, month, day) + 4) % 7) + 7) % 7;
}

function adjustToWeekday(date: Day, { day, mode }: NonNullable<Moment["weekday"]>, relativeDays: number): Day {
  const current = weekdayOf(date);
  if (mode === "withinWeek") {
    // Weeks go from Monday to Sunday here.
    const target = current === 0 && day !== 0 ? day - 7 : day === 0 && current !== 0 ? 7 : day;
    return calendarDay({ ...date, day: date.day - current + target });
  }
  // After "ago" the weekday is negative, and Sunday is -7: the date moves back to it. Only "sunday ago" may mean the date itself.
  if (day < 0) return calendarDay({ ...date, day: date.day - (7 - (-day - current)) });
  const difference = day - current;
  const hasPassed = relativeDays < 0 ? difference < 0 : difference <= (mode === "onOrAfter" ? -1 : 0);
  return calendarDay({ ...date, day: date.day + difference + (hasPassed ? 7 : 0) });
}

/** Adds working days: Saturdays and Sundays are skipped. A count of 0 moves a date on a weekend to the next Monday. */
function addWorkdays(date: Day, count: number): Day {
  const step = count > 0 ? 1 : -1;
  let remainingDays = Math.abs(count) % 5;
  let moved = date.day + Math.trunc(count / 5) * 7;
  const isWeekend = () => [0, 6].includes(weekdayOf({ ...date, day: moved }));
  // Whole weeks from a weekend end on a weekend. The date then moves against the direction of counting to a working day.
  if (remainingDays === 0) while (isWeekend()) moved -= step;
  while (remainingDays > 0) {
    moved += step;
    if (!isWeekend()) remainingDays -= 1;
  }
  return calendarDay({ ...date, day: moved });
}
