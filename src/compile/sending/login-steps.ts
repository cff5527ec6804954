import type { LoginSteps } from "../../authentication/environment.ts";
import { loginOf } from "../../authentication/index.ts";
import type { Build } from "../../core/requests/request.ts";
import type { StepAnswer } from "../../core/runs/step-answer.ts";
import type { Value } from "../../core/values/value.ts";
import type { Authentication, RetryConfig } from "../../generated/configuration.ts";
import { answerPolicy } from "../../http/exchange/answer-policy.ts";
import type { Session } from "../../http/exchange/session.ts";
import { contextOf } from "../../steps/answer.ts";
import { type AskOptions, askSteps } from "../../steps/ask-steps.ts";
import { compileSteps, type Step, type StepRun } from "../../steps/step.ts";
import { retriesOf } from "../jobs/answer-policies.ts";

export interface LoginStepsOptions {
  /** Pointer of `steps`. */
  readonly pointer: string;
  readonly retryConfig: RetryConfig | undefined;
  readonly session: Session;
  readonly stepping: AskOptions;
  readonly build: Build;
  evaluate(value: Value, contexts?: Readonly<Record<string, Value>>): Value;
  readonly signal: AbortSignal;
}

/** Returns the steps of a login; undefined if it has none. Like its own request, they do not use `api.http.defaultOptions`. */
export function loginSteps(
  authentication: Authentication | undefined,
  { pointer, retryConfig, session, stepping, build, evaluate, signal }: LoginStepsOptions,
): LoginSteps | undefined {
  const { steps: configured = [], loginRequest } = loginOf(authentication) ?? {};
  if (configured.length === 0) return undefined;
  const { endpoint = "", params = {}, headers = {} } = loginRequest ?? {};
  // Rules for answers do not apply to logins.
  const policy = answerPolicy({ retry: retriesOf({ retryConfig }) });
  const steps: readonly Step[] = compileSteps(configured, {
    pointer,
    evaluate,
    build: (parts) => build({ ...parts, headers: Object.entries(parts.headers) }),
    readers: [{ endpoint, params, headers }],
    retryHeader: policy.retryHeader,
  });
  const run = (contexts: StepRun["contexts"]): StepRun => ({ contexts, fill: (path) => path });
  return {
    first(contexts) {
      const [step] = steps;
      if (step === undefined) throw new Error("a login has no first step");
      return step.request(run(contexts)).request;
    },
    async ask(contexts) {
      const answers = askSteps(steps, [], run(contexts), {
        ...stepping,
        policy,
        owner: {},
        login: true,
        signal,
        exchange: ({ request, isFromAnswer }, step) =>
          session.loginExchange(request, { signal, isFromAnswer, ...step }),
      });
      const found: StepAnswer[] = [];
      for await (const answer of answers) found.push(answer);
      return contextOf(found);
    },
  };
}
