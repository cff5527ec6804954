import type { StepAnswer } from "../../core/runs/step-answer.ts";
import type { Regulator } from "../../http/pacing/regulator.ts";
import { askSteps, type StepSettings } from "../../steps/ask-steps.ts";
import { windowName } from "../job-run.ts";
import type { OpenedSteps, Page, StepsToAsk } from "../page.ts";

/** The dependencies that all iterations need to send requests. */
export interface SendingOptions {
  readonly regulator: Regulator | undefined;
  readonly stepping: StepSettings;
}

/** Asks steps, before their turn too: an export takes its time. */
export function openSteps(page: Page, { steps, run, knownAnswers }: StepsToAsk, options: SendingOptions): OpenedSteps {
  const { session, authenticator } = page.client.senderOf(page.run.plan);
  const { regulator, stepping } = options;
  const { label, dataType, policy, rates } = page.run.plan;
  const owner = { job: label, dataType, window: windowName(page.run) };
  const counts = { requests: 0, retries: 0 };
  const answers = askSteps(steps, knownAnswers, run, {
    ...stepping,
    owner,
    policy,
    login: false,
    signal: page.signal,
    exchange: ({ request }, step) =>
      session.exchange(request, { signal: page.signal, authenticator, regulator, rates, ...owner, ...step }),
    ended({ requests, retries }) {
      counts.requests += requests;
      counts.retries += retries;
    },
  });
  return { page, answers: eager(answers, steps.length - knownAnswers.length + 1), counts: () => counts };
}

/** Requests all values of a generator at once, so that it goes on before anybody reads them. */
function eager(
  source: AsyncGenerator<StepAnswer, string | undefined>,
  count: number,
): AsyncGenerator<StepAnswer, string | undefined> {
  const nextAnswers = Array.from({ length: count }, () => source.next());
  // A failure ahead of its turn is handled when the turn comes, and never if it does not come.
  for (const one of nextAnswers) one.catch(() => undefined);
  return (async function* () {
    for (const one of nextAnswers) {
      const { done, value } = await one;
      if (done === true) return value;
      yield value;
    }
    return undefined;
  })();
}
