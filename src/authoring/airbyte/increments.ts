import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { objectOf, UnsupportedError } from "../described/values.ts";
import { dateText, durationSeconds, isReadable, secondsOfText } from "./dates.ts";
import { meaningOf, shortLine } from "./evaluate.ts";
import { sourceOfField } from "./fields.ts";
import { configurationValue, type Meaning, pythonText } from "./meaning.ts";
import { movedSeconds } from "./operators.ts";
import { pathMembers } from "./records.ts";
import { knownValue, type ManifestScope } from "./scope.ts";
import type { ManifestSettings } from "./settings.ts";

/** The incremental sync of a stream, as parts of a job. */
export interface StreamIncrements {
  /** Returns the value that a template reads at a path of `stream_interval`; undefined if there is none. */
  read(path: readonly string[]): Meaning | undefined;
  /** Returns the values that the manifest sends in every request, such as the start of a window, with their request options. */
  options(): readonly { readonly option: ValueObject; readonly meaning: Meaning }[];
  /** Returns the job's `incremental` and `windows`. Each is left out if it would have no effect. */
  members(use: IncrementUse): IncrementMembers;
}

/** The parts of a job that decide whether it needs `incremental`. */
export interface IncrementUse {
  /** The parts of the job's requests. */
  readonly requests: Value;
  /** Returns whether the job drops records that are older than its increment. */
  readonly dropsOlder: () => boolean;
}

interface IncrementMembers {
  readonly fields: ValueObject;
  readonly differences: readonly string[];
  readonly notes: readonly string[];
}

const none: StreamIncrements = {
  read: () => undefined,
  options: () => [],
  members: () => ({ fields: {}, differences: [], notes: [] }),
};

/** Returns whether a value contains one of the expressions. `expressions`: JSON texts. */
function contains(value: Value, ...expressions: readonly string[]): boolean {
  const text = valueText(value);
  return expressions.some((expression) => text.includes(expression));
}

function unreadNote(field: string): string {
  return `each run reads all its records: no request sends the last value of ${field}`;
}

/**
 * Converts `incremental_sync`. With `isIncremental: false`, each run begins at the manifest's start. Throws `UnsupportedError` if a
 * configuration cannot express it.
 */
export function incrementsOf(stream: ValueObject, scope: ManifestScope, isIncremental: boolean): StreamIncrements {
  const component = objectOf(stream.incremental_sync);
  if (Object.keys(component).length === 0) return none;
  const type = String(component.type ?? "DatetimeBasedCursor");
  if (type === "IncrementingCountCursor") return counted(component, scope, isIncremental);
  if (type !== "DatetimeBasedCursor")
    throw new UnsupportedError(`it needs the incremental sync ${String(component.class_name ?? type)}`);
  return timed(component, stream, scope, isIncremental);
}

function counted(
  { cursor_field, start_value, start_value_option: option }: ValueObject,
  scope: ManifestScope,
  isIncremental: boolean,
): StreamIncrements {
  const field = textOf(cursor_field, scope);
  const initial = (): Value => configurationValue(meaningOf(start_value ?? 0, scope)) ?? 0;
  const meaning = (): Meaning =>
    isIncremental ? { kind: "run", expression: { incremental: "from" } } : { kind: "value", value: initial() };
  return {
    read: ([step]) => (step === "start_time" || step === "start_value" ? meaning() : undefined),
    options: () => (isObject(option) ? [{ option, meaning: meaning() }] : []),
    members: ({ requests, dropsOlder }) => {
      if (!isIncremental) return none.members({ requests, dropsOlder });
      const isUsed = contains(requests, incrementFrom) || dropsOlder();
      return {
        fields: isUsed ? { incremental: { ...pathMembers([field]), type: "number", initial: initial() } } : {},
        differences: [],
        notes: isUsed ? [] : [unreadNote(field)],
      };
    },
  };
}

function textOf(template: Value | undefined, scope: ManifestScope): string {
  return pythonText(knownValue(meaningOf(template ?? "", decidingScope(scope))));
}

/** Returns a scope that reads the values of settings now, because durations and names are constants in a configuration. */
function decidingScope(scope: ManifestScope): ManifestScope {
  const settings: ManifestSettings = {
    ...scope.settings,
    read: scope.settings.decide,
  };
  return { ...scope, settings };
}

