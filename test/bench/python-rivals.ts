import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spile } from "./contenders.ts";
import type { Work } from "./works.ts";

/** A tool that reads REST APIs by a configuration, and writes JSON lines. */
export interface PythonRival {
  readonly name: string;
  /** Pinned packages for pip, each with its own environment. Empty if nothing must be installed. */
  readonly packages: readonly string[];
  /** Returns a shell command that does the work and writes its output into `folder`. `bins`: a folder of commands for each package. */
  readonly commandLine: (work: Work, base: string, folder: string, bins: readonly string[]) => readonly string[];
  /** Folder, inside `folder`, in which the tool writes its files of lines. */
  readonly output: string;
  /** Returns the record of a line; undefined if the line has none. */
  record(line: string): string | undefined;
}

const script = fileURLToPath(new URL("rivals/dlt-rest-api.py", import.meta.url));

/** Members of the bench's records, for rivals that must know them beforehand. */
const members =
  "page id uuid name email active balance score createdAt tags address note orders fields parent link big".split(" ");
const typed: Readonly<Record<string, object>> = {
  id: { type: ["integer", "null"] },
  big: { type: ["integer", "null"] },
  balance: { type: ["number", "null"] },
  score: { type: ["integer", "null"] },
  active: { type: ["boolean", "null"] },
  // The tap converts lists to texts, which a target that checks the schema would refuse.
  tags: { type: ["array", "string", "null"] },
  orders: { type: ["array", "string", "null"] },
  fields: { type: ["array", "string", "null"] },
  address: { type: ["object", "null"], additionalProperties: true },
  parent: {},
};
const schema = {
  type: "object",
  properties: Object.fromEntries(members.map((name) => [name, typed[name] ?? { type: ["string", "null"] }])),
};

const whole = (line: string): string | undefined => (line === "" ? undefined : line);

