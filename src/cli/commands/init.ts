import { statSync } from "node:fs";
import { describeAddress } from "../../authoring/address.ts";
import {
  type Authored,
  addressSpellingNotes,
  draftConfiguration,
  withQueryAsParams,
} from "../../authoring/configuration-draft.ts";
import { readCurlCommand } from "../../authoring/curl/command.ts";
import { pathFilter } from "../../authoring/described/choice.ts";
import { explore, unprovedResult } from "../../authoring/explore/explore.ts";
import type { Finding } from "../../authoring/explore/finding.ts";
import { createExchangeMemory, type Exchanged } from "../../authoring/explore/trials/exchange-memory.ts";
import { harEntries, readHar } from "../../authoring/har.ts";
import { jsonWithComments } from "../../authoring/jsonc.ts";
import type { RequestDescription } from "../../authoring/request-description.ts";
import { quotedCommandError, readRequestText } from "../../authoring/sources.ts";
import { unfilledNotes } from "../../authoring/unfilled.ts";
import {
  type Credential,
  type ExportLine,
  exportLine,
  exportLines,
  withoutCredentials,
} from "../../authoring/without-credentials.ts";
import { readWholeNow, runBlocking, UnreadPipe } from "../../core/blocking-work.ts";
import { SpileError } from "../../core/errors.ts";
import { readStream } from "../../core/files/read-whole.ts";
import { withoutUser } from "../../core/secrets/without-user.ts";
import { counted } from "../../core/text/counted.ts";
import { printable } from "../../core/text/printable.ts";
import { reasonOf } from "../../core/text/reason.ts";
import { shellExport } from "../../core/text/shell.ts";
import { loadPatterns } from "../../expression/pattern.ts";
import { checkFault } from "../check-fault.ts";
import type { CommandEnvironment } from "../command.ts";
import { foreignCommand } from "../command-table.ts";
import { deliver } from "../output.ts";
import { readGiven } from "../read-given.ts";

/** Number of requests that may be sent besides the first one. */
const defaultProbes = 4;

/** Runs `spile init`, which writes a configuration from a request or a description, and from the API's answers. */
export async function initCommand(operands: readonly string[], environment: CommandEnvironment): Promise<number> {
  const { options, secrets, report } = environment;
  if (options.explore === true && options.openapi === undefined) {
    throw new SpileError(
      "usage",
      "option --explore belongs to --openapi: everything else is explored unless --offline is given",
    );
  }
  if (options.explore === true && options.offline === true) {
    throw new SpileError("usage", "options --explore and --offline exclude each other");
  }
  const maskedLine = (line: string): string => printable(secrets.mask(line));
  const reportFinding = ({ kind, text }: Finding): void =>
    report.note(`${kind.padEnd(6)}${maskedLine(text)}\n`, { event: "finding", message: maskedLine(text), kind });
  const input = await readInput(operands, environment);
  const init =
    input?.kind !== undefined
      ? initDescribed(input.kind, input, environment, reportFinding)
      : options.openapi === undefined
        ? initRequest(operands, input?.text, environment, reportFinding)
        : initApi(options.openapi, operands, environment, reportFinding);
  const { authored, comments, exports, failure } = await init;
  for (const { value } of authored.credentials) secrets.add(value);
  const masked = new Map([...comments].map(([pointer, lines]) => [pointer, lines.map(maskedLine)]));
  const { credentials } = authored;
  const text = await runBlocking(() => jsonWithComments(authored.configuration, masked), environment.signal);
  await verify(text, credentials, environment);
  for (const { line, remark } of [...exportLines(credentials), ...exports]) {
    reportFinding({ kind: "note", text: remark });
    report.note(`${line}\n`, { event: "export", message: line });
  }
  await deliver(text, options.output, environment.stdout);
  return failure?.exitCode ?? 0;
}

/** A configuration that `init` is about to write. */
interface Initial {
  readonly authored: Authored;
  readonly comments: ReadonlyMap<string, readonly string[]>;
  /** Shell lines besides those that set the credentials. */
  readonly exports: readonly ExportLine[];
  readonly failure: SpileError | undefined;
}

type ReportFinding = (finding: Finding) => void;

/** The text of a file or of stdin that the operands or options name. */
interface InputText {
  readonly text: string;
  readonly name: string;
  /** The kind of a description; undefined for a request. */
  readonly kind: "airbyte" | "postman" | undefined;
}

