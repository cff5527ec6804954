import { runBlocking } from "../../core/blocking-work.ts";
import type { Span } from "../../core/secrets/redact.ts";
import { plannedRequests } from "../../pipeline/planned-requests.ts";
import type { CommandEnvironment } from "../command.ts";
import { loadConfiguration } from "../load.ts";
import { deliver, print } from "../output.ts";
import { curlCommand } from "../plan/curl.ts";
import { plannedLine } from "../plan/json.ts";
import { runOptions } from "../run-options.ts";

/** Number of characters above which showing a body may take so long that a signal has to end the process. */
const longBody = 2 ** 18;

/**
 * Runs `spile plan`, which prints the requests that a run would send first, or those of a later page, with masked secrets: one JSON
 * object per line, or curl commands. Sends nothing, except logins with `--send-login`. Throws for the faults that a run would find.
 */
export async function planCommand(path: string, environment: CommandEnvironment): Promise<number> {
  const loaded = await loadConfiguration(path, environment);
  const { stdout, secrets, options } = environment;
  const { output, "send-login": sendLogin = false, page = 1, curl = false } = options;
  const mask = (text: string): string => secrets.mask(text);
  const spans = (text: string): readonly Span[] => secrets.spans(text);
  const hasIterations = loaded.iterations.length > 1;
  const texts: string[] = [];
  for await (const planned of plannedRequests(loaded, runOptions(environment), { sendLogin, page })) {
    const line = (): string =>
      curl ? curlCommand(planned, { loaded, mask, spans, hasIterations }) : plannedLine(planned, mask, hasIterations);
    const isLong = (planned.wire.body?.length ?? 0) > longBody;
    texts.push(isLong ? await runBlocking(line, environment.signal) : line());
    if (output === undefined) await print(texts.splice(0).join(""), stdout);
  }
  if (output !== undefined) await deliver(texts.join(""), output, stdout);
  return 0;
}
