import { counted } from "../../src/core/text/counted.ts";
import type { Pace } from "./compare.ts";
import type { Until } from "./measure.ts";
import type { Packing } from "./packed.ts";
import { block, blockRecords, blocksOf, pageRecord, type Style } from "./records.ts";

/** Sizes of the works. `memory` is for tests that memory does not grow with a response or with a run. */
export type Scale = "quick" | "full" | "memory";

/** A piece of work that is the same for spile and its rivals. Sizes are those of decoded bodies. */
export interface Work {
  readonly name: string;
  readonly title: string;
  /** Path and query at the bench's server; each contender adds its paging parameters. */
  readonly path: string;
  readonly pages: number;
  readonly limit: number | undefined;
  readonly records: number;
  readonly megabytes: number;
  readonly gzip: boolean;
  /** The end of the measured time. Default: the end of the run. */
  readonly until?: Until;
  /** Pace of its runs where it differs from that of other works. */
  readonly pace?: Partial<Pace>;
  /** The expected lines, in large pieces. */
  readonly lines: () => Iterable<Buffer>;
  /** spile's configuration besides the base address, if it is not one job with offset paging. */
  readonly configured?: Configured;
  /** The same work, small enough for rivals that cannot do all of it or would take minutes. */
  readonly smaller: Work | undefined;
}

interface Configured {
  readonly limit?: number;
  readonly jobs: readonly object[];
  readonly iterations?: readonly object[];
}

interface Sizes {
  readonly one: number;
  readonly file: number;
  readonly small: number;
  readonly gzip: number;
  readonly largePages: number;
  readonly smallPages: number;
  readonly latencyPages: number;
  readonly manyPages: number;
  readonly shardPages: number;
  readonly mergePages: number;
  readonly requests: number;
  readonly parents: number;
}

const quick: Sizes = {
  one: 150,
  file: 100,
  small: 15,
  gzip: 62,
  largePages: 30,
  smallPages: 300,
  latencyPages: 40,
  manyPages: 30,
  shardPages: 400,
  mergePages: 200,
  requests: 2000,
  parents: 5000,
};

const sizes: Record<Scale, Sizes> = {
  quick,
  memory: { ...quick, one: 400, file: 300, gzip: 200, largePages: 100 },
  full: {
    one: 1000,
    file: 1000,
    small: 125,
    gzip: 266,
    largePages: 200,
    smallPages: 3000,
    latencyPages: 100,
    manyPages: 500,
    shardPages: 800,
    mergePages: 10_000,
    requests: 20_000,
    parents: 100_000,
  },
};

export function works(scale: Scale): Work[] {
  const size = sizes[scale];
  return [
    { ...one("compact", size.one), smaller: one("compact", size.small) },
    { ...one("pretty", size.one), smaller: one("pretty", size.small) },
    firstRecord(),
    file("ndjson", size.file),
    file("csv", size.file),
    file("ndjson", size.file, "gzip"),
    file("csv", size.file, "zip"),
    pages("large-pages", size.largePages, 1000),
    pages("small-pages", size.smallPages, 30),
    pages("text-pages", size.smallPages, 30, 0, "texts"),
    pages("latency", size.latencyPages, 30, 50),
    pages("latency-5", size.latencyPages, 30, 5),
    { ...pages("capacity-3", size.latencyPages, 30, 20), ...behaving("capacity-3", size.latencyPages, 20) },
    { ...pages("rate-10", size.latencyPages, 30, 20), ...behaving("rate-10", size.latencyPages, 20) },
    { ...pages("bursts", size.latencyPages, 30, 20), ...behaving("bursts", size.latencyPages, 20) },
    {
      ...one("compact", size.gzip),
      name: "gzip",
      title: title(size.gzip, "gzip"),
      path: onePath(size.gzip, "&gzip=1"),
      gzip: true,
    },
    pages("many-records", size.manyPages, 1000),
    pages("shards", size.shardPages, 30, 50),
    pages("merge", size.mergePages, 1000),
    iterations(size.requests),
    jobs(size.requests),
    children((size.requests * 3) / 2),
    parents(size.parents),
  ];
}

/** Returns the work for tools in Python: as many pages of `large-pages` as they can read in a few seconds. */
export function rivalWork(scale: Scale): Work {
  return pages("rivals", scale === "full" ? 50 : 5, 1000);
}

/** A run of one small page. */
function firstRecord(): Work {
  const work = pages("first-record", 1, 30);
  return {
    ...work,
    title: `until the first line of ${work.title}`,
    until: "first line",
    pace: { rounds: 15, maxSeconds: 20 },
  };
}

