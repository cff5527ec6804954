import { type Fault, SpileError } from "../core/errors.ts";
import { sourceOf, sourceText } from "../core/runs/response-source.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { pointerTo } from "../core/values/path.ts";
import { scalarText } from "../core/values/value.ts";
import type { LoginAuthentication } from "../generated/configuration.ts";
import { answerValue, type LoginAnswer } from "./login-answer.ts";

type Remember = LoginAuthentication["remember"];

/** New values of settings for later logins, and the settings for which the answer has no value. */
export interface Remembered {
  readonly values: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
}

/**
 * Reads the values of a login's answer that settings take for later logins (contract C-20.2). A setting whose value is
 * absent, null or "" in the answer stays as it is. Throws SpileError `authentication` for a list or an object.
 */
export function rememberedOf(remember: NonNullable<Remember>, answer: LoginAnswer, secrets: Secrets): Remembered {
  const missing: string[] = [];
  const values = new Map<string, string>();
  for (const [name, source] of Object.entries(remember)) {
    const found = answerValue(answer, source) ?? null;
    if (found === null || found === "") {
      missing.push(name);
      continue;
    }
    const text = scalarText(found);
    if (text === undefined) {
      throw new SpileError(
        "authentication",
        `the login's answer has no text ${sourceText(sourceOf(source))}, which ${JSON.stringify(name)} is to take`,
        {
          pointer: pointerTo("/api/authentication/remember", name),
        },
      );
    }
    secrets.add(text);
    values.set(name, text);
  }
  return { values, missing };
}

/** Returns the warning that a login's answer has no value for some settings, which keep theirs. */
export function missingText(remember: NonNullable<Remember>, missing: readonly string[]): string {
  const places = missing.map((name) => `${sourceText(sourceOf(remember[name] ?? ""))} for ${JSON.stringify(name)}`);
  return `the login's answer has nothing ${places.join(" or ")}: "remember" keeps the old values`;
}

/** Returns a fault for each name that is no setting: only an existing setting can take another value. */
export function rememberFaults(remember: Remember, settings: { has(name: string): boolean }, pointer: string): Fault[] {
  return Object.keys(remember ?? {})
    .filter((name) => !settings.has(name))
    .map((name) => ({
      pointer: pointerTo(pointer, name),
      message: `unknown setting ${JSON.stringify(name)}: "config" needs it, with the value of the first login`,
    }));
}
