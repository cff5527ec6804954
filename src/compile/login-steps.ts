import type { LoginSteps } from "../authentication/environment.ts";
import type { Build, Request } from "../core/request.ts";
import type { StepAnswer } from "../core/step-answer.ts";
import type { Value } from "../core/value.ts";
import type { Api, Authentication, LoginAuthentication } from "../generated/configuration.ts";
import type { Session } from "../http/session.ts";
import { contextOf } from "../steps/answer.ts";
import { askSteps, type StepSettings } from "../steps/ask-steps.ts";
import { compileSteps, type Step, type StepRun } from "../steps/step.ts";

export interface LoginStepsParts {
  readonly session: Session;
  readonly stepping: StepSettings;
  readonly build: Build;
  evaluate(value: Value, contexts?: Readonly<Record<string, Value>>): Value;
  readonly signal: AbortSignal;
}

const run: StepRun = { contexts: {}, fill: (endpoint) => endpoint };

/** The steps of a login, asked anew for each; like its own request they get nothing of `api.http.defaultOptions`. */
export function loginSteps(
  { authentication, retryConfig }: Api,
  { session, stepping, build, evaluate, signal }: LoginStepsParts,
): LoginSteps | undefined {
  const configured = stepsOf(authentication);
  if (configured === undefined) return undefined;
  const { endpoint, params = {}, headers = {} } = configured.loginRequest;
  const steps: readonly Step[] = compileSteps(configured.steps, {
    at: "/api/authentication/steps",
    evaluate,
    build: (parts) => build({ ...parts, headers: Object.entries(parts.headers) }),
    readers: [{ endpoint, params, headers }],
    retryHeader: retryConfig?.http?.retryHeader,
  });
  const first = (): Request => {
    const [step] = steps;
    if (step === undefined) throw new Error("a login has no first step");
    return step.request(run).request;
  };
  return {
    first,
    async ask() {
      const answers = askSteps(steps, [], run, {
        ...stepping,
        rules: [],
        owner: {},
        login: true,
        signal,
        exchange: ({ request, given }, { step, rules }) =>
          session.loginExchange(request, { signal, given, step, rules }),
      });
      const found: StepAnswer[] = [];
      for await (const answer of answers) found.push(answer);
      return contextOf(found);
    },
  };
}

function stepsOf(
  authentication: Authentication | undefined,
): Required<Pick<LoginAuthentication, "steps" | "loginRequest">> | undefined {
  if (authentication?.type !== "login") return undefined;
  const { steps = [], loginRequest } = authentication;
  return steps.length === 0 ? undefined : { steps, loginRequest };
}
