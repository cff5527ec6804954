import { Temporal } from "temporal-polyfill";
import { foundText } from "../../config/found.ts";
import { ConfigurationError } from "../../core/errors.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { pointerTo } from "../../core/values/path.ts";
import { exactNumber, scalarText, type Value } from "../../core/values/value.ts";
import type { Windows as Configured } from "../../generated/configuration.ts";

/** One window of a job, with its edges as requests contain them. */
export interface Window {
  /** Number among the windows of the job, from 0. */
  readonly index: number;
  /** Edges in Unix seconds, with a fraction if there is one. */
  readonly from: Value;
  readonly to: Value;
  /** Name in events and messages: both edges as ISO 8601, with a slash between them. */
  readonly name: string;
}

/** The windows of a job. They are made one at a time, and may be read several times. */
export interface Windows extends Iterable<Window> {
  /** Description for people. */
  readonly words: string;
  /** A window for trying out expressions, which exists even if the job makes no windows. */
  readonly sample: Window;
  /** True if the step is shorter than the unit of closed windows, so that most steps make no window. */
  readonly isFinerThanUnit: boolean;
}

/** Units of a step. Days and longer units are calendar units, whose lengths vary. */
type Steps = { readonly [unit in "years" | "months" | "weeks" | "days" | "hours" | "minutes" | "seconds"]?: number };

type Edge = Temporal.ZonedDateTime;

const units = { millisecond: { milliseconds: 1 }, second: { seconds: 1 }, day: { days: 1 } } as const;

/**
 * Returns the windows of a configured `windows`, with `from` and `to` evaluated (contract C-16.1, C-16.2). `now`: Unix seconds.
 * Throws ConfigurationError if there is no such time, step or zone.
 */
export function windowsOf(
  { step, bounds = "half-open", unit = "second", timeZone = "UTC" }: Configured,
  { from, to }: { readonly from: Value; readonly to: Value | undefined },
  {
    pointer,
    now,
    secrets,
  }: { readonly pointer: string; readonly now: number; readonly secrets: Pick<Secrets, "holds"> },
): Windows {
  const display = (value: Value): string =>
    secrets.holds(scalarText(value) ?? "") ? "a secret" : foundText(value, []);
  const first = edgeOf(from, timeZone, { pointer: pointerTo(pointer, "from"), display });
  const end = edgeOf(to ?? now, timeZone, { pointer: pointerTo(pointer, "to"), display });
  const every = stepOf(step, pointerTo(pointer, "step"));
  const last = (edge: Edge): Edge => (bounds === "closed" ? edge.subtract(units[unit]) : edge);
  const windowOf = (index: number, start: Edge, stop: Edge): Window => ({
    index,
    from: unixOf(start),
    to: unixOf(last(stop)),
    name: `${textOf(start)}/${textOf(last(stop))}`,
  });
  return {
    words: wordsOf({ step, bounds, unit, timeZone }, textOf(first), to === undefined ? undefined : textOf(end)),
    sample: windowOf(0, first, first),
    isFinerThanUnit: bounds === "closed" && isBefore(later(first, every, 1), first.add(units[unit])),
    *[Symbol.iterator]() {
      const edgeAt = (count: number): Edge => {
        const edge = later(first, every, count);
        return isBefore(edge, end) ? edge : end;
      };
      const ends = (start: Edge, stop: Edge): boolean =>
        stop === end || holdsAny(start, stop, bounds === "closed" ? unit : undefined);
      let start = first;
      for (let index = 0, count = 0; isBefore(start, end); ) {
        const next = firstAfter(count, (one) => ends(start, edgeAt(one)));
        const [from, stop] = [edgeAt(next - 1), edgeAt(next)];
        if (holdsAny(from, stop, bounds === "closed" ? unit : undefined)) {
          yield windowOf(index, from, stop);
          index += 1;
        }
        [start, count] = [stop, next];
      }
    },
  };
}

function isBefore(one: Edge, other: Edge): boolean {
  return Temporal.ZonedDateTime.compare(one, other) < 0;
}

/**
 * Returns the smallest number above `count` for which `holds` is true. From that number on, `holds` must stay true. A step may be
 * a small part of the unit, so windows without a whole unit are skipped many at a time.
 */
