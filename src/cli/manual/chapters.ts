import type { ErrorKind } from "../../core/errors.ts";
import { exitCodes } from "../../core/errors.ts";
import { functions } from "../../expression/functions.ts";
import { type Alternative, readFields } from "../explain/fields.ts";
import { lines, rows, type Section, text } from "./parts.ts";

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  success: "The run has finished, perhaps with warnings.",
  suspect: "The run has finished, but --strict was given and a job is suspect: there may be more records.",
  usage: "The command line is wrong.",
  data: "The API's data does not match the configuration: it is not JSON, has several lists, changed between two attempts, or exceeds a limit.",
  refused: "The API refused a request: an error status that is not retried, a bad certificate or redirect.",
  bug: "A bug in spile. Please report it.",
  output: "The output or the state cannot be written: for example, the disk is full.",
  temporary: "A temporary failure: retries are used up, a time-out, no such host. A later run may succeed.",
  authentication: "A login was refused, or a request was answered with 401 after a new login.",
  configuration: "The configuration is wrong, missing or unreadable.",
  hangup: "Stopped by SIGHUP: the terminal was closed.",
  aborted: "A program that uses the library has aborted the run (ERR_ABORTED).",
  interrupted: "Stopped by SIGINT (Ctrl-C).",
  closedPipe: "The reader of the pipe has closed it, as head does. There is no message.",
  terminated: "Stopped by SIGTERM.",
};

/** Returns the paging methods of the schema, in its order. */
function pagingMethods(): readonly Alternative[] {
  return readFields().alternatives.filter(({ places }) => places.includes("api.pagination"));
}

/** Returns a description of the schema as a terminal shows it: without the backticks of Markdown. */
function plain(description: string): string {
  return description.replaceAll("`", "");
}

/** Returns JSON on one line, with spaces where people write them. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/\n */g, " ");
}

function exitCodeRows(): readonly (readonly [string, string])[] {
  const names = Object.keys(exitCodes) as readonly (ErrorKind | "success" | "suspect")[];
  return names.map((name) => [String(exitCodes[name]), meanings[name]]);
}

const chapters = {
  paging: {
    describe: "which method of paging an API needs",
    sections: () => [
      {
        title: "Which paging does my API have?",
        parts: [
          ...text(
            "Request the first page yourself (curl -i) and look at it. Configure the method that fits in api.pagination.",
          ),
          rows(...pagingMethods().map(({ tag, description }) => [tag, plain(description)] as const)),
        ],
      },
      {
        title: "For example",
        parts: [
          lines(
            ...pagingMethods().flatMap(({ examples }) =>
              examples.slice(0, 1).map((example) => `"api": { "pagination": ${spaced(example)} }`),
            ),
          ),
        ],
      },
      {
        title: "When does a job end?",
        parts: text(
          "With offset, a job ends after a page that is shorter than the limit. With pagenum, the same applies if there is a limit; without one, the job ends after an empty page. If the API gives next addresses or tokens, the job ends when an answer has none.",
          "The limit must not be larger than the API allows. An API that caps pages at 50 answers a limit of 100 with 50 records, and this page looks like the last one. spile compares the number of records with signs of more in the answers (totals, flags, next addresses) and calls such a job suspect. --probe-end sends one more request after a short page.",
          "A page that repeats earlier records ends a job, too, and is not written. A job without paging that asked for 100 records and got 100 is suspect: configure its paging, or set the method none if there is only one page.",
          "nextPageFlag, forceStop, limitStop and pageCount end a job by a value in the API's answers or by a limit that you set.",
        ),
      },
    ],
  },
  "exit-codes": {
    describe: "what the exit code means",
    sections: () => [
      { title: "Exit codes", parts: [rows(...exitCodeRows())] },
      {
        title: "",
        parts: text(
          "If a job fails, the run ends there, and lines that were written stay. With --keep-going, the other jobs run, and the exit code is that of the first failure.",
        ),
      },
    ],
  },
  expressions: {
    describe: "values that are computed",
    sections: () => [
      {
        title: "Expressions",
        parts: [
          ...text(
            "Values of headers, parameters, baseUrl, userData and authentication may be expressions, nested to any depth. An object with other keys is data.",
          ),
          rows(
            ['{"attr": "name"}', "a setting: a name in config; a.b reads inside objects"],
            [
              '{"time": "currentStart"}',
              "Unix time of this run's start; previousStart is that of the last complete run (--state)",
            ],
            ['{"function": "name", "args": [...]}', "one of the functions below"],
            ['{"response": "path"}', "in apiRequest: a value of the login's response"],
          ),
        ],
      },
      {
        title: "Functions",
        parts: [rows(...Object.values(functions).map(({ usage, describe }) => [usage, describe] as const))],
      },
      {
        title: "Settings",
        parts: text(
          'A setting whose name begins with # is a secret: it is shown as ***. A value {"env": "NAME"} directly in config is taken from the environment (or the file of --env) and is a secret too. --set name=value takes precedence over the file.',
        ),
      },
    ],
  },
  sources: {
    describe: "where a value comes from in a response, and where it goes in a request",
    sections: () => [
      {
        title: "Sources",
        parts: [
          ...text(
            "A field that names a value of a response (urlKey, responseParam, pageCount, the field of limitStop) takes one of these:",
          ),
          rows(
            ['"meta.next"', "a path: names between dots, numbers for the elements of a list, from 0"],
            ['{"path": "@odata.nextLink", "delimiter": "/"}', "a path whose names contain dots"],
            [
              '{"path": "links", "where": {"rel": "next"}, "value": "href"}',
              "in a list, a value of the first element that contains these texts",
            ],
            [
              '{"header": "X-Next-Cursor"}',
              "a response header; it counts as missing if it is absent, empty or a word such as null",
            ],
            ['{"lastRecord": "id"}', "a value of the page's last record (paging only)"],
          ),
        ],
      },
      {
        title: "Places",
        parts: [
          ...text(
            "A field that names a parameter of a request (limitParam, offsetParam, pageParam, queryParam, param) takes one of these:",
          ),
          rows(
            ['"cursor"', "the name of a parameter"],
            [
              '{"path": "variables.after"}',
              "a place inside the parameters: a member in a JSON body, brackets in a query",
            ],
            ['{"query": "page"}', "a place in the query, whatever the method"],
            ['{"endpoint": "page"}', "the endpoint: the value replaces {page}"],
            ['{"header": "X-Cursor"}', "a request header"],
          ),
        ],
      },
      {
        title: "For example",
        parts: [
          lines(
            '"api": { "pagination": { "method": "response.param", "responseParam": { "lastRecord": "id" }, "queryParam": "starting_after" } }',
            '"api": { "pagination": { "method": "response.param", "responseParam": { "header": "X-Next-Cursor" }, "queryParam": "cursor" } }',
            '"api": { "pagination": { "method": "offset", "limit": 100, "offsetParam": { "path": "page.from" }, "limitParam": { "path": "page.size" } } }',
          ),
        ],
      },
    ],
  },
} as const satisfies Record<string, { readonly describe: string; readonly sections: () => readonly Section[] }>;

export type ChapterName = keyof typeof chapters;

/** The chapters of the manual that the terminal shows, by name. */
export const chapterNames = Object.keys(chapters) as readonly ChapterName[];

export function isChapter(word: string): word is ChapterName {
  return Object.hasOwn(chapters, word);
}

export function chapterSections(name: ChapterName): readonly Section[] {
  return chapters[name].sections();
}
