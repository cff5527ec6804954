import { type Fault, SpileError } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import type { Secrets } from "../core/redact.ts";
import { sourceOf, sourceText } from "../core/response-source.ts";
import { scalarText } from "../core/value.ts";
import type { LoginAuthentication } from "../generated/configuration.ts";
import { answerValue, type LoginAnswer } from "./login-answer.ts";

type Remember = LoginAuthentication["remember"];

/**
 * The values of a login's answer that settings take for later logins (contract C-20.2). What the answer lacks, or has as
 * null, stays as it was. Throws SpileError `authentication` for a list or an object.
 */
export function rememberedOf(
  remember: NonNullable<Remember>,
  answer: LoginAnswer,
  secrets: Secrets,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, source] of Object.entries(remember)) {
    const found = answerValue(answer, source) ?? null;
    if (found === null) continue;
    const text = scalarText(found);
    if (text === undefined) {
      throw new SpileError(
        "authentication",
        `the login's answer has no text ${sourceText(sourceOf(source))}, which ${JSON.stringify(name)} is to take`,
        {
          pointer: pointer("/api/authentication/remember", name),
        },
      );
    }
    secrets.add(text);
    values.set(name, text);
  }
  return values;
}

/** Only a setting that is there can take another value. */
export function rememberFaults(remember: Remember, settings: { has(name: string): boolean }, at: string): Fault[] {
  return Object.keys(remember ?? {})
    .filter((name) => !settings.has(name))
    .map((name) => ({
      pointer: pointer(at, name),
      message: `unknown setting ${JSON.stringify(name)}: "config" needs it, with the value of the first login`,
    }));
}
