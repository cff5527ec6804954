import { variableSuffix } from "../../authoring/variable-names.ts";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import type { Span } from "../../core/secrets/redact.ts";
import { percentEncode } from "../../core/text/percent-encoding.ts";
import { isShellVariable, type ShellPart, shellQuoted, shellRemark, shellWord } from "../../core/text/shell.ts";
import { scalarText } from "../../core/values/value.ts";
import { shownBody, shownHeader, shownPairs } from "../../knowledge/credentials.ts";
import type { PlannedRequest } from "../../pipeline/planned-requests.ts";

/** The value of a secret setting, and the shell variable that replaces it. */
interface SettingSecret {
  readonly value: string;
  readonly variable: string;
  /** Description of the secret for the user. */
  readonly what: string;
}

export interface CurlOptions {
  readonly loaded: LoadedConfiguration;
  readonly mask: (text: string) => string;
  /** Finds the secrets in a text, in order. */
  readonly spans: (text: string) => readonly Span[];
  /** True if there are several iterations. */
  readonly hasIterations: boolean;
}

/**
 * Returns a planned request as a curl command. Shell variables replace secrets. A variable has the name of the environment variable
 * that the setting reads, else a name made from the setting's; if the value is from the login, or computed from secrets, a name made
 * from its header's or parameter's.
 */
export function curlCommand({ iteration, wire, page, authentication }: PlannedRequest, options: CurlOptions): string {
  const { loaded, mask, spans, hasIterations } = options;
  const usedVariables = new Map<string, string>();
  const naming: Naming = { secrets: settingSecrets(loaded, iteration), mask, spans, usedVariables };
  const { method, headers, body } = wire;
  const words = [`curl ${shellWord(withVariables(wire.url, "", naming, shownPairs))}`];
  if (/[[\]{}]/.test(wire.url)) words.push("--globoff");
  if (method === "POST" && body === undefined) words.push("-X POST");
  for (const [name, value] of headers.values()) words.push(headerWord(name, value, naming));
  if (body !== undefined)
    words.push(
      `--data-raw ${shellWord(withVariables(body, "SECRET", naming, (text) => shownBody(text, (same) => same)))}`,
    );
  const what = page?.step === undefined ? `page ${page?.number}` : `step ${page.step}`;
  const login = authentication === undefined ? "login" : `login ${authentication}`;
  const where = page === undefined ? login : `${page.plan.label}, ${what}: ${page.plan.paging()}`;
  const comments = [
    hasIterations ? `iteration ${iteration + 1}, ${where}` : where,
    ...(page?.assuming === undefined ? [] : [page.assuming]),
    ...[...usedVariables].map(([variable, what]) => `${variable} is ${what}`),
  ];
  return `${comments.map((text) => `# ${shellRemark(mask(text))}\n`).join("")}${words.join(" \\\n  ")}\n`;
}

function headerWord(name: string, value: string, naming: Naming): string {
  // Unlike the header alone, this option also makes curl decode the answer.
  if (name.toLowerCase() === "accept-encoding") return "--compressed";
  if (value === "") return `-H ${shellQuoted(`${name};`)}`;
  const [, credentials] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(value) ?? [];
  if (name.toLowerCase() === "authorization" && credentials !== undefined) {
    const [user = "", ...rest] = Buffer.from(credentials, "base64").toString().split(":");
    const [first, second] = [user, rest.join(":")].map((text) => valueWithVariables(text, "PASSWORD", naming));
    return `-u ${shellWord([...(first ?? []), ":", ...(second ?? [])])}`;
  }
  const variable = variableSuffix(name);
  const parts = valueWithVariables(value, variable, naming);
  // The name of the header suggests a credential, although its value is not a registered secret.
  const isUnregistered =
    shownHeader(name, value, (same) => same) !== value && parts.every((part) => typeof part === "string");
  const visibleParts = isUnregistered ? [variableFor(variable, `the header ${name}`, naming.usedVariables)] : parts;
  return `-H ${shellWord([`${name}: `, ...visibleParts])}`;
}