const incrementFrom = '{"incremental":"from"}';
const windowEdges = ['{"window":"from"}', '{"window":"to"}'] as const;
const fullFormat = "%Y-%m-%dT%H:%M:%SZ";

function timed(
  component: ValueObject,
  stream: ValueObject,
  scope: ManifestScope,
  isIncremental: boolean,
): StreamIncrements {
  const format = textOf(component.datetime_format ?? fullFormat, scope);
  const field = textOf(component.cursor_field, scope);
  const step = textOf(component.step, scope);
  // The start and the end are evaluated only if the job needs them, because `init` asks for every setting that is read.
  const start = (): Edge => edgeOf(component.start_datetime, scope);
  const end = (): Edge | undefined =>
    component.end_datetime === undefined || component.end_datetime === ""
      ? undefined
      : edgeOf(component.end_datetime, scope);
  const [startName, endName] = [component.partition_field_start, component.partition_field_end].map((name, index) =>
    name === undefined ? ["start_time", "end_time"][index] : textOf(name, scope),
  );
  const formats = cursorFormats(component, format, scope);
  const isTime = formats.every(isReadable);
  const isText = !isTime && formats.every((one) => one === "%Y%m%d" || one === "%Y-%m" || one === "%Y");
  const isKept = isIncremental && (isTime || isText);
  const usedEdges = { start: false, end: false };
  const hasWindows = step !== "";
  const edge = (which: "start" | "end"): Meaning => {
    usedEdges[which] = true;
    if (hasWindows) return { kind: "time", seconds: { window: which === "start" ? "from" : "to" }, format };
    if (which === "start")
      return { kind: "time", seconds: isKept ? secondsOfText({ incremental: "from" }) : start().seconds, format };
    return { kind: "time", seconds: end()?.seconds ?? { function: "time" }, format };
  };
  const { start_time_option: startOption, end_time_option: endOption } = component;
  const options: readonly (readonly [Value | undefined, "start" | "end"])[] = [
    [startOption, "start"],
    [endOption, "end"],
  ];
  const isFeed = component.is_data_feed === true;
  const isFiltered = component.is_client_side_incremental === true;
  const increment = (): ValueObject => {
    const lookback =
      component.lookback_window === undefined
        ? 0
        : Math.ceil(durationSeconds(textOf(component.lookback_window, scope)));
    return {
      ...pathMembers(sourceOfField(field, stream, scope)),
      ...(isTime ? {} : { type: "text" }),
      initial: start().text,
      ...(lookback === 0 || !isTime ? {} : { lookback }),
      ...(isFeed ? { order: "descending" } : {}),
      ...(isFiltered && !isFeed ? { filter: true } : {}),
    };
  };
  const windows = (): ValueObject => {
    const from = isKept ? { incremental: "from" } : start().text;
    return windowsOf(component, step, from, end(), format, scope);
  };
  return {
    read: ([name, ...rest]) =>
      rest.length > 0 ? undefined : name === startName ? edge("start") : name === endName ? edge("end") : undefined,
    options: () => options.flatMap(([option, which]) => (isObject(option) ? [{ option, meaning: edge(which) }] : [])),
    members: ({ requests, dropsOlder }) => {
      const isWindowed = hasWindows && contains(requests, ...windowEdges);
      const isRead = isWindowed || contains(requests, incrementFrom);
      const hasIncrement = isKept && (isRead || isFeed || isFiltered || dropsOlder());
      const isUsed = hasIncrement || usedEdges.start || usedEdges.end;
      const differences = isUsed ? [...start().differences, ...(end()?.differences ?? [])] : [];
      const isUnread = isIncremental && !hasIncrement && (isKept || !isUsed);
      if (isIncremental && isUsed && !isKept)
        differences.push(
          `every run starts from the beginning: no increment can read ${field} in the format ${formats.join(", ")}`,
        );
      return {
        fields: {
          ...(hasIncrement ? { incremental: increment() } : {}),
          ...(isWindowed ? { windows: windows() } : {}),
        },
        differences,
        notes: isUnread ? [unreadNote(field)] : [],
      };
    },
  };
}

/** The start or the end of the times that a stream requests. */
interface Edge {
  /** A text, or an expression for a text, that `strtotime` reads. */
  readonly text: Value;
  /** Unix seconds, or an expression for them. */
  readonly seconds: Value;
  /** True if the time is that of the run. */
  readonly isNow: boolean;
  readonly differences: readonly string[];
}

