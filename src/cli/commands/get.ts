import { draftConfiguration } from "../../authoring/configuration-draft.ts";
import { jsonWithComments } from "../../authoring/jsonc.ts";
import { readOneLine } from "../../authoring/one-line.ts";
import { exportLines, withoutCredentials } from "../../authoring/without-credentials.ts";
import type { CommandEnvironment } from "../command.ts";
import { interpret } from "../load.ts";
import type { Options } from "../option-table.ts";
import { deliver } from "../output.ts";
import { runConfiguration } from "./run.ts";

/** Runs `spile get URL`: runs the configuration that the options describe, or prints it. */
export async function getCommand(address: string, environment: CommandEnvironment): Promise<number> {
  const { options, secrets, report, variables } = environment;
  const { description, job } = readOneLine(address, oneLineOf(options));
  // A plain word (`-p key=items`) is not added to the secrets. Otherwise, this word would be masked wherever it occurs.
  const isOpen = options["print-config"] === true ? undefined : isPlainWord;
  for (const { value } of withoutCredentials(description, isOpen).credentials) secrets.add(value);
  const authored = draftConfiguration(description, job, isOpen);
  const { credentials } = authored;
  const text = jsonWithComments(authored.configuration);
  const values = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
  const runEnvironment: CommandEnvironment = {
    ...environment,
    variables: { ...variables, ...values },
    remedies: "options",
  };
  const load = () => interpret(text, "the options", runEnvironment);
  if (options["print-config"] !== true)
    return runConfiguration(load, runEnvironment, URL.canParse(address) ? new URL(address).host : address);
  // If the configuration is faulty, this throws, and nothing is printed.
  await load();
  for (const { line, remark } of exportLines(credentials)) report.note(`note  ${remark}\n${line}\n`);
  await deliver(text, options.output, environment.stdout);
  return 0;
}

function isPlainWord(text: string): boolean {
  return /^[A-Za-z]?[a-z]{1,15}([ _.-][a-z]{1,15})*$/.test(text) || /^[0-9]{1,3}$/.test(text);
}

function oneLineOf(options: Options): Parameters<typeof readOneLine>[1] {
  return {
    header: options.header,
    param: options.param,
    jsonParam: options["json-param"],
    method: options.method,
    data: options.data,
    user: options.user,
    records: options.records,
    format: options.format,
    paging: options.paging,
    limit: options.limit,
    limitParam: options["limit-param"],
    offsetParam: options["offset-param"],
    pageParam: options["page-param"],
    firstPage: options["first-page"],
    next: options.next,
    tokenParam: options["token-param"],
    pageCount: options["page-count"],
  };
}
