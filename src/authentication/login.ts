import { checkScheme } from "../config/address-scheme.ts";
import { type ErrorKind, type Fault, SpileError } from "../core/errors.ts";
import type { Authenticator } from "../core/requests/authenticator.ts";
import type { Request } from "../core/requests/request.ts";
import { warningEvent } from "../core/runs/event.ts";
import { type ConfiguredSource, sourceOf, sourceText } from "../core/runs/response-source.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { printable } from "../core/text/printable.ts";
import { pointerTo } from "../core/values/path.ts";
import { scalarText, type Value, type ValueObject } from "../core/values/value.ts";
import { type ExpressionPlace, placeAt } from "../expression/place.ts";
import { isSource } from "../expression/shape.ts";
import { readsSteps } from "../expression/step-references.ts";
import type { ApiRequest, LoginAuthentication, LoginRequest } from "../generated/configuration.ts";
import { failureReason } from "../knowledge/failure.ts";
import { attach, unknownAnswer } from "./attachment.ts";
import type { AuthenticationCheckOptions, AuthenticationType } from "./authentication-type.ts";
import type { AuthenticationOptions } from "./environment.ts";
import { evaluateAt } from "./evaluation.ts";
import { createLease, type Renewed } from "./lease.ts";
import { lifetimeOf, lifetimeText } from "./lifetime.ts";
import { answerValue, type LoginAnswer, loginAnswer } from "./login-answer.ts";

/** A login: a request for temporary credentials, which spile then adds to every request (contract C-5). */
export const login = {
  create: (authentication, options) => loginWith(authentication, options, {}),
  places: (authentication, pointer) => loginPlaces(authentication, pointer, []),
  headers: ({ apiRequest }) => Object.keys(apiRequest?.headers ?? {}),
  loginContexts: [],
  check: checkLogin,
} satisfies AuthenticationType<LoginAuthentication>;

type LoginParts = Pick<LoginAuthentication, "loginRequest" | "steps" | "apiRequest">;

/**
 * Returns the places of the expressions in a login's request and in `apiRequest`. `extraContexts`: the contexts that the login's
 * request may read besides `step`.
 */
export function loginPlaces(
  { loginRequest, steps, apiRequest }: LoginParts,
  pointer: string,
  extraContexts: readonly string[],
): readonly ExpressionPlace[] {
  const contexts = steps === undefined ? extraContexts : [...extraContexts, "step"];
  const { endpoint } = loginRequest ?? {};
  const address = typeof endpoint === "string" ? undefined : endpoint;
  return [
    ...placeAt(pointerTo(pointer, "loginRequest", "endpoint"), address, contexts, "expression"),
    ...placeAt(pointerTo(pointer, "loginRequest", "params"), loginRequest?.params, contexts),
    ...placeAt(pointerTo(pointer, "loginRequest", "headers"), loginRequest?.headers, contexts, "headers"),
    ...placeAt(pointerTo(pointer, "apiRequest", "headers"), apiRequest?.headers, ["response"], "paths"),
    ...placeAt(pointerTo(pointer, "apiRequest", "query"), apiRequest?.query, ["response"], "paths"),
    ...parameterPlaces(apiRequest?.params, pointerTo(pointer, "apiRequest", "params")),
  ];
}

function parameterPlaces(params: ApiRequest["params"], pointer: string): readonly ExpressionPlace[] {
  if (!Array.isArray(params)) return placeAt(pointer, params as ValueObject | undefined, ["response"], "paths");
  return params.flatMap(({ value }, index) =>
    placeAt(pointerTo(pointer, index, "value"), value, ["response"], "expression"),
  );
}

export function checkLogin(
  { loginRequest, remember, expires }: LoginParts & Pick<LoginAuthentication, "remember" | "expires">,
  { pointer, settings }: AuthenticationCheckOptions,
): Fault[] {
  const { endpoint } = loginRequest ?? {};
  return [
    ...(typeof endpoint === "string" ? checkScheme(endpoint, pointerTo(pointer, "loginRequest", "endpoint")) : []),
    ...rememberFaults(remember, settings, pointerTo(pointer, "remember")),
    ...(typeof expires === "object" ? sourceFaults(expires.response, pointerTo(pointer, "expires", "response")) : []),
    ...Object.entries(remember ?? {}).flatMap(([name, source]) =>
      sourceFaults(source, pointerTo(pointer, "remember", name)),
    ),
  ];
}

