import type { Fault } from "../core/errors.ts";
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
  /** What stands for a setting whose variable is not set; without it that is a fault. */
  readonly standIn?: ((setting: string) => string) | undefined;
}

/**
 * Puts environment values in the place of `{"env": NAME}` among the direct values of `config` and of each iteration,
 * registers them as secrets, and tells of unset variables (as warnings where something stands in). Names given by `--set` need none.
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
    const { parameters, config, iterations } = value;
    if (isObject(parameters)) result.parameters = sectionsOf(parameters, pointer(at, "parameters"));
    else {
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
        isEnvironment(value) ? lookUp(value.env, name, at) : value,
      ]),
    );
  }

  function lookUp(variable: Value | undefined, name: string, section: string): Value {
    if (source.set.has(name)) return "";
    const at = pointer(section, name);
    if (typeof variable !== "string" || variable === "") {
      faults.push({ pointer: at, message: '"env" must be the name of an environment variable' });
      return "";
    }
    variables.set(name, variable);
    const text = source.environment[variable];
    if (text === undefined) {
      const unset = {
        pointer: at,
        message: `the environment variable ${JSON.stringify(printable(variable))} is not set`,
      };
      (source.standIn === undefined ? faults : warnings).push(unset);
      return source.standIn?.(name) ?? "";
    }
    source.secrets.add(text);
    return text;
  }
}

function isEnvironment(value: Value): value is ValueObject {
  return isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, "env");
}

/** The names that `--set` may not give, for they are not settings but sections. */
const sections = ["jobs", "http", "mappings"];

export function checkSet(set: ReadonlyMap<string, string>): Fault[] {
  return [...set.keys()]
    .filter((name) => name === "" || sections.includes(name))
    .map((name) => ({ pointer: "/config", message: `--set cannot give ${JSON.stringify(name)}: it is not a setting` }));
}
