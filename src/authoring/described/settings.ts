import { configSections } from "../../config/settings.ts";
import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import { freeName, variableName, variableSuffix } from "../variable-names.ts";

/** An environment variable that a configuration reads, and the title of its setting. */
export interface TitledVariable {
  readonly variable: string;
  readonly title: string;
}

/** The settings that the jobs of a described API read. */
export interface WrittenSettings {
  /** Returns the members that `config` has for the settings. */
  members(): ValueObject;
  /** Returns the environment variables from which the settings are read. */
  variables(): readonly TitledVariable[];
}

/** A setting that a description asks for. */
export interface DescribedSetting {
  /** The value to write; undefined if it comes from the environment. A secret always comes from the environment. */
  readonly value: Value | undefined;
  /** True if the description marks the setting as secret. A setting may also be secret because of its name. */
  readonly isSecret: boolean;
  /** Title for the user. The default is the setting's name. */
  readonly title?: string | undefined;
  /** Text to append to the title, for example `, such as 2024-01-31`. It is not used for a secret. */
  readonly example?: string;
}

export interface SettingsDraft extends WrittenSettings {
  /** Adds a setting and returns the expression that reads it. `path`: the place of the setting in the description. */
  read(path: readonly string[], setting: DescribedSetting): ValueObject;
}

/** Creates an empty draft. The names of its environment variables begin with `prefix`. */
export function draftSettings(prefix: string): SettingsDraft {
  const settings = new Map<string, { readonly name: string; readonly value: Value; readonly title: string }>();
  return {
    read(path, { value, isSecret, title, example = "" }) {
      const last = path.at(-1) ?? "";
      const plainName = /^-?\d+$/.test(last) ? path.slice(-2).join("_") : last;
      const key = path.join(".");
      const isHidden = isSecret || isCredential(plainName);
      const others = [...settings].flatMap(([otherKey, other]) => (otherKey === key ? [] : [other]));
      const names = others.map(({ name }) => name.replace("#", ""));
      const name = settings.get(key)?.name ?? `${isHidden ? "#" : ""}${settingName(plainName, path, names)}`;
      const isFree = (variable: string): boolean => others.every((other) => variableOf(other.value) !== variable);
      settings.set(key, {
        name,
        value:
          value === undefined || isHidden
            ? { env: freeName(variableName(prefix, variableSuffix(name.replace("#", ""))), isFree) }
            : value,
        title: `${title ?? plainName}${isHidden ? "" : example}`,
      });
      return { attr: name };
    },
    members: () => Object.fromEntries([...settings.values()].map(({ name, value }) => [name, value])),
    variables: () =>
      [...settings.values()].flatMap(({ value, title }) => {
        const variable = variableOf(value);
        return variable === undefined ? [] : [{ variable, title }];
      }),
  };
}

/** Returns the environment variable that a setting's value names. */
function variableOf(value: Value): string | undefined {
  return isObject(value) && typeof value.env === "string" ? value.env : undefined;
}

/** Members of `config` that have another meaning, so that no setting may have their names. */
const reservedNames: readonly string[] = [...configSections, "userData"];

/** Returns a name that no other setting has: the plain name, else the whole path, else the path with underscores at its end. */
function settingName(plainName: string, path: readonly string[], others: readonly string[]): string {
  const isTaken = (name: string): boolean => reservedNames.includes(name) || others.includes(name);
  let name = isTaken(plainName) ? path.join("_") : plainName;
  while (isTaken(name)) name += "_";
  return name;
}