/** Returns a fault if a source is not a place in a login's answer. */
function sourceFaults(source: ConfiguredSource, pointer: string): Fault[] {
  if (typeof source !== "object" || isSource(source)) return [];
  return [{ pointer, message: 'must be a path, {"path": ...} or {"header": ...} of the login\'s answer' }];
}

/** Creates the authenticator of a login. `contexts`: values that the login's request may read besides settings, times and steps. */
export function loginWith(
  authentication: Pick<LoginAuthentication, "loginRequest" | "apiRequest" | "expires" | "format" | "remember">,
  options: AuthenticationOptions,
  contexts: Readonly<Record<string, Value>>,
): Authenticator {
  const { loginRequest, apiRequest = {}, expires, format = "json", remember = {} } = authentication;
  const { send, secrets, emit } = options;
  let hasWarned = false;

  const renew = async (): Promise<Renewed<LoginAnswer>> => {
    await options.reserve?.();
    const step = await options.steps?.ask(contexts).catch(explain);
    const visibleContexts = step === undefined ? contexts : { ...contexts, step };
    const request = loginRequestOf(loginRequest, options, visibleContexts);
    const { accept } = loginRequest;
    const response = await send(request, { accept, isFromAnswer: readsSteps(loginRequest.endpoint) }).catch(explain);
    const answer = loginAnswer(response, format, secrets, accept);
    // These values are remembered first: even if the rest of the answer is wrong, the server may already refuse the old token.
    const { values, missing } = rememberedOf(remember, answer, secrets);
    if (values.size > 0) await options.remember?.(values);
    const lifetime = withReason(answer, secrets, () => {
      const found = lifetimeOf(expires, answer, options.now());
      // The answer is attached to the login's own request as a test, so that a login whose answer lacks a value never counts as a
      // success.
      attach(apiRequest, answer, request, options);
      return found;
    });
    if (missing.length > 0 && !hasWarned) emit(warningEvent(missingText(remember, missing)));
    hasWarned ||= missing.length > 0;
    emit({
      event: "login",
      level: "info",
      message: `logged in; ${lifetimeText(lifetime)}`,
      method: request.method === "GET" ? "GET" : "POST",
      url: printable(secrets.mask(request.url)),
      status: response.status,
    });
    return { value: answer, lifetime };
  };

  const lease = createLease(renew, {
    now: () => options.now(),
    elapsed: () => options.elapsed?.() ?? performance.now(),
  });
  return {
    async authorize(request, signal) {
      const leased = await lease.take(signal);
      return {
        request: () => attach(apiRequest, leased.value, request, options),
        isNew: leased.isNew,
        isValid: leased.isValid,
        refused: () => {
          leased.drop();
          return true;
        },
      };
    },
    preview: (request) => ({
      login: options.steps?.first(contexts) ?? loginRequestOf(loginRequest, options, contexts),
      request: () => attach(apiRequest, unknownAnswer, request, options),
    }),
  };
}

/** Runs `read`. If it throws an authentication error, adds to its message the reason that the API's answer gives. */
function withReason<T>({ document }: LoginAnswer, secrets: Secrets, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const reason = failureReason(document);
    if (!(error instanceof SpileError) || error.kind !== "authentication" || reason === undefined) throw error;
    const message = `${error.message}; the API says: ${secrets.mask(reason)}`;
    throw new SpileError(error.kind, message, {
      cause: error,
      pointer: error.pointer ?? "/api/authentication/loginRequest",
    });
  }
}

