import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Fault, messageOf } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import { printable } from "../core/printable.ts";
import type { Secrets } from "../core/redact.ts";
import { isObject, type Value, type ValueObject } from "../core/value.ts";

/** `config` without jobs, flattened with dots; inner objects also stand under their own path. */
export type Settings = ReadonlyMap<string, Value>;

/** Flattens a run's `config`; `set` wins over it (contract C-2.7, C-4.3). */
export function settingsOf(config: ValueObject, set: ReadonlyMap<string, string>): Settings {
  const settings = new Map<string, Value>();
  const { jobs: _, ...rest } = config;
  flatten(rest, "", settings);
  for (const [name, text] of set) {
    for (const inner of [...settings.keys()]) if (inner.startsWith(`${name}.`)) settings.delete(inner);
    settings.set(name, text);
  }
  return settings;
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
  /** The folder that files are relative to. */
  readonly folder: string;
  /** What stands for a setting whose variable is not set, or whose file cannot be read; without it that is a fault. */
  readonly standIn?: ((setting: string) => string) | undefined;
}

/**
 * Puts values in the place of `{"env": NAME}` and `{"file": PATH}` among the direct values of `config` and of each
 * iteration, and in the certificates of `api`; registers those of the environment as secrets, and tells of unset
 * variables and unreadable files (as warnings where something stands in). Names given by `--set` need none.
 */
export function resolveEnvironment(
  document: Value,
  source: EnvironmentSource,
): { document: Value; variables: Map<string, string>; faults: Fault[]; warnings: Fault[] } {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  const variables = new Map<string, string>();
  return { document: sectionsOf(document, ""), variables, faults, warnings };

  function sectionsOf(value: Value, at: string): Value {
    if (!isObject(value)) return value;
    const result: Record<string, Value> = { ...value };
    const { parameters, api, config, iterations } = value;
    if (isObject(parameters)) result.parameters = sectionsOf(parameters, pointer(at, "parameters"));
    else {
      if (isObject(api)) result.api = certificates(api, pointer(at, "api"));
      if (isObject(config)) result.config = resolved(config, pointer(at, "config"));
      if (Array.isArray(iterations)) {
        result.iterations = iterations.map((entry, index) => resolved(entry, pointer(at, "iterations", index)));
      }
    }
    return result;
  }

  function resolved(section: Value, at: string): Value {
    if (!isObject(section)) return section;
    return Object.fromEntries(
      Object.entries(section).map(([name, value]) => [
        name,
        source.set.has(name) && isElsewhere(value) ? "" : found(value, name, at),
      ]),
    );
  }

  function certificates(api: ValueObject, at: string): ValueObject {
    const named = ["caCertificate", "#clientCertificate"].flatMap((name) => {
      const value = api[name];
      return value === undefined ? [] : [[name, found(value, name, at)] as const];
    });
    return { ...api, ...Object.fromEntries(named) };
  }

  function found(value: Value, name: string, section: string): Value {
    if (!isElsewhere(value)) return value;
    const at = pointer(section, name);
    return Object.hasOwn(value, "env") ? lookUp(value.env, name, at) : readIn(value.file, name, at);
  }

  function missing(message: string, name: string, at: string): Value {
    (source.standIn === undefined ? faults : warnings).push({ pointer: at, message });
    return source.standIn?.(name) ?? "";
  }

  function readIn(path: Value | undefined, name: string, at: string): Value {
    if (typeof path !== "string" || path === "") {
      faults.push({ pointer: at, message: '"file" must be the path of a file' });
      return "";
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(resolve(source.folder, path)));
      return text.replace(/\r?\n$/, "");
    } catch (error) {
      return missing(`the file ${JSON.stringify(printable(path))} cannot be read: ${messageOf(error)}`, name, at);
    }
  }

  function lookUp(variable: Value | undefined, name: string, at: string): Value {
    if (typeof variable !== "string" || variable === "") {
      faults.push({ pointer: at, message: '"env" must be the name of an environment variable' });
      return "";
    }
    variables.set(name, variable);
    const text = source.environment[variable];
    if (text === undefined) {
      return missing(`the environment variable ${JSON.stringify(printable(variable))} is not set`, name, at);
    }
    source.secrets.add(text);
    return text;
  }
}

/** Does the value stand in the environment, or in a file? */
function isElsewhere(value: Value): value is ValueObject {
  return isObject(value) && Object.keys(value).length === 1 && ["env", "file"].some((key) => Object.hasOwn(value, key));
}

/** The names that `--set` may not give, for they are not settings but sections. */
const sections = ["jobs", "http", "mappings"];

export function checkSet(set: ReadonlyMap<string, string>): Fault[] {
  return [...set.keys()]
    .filter((name) => name === "" || sections.includes(name))
    .map((name) => ({ pointer: "/config", message: `--set cannot give ${JSON.stringify(name)}: it is not a setting` }));
}