/** Returns a function that returns the rest of a RECORD message from the value of this member on; undefined for other lines. */
function within(name: string): (line: string) => string | undefined {
  return (line) => {
    if (!/^\{"type": ?"RECORD"/.test(line)) return undefined;
    const at = line.indexOf(`"${name}":`);
    return at < 0 ? undefined : line.slice(at + name.length + 3).trimStart();
  };
}

/** Returns a shell command that writes the output of another one into a file. */
function into(file: string, command: readonly string[], environment: Readonly<Record<string, string>> = {}): string[] {
  const set = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  return ["sh", "-c", 'out=$1; shift; exec env "$@" > "$out"', "sh", file, ...set, ...command];
}

function tap(work: Work, base: string, folder: string): string {
  const file = join(folder, "tap.json");
  const [path = "", query = ""] = work.path.split("?");
  const stream = {
    name: "items",
    path,
    params: Object.fromEntries(new URLSearchParams(query)),
    records_path: "$.data.items[*]",
    primary_keys: [],
    schema,
  };
  const paging = {
    pagination_request_style: "simple_offset_paginator",
    pagination_response_style: "offset",
    pagination_page_size: work.limit,
    pagination_initial_offset: 0,
    offset_records_jsonpath: "$.data.items",
  };
  writeFileSync(file, JSON.stringify({ api_url: base, streams: [stream], ...paging }));
  return file;
}

function target(folder: string): string {
  const file = join(folder, "target.json");
  writeFileSync(file, JSON.stringify({ destination_path: folder, do_timestamp_file: false, custom_name: "kept" }));
  return file;
}

const piped = 'kept=$1; "$2" --config "$3" | "$4" --config "$kept"';

function manifest(work: Work, base: string): object {
  const [path = "", query = ""] = work.path.slice(1).split("?");
  const option = (name: string) => ({ type: "RequestOption", inject_into: "request_parameter", field_name: name });
  return {
    version: "6.0.0",
    type: "DeclarativeSource",
    check: { type: "CheckStream", stream_names: ["items"] },
    streams: [
      {
        type: "DeclarativeStream",
        name: "items",
        primary_key: [],
        retriever: {
          type: "SimpleRetriever",
          requester: {
            type: "HttpRequester",
            url_base: base,
            path,
            http_method: "GET",
            request_parameters: Object.fromEntries(new URLSearchParams(query)),
          },
          record_selector: {
            type: "RecordSelector",
            extractor: { type: "DpathExtractor", field_path: ["data", "items"] },
          },
          paginator: {
            type: "DefaultPaginator",
            page_size_option: option("limit"),
            page_token_option: option("offset"),
            pagination_strategy: { type: "OffsetIncrement", page_size: work.limit },
          },
        },
        schema_loader: {
          type: "InlineSchemaLoader",
          schema: { type: "object", additionalProperties: true, properties: {} },
        },
      },
    ],
    spec: { type: "Spec", connection_specification: { type: "object", properties: {} } },
  };
}

/** All contenders, spile first. They read the same records from the same API and write JSON lines into a file. */
export const pythonRivals: readonly PythonRival[] = [
  {
    name: "spile",
    packages: [],
    commandLine: (work, base, folder) => into(join(folder, "kept.jsonl"), spile(folder).commandLine(work, base)),
    output: ".",
    record: whole,
  },
  {
    name: "spile --singer and target-jsonl",
    packages: ["target-jsonl==0.1.4"],
    commandLine: (work, base, folder, [bin = ""]) => {
      const [node = "", command = "", file = ""] = spile(folder).commandLine(work, base);
      const words = `kept=$1; "$2" "$3" "$4" --singer -q | "$5" --config "$kept"`;
      return ["sh", "-c", words, "sh", target(folder), node, command, file, join(bin, "target-jsonl")];
    },
    output: ".",
    record: whole,
  },
  {
    name: "tap-rest-api-msdk",
    packages: ["tap-rest-api-msdk==1.4.2"],
    commandLine: (work, base, folder, [bin = ""]) =>
      into(join(folder, "kept.jsonl"), [join(bin, "tap-rest-api-msdk"), "--config", tap(work, base, folder)]),
    output: ".",
    record: within("record"),
  },
  {
    name: "tap-rest-api-msdk and target-jsonl",
    packages: ["tap-rest-api-msdk==1.4.2", "target-jsonl==0.1.4"],
    commandLine: (work, base, folder, [tapBin = "", targetBin = ""]) => {
      const words = [join(tapBin, "tap-rest-api-msdk"), tap(work, base, folder), join(targetBin, "target-jsonl")];
      return ["sh", "-c", piped, "sh", target(folder), ...words];
    },
    output: ".",
    record: whole,
  },
  {
    name: "dlt, rest_api",
    packages: ["dlt==1.31.0"],
    commandLine: (work, base, folder, [bin = ""]) => {
      const environment = {
        RUNTIME__DLTHUB_TELEMETRY: "false",
        DATA_WRITER__DISABLE_COMPRESSION: "true",
        NORMALIZE__DATA_WRITER__DISABLE_COMPRESSION: "true",
      };
      const words = [join(bin, "python"), script, base, String(work.pages), String(work.limit), folder];
      return into(join(folder, "said"), words, environment);
    },
    output: "out/bench/items",
    record: whole,
  },
  {
    name: "Airbyte's declarative CDK",
    packages: ["airbyte-cdk==7.39.1"],
    commandLine: (work, base, folder, [bin = ""]) => {
      const config = join(folder, "config.json");
      const catalog = join(folder, "catalog.json");
      const stream = { name: "items", json_schema: schema, supported_sync_modes: ["full_refresh"] };
      const chosen = { stream, sync_mode: "full_refresh", destination_sync_mode: "append" };
      writeFileSync(config, JSON.stringify({ __injected_declarative_manifest: manifest(work, base) }));
      writeFileSync(catalog, JSON.stringify({ streams: [chosen] }));
      const words = [join(bin, "source-declarative-manifest"), "read", "--config", config, "--catalog", catalog];
      return into(join(folder, "kept.jsonl"), words);
    },
    output: ".",
    record: within("data"),
  },
];
