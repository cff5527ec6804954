import { type Parameter, type QueryItem, type Request, withParameters } from "../core/request.ts";

/** The parameters of a request, from wherever its method carries them; pieces of its address are none. */
export function parametersOf(request: Request): readonly Parameter[] {
  return [...request.query, ...(request.body ?? [])].filter((item): item is Parameter => "value" in item);
}

/** The pieces of the query that stand in the address itself. */
export function addressQuery(request: Request): readonly QueryItem[] {
  return request.query.filter((item) => "raw" in item);
}

/** A request without the job's parameters (GE, `includeParams: false`): its address keeps its query, and the defaults stay. */
export function withoutOwnParameters(request: Request, defaults: readonly Parameter[]): Request {
  const bare = { ...request, query: addressQuery(request), body: request.body === undefined ? undefined : [] };
  return withParameters(bare, defaults);
}
