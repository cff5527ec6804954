import type { Measured } from "./measure.ts";

/** A contender's result: medians over its runs, or the reason why it did not run. */
export interface Result extends Measured {
  readonly contender: string;
  readonly megabytes: number;
  readonly records: number;
  readonly runs: number;
  /** True if its lines were checked and were wrong. */
  readonly wrong: boolean;
  /** A remark for readers: why there are no figures, or which part of the work was done. */
  readonly remark: string | undefined;
}

/** Results by the name of the work, then by the name of the contender. */
export type Results = ReadonlyMap<string, ReadonlyMap<string, Result>>;

export interface Goal {
  readonly work: string;
  readonly text: string;
  /** Returns the figure that must be `atLeast` or `atMost` a bound. */
  readonly figure: (result: (contender: string) => Result) => number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Judged {
  readonly goal: Goal;
  readonly figure: number;
  readonly holds: boolean;
}

type Find = (contender: string) => Result;

const timesFaster = (rival: string) => (find: Find) => speed(find("spile")) / speed(find(rival));
const timesTheTimeOf = (rival: string) => (find: Find) => speed(find(rival)) / speed(find("spile"));
const speed = (result: Result) => result.megabytes / result.seconds;

/** For 500,000 records, Generic Extractor (GE) took 44 s of CPU time, and the shell loop 26 s. GE does not run here. */
const generalExtractorByLoop = 44 / 26;

/** Returns the goal that memory does not depend on the size of the response. */
function flatMemory(work: string): Goal {
  return { work, text: "peak memory, MB", figure: (find) => find("spile").memory ?? Number.NaN, atMost: 120 };
}

const oneResponse = (work: string): Goal[] => [
  { work, text: "time of node-fetch copying, times", figure: timesTheTimeOf("node-fetch, copying"), atMost: 2.5 },
  { work, text: "faster than curl and jq -c, times", figure: timesFaster("curl and jq -c"), atLeast: 15 },
  flatMemory(work),
];

const auto = "spile --concurrency auto";
const fixed = ["spile", "spile --concurrency 4", "spile --concurrency 16"];

const adaptive = (work: string): Goal => ({
  work,
  text: "auto beside the best fixed number, times as fast",
  figure: (find) => speed(find(auto)) / Math.max(...fixed.map((name) => speed(find(name)))),
  atLeast: 0.9,
});

/** Goals for works of many requests with one record each. */
const manyRequests = (work: string, milliseconds: number, megabytes: number): Goal[] => [
  {
    work,
    text: "CPU a request, ms",
    figure: (find) => (1000 * find("spile").cpu) / find("spile").records,
    atMost: milliseconds,
  },
  { work, text: "peak memory, MB", figure: (find) => find("spile").memory ?? Number.NaN, atMost: megabytes },
];

const besideFetchAndParse = (work: string, atMost: number): Goal[] => [
  { work, text: "time of fetch + JSON.parse, times", figure: timesTheTimeOf("fetch + JSON.parse"), atMost },
  {
    work,
    text: "CPU of fetch + JSON.parse, times",
    figure: (find) => find("spile").cpu / find("fetch + JSON.parse").cpu,
    atMost,
  },
];

export const goals: readonly Goal[] = [
  ...manyRequests("iterations", 0.8, 120),
  ...manyRequests("jobs", 0.8, 150),
  ...manyRequests("children", 0.6, 120),
  {
    work: "parents",
    text: "CPU a parent beside its requests, ms",
    figure: (find) => (1000 * (find("spile").cpu - find("spile without increments").cpu)) / find("spile").records,
    atMost: 0.2,
  },
  ...["spile", "spile from a full state"].map((name) => ({
    work: "parents",
    text: `peak memory of ${name}, MB`,
    figure: (find: Find) => find(name).memory ?? Number.NaN,
    atMost: 150,
  })),
  ...["latency-5", "capacity-3", "rate-10", "bursts"].map(adaptive),
  {
    work: "latency",
    text: "auto beside 8 in flight, times as fast",
    figure: (find) => speed(find(auto)) / speed(find("spile --concurrency 8")),
    atLeast: 0.9,
  },
  {
    work: "first-record",
    text: "time of fetch + JSON.parse, times",
    figure: timesTheTimeOf("fetch + JSON.parse"),
    atMost: 1.4,
  },
  ...oneResponse("compact"),
  ...oneResponse("pretty"),
  {
    work: "ndjson",
    text: "as fast as the same records in a JSON array, times",
    figure: timesFaster("spile, a JSON array"),
    atLeast: 1,
  },
  { work: "csv", text: "MB/s", figure: (find) => speed(find("spile")), atLeast: 60 },
  ...["ndjson", "csv", "ndjson-gzip", "csv-zip"].map(flatMemory),
  {
    work: "large-pages",
    text: "faster than one curl and jq -c, times",
    figure: timesFaster("curl and jq -c"),
    atLeast: 10,
  },
  {
    work: "large-pages",
    text: "faster than fetch + JSON.parse, times",
    figure: timesFaster("fetch + JSON.parse"),
    atLeast: 5,
  },
  {
    work: "small-pages",
    text: "faster than one curl and jq -c, times",
    figure: timesFaster("curl and jq -c"),
    atLeast: 2,
  },
  {
    work: "small-pages",
    text: "faster than a loop of curl and jq, times",
    figure: timesFaster("loop of curl and jq"),
    atLeast: 15,
  },
  {
    work: "small-pages",
    text: "time of node-fetch copying, times",
    figure: timesTheTimeOf("node-fetch, copying"),
    atMost: 1.3,
  },
  ...besideFetchAndParse("small-pages", 0.85),
  ...besideFetchAndParse("text-pages", 1),
  {
    work: "latency",
    text: "8 in flight faster than one at a time, times",
    figure: (find) => speed(find("spile --concurrency 8")) / speed(find("spile")),
    atLeast: 6.5,
  },
  {
    work: "gzip",
    text: "time of curl --compressed >/dev/null, times",
    figure: timesTheTimeOf("curl >/dev/null"),
    atMost: 1.5,
  },
  {
    work: "shards",
    text: "time of 4 shards side by side beside one run, times",
    figure: (find) => find("4 shards side by side").seconds / find("spile").seconds,
    atMost: 0.3,
  },
  {
    work: "merge",
    text: "time of cat through sha256sum, times",
    figure: (find) => find("spile shard merge -o").seconds / find("cat through sha256sum").seconds,
    atMost: 2,
  },
  {
    work: "merge",
    text: "peak memory, MB",
    figure: (find) => find("spile shard merge -o").memory ?? Number.NaN,
    atMost: 140,
  },
  {
    work: "start-up",
    text: "CPU of node -e 0, times",
    figure: (find) => find("spile --help").cpu / find("node -e 0").cpu,
    atMost: 1.2,
  },
  {
    work: "many-records",
    text: "less CPU than GE (44/26 of the loop of curl and jq), times",
    figure: (find) => (find("loop of curl and jq").cpu * generalExtractorByLoop) / find("spile").cpu,
    atLeast: 10,
  },
];

/** Judges the goals of the works that were run. A goal without a measurement, or with wrong lines, is not met. */
export function judge(results: Results): Judged[] {
  return goals.flatMap((goal) => {
    const found = results.get(goal.work);
    if (found === undefined) return [];
    const nothing = { contender: "", megabytes: Number.NaN, records: 0, runs: 0, wrong: false, remark: "not run" };
    const missing: Result = { ...nothing, seconds: Number.NaN, cpu: Number.NaN, memory: undefined };
    const figure = goal.figure((contender) => found.get(contender) ?? missing);
    const isRight = ![...found.values()].some(({ wrong }) => wrong);
    return [{ goal, figure, holds: isRight && figure >= (goal.atLeast ?? 0) && figure <= (goal.atMost ?? Infinity) }];
  });
}
