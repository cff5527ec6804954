import { resolve } from "node:path";
import { readWholeNow, UnreadPipe } from "../core/blocking-work.ts";
import type { Fault } from "../core/errors.ts";
import { type Secrets, secretMark } from "../core/secrets/redact.ts";
import { nearest } from "../core/text/nearest.ts";
import { printable } from "../core/text/printable.ts";
import { reasonOf } from "../core/text/reason.ts";
import { readTime } from "../core/values/instant.ts";
import { pointerTo } from "../core/values/path.ts";
import { isObject, type Value, type ValueObject } from "../core/values/value.ts";

/** The values in `config` without its jobs, by their paths with dots. Objects and lists have entries, too. */
export type Settings = ReadonlyMap<string, Value>;

/** Returns the settings in `config`. Those of `--set` replace them (contract C-2.7, C-4.3). */
export function settingsOf(config: ValueObject, set: ReadonlyMap<string, string>): Settings {
  const settings = new Map<string, Value>();
  const { jobs: _, ...rest } = config;
  flatten(rest, "", settings);
  if (set.size === 0) return settings;
  for (const name of [...settings.keys()]) if (outerNames(name).some((outer) => set.has(outer))) settings.delete(name);
  const givenNames: string[] = [];
  for (const [name, text] of set) {
    // This setting replaces the whole value, so settings inside it that were set before are dropped.
    for (const inner of givenNames) if (inner.startsWith(`${name}.`)) settings.delete(inner);
    settings.set(name, text);
    givenNames.push(name);
  }
  return settings;
}

/** Returns the names of the objects that contain a setting: `a` and `a.b` for `a.b.c`. */
function outerNames(name: string): readonly string[] {
  const outer: string[] = [];
  for (let dot = name.indexOf("."); dot >= 0; dot = name.indexOf(".", dot + 1)) outer.push(name.slice(0, dot));
  return outer;
}

function flatten(value: Value, path: string, settings: Map<string, Value>): void {
  if (path !== "") settings.set(path, value);
  if (!Array.isArray(value) && !isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) flatten(inner, path === "" ? key : `${path}.${key}`, settings);
}

export interface EnvironmentSource {
  readonly environment: NodeJS.ProcessEnv;
  readonly set: ReadonlyMap<string, string>;
  readonly secrets: Secrets;
  /** The folder at which relative paths of files begin. */
  readonly folder: string;
  /**
   * Returns a text for a setting whose variable is not set, or whose file cannot be read. Without this function, such a setting is
   * a fault.
   */
  readonly standIn?: ((setting: string) => string) | undefined;
}

/**
 * Replaces `{"env": NAME}` and `{"file": PATH}` among the direct values of `config` and of each iteration, and in the
 * certificates of `api`, by their values. Values of variables are registered as secrets, except dates and times. Unset variables
 * and unreadable files are faults, or warnings if there is a `standIn`. Settings that `--set` replaces are not looked up.
 */
export function resolveEnvironment(
  document: Value,
  source: EnvironmentSource,
): { document: Value; variables: Map<string, string>; faults: Fault[]; warnings: Fault[] } {
  const reader = new EnvironmentReader(source);
  const { variables, faults, warnings } = reader;
  return { document: reader.sections(document, ""), variables, faults, warnings };
}

class EnvironmentReader {
  readonly variables = new Map<string, string>();
  readonly faults: Fault[] = [];
  readonly warnings: Fault[] = [];
  readonly #source: EnvironmentSource;

  constructor(source: EnvironmentSource) {
    this.#source = source;
  }

  sections(value: Value, pointer: string): Value {
    if (!isObject(value)) return value;
    const result: Record<string, Value> = { ...value };
    const { parameters, api, config, iterations } = value;
    if (isObject(parameters)) result.parameters = this.sections(parameters, pointerTo(pointer, "parameters"));
    else {
      if (isObject(api)) result.api = this.#certificates(api, pointerTo(pointer, "api"));
      if (isObject(config)) result.config = this.#settings(config, pointerTo(pointer, "config"));
      if (Array.isArray(iterations)) {
        result.iterations = iterations.map((entry, index) =>
          this.#settings(entry, pointerTo(pointer, "iterations", index)),
        );
      }
    }
    return result;
  }

