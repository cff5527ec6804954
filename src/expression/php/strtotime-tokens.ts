import * as apply from "./strtotime-apply.ts";

/** A kind of token in a date-time text: its pattern, and the function that writes it into the moment. */
export interface TimeToken {
  readonly pattern: RegExp;
  readonly apply: apply.Apply;
}

const hour24 = "(?<h>2[0-4]|[01]?[0-9])";
const hour24lz = "(?<h>[01][0-9]|2[0-4])";
const hour12 = "(?<h>1[0-2]|0?[1-9])";
const minute = "(?<i>[0-5]?[0-9])";
const minutelz = "(?<i>[0-5][0-9])";
const second = "(?<s>60|[0-5]?[0-9])";
const secondlz = "(?<s>60|[0-5][0-9])";
const fraction = "\\.(?<f>[0-9]+)";
const meridian = "[ \\t]*(?<p>[ap])\\.?m\\.?(?:[\\t ]|$)";
const day = "(?<d>3[01]|[0-2]?[0-9])(?:st|nd|rd|th)?";
const daylz = "(?<d>0[0-9]|[12][0-9]|3[01])";
const month = "(?<m>1[0-2]|0?[0-9])";
const monthlz = "(?<m>0[0-9]|1[0-2])";
const abbreviations = "jan|feb|mar|apr|may|jun|jul|aug|sept|sep|oct|nov|dec";
const monthNames = `january|february|march|april|june|july|august|september|october|november|december|${abbreviations}`;
const monthText = `(?<m>${monthNames}|viii|vii|vi|iv|v|iii|ii|ix|i|xii|xi|x)`;
const monthAbbreviation = `(?<m>${abbreviations})`;
const year = "(?<y>[0-9]{1,4})";
const year2 = "(?<y>[0-9]{2})";
const year4 = "(?<y>[0-9]{4})";
const gap = "[ .\\t-]*";
const space = "[ \\t]+";
const zone = "(?<z>(?:GMT)?[+-](?:2[0-4]|[01]?[0-9]):?[0-5]?[0-9]?)";
const weekday = "(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?|sun|mon|tue|wed|thu|fri|sat";
const unit =
  "(?:microsecond|millisecond|msec|µsec|usec|second|sec|minute|min|hour|day|fortnight|forthnight|month|year)s?|ms|µs";
const amount = `(?<amount>${apply.ordinals.join("|")}|eight|next|last|previous|this)`;
const monthDay = `${monthText}${gap}${day}(?:[,.stndrh\\t ]+|$)`;

const token = (pattern: string, write: apply.Apply): TimeToken => ({
  pattern: new RegExp(pattern, "iy"),
  apply: write,
});
/** Creates a token whose named groups are the parts of a date, a time or both. */
const stamp = (pattern: string): TimeToken => token(pattern, apply.applyStamp);

