import { isObject, type Value } from "../core/values/value.ts";
import type { Api, Authentication, Aws, Configuration, RetryConfig } from "../generated/configuration.ts";

/** The JSON pointers of the parts of a document. */
export interface Bases {
  /** The object that contains `api` and `config`. */
  readonly sections: string;
  readonly authorization: string;
}

export function basesOf(document: Value): Bases {
  if (!isObject(document) || document.parameters === undefined)
    return { sections: "", authorization: "/authorization" };
  const { parameters, authorization } = document;
  const inner = authorization === undefined && isObject(parameters) && parameters.authorization !== undefined;
  return { sections: "/parameters", authorization: inner ? "/parameters/authorization" : "/authorization" };
}

/**
 * Returns the sections of a coerced document (`api`, `config` and the others) as one object. Fields that Generic Extractor accepts in
 * old or alternative places are moved to their current places.
 */
export function sectionsOf(document: Value): Configuration {
  const { parameters, ...outer } = isObject(document) ? document : {};
  const sections = { ...(isObject(parameters) ? parameters : {}), ...outer } as unknown as Configuration;
  return sections.api === undefined ? sections : { ...sections, api: currentApi(sections.api, sections.aws) };
}

function currentApi({ authentication: given, query, retryConfig, ...api }: Api, aws: Aws | undefined): Api {
  const authentication = currentAuthentication(given, query, aws);
  return {
    ...api,
    ...(authentication === undefined ? {} : { authentication }),
    ...(retryConfig === undefined ? {} : { retryConfig: currentRetries(retryConfig) }),
  };
}

function currentAuthentication(authentication: Authentication | undefined, query: Api["query"], aws: Aws | undefined) {
  if (authentication === undefined) {
    const credentials = aws?.signature?.credentials;
    return credentials === undefined ? undefined : ({ type: "aws.signature", credentials } as const);
  }
  if (authentication.type !== "query" && authentication.type !== "url.query") return authentication;
  const hasQuery = Object.keys(authentication.query ?? {}).length > 0;
  return hasQuery || query === undefined ? authentication : { ...authentication, query };
}

/** Moves fields of `retryConfig` from their old places to the current ones. */
export function currentRetries({ headerName, httpCodes, http, ...rest }: RetryConfig): RetryConfig {
  const maxRetries = rest.maxRetries ?? http?.maxRetries;
  const codes = http?.codes ?? httpCodes;
  const retryHeader = http?.retryHeader ?? headerName;
  return {
    ...rest,
    ...(maxRetries === undefined ? {} : { maxRetries }),
    http: { ...(codes === undefined ? {} : { codes }), ...(retryHeader === undefined ? {} : { retryHeader }) },
  };
}
