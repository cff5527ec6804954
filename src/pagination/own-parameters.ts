import {
  type OwnParameter,
  type Parameter,
  type QueryItem,
  type Request,
  withParameters,
} from "../core/requests/request.ts";

/** Returns a job's parameters and those of its `query`, each with the part of the request that carries it. */
export function ownParameters(
  method: string | undefined,
  params: readonly Parameter[],
  query: readonly Parameter[],
): readonly OwnParameter[] {
  if (method === undefined || method.toUpperCase() === "GET") return [...params, ...query];
  return [
    ...params.map((one): OwnParameter => ({ ...one, carrier: "body" })),
    ...query.map((one): OwnParameter => ({ ...one, carrier: "query" })),
  ];
}

/** Returns the parameters of a request's query, without the pieces of its address. */
export function queryParameters({ query }: Request): readonly Parameter[] {
  return query.filter((item): item is Parameter => "value" in item);
}

/** Returns the pieces of the query that are part of the address itself. */
export function addressQuery(request: Request): readonly QueryItem[] {
  return request.query.filter((item) => "raw" in item);
}

/**
 * Returns a request without the job's parameters (`includeParams: false`). As in Generic Extractor, its address keeps its query, and
 * the default parameters stay.
 */
export function withoutOwnParameters(request: Request, defaults: readonly Parameter[]): Request {
  const withoutParameters = {
    ...request,
    query: addressQuery(request),
    body: request.body === undefined ? undefined : [],
  };
  return withParameters(withoutParameters, defaults);
}
