import { type Compiled, compile } from "../compile/compile.ts";
import type { LoadedConfiguration } from "../config/loaded.ts";
import { shownAddress, shownHeader } from "../core/credential-headers.ts";
import type { HeaderMap, WireRequest } from "../core/request.ts";
import type { RunOptions } from "../core/run.ts";
import { readState } from "../resume/state-file.ts";

/** One request that a run would begin with; every text masked. */
export interface PlannedRequest {
  readonly request: "login" | "page";
  /** From 1; absent where the configuration has no iterations. */
  readonly iteration?: number;
  readonly job?: string;
  readonly dataType?: string;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The job's paging in words. */
  readonly paging?: string;
  /** Labels of the jobs that are run for each of its records. */
  readonly children?: readonly string[];
}

/**
 * The requests that a run would send first: each iteration's login, where its jobs need one, and each top-level job's
 * first page. Nothing is sent, and what the login would answer is `***`; with `sendLogin` the logins alone are really
 * sent, as often as the jobs need them. Throws what `run` would tell.
 */
export async function* plannedRequests(
  loaded: LoadedConfiguration,
  options: RunOptions,
  { sendLogin }: { readonly sendLogin: boolean },
): AsyncGenerator<PlannedRequest> {
  const before = options.state === undefined ? undefined : await readState(options.state);
  const time = { currentStart: Math.floor(Date.now() / 1000), previousStart: before?.previousStart ?? 0 };
  const runs: Compiled[] = [];
  try {
    for (const iteration of loaded.configs.keys()) {
      const compiled = await compile(loaded, iteration, time, options);
      runs.push(compiled);
      for (const message of compiled.warnings) options.emit({ event: "warning", level: "warning", message });
    }
    for (const [index, compiled] of runs.entries()) {
      const iteration = runs.length > 1 ? { iteration: index + 1 } : {};
      for await (const planned of ofRun(compiled, options, sendLogin)) yield { ...iteration, ...planned };
    }
  } finally {
    for (const { session } of runs) session.close();
  }
}

async function* ofRun(
  { jobs, session, authenticator }: Compiled,
  { signal, secrets }: RunOptions,
  sendLogin: boolean,
): AsyncGenerator<PlannedRequest> {
  const mask = (text: string): string => secrets.mask(text);
  let loginShown = false;
  for (const plan of jobs) {
    for (const { request: own, parameters } of plan.runs({ parents: [], inherited: [] })) {
      const first = plan.scroll.request(own, plan.scroll.start(parameters, Date.now()));
      let { login, request } = await session.preview(first, { signal, authenticator, sendLogin: false });
      if (login !== undefined && !loginShown) yield { request: "login", ...shown(login, mask) };
      if (login !== undefined && sendLogin) {
        ({ request } = await session.preview(first, { signal, authenticator, sendLogin }));
      }
      loginShown ||= login !== undefined;
      yield {
        request: "page",
        job: mask(plan.label),
        dataType: mask(plan.dataType),
        ...shown(request, mask),
        paging: mask(plan.paging),
        ...(plan.children.length === 0 ? {} : { children: plan.children.map((child) => mask(child.plan.label)) }),
      };
    }
  }
}

type Mask = (text: string) => string;

function shown({ method, url, headers, body }: WireRequest, mask: Mask): Omit<PlannedRequest, "request"> {
  return {
    method,
    url: shownAddress(url, mask),
    headers: shownHeaders(headers, mask),
    ...(body === undefined ? {} : { body: mask(body) }),
  };
}

function shownHeaders(headers: HeaderMap, mask: Mask): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers.values()].map(([name, value]) => [name, shownHeader(name, value, mask)]));
}
