import { endpointWithSlots } from "../../core/requests/endpoint-place.ts";
import type { OwnParameter, Parameter, Request, RequestParts } from "../../core/requests/request.ts";
import type { Value, ValueObject } from "../../core/values/value.ts";
import { contextNames } from "../../expression/shape.ts";
import { readsSteps } from "../../expression/step-references.ts";
import type { Job } from "../../generated/configuration.ts";
import { credentialsInAddress } from "../../knowledge/credentials.ts";
import { endpointNames, ownParameters } from "../../pagination/index.ts";
import type { JobEnvironment } from "../environment.ts";
import { type Endpoint, evaluatedEndpoints } from "./evaluated-endpoints.ts";

/** The parts of a job, with evaluated expressions. */
export interface JobParts {
  readonly endpoints: readonly Endpoint[];
  /** True if the endpoints come from the answers to steps. */
  readonly isFromAnswers: boolean;
  /** The parameters in the job's own `params`, `query` and `headers`, without the defaults. */
  readonly parameters: readonly OwnParameter[];
  /** Returns the request for an endpoint whose placeholders are filled. */
  request(endpoint: string): Request;
}

/** The values that the expressions of one run may read, besides settings and times. */
export type Contexts = Readonly<Record<string, Value>>;

/**
 * Evaluates the expressions of a job. Throws SpileError, as `JobParts.request` does. The request to a full address from an answer
 * has only the job's own method and `params`: the default ones would break a signature in the address.
 */
export function jobParts(
  job: Job,
  { api, build, evaluate, pointers, secrets }: JobEnvironment,
  contexts: Contexts | undefined,
  pointer = pointers.get(job) ?? "",
): JobParts {
  const defaultOptions = api.http?.defaultOptions;
  const evaluateIn = (value: Value): Value => evaluate(value, contexts);
  const method = job.method ?? defaultOptions?.method ?? "GET";
  const defaults = parametersOf(defaultOptions?.params, evaluate);
  const parameters = parametersOf(job.params, evaluateIn);
  const query = parametersOf(job.query, evaluateIn);
  const params = mergeParameters(defaults, parameters);
  const jobHeaders = objectOf(job.headers, evaluateIn);
  const headers = Object.entries({ ...objectOf(defaultOptions?.headers, evaluate), ...jobHeaders });
  const ownHeaders = Object.entries(jobHeaders).map(
    ([name, value]): OwnParameter => ({ name, value, carrier: "header" }),
  );
  const style = { lists: job.lists, booleans: job.booleans };
  const isFromAnswers = isAddressFromSteps(job);
  const names = endpointNames(api.pagination, job);
  return {
    endpoints: evaluatedEndpoints(job, { pointer, isFromAnswers, evaluate: evaluateIn }),
    isFromAnswers,
    parameters: [...ownParameters(method, parameters, query), ...ownHeaders],
    request(text) {
      const endpoint = endpointWithSlots(text, names);
      if (!isFromAnswers) return build({ method, endpoint, params, query, headers, style });
      for (const carried of credentialsInAddress(endpoint)) secrets.addCarried(carried);
      const isWhole = /^https?:\/\//i.test(endpoint);
      const overrides: Partial<RequestParts> = isWhole ? { method: job.method ?? "GET", params: parameters } : {};
      return build({ method, endpoint, params, query, headers, style, ...overrides });
    },
  };
}

/** Returns whether the job's address comes from the answers to its steps. */
export function isAddressFromSteps({ endpoint, steps }: Job): boolean {
  return steps !== undefined && readsSteps(endpoint);
}

/** Merges lists. A later parameter replaces an earlier one of the same name, and keeps the place of the earlier one. */
export function mergeParameters(...lists: readonly (readonly Parameter[])[]): readonly Parameter[] {
  return [...new Map(lists.flat().map((one) => [one.name, one])).values()];
}

/** Returns whether the job's expressions read one of these contexts, so that their values differ between runs. */
export function readsAny({ params = {}, query = {}, headers = {} }: Job, contexts: readonly string[]): boolean {
  const values = [params, query, headers].flatMap((map): readonly Value[] => Object.values(map));
  return values.some((value) => contexts.some((context) => contextNames(value, context).length > 0));
}

/** Evaluates a map to parameters, in the order of the map. */
export function parametersOf(params: ValueObject | undefined, evaluate: (value: Value) => Value): readonly Parameter[] {
  return Object.entries(objectOf(params, evaluate)).map(([name, value]) => ({ name, value }));
}

export function objectOf(value: ValueObject | undefined, evaluate: (value: Value) => Value): ValueObject {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, inner]) => [name, evaluate(inner)]));
}
