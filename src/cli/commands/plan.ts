import { plannedRequests } from "../../pipeline/preview.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { deliver, print } from "../output.ts";
import { runOptions } from "./run.ts";

/**
 * `spile plan`: the requests that a run would send first, one JSON object a line, secrets masked. Sends nothing, unless
 * `--send-login` wants the logins sent; faults are those of a run.
 */
export async function planCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const loaded = await loadConfiguration(path, environment);
  const { stdout, options } = environment;
  const { output, "send-login": sendLogin = false } = options;
  const lines: string[] = [];
  for await (const planned of plannedRequests(loaded, runOptions(environment), { sendLogin })) {
    lines.push(`${jsonText(planned)}\n`);
    if (output === undefined) await print(lines.splice(0).join(""), stdout);
  }
  if (output !== undefined) await deliver(lines.join(""), output, stdout);
  return 0;
}

/** JSON leaves characters as they are that a terminal obeys. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
