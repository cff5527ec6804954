const zone = "(Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?)?";
const clock = "(\\d\\d):?(\\d\\d)(?::?(\\d\\d)(?:[.,](\\d+))?)?";

/** `2017-02-20`, `2017-02-20 12:34:45`, `20170220T123445.678+0100` and what lies between. */
const iso = new RegExp(`^(\\d{4})[-/]?(\\d\\d)[-/]?(\\d\\d)(?:(?:T|\\s+)${clock}\\s*${zone})?$`, "i");
/** `Mon, 20 Feb 2017 12:34:45 GMT`, also with hyphens and without the day's name. */
const rfc = new RegExp(`^(?:[a-z]{3,9},?\\s+)?(\\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\\d{4})\\s+${clock}\\s*${zone}$`, "i");

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * A date-time text as milliseconds since 1970, UTC where it names no zone (spec 5); undefined where it is none.
 * A date that does not exist (30 February) is none.
 */
export function parseDateTime(text: string): number | undefined {
  const trimmed = text.trim();
  const [, year = "", month = "", day = "", ...rest] = iso.exec(trimmed) ?? [];
  if (year !== "") return instant(year, Number(month), day, rest);
  const [, date, name = "", century, ...clockAndZone] = rfc.exec(trimmed) ?? [];
  if (date === undefined || century === undefined) return undefined;
  return instant(century, months.indexOf(name.toLowerCase()) + 1, date, clockAndZone);
}

function instant(year: string, month: number, day: string, rest: readonly (string | undefined)[]): number | undefined {
  const [hour = "0", minute = "0", second = "0", fraction = "0", zoneName = "Z"] = rest;
  const midnight = Date.UTC(Number(year), month - 1, Number(day));
  const date = new Date(midnight);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  return midnight + seconds * 1000 + Math.floor(Number(`0.${fraction}`) * 1000) - zoneOffset(zoneName);
}

/** `+01:30` in milliseconds; names of zones are all UTC here. */
function zoneOffset(name: string): number {
  const [, sign, hours = "0", minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(name) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? -offset : offset;
}
