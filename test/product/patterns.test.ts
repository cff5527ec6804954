import assert from "node:assert/strict";
import { test } from "node:test";
import { describeAddress } from "../../src/authoring/address.ts";
import { authorManifest } from "../../src/authoring/airbyte/author.ts";
import { parseTemplate } from "../../src/authoring/airbyte/jinja.ts";
import { readManifest } from "../../src/authoring/airbyte/manifest.ts";
import { windowsWords } from "../../src/authoring/curl/windows-words.ts";
import { joinedAddress } from "../../src/authoring/described/values.ts";
import { serverOf } from "../../src/authoring/openapi/description.ts";
import { authorCollection, readCollection } from "../../src/authoring/postman/collection.ts";
import { readRequestText } from "../../src/authoring/sources.ts";
import { unfilledPlaceholders, unfilledVariables } from "../../src/compile/checks/unfilled.ts";
import { encodeForPath, substitute } from "../../src/compile/jobs/endpoint.ts";
import { loadDocument } from "../../src/config/load.ts";
import { registerUserinfo } from "../../src/config/secrets.ts";
import type { Request } from "../../src/core/requests/request.ts";
import { sourceKey } from "../../src/core/runs/response-source.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { withoutUser } from "../../src/core/secrets/without-user.ts";
import { trimmedHeader } from "../../src/core/text/header-syntax.ts";
import { printable, printableJson } from "../../src/core/text/printable.ts";
import { shellArgument, shellQuoted, shellRemark, shellWord } from "../../src/core/text/shell.ts";
import { incrementTypes } from "../../src/core/values/increment-types.ts";
import { readTime } from "../../src/core/values/instant.ts";
import { parsePath } from "../../src/core/values/path.ts";
import { beginning } from "../../src/extract/fault.ts";
import { transcoder } from "../../src/http/body/charset.ts";
import { compressionOf } from "../../src/http/body/decode.ts";
import { faultOf } from "../../src/http/connection/fault.ts";
import { retryAfter } from "../../src/http/pacing/retry.ts";
import { limitHeadersOf, usedUpLimit } from "../../src/http/pacing/used-up-limit.ts";
import { credentialsInAddress, shownAddress, shownBody, shownHeader } from "../../src/knowledge/credentials.ts";
import { hidesNextLink, linkTarget } from "../../src/knowledge/link-header.ts";
import { findRecords } from "../../src/knowledge/records.ts";
import { fileNames } from "../../src/output/dataset-file.ts";
import { resolveAddress, withAddress, withQuery } from "../../src/pagination/followed-address.ts";
import { maskedBody, maskedText } from "../../src/recording/masked-body.ts";
import { concealAnswer } from "../../src/steps/answer.ts";
import { stepWords } from "../../src/steps/words.ts";
import { cpuTime } from "../helpers/cpu-time.ts";

/*
 * Functions that match text of an API with patterns, each with the worst texts for it. A pattern that is not linear takes minutes
 * for them. Headers are bounded by Node to 16 KiB, and get twice that here.
 */

const headerLength = 32_768;
const textLength = 200_000;

interface Row {
  readonly name: string;
  readonly read: (text: string) => unknown;
  /** Texts that are repeated up to the length. */
  readonly worst: readonly string[];
  readonly length: number;
}

const same = (text: string): string => text;
const limits = limitHeadersOf(undefined) ?? [];
const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const everything = { only: [], settingValues: new Map<string, string>(), refusedStreams: [] };

/** Returns a manifest whose stream contains a text in each of its templates. */
function manifestOf(text: string): string {
  const requester = {
    type: "HttpRequester",
    url_base: `https://h/${text}`,
    path: text,
    request_parameters: { a: text },
    request_headers: { b: `{{ ${text} }}` },
    request_body_json: `{"a": ${text}}`,
    error_handler: { type: "DefaultErrorHandler", response_filters: [{ predicate: text, action: "IGNORE" }] },
  };
  const record_selector = { extractor: { field_path: [text] }, record_filter: { condition: `{{ ${text} }}` } };
  const paginator = {
    type: "DefaultPaginator",
    page_token_option: { inject_into: "request_parameter", field_name: "p" },
    pagination_strategy: { type: "CursorPagination", cursor_value: `{{ ${text} }}`, stop_condition: text },
  };
  const incremental_sync = {
    type: "DatetimeBasedCursor",
    cursor_field: "t",
    datetime_format: text,
    start_datetime: text,
    step: text,
  };
  const streams = [
    { name: "a", retriever: { requester, record_selector, paginator } },
    { name: "b", retriever: { requester: { type: "HttpRequester", url_base: "https://h", path: text } } },
    {
      name: "c",
      retriever: { requester: { type: "HttpRequester", url_base: "https://h", path: "c" }, paginator, record_selector },
      incremental_sync,
    },
  ];
  return JSON.stringify({ type: "DeclarativeSource", streams });
}

