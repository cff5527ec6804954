import { readFileSync } from "node:fs";
import { text as textOf } from "node:stream/consumers";
import { describeAddress } from "../../authoring/address.ts";
import { conceal } from "../../authoring/conceal.ts";
import { datasetName, draftConfiguration, withQueryAsParams } from "../../authoring/configuration-draft.ts";
import { type CurlRequest, readCurlCommand } from "../../authoring/curl/command.ts";
import { createExchangeMemory } from "../../authoring/explore/exchange-memory.ts";
import { type Explored, explore } from "../../authoring/explore/explore.ts";
import type { Finding } from "../../authoring/explore/finding.ts";
import type { RequestDescription } from "../../authoring/request-description.ts";
import { readRequestText } from "../../authoring/sources.ts";
import { exportLines, written } from "../../authoring/written.ts";
import { readConfiguration } from "../../compile/read.ts";
import { ConfigurationError, SpileError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { CommandEnvironment } from "../command.ts";
import { foreignCommand } from "../command-table.ts";
import { deliver } from "../output.ts";
import { reasonOf } from "../reason.ts";

/** Requests that may be sent beside the first one. */
const defaultProbes = 4;

/** `spile init`: writes a configuration from a request, and from what the API shows when it is asked. */
export async function initCommand(operands: readonly string[], environment: CommandEnvironment): Promise<number> {
  const { description, notes } = await requestOf(operands, environment);
  const { options, secrets, report } = environment;
  const request = withQueryAsParams(description);
  for (const { value } of conceal(request).credentials) secrets.add(value);
  const tell = ({ kind, text }: Finding): void => report.note(`${kind.padEnd(6)}${printable(secrets.mask(text))}\n`);
  for (const text of notes) tell({ kind: "note", text });
  const explored = options.offline === true ? unexplored(request) : await exploreWith(request, environment, tell);
  const authored = draftConfiguration(explored.description, explored.job);
  const { text, credentials } = written(authored, explored.comments);
  verify(text, credentials, environment);
  for (const line of exportLines(credentials)) report.note(`${line}\n`);
  await deliver(text, options.output, environment.stdout);
  return explored.failure?.exitCode ?? 0;
}

async function requestOf(
  [first, ...rest]: readonly string[],
  { variables, stdin }: CommandEnvironment,
): Promise<CurlRequest> {
  if (first === undefined) {
    throw new SpileError(
      "usage",
      "nothing to begin with: put spile init before a curl command, or give it an address (spile help init)",
    );
  }
  if (first === foreignCommand) return readCurlCommand(rest, readText);
  if (first === "-") return readRequestText(await textOf(stdin()), variables, readText);
  return { description: describeAddress(first), notes: [] };
}

function exploreWith(
  request: RequestDescription,
  environment: CommandEnvironment,
  tell: (finding: Finding) => void,
): Promise<Explored> {
  const { options, variables, signal, secrets } = environment;
  const memory = createExchangeMemory(1 + (options.probes ?? defaultProbes));
  return explore(request, { memory, signal, secrets, environment: variables }, tell);
}

/** Without a request nothing is known but the request. */
function unexplored(description: RequestDescription): Explored {
  const comment =
    "Nothing was sent (--offline): where the records stand (dataField) and how the API pages (api.pagination) is to be added.";
  return {
    description,
    job: { dataType: datasetName(description.address) },
    comments: new Map([["/config/jobs/0", [comment]]]),
    failure: undefined,
  };
}

/** What is printed must pass `spile check`. */
function verify(
  text: string,
  credentials: ReturnType<typeof written>["credentials"],
  { variables, secrets }: CommandEnvironment,
): void {
  const values = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
  try {
    readConfiguration(text, {
      name: "configuration",
      set: new Map(),
      environment: { ...variables, ...values },
      strict: true,
      secrets,
    });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const [fault] = error.faults;
    throw new SpileError(
      "usage",
      `this request cannot be said by a configuration: ${fault?.pointer}: ${fault?.message}`,
      { cause: error },
    );
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new SpileError("usage", `cannot read ${printable(path)}: ${reasonOf(error)}`, { cause: error });
  }
}