/** Reads the file of `--airbyte` or `--postman`, stdin, or an operand that is such a file; undefined for everything else. */
async function readInput(
  [first, ...rest]: readonly string[],
  { options, stdin, signal }: CommandEnvironment,
): Promise<InputText | undefined> {
  const { airbyte, postman, set } = options;
  const file = airbyte ?? postman;
  if (file !== undefined) {
    const others = [first, options.har, options.openapi, airbyte === undefined ? undefined : postman];
    if (others.some((one) => one !== undefined))
      throw new SpileError("usage", "give one description or a request, not several");
    const text = await (file === "-" ? readStream(stdin(), signal) : readGiven(file, printable(file), signal));
    const kind = airbyte === undefined ? "postman" : "airbyte";
    return { text: text.toString(), name: file === "-" ? "from stdin" : file, kind };
  }
  const text =
    first === "-" ? (await readStream(stdin(), signal)).toString() : rest.length === 0 ? fileText(first) : undefined;
  const found = text === undefined ? undefined : { text, name: first ?? "", kind: kindOf(text) };
  if (set !== undefined && found?.kind === undefined)
    throw new SpileError("usage", "spile init takes --set only with --airbyte or --postman, whose settings it sets");
  return first === "-" || found?.kind !== undefined ? found : undefined;
}

/** Maximum size in MiB of a file that is given as an operand, such as a Postman collection with examples of answers. */
const longestDescription = 256;

/** Returns the text of an operand that names a YAML or JSON file; undefined for any other operand. */
function fileText(operand: string | undefined): string | undefined {
  if (operand === undefined || !/\.(?:ya?ml|json)$/i.test(operand)) return undefined;
  return statSync(operand, { throwIfNoEntry: false })?.isFile() === true
    ? readText(operand, longestDescription)
    : undefined;
}

