import { parse } from "jsonc-parser";
import { draftConfiguration, withQueryAsParams } from "../../src/authoring/configuration-draft.ts";
import { explore } from "../../src/authoring/explore/explore.ts";
import { createExchangeMemory, type Exchanged } from "../../src/authoring/explore/trials/exchange-memory.ts";
import { jsonWithComments } from "../../src/authoring/jsonc.ts";
import { readRequestText } from "../../src/authoring/sources.ts";
import { readConfiguration } from "../../src/compile/read.ts";
import type { SpileError } from "../../src/core/errors.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { isObject, parseValue, type Value } from "../../src/core/values/value.ts";
import { type Outcome, runHere } from "../helpers/run.ts";

/** Result of `spile init` for a request. */
export interface Writing {
  readonly text: string;
  /** A line for each finding: its kind, then its text. */
  readonly findings: readonly string[];
  readonly failure: SpileError | undefined;
  readonly pagination: Value | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

export interface WriteOptions {
  readonly probes?: number;
  readonly recordedExchanges?: readonly Exchanged[];
}

/** Explores the API of a curl command, or of an address, and writes its configuration, which passes the strict check. */
export async function write(
  request: string,
  { probes = 4, recordedExchanges = [] }: WriteOptions = {},
): Promise<Writing> {
  const { description } = readRequestText(request, {}, () => "");
  const findings: string[] = [];
  const secrets = new Secrets();
  const { signal } = new AbortController();
  const explored = await explore(withQueryAsParams(description), {
    draft: draftConfiguration,
    memory: createExchangeMemory(1 + probes, { recordedExchanges, signal }),
    signal,
    secrets,
    environment: {},
    reportFinding: ({ kind, text }) => findings.push(`${kind} ${text}`),
  });
  const { configuration, credentials } = draftConfiguration(explored.description, explored.job);
  const text = jsonWithComments(configuration, explored.comments);
  const variables = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
  readConfiguration(text, { name: "written", set: new Map(), environment: variables, strict: true, secrets });
  const document = parseValue(JSON.stringify(parse(text)));
  const api = isObject(document) ? document.api : undefined;
  return {
    text,
    findings,
    failure: explored.failure,
    pagination: isObject(api) ? api.pagination : undefined,
    variables,
  };
}

/** Runs the written configuration. */
export function runWritten({ text, variables }: Writing): Promise<Outcome> {
  return runHere(parse(text), { variables });
}
