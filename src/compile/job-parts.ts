import type { Parameter, Request } from "../core/request.ts";
import type { Value, ValueObject } from "../core/value.ts";
import { contextNames } from "../expression/shape.ts";
import type { Job } from "../generated/configuration.ts";
import type { JobEnvironment } from "./environment.ts";
import { type Endpoint, evaluatedEndpoints } from "./evaluated-endpoints.ts";

/** What a job's expressions come to. */
export interface JobParts {
  readonly endpoints: readonly Endpoint[];
  /** The job's own parameters, without the defaults. */
  readonly parameters: readonly Parameter[];
  /** The request of an endpoint whose placeholders are filled. */
  request(endpoint: string): Request;
}

/** Values that expressions of one run may read beside settings and times. */
export type Contexts = Readonly<Record<string, Value>>;

/** The expressions of a job evaluated. Throws SpileError, as `JobParts.request` does. */
export function jobParts(
  job: Job,
  { api, build, evaluate, pointers }: JobEnvironment,
  contexts: Contexts | undefined,
): JobParts {
  const given = api.http?.defaultOptions;
  const evaluated = (value: Value): Value => evaluate(value, contexts);
  const method = job.method ?? given?.method ?? "GET";
  const defaults = parametersOf(given?.params, evaluate);
  const parameters = parametersOf(job.params, evaluated);
  const params = [...new Map([...defaults, ...parameters].map((one) => [one.name, one])).values()];
  const headers = Object.entries({ ...objectOf(given?.headers, evaluate), ...objectOf(job.headers, evaluated) });
  const style = { lists: job.lists, booleans: job.booleans };
  return {
    endpoints: evaluatedEndpoints(job, pointers.get(job) ?? "", evaluated),
    parameters,
    request: (endpoint) => build({ method, endpoint, params, headers, style }),
  };
}

/** Do the job's expressions read one of these contexts, so that they come to something else in each run? */
export function readsAny({ params = {}, headers = {} }: Job, contexts: readonly string[]): boolean {
  const values = [...Object.values(params), ...Object.values(headers)];
  return values.some((value) => contexts.some((context) => contextNames(value, context).length > 0));
}

/** The parameters that a map comes to, in its order. */
export function parametersOf(params: ValueObject | undefined, evaluate: (value: Value) => Value): readonly Parameter[] {
  return Object.entries(objectOf(params, evaluate)).map(([name, value]) => ({ name, value }));
}

function objectOf(value: ValueObject | undefined, evaluate: (value: Value) => Value): ValueObject {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, inner]) => [name, evaluate(inner)]));
}
