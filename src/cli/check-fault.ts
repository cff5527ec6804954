import type { CheckFault } from "../authoring/described/choice.ts";
import { readConfiguration } from "../compile/read.ts";
import { ConfigurationError } from "../core/errors.ts";
import { Secrets } from "../core/secrets/redact.ts";

/**
 * Returns the first fault that `spile check --strict --allow-unset-env` finds in a configuration; undefined if it passes. The
 * caller must have called `loadPatterns`.
 */
export function checkFault(
  text: string,
  environment: Readonly<Record<string, string | undefined>> = {},
  secrets = new Secrets(),
): CheckFault | undefined {
  try {
    readConfiguration(text, {
      name: "configuration",
      set: new Map(),
      environment,
      allowUnset: true,
      strict: true,
      secrets,
    });
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults[0] ?? { pointer: "", message: error.message };
    throw error;
  }
}
