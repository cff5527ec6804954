import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Work } from "./works.ts";

/** A program that does a piece of work: a command line whose standard output is dropped, or read when it is checked. */
export interface Contender {
  readonly name: string;
  /** True if it does only a part of the work (`smaller`): speeds are then compared, not times. */
  readonly smaller?: boolean;
  /** Expected output: the exact lines, the lines with numbers as jq spells them, or unchecked. */
  readonly lines: "exact" | "jq" | "unchecked";
  readonly needs: readonly ("curl" | "jq")[];
  readonly commandLine: (work: Work, base: string) => readonly string[];
}

const project = fileURLToPath(new URL("../..", import.meta.url));
/** The built command. */
export const command = join(project, "dist/bin.js");
const rival = (name: string) => join(project, "test/bench/rivals", name);

/** spile itself; its configurations are written into `folder`. */
export function spile(folder: string, concurrency: number | "auto" = 1): Contender {
  return {
    name: concurrency === 1 ? "spile" : `spile --concurrency ${concurrency}`,
    lines: "exact",
    needs: [],
    commandLine: (work, base) => {
      const file = join(folder, `${work.name}-${Math.round(work.megabytes)}.json`);
      writeFileSync(file, JSON.stringify(configuration(work, base)));
      const options = concurrency === 1 ? [] : ["--concurrency", String(concurrency)];
      return [process.execPath, command, file, "--quiet", ...options];
    },
  };
}

export function configuration(work: Work, base: string): unknown {
  if (work.configured !== undefined) {
    const { limit, jobs, iterations } = work.configured;
    const pagination = limit === undefined ? undefined : { method: "offset", limit };
    return { api: { baseUrl: base, pagination }, config: { jobs }, iterations };
  }
  const pagination = work.limit === undefined ? {} : { pagination: { method: "offset", limit: work.limit } };
  return {
    api: { baseUrl: base, ...pagination },
    config: { jobs: [{ endpoint: work.path.slice(1), dataField: "data.items" }] },
  };
}

/** Returns a contender that reads the same records from a response of one JSON document. */
function asJson(contender: Contender): Contender {
  return {
    ...contender,
    name: `${contender.name}, a JSON array`,
    commandLine: (work, base) => {
      const { configured: _, ...one } = work;
      return contender.commandLine(
        { ...one, name: "array", path: work.path.replace("style=ndjson", "style=compact") },
        base,
      );
    },
  };
}

const curl: Contender = {
  name: "curl >/dev/null",
  lines: "unchecked",
  needs: ["curl"],
  commandLine: (work, base) => ["curl", "-sS", ...(work.gzip ? ["--compressed"] : []), addresses(work, base)],
};

const curlJq: Contender = {
  name: "curl and jq -c",
  lines: "jq",
  needs: ["curl", "jq"],
  commandLine: (work, base) => [
    "sh",
    "-c",
    `curl -sS ${work.gzip ? "--compressed " : ""}"$1" | jq -c '.data.items[]'`,
    "sh",
    addresses(work, base),
  ],
};

const curlJqLoop: Contender = {
  name: "loop of curl and jq",
  lines: "jq",
  needs: ["curl", "jq"],
  commandLine: (work, base) => ["sh", rival("curl-jq-loop.sh"), base + work.path, String(work.limit)],
};

const fetchParse: Contender = {
  name: "fetch + JSON.parse",
  lines: "unchecked",
  needs: [],
  commandLine: (work, base) => [process.execPath, rival("fetch-parse.mjs"), base + work.path, ...limit(work)],
};

const nodeFetchCopy: Contender = {
  name: "node-fetch, copying",
  lines: "unchecked",
  needs: [],
  commandLine: (work, base) => [
    process.execPath,
    rival("node-fetch-copy.mjs"),
    base + work.path,
    ...(work.limit === undefined ? [] : [String(work.limit), String(work.pages)]),
  ],
};

/** This script does nothing: its time is that of every start of Node. */
const nodeAlone: Contender = {
  name: "node -e 0",
  lines: "unchecked",
  needs: [],
  commandLine: () => [process.execPath, "-e", "0"],
};

function smaller(contender: Contender): Contender {
  return { ...contender, smaller: true };
}

/** Returns all pages as one address with curl's ranges, for one process and one connection. */
function addresses(work: Work, base: string): string {
  if (work.limit === undefined) return base + work.path;
  const offsets = work.pages === 1 ? "0" : `[0-${(work.pages - 1) * work.limit}:${work.limit}]`;
  return `${base}${work.path}&limit=${work.limit}&offset=${offsets}`;
}

function limit(work: Work): string[] {
  return work.limit === undefined ? [] : [String(work.limit)];
}

/** Returns the contenders of each work, by the name of the work. */
export function rivals(folder: string): Readonly<Record<string, readonly Contender[]>> {
  const oneResponse = [spile(folder), nodeFetchCopy, curl, smaller(curlJq), smaller(fetchParse)];
  const anyNumber = [spile(folder), spile(folder, 4), spile(folder, 16), spile(folder, "auto")];
  const pages = [spile(folder), nodeFetchCopy, curl, curlJq, fetchParse];
  return {
    compact: oneResponse,
    pretty: oneResponse,
    "first-record": [spile(folder), curlJq, fetchParse, nodeAlone],
    ndjson: [spile(folder), asJson(spile(folder)), curl],
    csv: [spile(folder), curl],
    "ndjson-gzip": [spile(folder), curl],
    "csv-zip": [spile(folder), curl],
    "large-pages": pages,
    "small-pages": [...pages, curlJqLoop],
    "text-pages": [spile(folder), nodeFetchCopy, fetchParse],
    latency: [spile(folder), spile(folder, 8), spile(folder, "auto")],
    "latency-5": anyNumber,
    "capacity-3": anyNumber,
    "rate-10": anyNumber,
    bursts: anyNumber,
    gzip: [spile(folder), curl],
    "many-records": [spile(folder), curlJqLoop],
    iterations: [spile(folder)],
    jobs: [spile(folder)],
    children: [spile(folder)],
  };
}

export const commands: ReadonlyMap<string, readonly string[]> = new Map([
  [nodeAlone.name, [process.execPath, "-e", "0"]],
  ["spile --help", [process.execPath, command, "--help"]],
  ["spile --version", [process.execPath, command, "--version"]],
]);
