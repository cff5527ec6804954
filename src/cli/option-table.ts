import { choice, count, duration, type Kind, rate, setting, size, text } from "./quantities.ts";

interface Row {
  readonly group: string;
  readonly describe: string;
  /** How its value is read; absent for a flag. */
  readonly kind?: Kind<unknown> & { readonly choices?: readonly string[] };
  readonly alias?: string;
  /** May be given several times. */
  readonly repeatable?: true;
  /** The only command it belongs to. */
  readonly command?: string;
}

const run = "What to run:";
const output = "Output:";
const paging = "Paging:";
const requests = "Requests:";
const limits = "Limits against faulty answers:";
const log = "Log, on stderr:";
const other = "Other:";

/** Every option of the command, in the order of its help. A new one needs a row here and its use in a command. */
const optionTable = {
  job: {
    group: run,
    kind: text("NAME"),
    repeatable: true,
    describe: "Run only the jobs of this dataType, endpoint or id; may be repeated",
  },
  set: {
    group: run,
    kind: setting,
    repeatable: true,
    describe: "Give a setting; wins over the file's; may be repeated",
  },
  "env-file": {
    group: run,
    kind: text("FILE"),
    describe: 'Read variables, for {"env": "NAME"} and proxies, from a dotenv file',
  },
  strict: {
    group: run,
    describe: "Fail on a suspect end (exit 1), unknown configuration fields (78) and invalid UTF-8 (65)",
  },
  "keep-going": { group: run, describe: "After a job has failed, run the others; exit with the first failure's code" },
  "max-time": {
    group: run,
    kind: duration,
    describe: "Stop after this time as a temporary failure (exit 75); lines written stay",
  },
  state: {
    group: run,
    kind: text("FILE"),
    describe: "Keep the time of the last complete run in this file, and the progress of one that is interrupted",
  },
  resume: { group: run, describe: "Go on where the last run with this --state was interrupted" },

  output: {
    group: output,
    kind: text("FILE"),
    alias: "o",
    describe: "Write to a file, which appears when the run has succeeded",
  },
  split: { group: output, kind: text("DIR"), describe: "Write one NDJSON file a dataType into this folder" },
  tag: { group: output, describe: 'Write each line as {"dataType": "...", "record": ...}' },
  unique: {
    group: output,
    kind: text("KEYPATH"),
    describe: "Drop a record whose value at this path was already written in its job",
  },
  "unique-limit": {
    group: output,
    kind: count(1),
    describe: "Keys --unique may remember a job (10000000, at most 300 MB); more are an error",
  },
  "max-records": { group: output, kind: count(1), describe: "Stop after this many lines in all" },

  "max-pages": { group: paging, kind: count(1), describe: "Stop each job after this many pages" },
  "probe-end": {
    group: paging,
    describe: "After a short page ask once more: finds the records that an API with a smaller page limit withholds",
  },
  concurrency: { group: paging, kind: count(1, 1000), describe: "Pages to fetch side by side (1)" },

  rate: { group: requests, kind: rate, describe: "Send no more requests than this to one origin: 10/s, 100/m" },
  "max-wait": {
    group: requests,
    kind: duration,
    describe: "Give up rather than wait longer than this between two attempts (15m)",
  },

  hold: { group: limits, kind: size, describe: "Bytes of a page to hold back until it is known to be good (8M)" },
  "max-response-bytes": { group: limits, kind: size, describe: "Longest response, after decoding (unlimited)" },
  "max-record-bytes": { group: limits, kind: size, describe: "Longest record (256M)" },
  "max-depth": { group: limits, kind: count(1, 1_000_000), describe: "Deepest nesting of a response (1024)" },

  verbose: { group: log, alias: "v", describe: "Also tell of logins, pages and retries" },
  quiet: { group: log, alias: "q", describe: "Only errors" },
  debug: { group: log, describe: "Every request sent: method, path and query, secrets masked" },
  "log-format": { group: log, kind: choice("text", "json"), describe: "json: one JSON object a line" },
  progress: {
    group: log,
    kind: choice("auto", "always", "never"),
    describe: "Progress line; auto: when stderr is a terminal and stdout is not",
  },
  "no-color": { group: log, describe: "No colours; so does the variable NO_COLOR" },
  summary: { group: log, kind: text("FILE"), describe: "Write how each job ended to this file, as JSON" },

  "send-login": {
    group: other,
    command: "plan",
    describe: "plan: log in for real, and show the requests as they would then be",
  },
  serve: { group: other, command: "demo", describe: "demo: keep its API up and print a configuration for it" },
  port: { group: other, kind: count(0, 65_535), command: "demo", describe: "demo: the port of its API (a free one)" },
  help: { group: other, alias: "h", describe: "Show this help" },
  version: { group: other, describe: "Show the version" },
} as const satisfies Record<string, Row>;

export type OptionName = keyof typeof optionTable;

type Single<R> = R extends { readonly kind: Kind<infer T> } ? T : true;
type Given<R> = R extends { readonly repeatable: true } ? readonly Single<R>[] : Single<R>;

/** The options that were given, their values read; flags are true. */
export type Options = { readonly [Name in OptionName]?: Given<(typeof optionTable)[Name]> };

/** The same table for code that goes through all options. */
export const options: ReadonlyMap<string, Row> = new Map<string, Row>(Object.entries(optionTable));

/** The commands; `run` has no word of its own. */
export const commands = [
  { name: "check", usage: "check <config>", describe: "Check a configuration and list its jobs; sends nothing" },
  {
    name: "plan",
    usage: "plan <config>",
    describe: "Print the requests a run would send first, as JSON lines, secrets masked; sends nothing",
  },
  { name: "schema", usage: "schema", describe: "Print the JSON Schema of the configuration" },
  { name: "demo", usage: "demo", describe: "Start a small API of our own and extract from it" },
  { name: "completion", usage: "completion", describe: "Print the completion script for bash or zsh (by $SHELL)" },
] as const;

export type CommandName = (typeof commands)[number]["name"];
