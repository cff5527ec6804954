import { wordsOf } from "../knowledge/words.ts";

/** `TOKEN`, `API_KEY`: how a credential of that name is called in an environment. */
export function variableSuffix(name: string): string {
  const words = wordsOf(name).filter((word) => word !== "x");
  if (words.length === 1 && words[0] === "authorization") return "TOKEN";
  return words.join("_").toUpperCase();
}

/** `EXAMPLE_TOKEN`; a name that begins so already stays: `API_KEY`, not `API_API_KEY`. */
export function variableName(prefix: string, suffix: string): string {
  return suffix.startsWith(`${prefix}_`) ? suffix : `${prefix}_${suffix}`;
}

/** `EXAMPLE` for `api.example.com`: the beginning of its variables; `API` if an address has no name. */
export function variablePrefix(address: string): string {
  const { hostname } = new URL(address);
  const labels = hostname.split(".");
  if (labels.length < 2 || /^[0-9.]+$|^\[/.test(hostname)) return "API";
  // `co.uk` is nobody's name.
  const known = labels.length > 2 && (labels.at(-2) ?? "").length <= 3 ? labels.at(-3) : labels.at(-2);
  const prefix = (known ?? "").replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return /^[A-Z]/.test(prefix) ? prefix : `API_${prefix}`;
}
