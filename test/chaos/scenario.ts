import { createRandom, type Random } from "../helpers/random.ts";
import { createChildren, createDataset, type Dataset, lookUp, type Method } from "./dataset.ts";

/** A fault that no retry solves: one page of one job fails. */
export interface Doom {
  readonly job: number;
  /** The page's number in the job, from 0. */
  readonly page: number;
  readonly kind: "refused" | "busy" | "html" | "garbled" | "reset" | "changed" | "unauthorised";
}

export interface Login {
  /** The reported lifetime in seconds; undefined if the login reports none. */
  readonly lifetime: number | undefined;
  readonly expires: unknown;
  /** Number of data requests after which every token is revoked, once. */
  readonly revokeAfter: number | undefined;
}

/** One round of chaos: everything follows from the seed. */
export interface Scenario {
  readonly seed: number;
  readonly size: number;
  readonly method: Method;
  /** Datasets of the top-level jobs. */
  readonly datasets: readonly Dataset[];
  /** Returns the dataset at a path without its leading slash. */
  datasetAt(path: string): Dataset | undefined;
  readonly limitStop: boolean;
  readonly probeEnd: boolean;
  readonly concurrency: number;
  readonly hold: number | undefined;
  readonly maxRecords: number | undefined;
  readonly maxPages: number | undefined;
  readonly keepGoing: boolean;
  readonly login: Login | undefined;
  /** Percentage of requests that meet a fault. */
  readonly trouble: number;
  readonly stalls: boolean;
  /** True if complete answers may come in unusual ways. Some then break the connection after their end. */
  readonly odd: boolean;
  readonly doom: Doom | undefined;
  /** Longest delay of an answer, in ms. */
  readonly delay: number;
  /** Longest pause of the reader after a write, in ms; undefined if it reads without pauses. */
  readonly reader: number | undefined;
  /** Milliseconds after which the run is interrupted. */
  readonly interruptAfter: number | undefined;
  /** Number of writes after which the reader closes the pipe. */
  readonly leavesAfter: number | undefined;
}

export function createScenario(seed: number): Scenario {
  const random = createRandom(seed);
  const method = random.oneIn(4) ? "pagenum" : "offset";
  const size = random.between(1, 8);
  const jobs = random.oneIn(3) ? random.between(2, 4) : 1;
  const datasets = Array.from({ length: jobs }, (_, index) => {
    const children = random.oneIn(4) ? createChildren(random, `sub${index}`, 2) : [];
    return createDataset(random, {
      endpoint: `job${index}`,
      children,
      most: children.length > 0 ? 8 : 45,
      size,
      method,
    });
  });
  const rarely = <T>(times: number, value: T): T | undefined => (random.oneIn(times) ? value : undefined);
  return {
    seed,
    size,
    method,
    datasets,
    datasetAt: lookUp(datasets, seed, size, method),
    limitStop:
      datasets.every(({ reportsTotal, shape, children }) => {
        return reportsTotal && children.length === 0 && shape === datasets[0]?.shape;
      }) && random.oneIn(2),
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
      page: random.below(random.pick([4, 30])),
      kind: random.pick(["refused", "busy", "html", "garbled", "reset", "changed", "unauthorised"] as const),
    }),
    delay: random.pick([0, 0, 1, 4]),
    reader: random.oneIn(3) ? random.below(4) : undefined,
    interruptAfter: rarely(25, random.between(1, 60)),
    leavesAfter: rarely(25, random.between(0, 6)),
  };
}

function createLogin(random: Random): Login {
  const lifetime = random.oneIn(2) ? undefined : 0.05;
  const chosen = random.pick(["never", 0, 1, "never"] as const);
  const expires =
    lifetime !== undefined ? { response: "expires_in", relative: true } : chosen === "never" ? undefined : chosen;
  // If a token is revoked just when it is renewed, two refusals follow in a row, which is an error by the contract.
  const revocable = lifetime === undefined && expires !== 1;
  const revokeAfter = random.oneIn(2) ? random.between(1, 12) : undefined;
  return { lifetime, expires, revokeAfter: revocable ? revokeAfter : undefined };
}
