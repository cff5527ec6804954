import { wordsOf } from "../knowledge/words.ts";

/**
 * Returns the end of an environment variable's name for the name of a header, a parameter or a setting: `API_KEY` for `X-Api-Key`,
 * `TOKEN` for `Authorization`.
 */
export function variableSuffix(name: string): string {
  const words = wordsOf(name).filter((word) => word !== "x");
  if (words.length === 1 && words[0] === "authorization") return "TOKEN";
  return words.join("_").toUpperCase();
}

/** Returns the name of an environment variable: `EXAMPLE_TOKEN`. The prefix is not repeated: `API_KEY`, not `API_API_KEY`. */
export function variableName(prefix: string, suffix: string): string {
  return suffix.startsWith(`${prefix}_`) ? suffix : `${prefix}_${suffix}`;
}

/** Returns a name that is free: the name itself, else with a number at its end, as in `API_KEY_2`. */
export function freeName(name: string, isFree: (name: string) => boolean): string {
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}_${count}`;
    if (isFree(candidate)) return candidate;
  }
}

/** Words that belong to the ending of a domain if a country follows them, as in `example.co.uk`. */
const endings: ReadonlySet<string> = new Set(
  "ac asn co com edu gob gov gouv id ltd me mil ne net nhs nom or org plc sch".split(" "),
);

/**
 * Returns the beginning of environment variables' names for an address: `EXAMPLE` for `api.example.com`; `API` for an IP address
 * or a host of one word.
 */
export function variablePrefix(address: string): string {
  const { hostname } = new URL(address);
  const labels = hostname.split(".");
  if (labels.length < 2 || /^[0-9.]+$|^\[/.test(hostname)) return "API";
  const isEnding = labels.length > 2 && /^[a-z]{2}$/i.test(labels.at(-1) ?? "") && endings.has(labels.at(-2) ?? "");
  const label = labels.at(isEnding ? -3 : -2);
  const prefix = (label ?? "").replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return /^[A-Z]/.test(prefix) ? prefix : `API_${prefix}`;
}