/** Returns the kind of a description; undefined if the text is not one. */
function kindOf(text: string): InputText["kind"] {
  if (/^["']?type["']?\s*:\s*["']?DeclarativeSource\b|^[ \t]*"type"\s*:\s*"DeclarativeSource"/m.test(text))
    return "airbyte";
  return /^\s*\{/.test(text) && /"schema"\s*:\s*"https:\/\/schema\.(?:get)?postman\.com\//.test(text)
    ? "postman"
    : undefined;
}

async function initDescribed(
  kind: "airbyte" | "postman",
  { text, name }: InputText,
  environment: CommandEnvironment,
  reportFinding: ReportFinding,
): Promise<Initial> {
  const { initManifest } = await import("../init-manifest.ts");
  const { authored, exports } = await initManifest(kind, text, name, environment, reportFinding);
  return { authored, comments: authored.comments, exports, failure: undefined };
}

async function initRequest(
  operands: readonly string[],
  inputText: string | undefined,
  environment: CommandEnvironment,
  reportFinding: ReportFinding,
): Promise<Initial> {
  const { options, secrets, signal, variables } = environment;
  const { description, notes, exchanges, following, target } = await requestOf(operands, inputText, environment);
  const request = withQueryAsParams(description);
  for (const { value } of withoutCredentials(request).credentials) secrets.add(value);
  const spelling = target === undefined ? [] : addressSpellingNotes(target, request);
  for (const text of [...notes, ...spelling, ...unfilledNotes(description)]) reportFinding({ kind: "note", text });
  const isOffline = options.offline === true;
  const memory = createExchangeMemory(isOffline ? 0 : 1 + (options.probes ?? defaultProbes), {
    recordedExchanges: exchanges,
    signal,
  });
  const proxies = proxyVariables(request.proxy);
  const exploration = {
    draft: draftConfiguration,
    memory,
    signal,
    secrets,
    environment: { ...variables, ...proxies },
    reportFinding,
  };
  const next = following === undefined ? undefined : withQueryAsParams(following);
  const result =
    isOffline && exchanges.length === 0
      ? unprovedResult(request, offlineComment)
      : await explore(request, exploration, next);
  return {
    authored: draftConfiguration(result.description, result.job),
    comments: result.comments,
    exports: Object.entries(proxies).map(([name, value]) => ({
      line: shellExport(name, withoutUser(value)),
      remark: `${name} is the proxy`,
    })),
    failure: result.failure,
  };
}

async function initApi(
  file: string,
  operands: readonly string[],
  environment: CommandEnvironment,
  reportFinding: ReportFinding,
): Promise<Initial> {
  const { options, secrets, signal, variables } = environment;
  if (operands.length > 0 || options.har !== undefined)
    throw new SpileError("usage", "give an OpenAPI description or a request, not both");
  const { readDescription } = await import("../../authoring/openapi/document.ts");
  const { describeApi } = await import("../../authoring/openapi/description.ts");
  const { authorApi, exploreApi } = await import("../../authoring/openapi/author.ts");
  const api = await runBlocking(() => describeApi(readDescription(file), pathFilter(options.only ?? [])), signal);
  for (const text of api.notes) reportFinding({ kind: "note", text });
  if (api.jobs.length === 0)
    throw new SpileError(
      "usage",
      `${printable(file)} has no GET that returns a list${options.only === undefined ? "" : " at the paths of --only"}`,
    );
  reportFinding({ kind: "found", text: counted(api.jobs.length, "list") });
  const exploration = { signal, secrets, environment: variables, reportFinding };
  const authored =
    options.explore === true
      ? await exploreApi(api, exploration, options.probes ?? defaultProbes)
      : await runBlocking(() => authorApi(api), signal);
  return {
    authored,
    comments: authored.comments,
    exports: authored.variables.map(({ variable, title }) => exportLine(variable, title)),
    failure: undefined,
  };
}

/** Returns the environment variables that make a run use the proxy of the curl command. */
function proxyVariables(proxy: string | undefined): Readonly<Record<string, string>> {
  return proxy === undefined ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
}

/** The request from which `init` begins, with the recorded exchanges if a HAR was given. */
interface Beginning {
  readonly description: RequestDescription;
  readonly notes: readonly string[];
  readonly exchanges: readonly Exchanged[];
  readonly following?: RequestDescription | undefined;
  /** The path and the query as the user gave them. */
  readonly target?: string;
}

async function requestOf(
  [first, ...rest]: readonly string[],
  inputText: string | undefined,
  { options, variables, signal }: CommandEnvironment,
): Promise<Beginning> {
  const { har, only = [] } = options;
  if (har !== undefined && first !== undefined) throw new SpileError("usage", "give a HAR or a request, not both");
  if (har !== undefined) {
    const bytes = await readGiven(har, printable(har), signal);
    return runBlocking(() => readHar(harEntries(bytes.toString()), pathFilter(only)), signal);
  }
  if (only.length > 0)
    throw new SpileError(
      "usage",
      "option --only chooses among the requests of --har, --openapi or --postman, and the streams of --airbyte",
    );
  if (first === undefined) {
    throw new SpileError(
      "usage",
      "no request was given: put spile init before a curl command, or give it an address (spile help init)",
    );
  }
  if (first === foreignCommand)
    return runBlocking(() => ({ ...readCurlCommand(rest, readAttached), exchanges: [] }), signal);
  if (/^\s*curl\s/.test(first)) throw quotedCommandError();
  const text = inputText;
  if (text === undefined) return { description: describeAddress(first), notes: [], exchanges: [] };
  return runBlocking(() => {
    const log = harEntries(text);
    return log === undefined
      ? { ...readRequestText(text, variables, readAttached), exchanges: [] }
      : readHar(log, pathFilter([]));
  }, signal);
}

/** Comment in a configuration that is written with `--offline`. */
const offlineComment =
  "Nothing was sent (--offline): add the place of the records (dataField) and the paging of the API (api.pagination).";

/** Throws a usage error if a configuration does not pass `spile check --strict --allow-unset-env`. */
async function verify(
  text: string,
  credentials: readonly Credential[],
  { variables, secrets, signal }: CommandEnvironment,
): Promise<void> {
  const values = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
  await loadPatterns(text);
  const fault = await runBlocking(() => checkFault(text, { ...variables, ...values }, secrets), signal);
  if (fault !== undefined)
    throw new SpileError(
      "usage",
      `the configuration is not written, since it does not pass spile check: ${fault.pointer}: ${fault.message}`,
    );
}

/** Maximum number of characters of a file that a curl command names, since its text becomes part of a configuration. */
const longestAttached = 4 * 2 ** 20;

/** Returns the text of a file that a curl command names (`--data @FILE`). */
function readAttached(path: string): string {
  const text = readText(path);
  if (text.length <= longestAttached) return text;
  throw new SpileError(
    "usage",
    `${printable(path)} is too long for a configuration: a file that a curl command names may have at most 4 MiB`,
  );
}

function readText(path: string, maxMebibytes?: number): string {
  try {
    return readWholeNow(path, maxMebibytes).toString();
  } catch (error) {
    if (error instanceof UnreadPipe) throw error;
    throw new SpileError("usage", `cannot read ${printable(path)}: ${reasonOf(error)}`, { cause: error });
  }
}
