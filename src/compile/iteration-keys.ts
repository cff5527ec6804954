import { createHash } from "node:crypto";
import type { Secrets } from "../core/secrets/redact.ts";
import { withoutSecrets } from "../core/secrets/without-secrets.ts";
import { type Value, type ValueObject, valueText } from "../core/values/value.ts";
import type { Configuration } from "../generated/configuration.ts";

/**
 * Returns the keys that distinguish the increments of iterations in a state. They are digests of the settings without secrets, so
 * that iterations may be reordered. Without iterations there is one key, "".
 */
export function iterationKeys(
  { iterations = [] }: Pick<Configuration, "iterations">,
  secrets: Secrets,
): readonly string[] {
  return iterations.length === 0 ? [""] : iterations.map((iteration) => iterationKey(iteration, secrets));
}

/** Returns the key of one iteration. `iteration`: undefined if the configuration has no iterations. */
export function iterationKey(iteration: object | undefined, secrets: Secrets): string {
  if (iteration === undefined) return "";
  const { jobs: _, mappings: __, ...settings } = iteration as ValueObject;
  const text = secrets.mask(valueText(withoutSecrets(settings as Value)));
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
