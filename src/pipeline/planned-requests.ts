import { type Compiled, createCompiler } from "../compile/compile.ts";
import { type JobPlan, openingRuns, type Start, type StepsStart } from "../compile/plan.ts";
import type { Sender } from "../compile/sending/senders.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { withSignalTurns } from "../core/blocking-work.ts";
import type { Request, WireRequest } from "../core/requests/request.ts";
import type { RunOptions } from "../core/runs/run.ts";
import { timeOf } from "../resume/journal.ts";
import { noState, readState } from "../resume/state-file.ts";
import { assumedPosition } from "./assumed-page.ts";

/** One request that a run would send, with its secrets. */
export interface PlannedRequest {
  /** Number of the iteration, from 0. */
  readonly iteration: number;
  readonly wire: WireRequest;
  /** For a login, the name of its authentication; absent for a page and for the login of `api.authentication`. */
  readonly authentication?: string | undefined;
  /** Absent for a login. */
  readonly page?: {
    readonly plan: JobPlan;
    readonly number: number;
    /** Assumptions about the pages before the requested one. */
    readonly assuming?: string;
    /** Name of the step that sends the request before the page. */
    readonly step?: string;
  };
}

export interface PlanOptions {
  readonly sendLogin: boolean;
  /** Number of the page to show for each job, from 1. */
  readonly page: number;
}

/**
 * Yields the requests that a run would send first: in each iteration, the logins that its jobs need, and for each run with which
 * a top-level job begins, its first step, else its first page or a later page that can be foreseen. Without `sendLogin`,
 * nothing is sent, and values from a login's answer are `***`. With it, the logins are sent as often as the jobs need them. Throws
 * the errors that `run` would report.
 */
export async function* plannedRequests(
  loaded: LoadedConfiguration,
  options: RunOptions,
  planOptions: PlanOptions,
): AsyncGenerator<PlannedRequest> {
  const path = typeof options.state === "string" ? options.state : undefined;
  const before = path === undefined ? noState : await readState(path, options.signal);
  const time = timeOf(before, path ?? "", Math.floor(Date.now() / 1000));
  const iterations: Compiled[] = [];
  const compiler = createCompiler(loaded, time, options);
  try {
    for await (const compiled of compiler.compileAll()) iterations.push(compiled);
    for (const compiled of iterations) yield* requestsOfIteration(compiled, options, planOptions);
  } finally {
    compiler.close();
  }
}

async function* requestsOfIteration(
  { iteration, jobs, senderOf }: Compiled,
  options: RunOptions,
  { sendLogin, page }: PlanOptions,
): AsyncGenerator<PlannedRequest> {
  const { signal } = options;
  const loggedIn = new Set<Sender>();
  for await (const plan of withSignalTurns(jobs, signal)) {
    const sender = senderOf(plan);
    const { session, authenticator, name } = sender;
    for (const start of openingRuns(plan)) {
      const found = "steps" in start ? firstStep(start, page) : plannedPage(plan, start, page);
      if (found === undefined) {
        const message = `there is no page ${page}: ${plan.paging()}`;
        options.emit({ event: "warning", level: "info", message, job: plan.label });
        continue;
      }
      const { planned, ...details } = found;
      let { login, request } = await session.preview(planned, { signal, authenticator, sendLogin: false });
      if (login !== undefined && !loggedIn.has(sender)) yield { iteration, wire: login, authentication: name };
      if (login !== undefined && sendLogin) {
        ({ request } = await session.preview(planned, { signal, authenticator, sendLogin }));
      }
      if (login !== undefined) loggedIn.add(sender);
      yield { iteration, wire: request, page: { plan, number: page, ...details } };
    }
  }
}

/** The request of a page that can be foreseen, or of a first step. */
interface Foreseen {
  readonly planned: Request;
  readonly assuming?: string;
  readonly step?: string;
}

/** Returns the request of the first step. Later requests depend on its answer. */
function firstStep({ steps, run }: StepsStart, page: number): Foreseen | undefined {
  const [step] = steps;
  return page > 1 || step === undefined ? undefined : { planned: step.request(run).request, step: step.name };
}

function plannedPage(plan: JobPlan, { request, parameters }: Start, page: number): Foreseen | undefined {
  const first = plan.scroll.start(parameters, Date.now());
  const found = page === 1 ? { position: first } : foreseen(plan, request, first, page);
  if (found === undefined) return undefined;
  const assuming = "assuming" in found ? { assuming: found.assuming } : {};
  return { planned: plan.scroll.request(request, found.position), ...assuming };
}

function foreseen(
  { scroll }: JobPlan,
  firstRequest: Request,
  first: ReturnType<JobPlan["scroll"]["start"]>,
  number: number,
): ReturnType<typeof assumedPosition> {
  // Relative addresses of next pages are resolved against `url`.
  return assumedPosition(scroll, first, { number, url: firstRequest.url, now: Date.now() });
}
