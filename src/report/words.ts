import { printable } from "../core/text/printable.ts";

/** Maximum number of characters of a text in a report, unless its place has room for more. */
const maxCharacters = 120;

/** Returns a printable text of at most `length` characters. A longer text is shortened and ends with an ellipsis. */
export function cutText(whole: string, length: number = maxCharacters): string {
  const text = printable(whole);
  if (text.length <= length) return text;
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}

/** Returns a number in the form `1,234,567`. */
export function numberText(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Returns milliseconds as `35 ms`, `4.2 s`, `3 min 20 s` or `2 h 5 min`. */
export function timeText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(Math.round(ms / 1000) / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(ms / 1000) % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
