import { variableSuffix } from "../../authoring/credential-names.ts";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import { shownHeader } from "../../core/credential-headers.ts";
import { percentEncode } from "../../core/percent-encoding.ts";
import { printable } from "../../core/printable.ts";
import { scalarText } from "../../core/value.ts";
import type { PlannedRequest } from "../../pipeline/planned-requests.ts";

/** A secret that has a name of its own: the variable that stands for it in a shell. */
interface NamedSecret {
  readonly value: string;
  readonly variable: string;
  /** What it is, for people. */
  readonly what: string;
}

/** Around the name of a variable within a text that is yet to be quoted. */
const [open, close] = ["\ue000", "\ue001"];

export interface CurlOptions {
  readonly loaded: LoadedConfiguration;
  readonly mask: (text: string) => string;
  /** Of an iteration, whether there are several. */
  readonly iterations: boolean;
}

/**
 * A planned request as a curl command. Secrets are variables of the shell: those of settings under their names, what only
 * the login would tell and what is computed from secrets under the name of its header or parameter.
 */
export function curlCommand({ iteration, wire, page }: PlannedRequest, options: CurlOptions): string {
  const { loaded, mask, iterations } = options;
  const used = new Map<string, string>();
  const naming: Naming = { secrets: namedSecrets(loaded, iteration), mask, used };
  const { method, headers, body } = wire;
  const words = [`curl ${quoted(withVariables(wire.url, "", naming))}`];
  if (/[[\]{}]/.test(wire.url)) words.push("--globoff");
  if (method === "POST" && body === undefined) words.push("-X POST");
  for (const [name, value] of headers.values()) words.push(headerWord(name, value, naming));
  if (body !== undefined) words.push(`--data-raw ${quoted(withVariables(body, "SECRET", naming))}`);
  const what = page?.step === undefined ? `page ${page?.number}` : `step ${JSON.stringify(page.step)}`;
  const where = page === undefined ? "login" : `${page.plan.label}, ${what}: ${page.plan.paging()}`;
  const comments = [
    iterations ? `iteration ${iteration + 1}, ${where}` : where,
    ...(page?.assuming === undefined ? [] : [page.assuming]),
    ...[...used].map(([variable, what]) => `$${variable} is ${what}`),
  ];
  return `${comments.map((text) => `# ${printable(mask(text))}\n`).join("")}${words.join(" \\\n  ")}\n`;
}

function headerWord(name: string, value: string, naming: Naming): string {
  // curl then decodes the answer too.
  if (name.toLowerCase() === "accept-encoding") return "--compressed";
  if (value === "") return `-H ${quoted(`${name};`)}`;
  const [, credentials] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(value) ?? [];
  if (name.toLowerCase() === "authorization" && credentials !== undefined) {
    return `-u ${quoted(withVariables(Buffer.from(credentials, "base64").toString(), "PASSWORD", naming))}`;
  }
  const variable = variableSuffix(name);
  const text = withVariables(value, variable, naming);
  // A credential by its name, though no secret by its value.
  const isOpen = shownHeader(name, value, (same) => same) !== value && !text.includes(open);
  const shown = isOpen ? variableFor(variable, `the header ${JSON.stringify(name)}`, naming.used) : text;
  return `-H ${quoted(`${name}: ${shown}`)}`;
}

function namedSecrets(loaded: LoadedConfiguration, iteration: number): readonly NamedSecret[] {
  const settings = [...(loaded.iterations[iteration]?.settings ?? new Map())];
  return settings
    .flatMap(([name, value]): NamedSecret[] => {
      const text = scalarText(value);
      const secret = name.split(".").some((step: string) => step.startsWith("#"));
      if (!secret || text === undefined || text === "") return [];
      const variable = loaded.variables.get(name) ?? variableSuffix(name.replaceAll("#", ""));
      return [{ value: text, variable, what: `the setting ${JSON.stringify(name)}` }];
    })
    .sort((a, b) => b.value.length - a.value.length);
}

interface Naming {
  readonly secrets: readonly NamedSecret[];
  readonly mask: (text: string) => string;
  /** Gains the variables that stand in the text, and what each is. */
  readonly used: Map<string, string>;
}

/** A variable of this name; one more, where the name stands for something else already. */
function variableFor(name: string, what: string, used: Map<string, string>): string {
  let free = name;
  for (let number = 2; used.has(free) && used.get(free) !== what; number += 1) free = `${name}_${number}`;
  used.set(free, what);
  return `${open}${free}${close}`;
}

function withVariables(text: string, fallback: string, { secrets, mask, used }: Naming): string {
  let result = text;
  for (const { value, variable, what } of secrets) {
    const forms = [
      [value, variable, what],
      [percentEncode(value), `${variable}_URLENCODED`, `${what}, percent-encoded`],
      [JSON.stringify(value).slice(1, -1), `${variable}_JSON`, `${what}, escaped for JSON`],
    ] as const;
    for (const [form, name, meaning] of forms) {
      if (!result.includes(form)) continue;
      const mark = variableFor(name, meaning, used);
      result = outsideMarks(result, (part) => part.replaceAll(form, () => mark));
    }
  }
  return outsideMarks(result, (part) => {
    const masked = mask(part).replaceAll("%2A%2A%2A", "***");
    return masked.replace(/(?:([^?&=\s]+)=)?\*\*\*/g, (_all, parameter: string | undefined) => {
      const [name, before] = parameter === undefined ? [fallback, ""] : [variableSuffix(parameter), `${parameter}=`];
      const what = "what the login answers, or what is computed from secrets";
      return before + variableFor(name === "" ? "SECRET" : name, what, used);
    });
  });
}

function outsideMarks(text: string, change: (part: string) => string): string {
  return text
    .split(/(\ue000[^\ue001]*\ue001)/)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

/** A word of the shell. In double quotes where that is readable, else in single ones around the variables. */
function quoted(text: string): string {
  const parts = text.split(/\ue000([^\ue001]*)\ue001/);
  const isPlain = parts.every((part, index) => index % 2 === 1 || !/[\\"`$!]/.test(part));
  if (parts.length > 1 && isPlain) {
    return `"${parts.map((part, index) => (index % 2 === 1 ? `\${${part}}` : part)).join("")}"`;
  }
  const words = parts.map((part, index) => (index % 2 === 1 ? `"$${part}"` : `'${part.replaceAll("'", "'\\''")}'`));
  return words.filter((word, index) => word !== "''" || index === 0).join("") || "''";
}
