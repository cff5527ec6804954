import type { Build, Request, Send, WireRequest } from "../core/requests/request.ts";
import type { Emit } from "../core/runs/event.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import type { Value, ValueObject } from "../core/values/value.ts";
import type { OauthCredentials } from "../generated/configuration.ts";

/** The steps of a login. `contexts`: the values that they may read besides settings and times. */
export interface LoginSteps {
  first(contexts: Readonly<Record<string, Value>>): Request;
  /** Sends the requests of all steps. Returns the document that `{"step": ...}` reads. Rejects with SpileError. */
  ask(contexts: Readonly<Record<string, Value>>): Promise<ValueObject>;
}

/** Everything that an authentication may use. Authentications send, evaluate and report only through these functions. */
export interface AuthenticationOptions {
  /** `config`, flattened (contract C-4.3). */
  readonly settings: ReadonlyMap<string, Value>;
  /** Evaluates expressions. `contexts`: the values that they may read besides settings and times, by the name of the context. */
  evaluate(value: Value, contexts?: Readonly<Record<string, Value>>): Value;
  /**
   * Builds login requests. They get the headers for all requests (`api.http.headers`, `config.http.headers`), but not
   * `api.http.defaultOptions`.
   */
  readonly build: Build;
  /** Sends login requests. */
  readonly send: Send;
  /** Returns a request as it is sent. The contexts `query` and `request` are made from the result. */
  serialize(request: Request): WireRequest;
  /** The steps before the login request. */
  readonly steps?: LoginSteps | undefined;
  readonly secrets: Secrets;
  readonly emit: Emit;
  /** Returns the wall clock, in milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds since a fixed moment, by a clock that never goes back. `performance.now` if absent. */
  elapsed?(): number;
  /** Returns a text that is used for one request only. If absent, the text is random. */
  nonce?(): string;
  /** Reserves disk space for the values that `remember` keeps. Called before the login is sent. */
  reserve?: (() => Promise<void>) | undefined;
  /** Keeps values of a login's answer for later logins, even in later runs. Resolves once they are on the disk. */
  remember?: ((values: ReadonlyMap<string, string>) => Promise<void>) | undefined;
  /** `authorization.oauth_api.credentials` of the configuration. */
  readonly oauth?: OauthCredentials | undefined;
}
