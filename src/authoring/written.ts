import { shellExport, shellExportOfFiles, shellRemark } from "../core/text/shell.ts";
import type { Credential } from "./conceal.ts";
import type { Authored } from "./configuration-draft.ts";
import { jsonWithComments } from "./jsonc.ts";

/** A configuration as text, and the credentials that its user must set before a run. */
export interface Written {
  readonly text: string;
  readonly credentials: readonly Credential[];
}

/** Writes a configuration as text, with comments by JSON pointer. */
export function written(
  { configuration, credentials }: Authored,
  comments?: ReadonlyMap<string, readonly string[]>,
): Written {
  return { text: jsonWithComments(configuration, comments), credentials };
}

/** A line that sets a variable in a shell, and a remark on the variable's content, without characters that a shell interprets. */
export interface ExportLine {
  readonly line: string;
  readonly remark: string;
}

/** Returns the lines that set the credentials in a shell, with masked values. */
export function exportLines(credentials: readonly Credential[]): ExportLine[] {
  return credentials.map(({ variable, from, files }) => ({
    line: files === undefined ? shellExport(variable, "***") : shellExportOfFiles(variable, files),
    remark: `${variable} is ${shellRemark(from)}`,
  }));
}
