/** Words that speak of credentials wherever they stand in a name. */
const telling = new Set([
  "accesskey",
  "apikey",
  "appkey",
  "auth",
  "authentication",
  "authorization",
  "bearer",
  "cookie",
  "credential",
  "credentials",
  "jwt",
  "passphrase",
  "passwd",
  "password",
  "pwd",
  "secret",
  "session",
  "sig",
  "signature",
  "token",
]);

/** `X-Api-Key` is a credential, `sort_key` is none: a key counts together with such a word, or alone. */
const ofKeys = new Set([
  "access",
  "api",
  "app",
  "application",
  "auth",
  "client",
  "function",
  "functions",
  "license",
  "private",
  "subscription",
]);

/** Tokens of these kinds say where a page begins. */
const ofPages = new Set([
  "page",
  "next",
  "continuation",
  "sync",
  "scroll",
  "cursor",
  "pagination",
  "skip",
  "start",
  "prev",
  "previous",
  "after",
  "before",
]);

/** The words of a name in any spelling: `X-Api-Key`, `apiKey`, `api_key` are api and key. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Does the name of a header or parameter say that its value is a credential? */
export function speaksOfCredentials(name: string): boolean {
  const words = wordsOf(name);
  if (words.includes("token") && words.some((word) => ofPages.has(word))) return false;
  if (words.some((word) => telling.has(word))) return true;
  return words.includes("key") && (words.length === 1 || words.some((word) => ofKeys.has(word)));
}

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

/** `EXAMPLE` for `api.example.com`: what its variables begin with; `API` where an address has no name. */
export function variablePrefix(address: string): string {
  const { hostname } = new URL(address);
  const labels = hostname.split(".");
  if (labels.length < 2 || /^[0-9.]+$|^\[/.test(hostname)) return "API";
  // `co.uk` is nobody's name.
  const known = labels.length > 2 && (labels.at(-2) ?? "").length <= 3 ? labels.at(-3) : labels.at(-2);
  const prefix = (known ?? "").replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  return /^[A-Z]/.test(prefix) ? prefix : `API_${prefix}`;
}
