import { type DistinctJobs, distinctJobs } from "../config/jobs.ts";
import { loadDocument } from "../config/load.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { coerce, rewriteLegacy } from "../config/normalize.ts";
import { readAsPhp } from "../config/php-forms.ts";
import { registerSecrets } from "../config/secrets.ts";
import { type Bases, basesOf, sectionsOf } from "../config/sections.ts";
import { checkSet, resolveEnvironment, settingsOf, unreadSettings } from "../config/settings.ts";
import { validateDocument } from "../config/validate.ts";
import { withoutFaulty } from "../config/without-faulty.ts";
import { ConfigurationError, type Fault } from "../core/errors.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { pointerTo, valueAt } from "../core/values/path.ts";
import type { Value, ValueObject } from "../core/values/value.ts";
import type { Configuration, Job, RunConfig } from "../generated/configuration.ts";
import { type CheckedIteration, checkConfiguration } from "./checks/check.ts";
import { hintsOf } from "./checks/hints.ts";

export type { Settings } from "../config/settings.ts";

export interface ReadOptions {
  /** Name of the file, for messages. */
  readonly name: string;
  /** Settings given by `--set`. */
  readonly set: ReadonlyMap<string, string>;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder to which relative paths in `{"file": ...}` refer. Default: the working directory. */
  readonly folder?: string;
  /** True if unknown fields are faults. */
  readonly strict: boolean;
  /** True if unset variables and unreadable files are only warnings. Texts replace them, so that the rest can be checked. */
  readonly allowUnset?: boolean;
  /** Receives every secret of the configuration. */
  readonly secrets: Secrets;
}

/**
 * Reads and checks a configuration (contract C-2.2). Throws ConfigurationError with all faults at once, or
 * SpileError("configuration") if the text is not JSON.
 */
export function readConfiguration(text: string, options: ReadOptions): LoadedConfiguration {
  if (options.allowUnset !== true) return readWith(text, options, undefined);
  const chosen = new Map<string, string>();
  const attempt = (): LoadedConfiguration | ConfigurationError => {
    try {
      return readWith(text, options, (setting) => chosen.get(setting) ?? firstStandIn(setting));
    } catch (error) {
      if (error instanceof ConfigurationError) return error;
      throw error;
    }
  };
  const firstStandIn = (setting: string): string => {
    chosen.set(setting, standIns[0]);
    return standIns[0];
  };
  let best = attempt();
  for (const setting of chosen.keys()) {
    if (!(best instanceof ConfigurationError)) return best;
    for (const standIn of standIns.slice(1)) {
      const before = chosen.get(setting) ?? standIn;
      chosen.set(setting, standIn);
      const other = attempt();
      if (!(other instanceof ConfigurationError)) return other;
      if (other.faults.length < best.faults.length) best = other;
      else chosen.set(setting, before);
    }
  }
  if (best instanceof ConfigurationError) throw best;
  return best;
}

/**
 * Texts to try for a setting whose value is unknown: a number (also valid in a header and an address), a word, a time, an address.
 * The text with the fewest faults is used, so a fault that only some texts have is not reported.
 */
const standIns = ["1", "unset", "2000-01-01T00:00:00Z", "https://unset.invalid/"] as const;

function readWith(
  text: string,
  options: ReadOptions,
  standIn: ((setting: string) => string) | undefined,
): LoadedConfiguration {
  const { secrets, set, strict } = options;
  const loaded = loadDocument(text, options.name);
  for (const [name, value] of set) if (name.startsWith("#")) secrets.add(value);

  const forms = readAsPhp(rewriteLegacy(loaded));
  const environment = resolveEnvironment(forms.document, { folder: ".", ...options, standIn });
  // Must come after the variables are resolved: the value of a variable may be a secret, its name is not.
  registerSecrets(environment.document, secrets);
  const findings = validateDocument(environment.document, strict);
  const document = coerce(withoutFaulty(environment.document, findings.faults));
  const bases = basesOf(document);
  const configuration = sectionsOf(document);
  // If `config` is missing, only this is reported, and not also each setting that an expression reads.
  const iterations =
    configuration.config === undefined ? [] : iterationsOf(configuration, environment.document, bases, set);
  const checked = checkConfiguration(configuration, iterations, bases, secrets);

  const faults = [...checkSet(set), ...environment.faults, ...findings.faults, ...checked.faults];
  const warnings = [
    ...forms.warnings,
    ...environment.warnings,
    ...findings.warnings,
    ...iterations.flatMap((iteration) => iteration.warnings),
    ...checked.warnings,
  ];
  if (faults.length > 0) throw new ConfigurationError(faults.map(masked), warnings.map(masked));
  return {
    configuration,
    iterations: iterations.map(({ config, settings }) => ({ config, settings })),
    pointers: new Map(iterations.flatMap(({ pointers }) => [...pointers])),
    variables: environment.variables,
    hasStandIns: standIn !== undefined,
    warnings: [...warnings, ...unreadSettings(set, document)].map(masked),
    hints: hintsOf(configuration, iterations, bases).map(masked),
  };

  function masked(fault: Fault): Fault {
    return { ...fault, message: secrets.mask(fault.message) };
  }
}

interface FoundIteration extends CheckedIteration {
  readonly warnings: readonly Fault[];
}

function iterationsOf(
  configuration: Configuration,
  original: Value,
  bases: Bases,
  set: ReadonlyMap<string, string>,
): FoundIteration[] {
  const entries = configuration.iterations ?? [];
  const base = pointerTo(bases.sections, "config");
  const shared = jobsOf(configuration.config?.jobs, pointerTo(base, "jobs"));
  if (entries.length === 0) return [iterationOf({}, base)];
  return entries.map((entry, index) => iterationOf(entry, pointerTo(bases.sections, "iterations", index)));

  function iterationOf(entry: { readonly jobs?: readonly Job[] }, pointer: string): FoundIteration {
    const keyAt = (key: string): string => pointerTo(Object.hasOwn(entry, key) ? pointer : base, key);
    const { jobs, warnings, pointers } = "jobs" in entry ? jobsOf(entry.jobs, keyAt("jobs")) : shared;
    const fields = [...Object.entries(configuration.config ?? {}), ...Object.entries(entry), ["jobs", jobs]];
    const config = Object.fromEntries(fields) as unknown as RunConfig;
    return { config, settings: settingsOf(config as unknown as ValueObject, set), keyAt, pointers, warnings };
  }

  function jobsOf(jobs: readonly Job[] = [], pointer: string): DistinctJobs {
    const steps = Object.keys((valueAt(original, pointer.split("/").slice(1)) ?? {}) as ValueObject);
    return distinctJobs(jobs, steps, pointer);
  }
}
