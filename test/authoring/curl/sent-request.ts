import {
  addressSpellingNotes,
  draftConfiguration,
  withQueryAsParams,
} from "../../../src/authoring/configuration-draft.ts";
import { readRequestText } from "../../../src/authoring/sources.ts";
import { valueText } from "../../../src/core/values/value.ts";
import type { Received } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

/** Headers that each client sets itself. */
const clientHeaders = /^(host|connection|accept-encoding|content-length|transfer-encoding|te)$/;
const isSetByClient = (name: string, value: string): boolean =>
  clientHeaders.test(name) ||
  (name === "user-agent" && /^(curl|spile)\//.test(value)) ||
  (name === "accept" && value === "*/*") ||
  (name === "accept" && value === "application/json");

/** Returns a request in the form of the table of copied commands. */
export function requestText({ method, target, headers, body }: Received, command: string): string {
  const lines = Object.entries(headers)
    .filter(([name, value]) => !isSetByClient(name, value) || (name === "accept" && /accept:|--json/i.test(command)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target}`, ...lines, ...(body === "" ? [] : ["", body])].join("\n");
}

/** Writes the configuration for a command without exploring, and runs it once. Returns the notes about the command. */
export async function sendCommand(command: string): Promise<readonly string[]> {
  const { description, notes, target } = readRequestText(command, {}, () => "");
  const request = withQueryAsParams(description);
  const { configuration, credentials } = draftConfiguration(request, {});
  const variables = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
  await runHere(valueText(configuration), { variables });
  return [...notes, ...(target === undefined ? [] : addressSpellingNotes(target, request))];
}