/** Returns a collection whose requests contain a text in each of their places. */
function collectionOf(text: string): string {
  const ending = { request: { url: `https://h/{{${text}` } };
  const request = {
    method: "POST",
    url: `https://h/${text}?a=${text}`,
    header: [{ key: "a", value: `{{ ${text}` }],
    body: { mode: "raw", raw: `{"a": "${text}` },
  };
  const filled = {
    method: "POST",
    url: `https://h/{{a${text}a}}`,
    body: { mode: "raw", raw: JSON.stringify({ a: text }) },
  };
  return JSON.stringify({
    info: { schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json", name: "x" },
    item: [
      { name: "a", ...ending },
      { name: "b", request },
      { name: "c", request: filled },
    ],
  });
}

const request: Request = {
  method: "GET",
  url: "http://h/",
  query: [],
  headers: new Map(),
  body: undefined,
};
const source = { path: ["a"] };

const rows: readonly Row[] = [
  {
    name: "Link",
    read: (text) => linkTarget(text, "next"),
    worst: ["<", '"', ";", "; ", '\\"', "<a>;", ",", "'"],
    length: headerLength,
  },
  {
    name: "Link with a relation",
    read: (text) => hidesNextLink(`<a>;rel=${text}`),
    worst: ["rel", "rel=", " ", ';"', "a "],
    length: headerLength,
  },
  {
    name: "RateLimit",
    read: (text) => usedUpLimit(() => text, limits, 0),
    worst: ['"', '\\"', '"\\', "r=0;", ",", "0"],
    length: headerLength,
  },
  {
    name: "Retry-After",
    read: (text) => retryAfter(text, 0),
    worst: ["1", "1.", " ", "Mon ", "2024-"],
    length: headerLength,
  },
  {
    name: "Content-Type",
    read: (text) => attempt(() => transcoder(text, () => "")),
    worst: [";", "; ", "; charset", " ", "="],
    length: headerLength,
  },
  {
    name: "Content-Encoding",
    read: (text) => attempt(() => compressionOf(text, () => "")),
    worst: [",", " ", ", ", "gzip,"],
    length: headerLength,
  },
  {
    name: "the value of a header",
    read: (text) => trimmedHeader(`x${text}x`),
    worst: [" ", "\t", "\r\n"],
    length: textLength,
  },
  {
    name: "the key of a record",
    read: (text) => findRecords({ [text]: { a: 1 }, b: { a: 2 } }, undefined),
    worst: ["1", "a", "-"],
    length: textLength,
  },
  {
    name: "a command of curl for Windows",
    read: (text) => windowsWords(text),
    worst: [" ", "^", " ^", "\n", '"'],
    length: textLength,
  },
  {
    name: "a time",
    read: (text) => readTime(text),
    worst: ["1", "1.", "2024-05-01 ", "2024-05-01T10:30:00.1", "-"],
    length: textLength,
  },
  {
    name: "a fault's message",
    read: (text) => faultOf(new Error(text), ""),
    worst: [":SSL routines:", "alert ", ":", "wrong version "],
    length: textLength,
  },
  {
    name: "text in a message",
    read: (text) => [printable(text), printableJson(text), beginning(Buffer.from(text.slice(0, 100)), true)],
    worst: ["\u009b", "\\", "\ufffd", " "],
    length: textLength,
  },
  {
    name: "a value for a shell",
    read: (text) => [shellQuoted(text), shellArgument(text), shellWord([text]), shellRemark(text)],
    worst: ["'", "\\", "\\'", "$(", " "],
    length: textLength,
  },
  {
    name: "an address that is refused",
    read: (text) => [withoutUser(`http:${text}`), withoutUser(text)],
    worst: ["/", "//", "@", ":", "a:b@"],
    length: textLength,
  },
  {
    name: "an address with a user",
    read: (text) => registerUserinfo(text, new Secrets()),
    worst: ["/", "//", ":", "//a:"],
    length: textLength,
  },
  {
    name: "credentials of an address, a body and a header",
    read: (text) => [
      credentialsInAddress(`http://h/?${text}`),
      shownAddress(`http://h/?${text}`, same),
      shownBody(text, same),
      shownBody(`{"${text}`, same),
      shownBody(`{"a":"${text}`, same),
      shownHeader("X-Key", text, same),
    ],
    worst: ["&", "a=", "&token", "=&", "%", "{", '"', '\\"', '"a":"\\"'],
    length: textLength,
  },
  {
    name: "a path and a place in a template",
    read: (text) => [parsePath(text), unfilledVariables(text, ""), unfilledPlaceholders([text], "")],
    worst: [".", "{", "${", "{a", "a}", "${a"],
    length: textLength,
  },
  {
    name: "an endpoint with placeholders",
    read: (text) => attempt(() => [substitute(text, []), encodeForPath(text)]),
    worst: ["{", "}", "{a", "%2e/", "../", "\\"],
    length: headerLength,
  },
  {
    name: "a number of an increment",
    read: (text) => [incrementTypes.number.read(text), incrementTypes.time.read(text)],
    worst: ["1", "1e", "0.", "-", "2024-"],
    length: textLength,
  },
  {
    name: "the name of a file",
    read: (text) => attempt(() => fileNames([text])),
    worst: [".", "..", "/", "a", "\ud800"],
    length: textLength,
  },
  {
    name: "a value of a step's answer",
    read: (text) => {
      const answer = { step: "s", at: 0, goodUntil: 0, values: { [sourceKey(source)]: text } };
      concealAnswer(answer, [{ source, secret: true }], new Secrets(), true);
    },
    worst: ["1", "?", "&", "?sig=a&", "%", "http://h/?"],
    length: headerLength,
  },
  {
    name: "the words of a step",
    read: (text) => stepWords([{ name: "s", endpoint: text, every: text, until: { path: text, matches: text } }]),
    worst: ["1", "a", "{", "http://", " s"],
    length: textLength,
  },
  {
    name: "a next address",
    read: (text) => [
      attempt(() => resolveAddress(text, "http://h/", "next")),
      attempt(() => withAddress(request, `http://h/?${text}`)),
    ],
    worst: ["?", "&", "a=b&", "/", "../", "%", "#"],
    length: textLength,
  },
  {
    name: "the query of a next page",
    read: (text) => {
      const names = Array.from({ length: 3_000 }, (_, number) => `${text.slice(0, 4)}${number}=1`).join("&");
      for (const query of [text, names]) {
        for (const body of [undefined, []]) withQuery(withQuery({ ...request, body }, query), query);
      }
    },
    worst: ["?", "&", "a&", "a=b&", "=", "%"],
    length: textLength,
  },
  {
    name: "a recorded body",
    read: (text) => [maskedBody(Buffer.from(text), same, 1000), maskedText(text, same)],
    worst: [" ", "[", "\ufffd", "a=b&"],
    length: textLength,
  },
  {
    name: "a configuration",
    read: (text) => attempt(() => loadDocument(text, "x")),
    worst: ["a: ", "\n", " ", "#\n", "- ", "//", "/*"],
    length: textLength,
  },
  {
    name: "a command of curl",
    read: (text) => attempt(() => readRequestText(`curl http://h/ ${text}`, {}, () => "")),
    worst: ["'", '"', "\\", "$'", "-H ", "a=", "\\\n"],
    length: headerLength,
  },
  {
    name: "an address for init",
    read: (text) => attempt(() => describeAddress(`http://h/${text}`)),
    worst: ["/", "?", "&", "a=b&", "[", "%5B"],
    length: headerLength,
  },
  {
    name: "a template of a manifest",
    read: (text) => attempt(() => parseTemplate(text)),
    worst: ["{{", "{%", "{#", "{{%", "{", "-", " ", '"', "{{ a }}", "{# a #}"],
    length: textLength,
  },
  {
    name: "a statement of a template",
    read: (text) => [attempt(() => parseTemplate(`{% ${text}a %}`)), attempt(() => parseTemplate(`{{ ${text} }}`))],
    worst: [" ", "-", "set ", "a ", "a=", '"', '\\"', "1_"],
    length: textLength,
  },
  {
    name: "a base and a path of a manifest",
    read: (text) => joinedAddress(`http://h${text}`, text),
    worst: ["/", "a/", "//a"],
    length: textLength,
  },
  {
    name: "a stream of a manifest",
    read: (text) => attempt(() => authorManifest(readManifest(manifestOf(text), "x"), everything)),
    worst: ["{{", "{%", "/", "'", "%Y", ".0", "{{ a }}", "[ "],
    length: headerLength,
  },
  {
    name: "a request of a collection",
    read: (text) => attempt(() => authorCollection(readCollection(collectionOf(text), "x"), everything)),
    worst: ["{{", "{{ ", " ", "id", '\\"', "/:a", "?", "&", "a="],
    length: textLength,
  },
  {
    name: "the server of a description",
    read: (text) => attempt(() => serverOf([{ url: `http://${text}`, variables: {} }])),
    worst: ["{", "{a}", "a:", "/"],
    length: textLength,
  },
];

for (const { name, read, worst, length } of rows) {
  test(`${name} is read in linear time`, () => {
    const began = cpuTime();
    for (const piece of worst) {
      const text = piece.repeat(Math.ceil(length / piece.length));
      for (const one of [text, `${text}\u0000`]) assert.doesNotThrow(() => read(one));
    }
    // This takes some milliseconds; a pattern that is not linear would take minutes.
    assert.ok(cpuTime() - began < 10_000);
  });
}