/** Reads the start or the end: a template, or an object with a template. Ignores bounds in the object; `differences` says so. */
function edgeOf(value: Value | undefined, scope: ManifestScope): Edge {
  const component: ValueObject = isObject(value) ? value : { datetime: value ?? "" };
  const meaning = meaningOf(component.datetime ?? "", scope);
  const differences = ["min_datetime", "max_datetime"].flatMap((name) =>
    typeof component[name] === "string" && component[name] !== ""
      ? [`${name} of its incremental sync is ignored: ${shortLine(pythonText(component[name]))}`]
      : [],
  );
  if (meaning.kind === "absent")
    throw new UnsupportedError(`its incremental sync needs the optional setting ${meaning.name}, which has no value`);
  if (meaning.kind === "time") {
    const isNow = isObject(meaning.seconds) && meaning.seconds.function === "time";
    // A run reads this text as `strtotime` does, which does not accept Unix seconds.
    const isUnixFormat = /^%(?:s|ms|epoch)/.test(meaning.format);
    return {
      text: dateText(isUnixFormat || !isReadable(meaning.format) ? fullFormat : meaning.format, meaning.seconds),
      seconds: meaning.seconds,
      isNow,
      differences,
    };
  }
  const text = configurationValue(meaning) ?? "";
  const format = component.datetime_format === undefined ? "" : textOf(component.datetime_format, scope);
  const isUnix = /^%(?:s|ms|s_as_float)/.test(format) || typeof text === "number" || /^\d{9,}$/.test(pythonText(text));
  if (isUnix) return { text: dateText(fullFormat, text), seconds: text, isNow: false, differences };
  if (format === "" || isReadable(format)) return { text, seconds: secondsOfText(text), isNow: false, differences };
  // PHP reads 01/02/2024 as January 2, but 01-02-2024 as February 1.
  if (/%[dm]\/%[dm]/.test(format))
    throw new UnsupportedError(`its incremental sync starts at a time in the ambiguous format ${format}`);
  const seconds = secondsOfText(text);
  return { text: dateText(fullFormat, seconds), seconds, isNow: false, differences };
}

function cursorFormats(component: ValueObject, format: string, scope: ManifestScope): readonly string[] {
  const { cursor_datetime_formats: formats } = component;
  const configuredFormats = Array.isArray(formats) ? formats.map((one) => textOf(one, scope)) : [];
  return configuredFormats.length === 0 ? [format] : configuredFormats;
}

/** Returns the job's `windows`. If the manifest has a granularity, there is a gap between two windows (see `unitOf`). */
function windowsOf(
  component: ValueObject,
  step: string,
  from: Value,
  end: Edge | undefined,
  format: string,
  scope: ManifestScope,
): ValueObject {
  const granularity = component.cursor_granularity === undefined ? "PT0S" : textOf(component.cursor_granularity, scope);
  const unit = unitOf(granularity, format);
  const isDay = unit === "day";
  const isUntilNow = end === undefined || end.isNow;
  const bounds = unit === undefined ? {} : { bounds: "closed", ...(unit === "second" ? {} : { unit }) };
  const words = isDay ? "+1 day" : "+1 second";
  const to = isUntilNow
    ? isDay
      ? { to: { function: "strtotime", args: ["tomorrow"] } }
      : {}
    : { to: unit === undefined ? end.seconds : movedSeconds(end.seconds, words) };
  const largest = durationSeconds(step) > 100 * 31_536_000 ? "P100Y" : step;
  return { from, ...to, step: largest, ...bounds };
}

/**
 * Returns the gap between the end of a closed window and the start of the next one; undefined if there is none. The gap is a day
 * only if requests carry dates without times: with times, the last day of each window would be missing.
 */
function unitOf(granularity: string, format: string): "millisecond" | "second" | "day" | undefined {
  if (/^PT0?\.00\d*S$/.test(granularity)) return granularity === "PT0.001S" ? "millisecond" : undefined;
  const seconds = durationSeconds(granularity);
  if (seconds < 1) return undefined;
  const hasTimes = /%[HIMSs]|%_?ms|%epoch/.test(format);
  return seconds >= 86_400 && !hasTimes ? "day" : "second";
}