function loginRequestOf(
  { method, endpoint, params = {}, headers = {} }: LoginRequest,
  options: AuthenticationOptions,
  contexts: Readonly<Record<string, Value>>,
): Request {
  const { secrets } = options;
  const evaluateAll = (field: string, entries: ValueObject): (readonly [name: string, value: Value])[] =>
    Object.entries(entries).map(([name, value]) => {
      // A configuration may contain a password in plain text. The name of the parameter shows that it is a secret.
      if (typeof value === "string" && sensitive.test(name)) secrets.add(value);
      const pointer = pointerTo(`/api/authentication/loginRequest/${field}`, name);
      return [name, evaluateAt(pointer, value, contexts, options, missingValueKind(contexts))] as const;
    });
  return options.build({
    method,
    endpoint: endpointOf(endpoint, options, contexts),
    params: evaluateAll("params", params).map(([name, value]) => ({ name, value })),
    headers: evaluateAll("headers", headers),
  });
}

function endpointOf(
  endpoint: LoginRequest["endpoint"],
  options: AuthenticationOptions,
  contexts: Readonly<Record<string, Value>>,
): string {
  if (typeof endpoint === "string") return endpoint;
  const pointer = "/api/authentication/loginRequest/endpoint";
  const found = evaluateAt(pointer, endpoint, contexts, options, missingValueKind(contexts));
  if (typeof found === "string" && found !== "") return found;
  throw new SpileError(missingValueKind(contexts), "does not evaluate to a text; it must be an address or a path", {
    pointer,
  });
}

/** Returns the kind of the error for a missing value. After steps it is `data`, because the value may come from their answers. */
function missingValueKind(contexts: Readonly<Record<string, Value>>): ErrorKind {
  return Object.hasOwn(contexts, "step") ? "data" : "configuration";
}

const sensitive = /pass|pwd|secret|token|key|auth|sign|credential|assertion/i;

/** Rethrows an error of the same kind whose message says that the login failed. */
function explain(error: unknown): never {
  if (!(error instanceof SpileError)) throw error;
  throw new SpileError(error.kind, `the login failed: ${error.message}`, {
    cause: error,
    pointer: error.pointer ?? "/api/authentication/loginRequest",
  });
}

type Remember = LoginAuthentication["remember"];

/** The new values of settings, and the names of the settings for which the answer has no value. */
interface Remembered {
  readonly values: ReadonlyMap<string, string>;
  readonly missing: readonly string[];
}

/**
 * Reads the values of a login's answer that become settings for later logins (contract C-20.2). A setting whose value is
 * absent, null, false or "" in the answer stays unchanged. Throws SpileError `authentication` for a list or an object.
 */
function rememberedOf(remember: NonNullable<Remember>, answer: LoginAnswer, secrets: Secrets): Remembered {
  const missingNames: string[] = [];
  const values = new Map<string, string>();
  for (const [name, source] of Object.entries(remember)) {
    const found = answerValue(answer, source) ?? null;
    const text = found === null ? "" : scalarText(found);
    if (text === "") {
      missingNames.push(name);
      continue;
    }
    if (text === undefined) {
      throw new SpileError(
        "authentication",
        `the login's answer has an object or a list ${sourceText(sourceOf(source))}, but the setting ${JSON.stringify(name)} needs a text, a number or a boolean`,
        {
          pointer: pointerTo("/api/authentication/remember", name),
        },
      );
    }
    secrets.add(text);
    values.set(name, text);
  }
  return { values, missing: missingNames };
}

/** Returns the warning that a login's answer has no value for some settings, which keep their old values. */
function missingText(remember: NonNullable<Remember>, missing: readonly string[]): string {
  const places = missing.map((name) => `${sourceText(sourceOf(remember[name] ?? ""))} for ${JSON.stringify(name)}`);
  return `the login's answer has nothing ${places.join(" or ")}: "remember" keeps the old values`;
}

/** Returns a fault for each name that is not a setting: only an existing setting can get another value. */
function rememberFaults(remember: Remember, settings: { has(name: string): boolean }, pointer: string): Fault[] {
  return Object.keys(remember ?? {})
    .filter((name) => !settings.has(name))
    .map((name) => ({
      pointer: pointerTo(pointer, name),
      message: `there is no setting ${JSON.stringify(name)} in "config", which must contain its value for the first login`,
    }));
}
