/** A zone of a date-time text: seconds east of UTC, or the name of a zone whose offset depends on the time. */
export type Zone = number | string;

/** Hours east of UTC for common abbreviations. An ambiguous one has PHP's meaning. The rarer ones of PHP are errors here. */
const abbreviations: Readonly<Record<string, number>> = {
  ...{
    utc: 0,
    gmt: 0,
    z: 0,
    wet: 0,
    west: 1,
    bst: 1,
    ist: 5.5,
    cet: 1,
    met: 1,
    cest: 2,
    mest: 2,
    eet: 2,
    eest: 3,
    msk: 3,
  },
  ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7, akst: -9, akdt: -8, hst: -10 },
  ...{ ast: -4, adt: -3, nst: -3.5, ndt: -2.5, sast: 2, jst: 9, kst: 9, hkt: 8, pkt: 5 },
  ...{ aest: 10, aedt: 11, acst: 9.5, acdt: 10.5, awst: 8, nzst: 12, nzdt: 13 },
};

/** Reads "+02:00", "GMT-5", "EST", "(UTC)" or "Europe/Prague". Undefined if the text is not a zone. */
export function parseZone(text: string): Zone | undefined {
  const name = text.replace(/^\(|\)$/g, "");
  const numeric = /^(?:GMT)?([+-])(\d{1,2}):?(\d{1,2})?$/i.exec(name.replace(/^((?:GMT)?[+-])(\d)(\d\d)$/i, "$10$2$3"));
  if (numeric !== null) {
    const seconds = Number(numeric[2]) * 3600 + Number(numeric[3] ?? 0) * 60;
    return numeric[1] === "-" ? 0 - seconds : seconds;
  }
  const hours = Object.hasOwn(abbreviations, name.toLowerCase()) ? abbreviations[name.toLowerCase()] : undefined;
  if (hours !== undefined) return hours * 3600;
  return name.includes("/") && offsetAt(name, 0) !== undefined ? name : undefined;
}

/**
 * Returns the Unix time of a local time in `zone`. `local`: the seconds from 1970-01-01 00:00 to that date and time on the
 * clocks of the zone. In an hour that summer time skips, the offset from before the skip is used.
 */
export function toUnix(local: number, zone: Zone): number {
  if (typeof zone === "number") return local - zone;
  const before = offsetAt(zone, local - 86_400) ?? 0;
  const after = offsetAt(zone, local - before) ?? before;
  return local - (offsetAt(zone, local - after) === after ? after : before);
}

/** Returns the offset of a zone at a Unix time, in seconds east of UTC. Undefined if there is no such zone. */
export function offsetAt(zone: string, time: number): number | undefined {
  const name = nameAt(zone, time, "longOffset", "en-US");
  if (name === undefined) return undefined;
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(name) ?? [];
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -offset : offset;
}

/** Returns whether a zone has summer time at a Unix time. */
export function isSummerTime(zone: string, time: number): boolean {
  return /\b(Summer|Daylight)\b/.test(nameAt(zone, time, "long", "en-US") ?? "");
}

/**
 * Returns the abbreviation of a zone at a Unix time (`CEST`, `EST`). If it has none, returns its offset, as PHP does: `+03`, `+0545`.
 */
export function abbreviationAt(zone: string, time: number): string {
  for (const locale of ["en-US", "en-GB", "en-CA", "en-AU", "en-IN", "en-NZ", "en-ZA"]) {
    const name = nameAt(zone, time, "short", locale) ?? "";
    if (/^[A-Z]{2,5}$/.test(name)) return name;
  }
  const minutes = Math.trunc((offsetAt(zone, time) ?? 0) / 60);
  const digits = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${minutes < 0 ? "-" : "+"}${digits.join("").replace(/00$/, "")}`;
}

type NameKind = "longOffset" | "long" | "short";
const formats = new Map<string, Intl.DateTimeFormat>();

function nameAt(zone: string, time: number, timeZoneName: NameKind, locale: string): string | undefined {
  try {
    const key = `${timeZoneName} ${locale} ${zone}`;
    const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName });
    formats.set(key, format);
    return format.formatToParts(time * 1000).find((part) => part.type === "timeZoneName")?.value;
  } catch {
    return undefined;
  }
}