/** Many requests that are answered with one small record each. */
function requests(name: string, count: number, configured: Configured): Work {
  const line = Buffer.from(`${pageRecord(0)}\n`);
  return {
    name,
    title: `${count.toLocaleString("en")} ${name}, a request of one record each`,
    path: "/ids",
    pages: count,
    limit: undefined,
    records: count,
    megabytes: (count * line.length) / 1e6,
    gzip: false,
    configured,
    smaller: undefined,
    lines: function* () {
      for (let index = 0; index < count; index++) yield line;
    },
  };
}

function iterations(count: number): Work {
  const numbers = Array.from({ length: count }, (_, number) => ({ number }));
  const job = { endpoint: "item", params: { number: { attr: "number" } } };
  return requests("iterations", count, { jobs: [job], iterations: numbers });
}

function jobs(count: number): Work {
  return requests("jobs", count, { jobs: Array.from({ length: count }, (_, id) => ({ endpoint: `item?id=${id}` })) });
}

/** The lines of a page of parents come before those of their children. */
function children(count: number): Work {
  const child = { endpoint: "item", params: { id: { placeholder: "id" } }, placeholders: { id: "id" } };
  return {
    ...requests("children", count, { limit: 1000, jobs: [{ endpoint: `ids?count=${count}`, children: [child] }] }),
    lines: function* () {
      for (let from = 0; from < count; from += 1000) {
        const ids = Array.from({ length: Math.min(1000, count - from) }, (_, index) => from + index);
        yield Buffer.from(ids.map((id) => `{"id":${id}}\n`).join(""));
        yield Buffer.from(ids.map((id) => `${pageRecord(0).slice(0, -1)},"parent_id":${id}}\n`).join(""));
      }
    },
  };
}

/** Children with an increment for each parent. */
function parents(count: number): Work {
  const work = children(count);
  const job = {
    endpoint: `ids?count=${count}`,
    children: [
      {
        endpoint: "item",
        params: { id: { placeholder: "id" }, since: { incremental: "from" } },
        placeholders: { id: "id" },
        incremental: { path: "page", type: "number" },
      },
    ],
  };
  const title = `${count.toLocaleString("en")} parents with an increment each`;
  return { ...work, name: "parents", title, configured: { limit: 1000, jobs: [job] } };
}

function one(style: Style, megabytes: number): Work {
  const count = blocksOf(megabytes, style);
  const { text, lines } = block(blockRecords, style);
  return {
    name: style,
    title: title(megabytes, style),
    path: `/one?megabytes=${megabytes}&style=${style}`,
    pages: 1,
    limit: undefined,
    records: count * blockRecords,
    megabytes: (count * text.length) / 1e6,
    gzip: false,
    smaller: undefined,
    lines: function* () {
      for (let index = 0; index < count; index++) yield lines;
    },
  };
}

/** A file of records, packed or not. */
function file(style: "ndjson" | "csv", megabytes: number, packed?: Packing): Work {
  const more = packed === undefined ? "" : `&packed=${packed}`;
  const { path, ...work } = one(style, megabytes);
  return {
    ...work,
    name: packed === undefined ? style : `${style}-${packed}`,
    title: title(megabytes, packed === undefined ? style : `${style} as ${packed}`),
    path: path + more,
    configured: { jobs: [{ endpoint: path.slice(1) + more, format: style }] },
  };
}

/** Returns the title and the path of a work on an API with a limited capacity; see the server. */
function behaving(mood: string, count: number, delay: number): Pick<Work, "title" | "path"> {
  return {
    title: `${count} pages of 29 KB (30 records) from an API of ${mood}`,
    path: `/pages?count=${count}&delay=${delay}&mood=${mood}`,
  };
}

function title(megabytes: number, kind: string): string {
  return `${megabytes} MB in one response, ${kind}`;
}

function onePath(megabytes: number, more: string): string {
  return `/one?megabytes=${megabytes}&style=compact${more}`;
}

function pages(name: string, count: number, limit: number, delay = 0, style: "compact" | "texts" = "compact"): Work {
  const { text, lines } = block(limit - 1, style);
  const lastLine = lines.lastIndexOf("\n", -2) + 1;
  const size = text.length < 1e5 ? `${Math.round(text.length / 1e3)} KB` : `${(text.length / 1e6).toFixed(1)} MB`;
  return {
    name,
    title: `${counted(count, "page")} of ${size} (${limit} ${style === "texts" ? "long texts" : "records"})${delay > 0 ? ` at ${delay} ms latency` : ""}`,
    path: `/pages?count=${count}&delay=${delay}${style === "texts" ? "&style=texts" : ""}`,
    pages: count,
    limit,
    records: count * limit - 1,
    megabytes: (count * text.length) / 1e6,
    gzip: false,
    smaller: undefined,
    lines: function* () {
      for (let page = 0; page < count; page++) {
        yield Buffer.from(`${pageRecord(page)}\n`);
        yield page < count - 1 ? lines : lines.subarray(0, lastLine);
      }
    },
  };
}