function firstAfter(count: number, holds: (count: number) => boolean): number {
  let reach = 1;
  while (!holds(count + reach)) reach *= 2;
  let [low, high] = [count + Math.floor(reach / 2), count + reach];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Returns `from` plus a number of steps. Steps of months from a 31st give the last day of each shorter month, and the 31st of the
 * others.
 */
function later(from: Edge, step: Steps, count: number): Edge {
  return from.add(Object.fromEntries(Object.entries(step).map(([unit, number]) => [unit, number * count])));
}

/**
 * Returns whether there is any time between the edges; with a unit, whether they are in different units of time, for example on two
 * days. So a day that a zone skips is not a window, nor is an hour within one day if the API knows only days.
 */
function holdsAny(start: Edge, stop: Edge, unit: keyof typeof units | undefined): boolean {
  const floor = (edge: Edge): Edge =>
    unit === undefined ? edge : edge.round({ smallestUnit: unit, roundingMode: "floor" });
  return isBefore(floor(start), floor(stop));
}

/** Reads an edge. A number, or a text of digits, is Unix seconds. A text without a zone is a time of `timeZone`. */
function edgeOf(
  value: Value,
  timeZone: string,
  { pointer, display }: { readonly pointer: string; display(value: Value): string },
): Edge {
  const text = typeof value === "boolean" || value === null ? "" : (scalarText(value) ?? "").trim();
  try {
    return instantOf(text, timeZone);
  } catch {
    const message = `evaluates to ${display(value)}; a time is Unix seconds, or ISO 8601 such as 2024-01-31 or 2024-01-31T08:00:00Z`;
    throw new ConfigurationError([{ pointer, message }]);
  }
}

function instantOf(text: string, timeZone: string): Edge {
  const [, sign = "", seconds, fraction = ""] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (seconds !== undefined) {
    const nanoseconds = BigInt(seconds + fraction.slice(0, 9).padEnd(9, "0"));
    return Temporal.Instant.fromEpochNanoseconds(sign === "-" ? -nanoseconds : nanoseconds).toZonedDateTimeISO(
      timeZone,
    );
  }
  if (/(Z|[+-]\d\d(:?\d\d)?)$/i.test(text.replace(/^[^T ]*/i, ""))) {
    return Temporal.Instant.from(text).toZonedDateTimeISO(timeZone);
  }
  return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone);
}

/** Reads a step: `15 minutes`, `1 day`, or an ISO 8601 duration. */
function stepOf(text: string, pointer: string): Steps {
  const [, count = "", unit = ""] = /^(\d+) (second|minute|hour|day|week|month|year)s?$/.exec(text) ?? [];
  try {
    const duration =
      unit === "" ? Temporal.Duration.from(text) : Temporal.Duration.from({ [`${unit}s`]: Number(count) });
    const { years, months, weeks, days, hours, minutes, seconds } = duration;
    const { milliseconds, microseconds, nanoseconds } = duration;
    if (duration.sign === 1 && milliseconds + microseconds + nanoseconds === 0) {
      return { years, months, weeks, days, hours, minutes, seconds };
    }
  } catch {
    // The text is not a duration.
  }
  const message = `found ${JSON.stringify(text)}; a step is a duration such as "15 minutes", "1 day", "1 month" or "PT15M"`;
  throw new ConfigurationError([{ pointer, message }]);
}

function unixOf({ epochNanoseconds }: Edge): Value {
  const nanoseconds = epochNanoseconds < 0n ? -epochNanoseconds : epochNanoseconds;
  const fraction = String(nanoseconds % 1_000_000_000n)
    .padStart(9, "0")
    .replace(/(?<!0)0+$/, "");
  const text = `${epochNanoseconds < 0n ? "-" : ""}${nanoseconds / 1_000_000_000n}`;
  return exactNumber(fraction === "" ? text : `${text}.${fraction}`);
}

function textOf(edge: Edge): string {
  return edge.timeZoneId === "UTC" ? edge.toInstant().toString() : edge.toString({ timeZoneName: "never" });
}

function wordsOf(
  { step, bounds, unit, timeZone }: Required<Pick<Configured, "step" | "bounds" | "unit" | "timeZone">>,
  from: string,
  to: string | undefined,
): string {
  const zone = timeZone === "UTC" ? "" : ` of ${timeZone}`;
  const closed = bounds === "closed" ? `, each ending one ${unit} before the next` : "";
  return `windows of ${step}${zone} from ${from} to ${to ?? "the run's start"}${closed}`;
}