/** The tokens of PHP's date and time formats, in PHP's order: if two matches have the same length, the first in the table counts. */
export const tokens: readonly TimeToken[] = [
  token("yesterday", (moment) => {
    apply.startOfDay(moment);
    moment.relative.day = -1;
    return true;
  }),
  token("now", () => true),
  token("noon", (moment) => {
    apply.startOfDay(moment);
    return apply.setTime(moment, 12);
  }),
  token("midnight|today", (moment) => {
    apply.startOfDay(moment);
    return true;
  }),
  token("tomorrow", (moment) => {
    apply.startOfDay(moment);
    moment.relative.day = 1;
    return true;
  }),
  token("@(?<n>-?[0-9]+)(?:\\.(?<f>[0-9]{0,6}))?", apply.applyUnixTime),
  token("(?<which>first|last) day of", (moment, { which }) => {
    moment.edge = which?.toLowerCase() === "last" ? "last" : "first";
    return true;
  }),
  token(`(?<which>back|front) of ${hour24}(?:${meridian})?`, (moment, { which, h = "", p }) => {
    const back = which?.toLowerCase() === "back";
    apply.startOfDay(moment);
    return apply.setTime(moment, apply.hourOf(h, p) - (back ? 0 : 1), back ? 15 : 45);
  }),
  token(`${amount}${space}(?<unit>${weekday})${space}of`, apply.applyWeekdayOf),
  stamp(`${hour12}${meridian}`),
  stamp(`${hour12}[:.]${minutelz}${meridian}`),
  stamp(`${hour12}[:.]${minute}[:.]${secondlz}${meridian}`),
  stamp(`t?${hour24}[:.]${minute}`),
  stamp(`t?${hour24}[:.]${minute}[:.]${second}`),
  stamp(`t?${hour24}[:.]${minute}[:.]${second}${fraction}`),
  token(`t?${hour24lz}${minutelz}`, apply.applyDigits),
  stamp(`t?${hour24lz}${minutelz}${secondlz}`),
  stamp(`${month}/${day}`),
  stamp(`${month}/${day}/${year}`),
  stamp(`(?<y>[+-]?[0-9]{4})-${monthlz}-${daylz}`),
  stamp(`${year4}/${monthlz}/${daylz}/?`),
  stamp(`${year4}/${month}/${day}`),
  stamp(`${year2}-${monthlz}-${daylz}`),
  stamp(`(?<y>[+-]?[0-9]{5,19})-${monthlz}-${daylz}`),
  stamp(`${year4}-${month}`),
  stamp(`${year}-${month}-${day}`),
  stamp(`${day}${gap}${monthText}${gap}${year}`),
  stamp(`${day}[.\\t-]${month}[.-]${year4}`),
  stamp(`${day}[.\\t]${month}\\.${year2}`),
  stamp(`${monthText}${gap}${year4}`),
  stamp(`${year4}${gap}${monthText}`),
  stamp(`${monthText}${gap}${day}[,.stndrh\\t ]+${year}`),
  stamp(monthDay),
  stamp(`${day}${gap}${monthText}`),
  stamp(`${year4}${monthlz}${daylz}`),
  stamp(`${year4}${monthlz}${daylz}t${hour24}:?${minutelz}:?${secondlz}`),
  stamp(`${year4}-${monthlz}-${daylz}t${hour24lz}:${minutelz}:${secondlz}${fraction}(?:${zone})?`),
  stamp(`${year4}-${month}-${day}t${hour24}:${minute}:${second}`),
  stamp(`${year4}:${monthlz}:${daylz} ${hour24lz}:${minutelz}:${secondlz}`),
  token(`${year4}[.-]?(?<n>00[1-9]|0[1-9][0-9]|[12][0-9][0-9]|3[0-5][0-9]|36[0-6])`, (moment, { y, n }) =>
    apply.setDate(moment, Number(y), 1, Number(n)),
  ),
  token(`${year4}-?W(?<w>0[1-9]|[1-4][0-9]|5[0-3])(?:-?(?<n>[0-7]))?`, apply.applyIsoWeek),
  stamp(`${monthAbbreviation}-${daylz}-${year}`),
  stamp(`${year}-${monthAbbreviation}-${daylz}`),
  stamp(`${day}/${monthAbbreviation}/${year4}:${hour24lz}:${minutelz}:${secondlz}${space}${zone}`),
  token(year4, (moment, { y }) => {
    moment.year = Number(y);
    return true;
  }),
  token("ago", apply.applyAgo),
  token(`(?<unit>${weekday})`, apply.applyWeekday),
  // "weekdays" without a number means Monday.
  token("weekdays?", (moment, _groups, text) => apply.applyWeekday(moment, { unit: "monday" }, text)),
  token(`(?<amount>next|last|previous|this)${space}week`, apply.applyWeek),
  token(`${amount}${space}(?<unit>${unit}|weeks|weekdays?|${weekday})`, apply.applyRelativeText),
  token(`(?<m>${monthNames})`, (moment, { m = "" }) => {
    moment.dates += 1;
    moment.month = apply.monthNumber(m);
    return moment.dates === 1;
  }),
  token(`${zone}|(?<name>\\(?(?:[a-z]+(?:[_/-][a-z]+)+|[a-z]{1,6})\\)?)`, apply.applyZone),
  stamp(`${monthDay}${hour12}[:.]${minutelz}${meridian}`),
  stamp(`${monthDay}${hour12}[:.]${minute}[:.]${secondlz}${meridian}`),
  stamp(`${monthDay}t?${hour24}[:.]${minute}(?:[:.]${second})?`),
  token(`(?<amount>[+-]*[ \\t]*[0-9]+)[ \\t]*(?<unit>${unit}|weekdays?|weeks?|${weekday})`, apply.applyRelative),
  token("[ .,\\t\\n]", () => true),
];
