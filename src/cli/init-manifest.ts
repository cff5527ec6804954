import { authorManifest } from "../authoring/airbyte/author.ts";
import { readManifest } from "../authoring/airbyte/manifest.ts";
import { type AuthoringOptions, authorAccepted } from "../authoring/described/choice.ts";
import type { AuthoredStreams } from "../authoring/described/streams.ts";
import type { Finding } from "../authoring/explore/finding.ts";
import { jsonWithComments } from "../authoring/jsonc.ts";
import { authorCollection, readCollection } from "../authoring/postman/collection.ts";
import { type ExportLine, exportLine } from "../authoring/without-credentials.ts";
import { runBlocking } from "../core/blocking-work.ts";
import { SpileError } from "../core/errors.ts";
import { counted } from "../core/text/counted.ts";
import { printable } from "../core/text/printable.ts";
import { loadPatterns } from "../expression/pattern.ts";
import { checkFault } from "./check-fault.ts";
import type { CommandEnvironment } from "./command.ts";

/** The configuration of a manifest or a collection, and the shell lines that set its environment variables. */
export interface InitialManifest {
  readonly authored: AuthoredStreams;
  readonly exports: readonly ExportLine[];
}

/**
 * Makes the configuration of an Airbyte manifest or a Postman collection. Reports each stream or request that is left out, and each
 * difference from the description. Throws usage errors, and a configuration error if no stream is left.
 */
export async function initManifest(
  kind: "airbyte" | "postman",
  text: string,
  name: string,
  { options, report, secrets, signal }: CommandEnvironment,
  reportFinding: (finding: Finding) => void,
): Promise<InitialManifest> {
  const shownName = printable(name);
  const { only = [], set = [] } = options;
  const noun = kind === "airbyte" ? "stream" : "request";
  await loadPatterns('"matches"');
  const authored = await runBlocking(
    () =>
      authorAccepted(
        authors[kind](text, shownName),
        { only, settingValues: new Map(set), refusedStreams: [] },
        (attempt) => checkFault(jsonWithComments(attempt.configuration, attempt.comments)),
      ),
    signal,
  );
  for (const { value } of authored.credentials) secrets.add(value);
  for (const { stream, reason } of authored.leftOut)
    reportFinding({ kind: "note", text: `${stream} is left out: ${reason}` });
  if (authored.streams.length === 0)
    throw new SpileError(
      "configuration",
      `no ${noun} of ${shownName} can become a job: a note gives the reason for each`,
    );
  reportFinding({ kind: "found", text: counted(authored.streams.length, noun) });
  for (const { stream, reason } of [...authored.differences, ...authored.notes])
    reportFinding({ kind: "note", text: `${stream}: ${reason}` });
  for (const decision of authored.decisions)
    reportFinding({
      kind: "note",
      text: `the configuration is right only if ${decision}; for another value, repeat the command with --set NAME=VALUE`,
    });
  for (const line of authored.filters) {
    const maskedLine = printable(secrets.mask(line));
    report.note(`${maskedLine}\n`, { event: "filter", message: maskedLine });
  }
  return {
    authored,
    exports: authored.variables.map(({ variable, title }) => exportLine(variable, title)),
  };
}

/** For each kind of description: reads its text, and returns the function that makes its configuration. */
const authors = {
  airbyte: (text: string, name: string) => {
    const manifest = readManifest(text, name);
    return (options: AuthoringOptions) => authorManifest(manifest, options);
  },
  postman: (text: string, name: string) => {
    const collection = readCollection(text, name);
    return (options: AuthoringOptions) => authorCollection(collection, options);
  },
};
