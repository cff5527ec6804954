import { createRandom, type Random } from "../helpers/random.ts";

/** A job's data and the manners of the API that serves it. */
export interface Dataset {
  readonly endpoint: string;
  /** Raw JSON texts of the records, each different. */
  readonly records: readonly string[];
  /** Records of the page at an offset, where `size` are asked for. */
  page(offset: number, size: number): readonly string[];
  /** Where the records stand: in the root, in `items` to be found by itself, in `data.items`. */
  readonly shape: "root" | "items" | "data.items";
  /** The response tells the total. */
  readonly tellsTotal: boolean;
  /** White space around every token. */
  readonly pretty: boolean;
  /** An empty page is a 204. */
  readonly noContent: boolean;
  /** Each page follows from the size asked for alone: guesses come true. */
  readonly regular: boolean;
  /** Asked beyond its end, the API gives its last page again. */
  readonly repeats: boolean;
  /** The job's own page size. */
  readonly size: number | undefined;
}

/** What happens to one request, by its target and the number of the attempt at it. */
export type Mishap =
  | { readonly kind: "broken"; readonly how: string; readonly part: number }
  | { readonly kind: "status"; readonly status: number; readonly retryAfter: string | undefined }
  | { readonly kind: "stall"; readonly how: string };

/** What no retry mends: it ends the run at one page. */
export interface Doom {
  readonly job: number;
  /** The page's number in the job, from 0. */
  readonly page: number;
  readonly kind: "refused" | "busy" | "html" | "garbled" | "reset" | "changed" | "unauthorised";
}

export interface Login {
  /** The lifetime told, in seconds; undefined tells none. */
  readonly lifetime: number | undefined;
  readonly expires: unknown;
  /** After so many data requests every token is revoked, once. */
  readonly revokeAfter: number | undefined;
}

/** One round of chaos: everything follows from the seed. */
export interface Scenario {
  readonly seed: number;
  readonly size: number;
  readonly method: "offset" | "pagenum";
  readonly datasets: readonly Dataset[];
  readonly limitStop: boolean;
  readonly probeEnd: boolean;
  readonly concurrency: number;
  readonly hold: number | undefined;
  readonly maxRecords: number | undefined;
  readonly maxPages: number | undefined;
  readonly keepGoing: boolean;
  readonly login: Login | undefined;
  /** Of a hundred requests so many meet with a mishap. */
  readonly trouble: number;
  readonly stalls: boolean;
  /** Whole answers come in odd ways too, some of which break the connection after their end. */
  readonly odd: boolean;
  readonly doom: Doom | undefined;
  /** Longest delay of an answer, in ms. */
  readonly delay: number;
  /** Longest pause of the reader after a write, in ms; undefined takes all at once. */
  readonly reader: number | undefined;
  /** Milliseconds after which the run is interrupted. */
  readonly interruptAfter: number | undefined;
  /** The reader leaves after so many writes. */
  readonly leavesAfter: number | undefined;
}

export function createScenario(seed: number): Scenario {
  const random = createRandom(seed);
  const method = random.oneIn(4) ? "pagenum" : "offset";
  const size = random.between(1, 8);
  const jobs = random.oneIn(3) ? random.between(2, 4) : 1;
  const datasets = Array.from({ length: jobs }, (_, index) => createDataset(random, `job${index}`, size, method));
  const rarely = <T>(times: number, value: T): T | undefined => (random.oneIn(times) ? value : undefined);
  return {
    seed,
    size,
    method,
    datasets,
    limitStop: datasets.every(({ tellsTotal, shape }) => tellsTotal && shape === datasets[0]?.shape) && random.oneIn(2),
    probeEnd: random.oneIn(4),
    concurrency: random.oneIn(3) ? 1 : random.between(2, 8),
    hold: random.oneIn(2) ? undefined : random.pick([0, 1, 40, 300, 3000]),
    maxRecords: rarely(4, random.between(1, 30)),
    maxPages: rarely(8, random.between(1, 4)),
    keepGoing: random.oneIn(3),
    login: random.oneIn(3) ? createLogin(random) : undefined,
    trouble: random.oneIn(3) ? 0 : random.pick([3, 10, 30]),
    stalls: random.oneIn(12),
    odd: random.oneIn(2),
    doom: rarely(4, {
      job: random.below(jobs),
      page: random.below(4),
      kind: random.pick(["refused", "busy", "html", "garbled", "reset", "changed", "unauthorised"] as const),
    }),
    delay: random.pick([0, 0, 1, 4]),
    reader: random.oneIn(3) ? random.below(4) : undefined,
    interruptAfter: rarely(25, random.between(1, 60)),
    leavesAfter: rarely(25, random.between(0, 6)),
  };
}

function createDataset(random: Random, endpoint: string, size: number, method: Scenario["method"]): Dataset {
  const own = random.oneIn(5) ? random.between(1, 8) : undefined;
  const asked = own ?? size;
  const longest = random.pick([0, 20, 20, 200, 3000, 60_000]);
  const length = random.oneIn(8) ? 0 : random.between(1, longest > 3000 ? 15 : 45);
  const records = Array.from({ length }, (_, index) => createRecord(random, `${endpoint}-${index}`, longest));
  const manner = random.pick(
    method === "offset"
      ? (["plain", "plain", "plain", "capped", "long", "ragged", "repeating"] as const)
      : (["plain", "plain", "repeating"] as const),
  );
  const cap = random.between(1, asked);
  const more = random.between(1, 4);
  const ragged = Array.from({ length: 200 }, () => random.below(3));
  const shape = random.pick(["root", "items", "data.items", "data.items"] as const);
  const page = (offset: number, limit: number): readonly string[] => {
    const from = manner === "repeating" && length > 0 ? Math.min(offset, lastStart(length, limit)) : offset;
    const extra = manner === "long" ? more : manner === "ragged" ? (ragged[offset] ?? 0) : 0;
    return records.slice(from, from + (manner === "capped" ? Math.min(cap, limit) : limit) + extra);
  };
  return {
    endpoint,
    records,
    page,
    shape,
    tellsTotal: shape !== "root" && random.oneIn(2),
    pretty: random.oneIn(4),
    noContent: random.oneIn(4),
    regular: manner === "plain" || manner === "repeating",
    repeats: manner === "repeating",
    size: own,
  };
}

/** Where the last page begins: an API that repeats it gives it for every offset beyond. */
function lastStart(length: number, size: number): number {
  return Math.floor((length - 1) / size) * size;
}

function createRecord(random: Random, name: string, longest: number): string {
  if (random.oneIn(12)) return JSON.stringify(name);
  const filling = "x\\u00e9\\n😀é".repeat(10);
  const text =
    filling.slice(0, random.below(3) * 8).replace(/\\u?[0-9a-f]{0,3}$/, "") + "y".repeat(random.below(longest + 1));
  return `{"id":"${name}","n":${random.pick(["13911860366432393", "1.10", "-0", "1e400", "7"])},"s":"${text.toWellFormed()}","a":[${"1,".repeat(random.below(4))}{}]}`;
}

function createLogin(random: Random): Login {
  const lifetime = random.oneIn(2) ? undefined : 0.05;
  const expires =
    lifetime !== undefined
      ? { response: "expires_in", relative: true }
      : random.pick(["never", 0, 1, "never"] as const);
  return {
    lifetime,
    expires: expires === "never" ? undefined : expires,
    revokeAfter: random.oneIn(2) ? random.between(1, 12) : undefined,
  };
}
