import { choice, count, type Kind, list, path, setting, size, text } from "../config/quantities.ts";
import { sharedOptions as shared } from "../config/shared-options.ts";
import { authoringOptions } from "./authoring-options.ts";
import type { CommandName } from "./command-table.ts";
import { reportOptions } from "./report-options.ts";
import { commandHeading, shardOptions } from "./shard-options.ts";
import { singerOptions } from "./singer-options.ts";

export interface OptionRow {
  /** Heading of the option in the help. */
  readonly group: string;
  readonly describe: string;
  /** The commands that take the option. */
  readonly commands: readonly CommandName[];
  /** The name on the command line, if it differs from the key because another command has an option of this name. */
  readonly name?: string;
  /** The reader of the option's value; absent for a flag. */
  readonly kind?: Kind<unknown> & { readonly choices?: readonly string[] };
  readonly alias?: string;
  /** True for an option that may be given several times. */
  readonly repeatable?: true;
  /** Names of the options with which this one cannot be combined. */
  readonly excludes?: readonly string[];
  /** True if the value may be a secret, so that messages do not show it. */
  readonly secret?: true;
}

const run = "What to run:";
const output = "Output:";
const paging = "Paging:";
const requests = "Requests:";
const limits = "Limits against faulty answers:";
const recording = "Recording:";
const log = "Log, on stderr:";
const other = "Other:";

/** Commands that fetch all records. */
const runCommands = ["run", "demo", "get"] as const;
/** `runCommands`, and the commands that examine a configuration without running it. */
const runOrCheckCommands = [...runCommands, "check", "plan"] as const;
/** Commands that read or make a configuration and compile its jobs. */
const jobCommands = [...runOrCheckCommands, "preview"] as const;
const jobOrShardCommands = [...jobCommands, "shard"] as const;
const allCommands = [...jobOrShardCommands, "init", "explain", "schema", "completion", "help"] as const;

/**
 * Every option of the command line, in the order of the help. The help, the completion, the man page and the reader of the
 * command line use this table. A new option needs a row here and its use in a command.
 */