  #settings(section: Value, pointer: string): Value {
    if (!isObject(section)) return section;
    const { set } = this.#source;
    return Object.fromEntries(
      Object.entries(section).map(([name, value]) => [
        name,
        set.has(name) && isElsewhere(value) ? "" : this.#resolved(value, name, pointer),
      ]),
    );
  }

  #certificates(api: ValueObject, pointer: string): ValueObject {
    const certificates = ["caCertificate", "#clientCertificate"].flatMap((name) => {
      const value = api[name];
      return value === undefined ? [] : [[name, this.#resolved(value, name, pointer)] as const];
    });
    return { ...api, ...Object.fromEntries(certificates) };
  }

  #resolved(value: Value, name: string, section: string): Value {
    if (!isElsewhere(value)) {
      this.warnings.push(...pluralWarnings(value, pointerTo(section, name)));
      return value;
    }
    const pointer = pointerTo(section, name);
    return Object.hasOwn(value, "env")
      ? this.#variable(value.env, name, pointer)
      : this.#file(value.file, name, pointer);
  }

  #missing(message: string, name: string, pointer: string): Value {
    const { standIn } = this.#source;
    (standIn === undefined ? this.faults : this.warnings).push({ pointer, message });
    return standIn?.(name) ?? "";
  }

  #file(path: Value | undefined, name: string, pointer: string): Value {
    if (typeof path !== "string" || path === "") {
      this.faults.push({ pointer, message: '"file" must be the path of a file' });
      return "";
    }
    try {
      const bytes = readWholeNow(resolve(this.#source.folder, path));
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r?\n$/, "");
    } catch (error) {
      if (error instanceof UnreadPipe) throw error;
      const file = JSON.stringify(printable(path));
      const right = '"file" is the path of a text file; a relative path starts at the folder of the configuration';
      return this.#missing(`the file ${file} cannot be read: ${reasonOf(error)}; ${right}`, name, pointer);
    }
  }

  #variable(variable: Value | undefined, name: string, pointer: string): Value {
    if (typeof variable !== "string" || variable === "") {
      this.faults.push({ pointer, message: '"env" must be the name of an environment variable' });
      return "";
    }
    this.variables.set(name, variable);
    const text = this.#source.environment[variable];
    if (text === undefined) {
      return this.#missing(`the environment variable ${JSON.stringify(printable(variable))} is not set`, name, pointer);
    }
    if (text === secretMark) {
      const message = `the environment variable ${JSON.stringify(printable(variable))} holds ${secretMark}, which spile prints instead of a secret: set it to the secret itself`;
      return this.#missing(message, name, pointer);
    }
    // A value below a name that begins with # is registered anyway: see registerSecrets.
    if (!isDateOrTime(text)) this.#source.secrets.add(text);
    return text;
  }
}

/** Returns whether a text is a date or a time. As a secret, it would keep the state from storing an increment of that day. */
function isDateOrTime(text: string): boolean {
  return /^\d{4}-/.test(text) && readTime(text) !== undefined;
}

/** Returns whether a value refers to the environment or to a file. */
function isElsewhere(value: Value): value is ValueObject {
  return isObject(value) && Object.keys(value).length === 1 && ["env", "file"].some((key) => Object.hasOwn(value, key));
}

/** Returns warnings about `{"files": ...}` and `{"envs": ...}`, which are plain data. */
function pluralWarnings(value: Value, pointer: string): readonly Fault[] {
  const [name = "", ...others] = isObject(value) ? Object.keys(value) : [];
  if (others.length > 0 || (name !== "files" && name !== "envs")) return [];
  const meant = name.slice(0, -1);
  return [
    {
      pointer,
      message: `{"${name}": ...} is plain data here; did you mean {"${meant}": ...}?`,
      suggestion: meant,
    },
  ];
}

/** Names in `config` that are sections, not settings. `--set` may not set them, nor anything inside them. */
export const configSections: readonly string[] = ["jobs", "http", "mappings", "debug"];

export function checkSet(set: ReadonlyMap<string, string>): Fault[] {
  return [...set.keys()]
    .filter((name) => name === "" || configSections.includes(name.split(".")[0] ?? ""))
    .map((name) => {
      const right = name === "debug" ? "; --debug logs each request" : "";
      return { pointer: "/config", message: `--set cannot give ${JSON.stringify(name)}: it is not a setting${right}` };
    });
}

/** Settings that are read by name, without an expression: the user name and the password of Basic authentication. */
const readByName = /^#?(username|password)$/;

/** Returns warnings about settings of `--set` that the document neither contains nor reads. Usually their names are misspelt. */
export function unreadSettings(set: ReadonlyMap<string, string>, document: Value): Fault[] {
  const unknown = [...set.keys()].filter((name) => !readByName.test(name));
  if (unknown.length === 0) return [];
  const names = new Set<string>();
  collectNames(document, names);
  return unknown
    .filter((name) => !names.has(name) && !names.has(name.split(".")[0] ?? ""))
    .map((name) => {
      const meant = nearest(name, [...names]);
      const suggestion = meant === undefined ? "" : `, did you mean ${JSON.stringify(meant)}?`;
      return {
        pointer: "/config",
        message: `--set gives ${JSON.stringify(name)}, which no expression reads${suggestion}`,
      };
    });
}

/** Adds the names of the settings that expressions read, and of those in `config` and `iterations`. */
function collectNames(value: Value, names: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectNames(item, names);
  if (!isObject(value)) return;
  if (typeof value.attr === "string") names.add(value.attr);
  for (const section of [value.config, value.iterations].flat()) {
    if (isObject(section)) for (const name of Object.keys(section)) names.add(name);
  }
  for (const inner of Object.values(value)) collectNames(inner, names);
}
