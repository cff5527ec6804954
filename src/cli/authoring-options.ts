import { pagingMethods } from "../authoring/paging-methods.ts";
import { choice, count, input, methodChoice, orWord, path, setting, text } from "../config/quantities.ts";
import type { FormatType } from "../generated/configuration.ts";

/** The formats that the schema allows. The project does not compile if one is missing here. */
const formats: Readonly<Record<FormatType, true>> = { json: true, ndjson: true, csv: true, tsv: true };

/** Rows of the option table for `get` and `init` alone. An option of `get` sets the field that its description names in brackets. */
export const authoringOptions = {
  header: {
    group: "The request:",
    commands: ["get"],
    kind: text("'NAME: VALUE'"),
    alias: "H",
    repeatable: true,
    secret: true,
    describe: "A header (the job's headers)",
  },
  param: {
    group: "The request:",
    commands: ["get"],
    kind: setting,
    alias: "p",
    repeatable: true,
    secret: true,
    describe: "A parameter (the job's params)",
  },
  "json-param": {
    group: "The request:",
    commands: ["get"],
    kind: { ...setting, placeholder: "NAME=JSON", expected: "a parameter of the form name=JSON" },
    repeatable: true,
    secret: true,
    describe: "A parameter that is a number, a list, an object, true, false or null (the job's params)",
  },
  method: {
    group: "The request:",
    commands: ["get"],
    kind: methodChoice,
    alias: "X",
    describe: "GET, POST (a JSON body) or FORM (the job's method); POST if there is --data",
  },
  data: {
    group: "The request:",
    commands: ["get"],
    kind: text("JSON"),
    alias: "d",
    describe: "The body of a POST, a JSON object (the job's params)",
  },
  user: {
    group: "The request:",
    commands: ["get"],
    kind: text("NAME:PASSWORD"),
    alias: "u",
    describe: "Basic authentication (api.authentication)",
  },
  records: {
    group: "The records:",
    commands: ["get"],
    kind: text("PATH"),
    describe: "Path of the records in a response (the job's dataField)",
  },
  format: {
    group: "The records:",
    commands: ["get"],
    kind: choice(...(Object.keys(formats) as FormatType[])),
    describe: "Format of the responses (the job's format)",
  },
  paging: {
    group: "Paging:",
    commands: ["get"],
    kind: choice(...pagingMethods),
    describe: "How the API pages (api.pagination.method), see spile help paging; if absent, only one page is fetched",
  },
  limit: {
    group: "Paging:",
    commands: ["get"],
    kind: orWord("unknown", count(1)),
    describe: "offset, pagenum: records per page (limit); unknown: pages of any size, until an empty page",
  },
  "limit-param": {
    group: "Paging:",
    commands: ["get"],
    kind: text("PLACE", "place"),
    describe: "offset, pagenum: parameter for the page size (limitParam, by default limit); false: no request has it",
  },
  "offset-param": {
    group: "Paging:",
    commands: ["get"],
    kind: text("PLACE", "place"),
    describe: "offset: parameter for the offset (offsetParam, by default offset)",
  },
  "page-param": {
    group: "Paging:",
    commands: ["get"],
    kind: text("PLACE", "place"),
    describe: "pagenum: parameter for the page number (pageParam, by default page)",
  },
  "first-page": {
    group: "Paging:",
    commands: ["get"],
    kind: count(0),
    describe: "pagenum: number of the first page (firstPage, by default 1)",
  },
  next: {
    group: "Paging:",
    commands: ["get"],
    kind: text("SOURCE", "source"),
    describe:
      "Where a response has the next address or token: a path, header:NAME or last:PATH in the last record (urlKey, responseParam; for cursor idKey)",
  },
  "token-param": {
    group: "Paging:",
    commands: ["get"],
    kind: text("PLACE", "place"),
    describe:
      "Where the value of --next goes: a name, path:A.B in the body, query:A.B, header:NAME, or endpoint:NAME for {NAME} in the address (queryParam; for cursor param)",
  },
  "page-count": {
    group: "Paging:",
    commands: ["get"],
    kind: text("SOURCE", "source"),
    describe:
      "Where a response has the number of pages, written as for --next (pageCount); the run ends with the last page",
  },
  "print-config": {
    group: "Output:",
    commands: ["get"],
    describe:
      "Print the configuration that these options describe instead of running it; credentials become environment variables",
  },

  har: {
    group: "Source and exploration:",
    commands: ["init"],
    kind: path("file"),
    describe: "Take the request from a browser's recording",
  },
  openapi: {
    group: "Source and exploration:",
    commands: ["init"],
    kind: path("file"),
    describe: "Take requests from an OpenAPI description (3.0 or 3.1, JSON or YAML)",
  },
  airbyte: {
    group: "Source and exploration:",
    commands: ["init"],
    kind: input,
    describe: "Take jobs from the streams of an Airbyte manifest (low-code, YAML or JSON; - is stdin)",
  },
  postman: {
    group: "Source and exploration:",
    commands: ["init"],
    kind: input,
    describe: "Take requests from a Postman collection (v2.1; - is stdin)",
  },
  only: {
    group: "Source and exploration:",
    commands: ["init"],
    kind: text("PATTERN"),
    repeatable: true,
    describe:
      "HAR, OpenAPI: only paths that match, such as '/users*'; Airbyte: only this stream; Postman: names, folders or paths; may be repeated",
  },
  explore: {
    group: "Source and exploration:",
    commands: ["init"],
    describe: "OpenAPI: send each request to see how the API pages",
  },
  offline: {
    group: "Source and exploration:",
    commands: ["init"],
    describe: "Send nothing; write only what the command contains",
  },
  probes: {
    group: "Source and exploration:",
    commands: ["init"],
    kind: count(0, 100),
    describe:
      "Greatest number of requests to search for paging, after the first request (4); to follow a paging that is found, init sends up to twice as many more",
  },
} as const;
