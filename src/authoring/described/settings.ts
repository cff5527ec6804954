import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { isCredential } from "../../knowledge/credentials.ts";
import { variableName, variableSuffix } from "../variable-names.ts";

/** An environment variable that a configuration reads, and the title of its setting for people. */
export interface TitledVariable {
  readonly variable: string;
  readonly title: string;
}

/** The settings that the jobs of a described API read. */
export interface WrittenSettings {
  /** Returns the members of `config` for them. */
  members(): ValueObject;
  /** Returns the environment variables that they are read from. */
  variables(): readonly TitledVariable[];
}

/** A setting as a description has it. */
export interface DescribedSetting {
  /** Its value in the configuration; undefined if it comes from the environment. A secret always does. */
  readonly value: Value | undefined;
  /** True if the description says that it is secret. Its name may say so, too. */
  readonly isSecret: boolean;
  /** Title for people. Default: its name. */
  readonly title?: string | undefined;
  /** Words that show an example, which a secret never gets; "" for none. */
  readonly example?: string;
}

export interface SettingsDraft extends WrittenSettings {
  /** Returns the expression that reads a setting, and adds the setting. `path`: its place among those of the description. */
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
      const hidden = isSecret || isCredential(plainName);
      const names = [...settings.values()].map(({ name }) => name.replace("#", ""));
      const name = settings.get(key)?.name ?? `${hidden ? "#" : ""}${freeName(plainName, path, names)}`;
      settings.set(key, {
        name,
        value:
          value === undefined || hidden ? { env: variableName(prefix, variableSuffix(name.replace("#", ""))) } : value,
        title: `${title ?? plainName}${hidden ? "" : example}`,
      });
      return { attr: name };
    },
    members: () => Object.fromEntries([...settings.values()].map(({ name, value }) => [name, value])),
    variables: () =>
      [...settings.values()].flatMap(({ value, title }) =>
        isObject(value) && typeof value.env === "string" ? [{ variable: value.env, title }] : [],
      ),
  };
}

/** Members of `config` that are not settings. */
const reserved: readonly string[] = ["jobs", "http", "userData", "mappings", "debug"];

/** Returns a name that no other setting has: the plain one, the whole path, or the latter with an underscore. */
function freeName(plainName: string, path: readonly string[], others: readonly string[]): string {
  const isTaken = (name: string): boolean => reserved.includes(name) || others.includes(name);
  const name = isTaken(plainName) ? path.join("_") : plainName;
  return isTaken(name) ? `${name}_` : name;
}
