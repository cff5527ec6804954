import type { Credential } from "./conceal.ts";
import type { Authored } from "./configuration-draft.ts";
import { jsonWithComments } from "./jsonc.ts";

/** A configuration as text, and what its user has to do before running it. */
export interface Written {
  readonly text: string;
  readonly credentials: readonly Credential[];
}

/** The text of a configuration, with comments by JSON pointer. */
export function written(
  { configuration, credentials }: Authored,
  comments?: ReadonlyMap<string, readonly string[]>,
): Written {
  return { text: jsonWithComments(configuration, comments), credentials };
}

/** The lines that give a shell the credentials, their values masked. */
export function exportLines(credentials: readonly Credential[]): string[] {
  return credentials.map(({ variable, from, command }) =>
    command === undefined ? `export ${variable}='***'  # ${from}` : `export ${variable}="$(${command})"  # ${from}`,
  );
}