/** Returns the secret settings of an iteration, the longest first. */
function settingSecrets(loaded: LoadedConfiguration, iteration: number): readonly SettingSecret[] {
  const settings = [...(loaded.iterations[iteration]?.settings ?? new Map())];
  return settings
    .flatMap(([name, value]): SettingSecret[] => {
      const text = scalarText(value);
      const isSecret = name.split(".").some((step: string) => step.startsWith("#"));
      if (!isSecret || text === undefined || text === "") return [];
      const variable = loaded.variables.get(name) ?? variableSuffix(name.replaceAll("#", ""));
      return [{ value: text, variable, what: `the secret setting ${name.replaceAll("#", "")}` }];
    })
    .sort((a, b) => b.value.length - a.value.length);
}

/** The secrets of a request, and the variables that replace them. */
interface Naming {
  readonly secrets: readonly SettingSecret[];
  readonly mask: (text: string) => string;
  readonly spans: CurlOptions["spans"];
  /** Collects the variables of the command, each with its description. */
  readonly usedVariables: Map<string, string>;
}

/** Returns a variable with a name. Adds a number to the name if it is already used for a different value. */
function variableFor(name: string, what: string, usedVariables: Map<string, string>): ShellPart {
  const base = [name, `SECRET_${name}`].find(isShellVariable) ?? "SECRET";
  let variable = base;
  for (let number = 2; usedVariables.has(variable) && usedVariables.get(variable) !== what; number += 1)
    variable = `${base}_${number}`;
  usedVariables.set(variable, what);
  return { variable };
}

/** Splits a whole value at its secrets, as `withVariables` does. Even short secrets are replaced, as in a parameter's value. */
function valueWithVariables(text: string, fallback: string, naming: Naming): readonly ShellPart[] {
  const [first = "", ...rest] = withVariables(`=${text}`, fallback, naming);
  return [typeof first === "string" ? first.slice(1) : first, ...rest].filter((part) => part !== "");
}

/**
 * Splits a text at its secrets and replaces them with variables. `fallback`: name of the variable for a secret that is neither a
 * setting nor the value of a parameter. `display`: masks the values whose names mean credentials.
 */
function withVariables(
  text: string,
  fallback: string,
  { secrets, mask, spans, usedVariables }: Naming,
  display: (text: string) => string = (same) => same,
): readonly ShellPart[] {
  const forms = secrets.flatMap(({ value, variable, what }) => [
    { form: value, name: variable, meaning: what },
    { form: percentEncode(value), name: `${variable}_URLENCODED`, meaning: `${what}, percent-encoded` },
    { form: JSON.stringify(value).slice(1, -1), name: `${variable}_JSON`, meaning: `${what}, escaped for JSON` },
  ]);
  const parts: ShellPart[] = [];
  let end = 0;
  // Only whole secrets become variables. If a variable replaced a part of a longer secret or of a plain word, the rest of the
  // word would reveal the value of the variable.
  for (const { from, to } of spans(text)) {
    const found = forms.find(({ form }) => form === text.slice(from, to));
    if (found === undefined) continue;
    parts.push(text.slice(end, from), variableFor(found.name, found.meaning, usedVariables));
    end = to;
  }
  parts.push(text.slice(end));
  return inTexts(parts, (part) =>
    joinTexts(display(mask(part).replaceAll("%2A%2A%2A", "***")).split("***"), (before) => {
      const parameter = before.endsWith("=") ? before.slice(separatorBefore(before) + 1, -1) : "";
      const name = parameter === "" ? fallback : variableSuffix(parameter);
      return variableFor(name, "a value from the login, or one computed from secrets", usedVariables);
    }),
  );
}

/** Returns the index of the last character before a parameter's name: `?`, `&`, `=` or white space; -1 if there is none. */
function separatorBefore(text: string): number {
  let index = text.length - 2;
  while (index >= 0 && !/[?&=\s]/.test(text.charAt(index))) index -= 1;
  return index;
}

function inTexts(parts: readonly ShellPart[], change: (text: string) => readonly ShellPart[]): readonly ShellPart[] {
  return parts.flatMap((part) => (typeof part === "string" ? change(part) : [part]));
}

/** Puts a part between each two neighbouring texts. `between` makes this part from the text before it. */
function joinTexts(texts: readonly string[], between: (before: string) => ShellPart): readonly ShellPart[] {
  return texts.flatMap((text, index) => (index < texts.length - 1 ? [text, between(text)] : [text]));
}
