import { shellExport, shellExportOfFiles, shellRemark } from "../core/text/shell.ts";
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

/** A line that sets a variable in a shell, and what the variable holds, in words that no shell reads. */
export interface ExportLine {
  readonly line: string;
  readonly remark: string;
}

/** The lines that give a shell the credentials, their values masked. */
export function exportLines(credentials: readonly Credential[]): ExportLine[] {
  return credentials.map(({ variable, from, files }) => ({
    line: files === undefined ? shellExport(variable, "***") : shellExportOfFiles(variable, files),
    remark: `${variable} is ${shellRemark(from)}`,
  }));
}