const optionTable = {
  ...authoringOptions,

  "check-format": {
    name: "format",
    group: commandHeading,
    commands: ["check"],
    kind: choice("text", "json"),
    describe: "json: faults and warnings on stdout, one JSON object per line, and no jobs",
  },
  "allow-unset-env": {
    group: commandHeading,
    commands: ["check"],
    describe: "Report unset variables as warnings, for a check without the secrets",
  },
  columns: {
    group: commandHeading,
    commands: ["preview"],
    kind: list("NAMES"),
    describe: "Show these columns, separated by commas; a.b reads inside objects",
  },
  iteration: { group: commandHeading, commands: ["preview"], kind: count(1), describe: "Show this iteration (1)" },
  page: {
    group: commandHeading,
    commands: ["plan"],
    kind: count(1, 1000),
    describe: "Show this page of each job (1); earlier pages are assumed to be full, and their values are made up",
  },
  curl: {
    group: commandHeading,
    commands: ["plan"],
    describe: "Print curl commands, with shell variables for secrets",
  },
  "send-login": {
    group: commandHeading,
    commands: ["plan"],
    describe: "Log in, and show the requests with the values of the login",
  },
  json: { group: commandHeading, commands: ["explain"], describe: "Print one JSON object per line" },
  serve: {
    group: commandHeading,
    commands: ["demo"],
    describe: "Keep the API running and print a configuration for it",
  },
  port: {
    group: commandHeading,
    commands: ["demo"],
    kind: count(0, 65_535),
    describe: "Port of the API (a free port)",
  },
  ...shardOptions,

  job: {
    group: run,
    commands: jobCommands,
    kind: text("NAME", "job"),
    repeatable: true,
    describe: "Run only the jobs with this dataType, endpoint or id, also child jobs; may be repeated",
  },
  set: {
    group: run,
    commands: [...jobOrShardCommands, "init"],
    kind: setting,
    repeatable: true,
    secret: true,
    describe: "Override a setting of the configuration; may be repeated",
  },
  env: {
    group: run,
    commands: [...jobOrShardCommands, "init"],
    kind: path("file"),
    describe:
      'Read variables for {"env": "NAME"} and proxies from a dotenv file; those of the environment take precedence',
  },
  strict: {
    group: run,
    commands: jobOrShardCommands,
    describe: "Fail on a suspect job (exit 1), unknown configuration fields (78) and invalid UTF-8 (65)",
  },
  "keep-going": {
    group: run,
    commands: runCommands,
    describe: "After a job has failed, run the others; exit with the first failure's code",
  },
  "max-time": {
    group: run,
    commands: runCommands,
    kind: shared.maxTime,
    describe: "Stop after this time as a temporary failure (exit 75); written lines stay",
  },
  state: {
    group: run,
    commands: [...runOrCheckCommands, "shard"],
    kind: shared.state,
    describe: "Keep the time of the last complete run in this file, and the progress of an interrupted one",
  },
  "state-out": {
    group: run,
    commands: [...runCommands, "shard"],
    kind: shared.stateOut,
    excludes: ["singer"],
    describe: "Only read the file of --state; write the new state, progress and lock to this file",
  },
  credentials: {
    group: run,
    commands: jobCommands,
    kind: shared.credentials,
    describe: "Keep the credentials that logins change (remember) in this file",
  },
  resume: { group: run, commands: [...runCommands, "shard"], describe: "Continue the interrupted run of this --state" },

  output: {
    group: output,
    commands: [...runCommands, "plan", "init", "shard", "schema", "completion"],
    kind: text("FILE", "file"),
    alias: "o",
    excludes: ["split"],
    describe:
      "Write to this file, which appears when the command has succeeded (a suspect run under --strict: FILE.suspect)",
  },
  split: {
    group: output,
    commands: [...runOrCheckCommands, "shard"],
    kind: path("folder"),
    describe: "Write one NDJSON file per dataType into this folder",
  },
  tag: {
    group: output,
    commands: [...runOrCheckCommands, "shard"],
    describe: 'Write each line as {"dataType": "...", "record": ...}',
  },
  unique: {
    group: output,
    commands: [...runOrCheckCommands, "shard"],
    kind: shared.unique,
    describe: "Drop a record whose value at this path was already written in its job",
  },
  "unique-limit": {
    group: output,
    commands: [...runOrCheckCommands, "shard"],
    kind: shared.uniqueLimit,
    describe: "Greatest number of keys that --unique remembers for a job (10000000, which take up to 300 MB)",
  },
  "max-records": {
    group: output,
    commands: runCommands,
    kind: shared.maxRecords,
    describe: "Stop after this many lines in all",
  },

  ...singerOptions,

  "max-pages": {
    group: paging,
    commands: runOrCheckCommands,
    kind: shared.maxPages,
    describe: "Stop each job after this many pages",
  },
  "probe-end": {
    group: paging,
    commands: runOrCheckCommands,
    describe: "Request one more page after a short page: an API with a smaller page limit may have more records",
  },
  concurrency: {
    group: paging,
    commands: [...runOrCheckCommands, "shard"],
    kind: shared.concurrency,
    describe: "Number of pages to fetch concurrently (1); auto: spile finds the fastest number",
  },

  rate: {
    group: requests,
    commands: jobOrShardCommands,
    kind: shared.rate,
    describe: "Send no more requests than this to one origin: 10/s, 100/m",
  },
  "max-wait": {
    group: requests,
    commands: jobOrShardCommands,
    kind: shared.maxWait,
    describe: "Fail if the wait before the next attempt would be longer than this (15m)",
  },

  hold: {
    group: limits,
    commands: runCommands,
    kind: shared.hold,
    describe: "Greatest number of bytes of a page to hold back until the page is known to be good (8M)",
  },
  "max-response-bytes": {
    group: limits,
    commands: jobOrShardCommands,
    kind: shared.maxResponseBytes,
    describe: "Greatest number of bytes of a response, after decoding (unlimited)",
  },
  "max-record-bytes": {
    group: limits,
    commands: jobOrShardCommands,
    kind: shared.maxRecordBytes,
    describe: "Greatest number of bytes of a record (256M)",
  },
  "max-depth": {
    group: limits,
    commands: jobOrShardCommands,
    kind: shared.maxDepth,
    describe: "Deepest nesting of a response (1024)",
  },

  record: {
    group: recording,
    commands: ["run", "get"],
    kind: path("file"),
    excludes: ["replay"],
    describe: "Keep every request and its answer in this file (HAR), secrets masked",
  },
  "record-body": {
    group: recording,
    commands: ["run", "get"],
    kind: size,
    describe: "Greatest number of bytes of a body that --record keeps (1M)",
  },
  replay: {
    group: recording,
    commands: ["run", "get"],
    kind: path("file"),
    describe: "Answer every request from a file of --record, without a network",
  },

  verbose: { group: log, commands: jobOrShardCommands, alias: "v", describe: "Also log logins, pages and retries" },
  quiet: { group: log, commands: allCommands, alias: "q", excludes: ["verbose"], describe: "Log only errors" },
  debug: {
    group: log,
    commands: jobOrShardCommands,
    describe: "Log every request: method, path and query, secrets masked",
  },
  "log-format": {
    group: log,
    commands: allCommands,
    kind: choice("text", "json"),
    describe: "json: one JSON object per line",
  },
  progress: {
    group: log,
    commands: runCommands,
    kind: choice("auto", "always", "never"),
    describe: "Show a progress line; auto: if stderr is a terminal and nothing else writes to it",
  },
  "no-color": { group: log, commands: allCommands, describe: "No colours; the variable NO_COLOR has the same effect" },
  summary: {
    group: log,
    commands: [...runCommands, "shard"],
    kind: text("FILE", "file"),
    describe: "Write to this file, as JSON, how each job ended; - is stdout if the records go elsewhere",
  },
  ...reportOptions,

  help: {
    group: other,
    commands: allCommands,
    alias: "h",
    describe: "Show this help, or the help of the given command",
  },
  version: { group: other, commands: ["run"], describe: "Show the version" },
} as const satisfies Record<string, OptionRow>;

export type OptionName = keyof typeof optionTable;

type Single<R> = R extends { readonly kind: Kind<infer T> } ? T : true;
type Given<R> = R extends { readonly repeatable: true } ? readonly Single<R>[] : Single<R>;

/** The options of a command line, with their parsed values. Flags are true. */
export type Options = { readonly [Name in OptionName]?: Given<(typeof optionTable)[Name]> };

/** A row with its name on the command line, and its key in `Options`. */
export interface Option extends OptionRow {
  readonly key: OptionName;
  readonly name: string;
}

/** The same table as a list. */
export const options: readonly Option[] = Object.entries<OptionRow>(optionTable).map(([key, row]) => ({
  ...row,
  key: key as OptionName,
  name: row.name ?? key,
}));

/** Options of earlier versions, and their replacements. */
export const successors: ReadonlyMap<string, string> = new Map([
  ["env-file", "--env FILE (Node reads --env-file itself, and from that file NODE_OPTIONS)"],
]);

/** Returns the options that a command takes. */
export function optionsOf(command: CommandName): readonly Option[] {
  return options.filter(({ commands }) => commands.includes(command));
}
