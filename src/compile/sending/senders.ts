import type { AuthenticationOptions } from "../../authentication/environment.ts";
import { createAuthenticator, loginOf } from "../../authentication/index.ts";
import type { LoadedConfiguration } from "../../config/loaded.ts";
import { ConfigurationError, SpileError } from "../../core/errors.ts";
import type { Authenticator } from "../../core/requests/authenticator.ts";
import type { Build } from "../../core/requests/request.ts";
import type { Emit } from "../../core/runs/event.ts";
import type { RememberedSettings, RunOptions } from "../../core/runs/run.ts";
import { pointerTo } from "../../core/values/path.ts";
import type { Value } from "../../core/values/value.ts";
import { type Context, evaluate } from "../../expression/evaluate.ts";
import type { Authentication, RunConfig } from "../../generated/configuration.ts";
import type { Connections } from "../../http/connection/connections.ts";
import { createSession, type Session } from "../../http/exchange/session.ts";
import { serialize } from "../../http/requests/request.ts";
import type { AskOptions } from "../../steps/ask-steps.ts";
import type { JobPlan } from "../plan.ts";
import { sessionOptions } from "./client.ts";
import { loginSteps } from "./login-steps.ts";

/** Sends and authorises the requests of all jobs with the same authentication. */
export interface Sender {
  /** Name of the authentication in `api.authentications`; absent for `api.authentication`, and for none. */
  readonly name?: string | undefined;
  readonly session: Session;
  readonly authenticator: Authenticator | undefined;
}

/** Sends the requests of an iteration. */
export interface Client {
  senderOf(plan: Pick<JobPlan, "authentication">): Sender;
  /** Returns the number of logins so far. */
  logins(): number;
}

export interface ClientParts {
  readonly loaded: LoadedConfiguration;
  readonly config: RunConfig;
  readonly context: Context;
  /** The settings of the iteration. A login with `remember` changes them. */
  readonly settings: Map<string, Value>;
  readonly build: Build;
  readonly trusted: readonly string[];
  readonly options: RunOptions;
  readonly remembered: RememberedSettings | undefined;
  readonly stepping: AskOptions;
  readonly connections: Connections;
}

/** Pointer of the authentication that jobs use unless they name another one. */
const defaultPlace = "/api/authentication";

/**
 * Creates the senders of an iteration: one for `api.authentication`, and one for each of the `names` in jobs, where false means
 * no authentication. Each has its own cookies. Rejects with SpileError `configuration`.
 */
export async function createClient(names: Iterable<string | false>, parts: ClientParts): Promise<Client> {
  const { loaded, config, options, trusted, connections } = parts;
  const { api } = loaded.configuration;
  let logins = 0;
  const emit: Emit = (event) => {
    if (event.event === "login") logins += 1;
    options.emit(event);
  };
  const session = createSession({ connections, trusted, ...sessionOptions(api, config, options), emit });
  const first = await createSender({ session, emit, place: defaultPlace, authentication: api.authentication }, parts);
  const senders = new Map<string | false, Sender>();
  for (const name of new Set(names)) {
    const ownSession = session.apart();
    if (name === false) senders.set(name, { session: ownSession, authenticator: undefined });
    else {
      const authentication = api.authentications?.[name];
      const place = pointerTo("/api/authentications", name);
      const emitNamed: Emit = (event) =>
        emit(
          event.event === "login"
            ? { ...event, message: `authentication ${JSON.stringify(name)}: ${event.message}` }
            : event,
        );
      const sender = await createSender({ session: ownSession, emit: emitNamed, place, authentication }, parts);
      senders.set(name, { name, ...sender });
    }
  }
  return {
    senderOf: ({ authentication }) => (authentication === undefined ? undefined : senders.get(authentication)) ?? first,
    logins: () => logins,
  };
}

interface SenderParts {
  readonly session: Session;
  readonly emit: Emit;
  readonly place: string;
  readonly authentication: Authentication | undefined;
}

async function createSender(senderParts: SenderParts, parts: ClientParts): Promise<Sender> {
  const { session, place, authentication } = senderParts;
  const { loaded, context, build, options, stepping } = parts;
  const { api, authorization } = loaded.configuration;
  const now = options.now ?? Date.now;
  // Servers compare the time in signatures with their own clocks, so the current time is used.
  const evaluateNow: AuthenticationOptions["evaluate"] = (value, contexts = {}) =>
    evaluate(value, { contexts, now: Math.floor(now() / 1000), ...context });
  const steps = loginSteps(authentication, {
    pointer: pointerTo(place, "steps"),
    retryConfig: api.retryConfig,
    session,
    stepping,
    build,
    evaluate: evaluateNow,
    signal: options.signal,
  });
  const created = createAuthenticator(authentication, {
    settings: context.settings,
    evaluate: evaluateNow,
    build,
    send: session.send,
    steps,
    serialize,
    secrets: options.secrets,
    emit: senderParts.emit,
    now,
    remember: rememberIn(senderParts, parts),
    reserve: async () => {
      if (loginOf(authentication)?.remember !== undefined) await parts.remembered?.reserve(place);
    },
    oauth: authorization?.oauth_api?.credentials,
  });
  const authenticator = await created.catch((error) => fail(error, place));
  return { session, authenticator: place === defaultPlace ? authenticator : withPlace(authenticator, place) };
}

/** Returns the function for a login's `remember`. It changes the settings of the iteration after the values were stored. */
function rememberIn(
  { authentication, place }: SenderParts,
  { loaded, settings, options, remembered }: ClientParts,
): AuthenticationOptions["remember"] {
  const names = loginOf(authentication)?.remember;
  if (names === undefined) return undefined;
  const refuse = (message: string): never => {
    throw new ConfigurationError([{ pointer: pointerTo(place, "remember"), message }]);
  };
  if (options.credentials === undefined) {
    return refuse("needs --credentials FILE, where the new values are kept for the next run");
  }
  const { iterations = [] } = loaded.configuration;
  const iterationSetting = Object.keys(names).find((name) =>
    iterations.some((iteration) => Object.hasOwn(iteration, name)),
  );
  if (iterationSetting !== undefined) {
    const name = JSON.stringify(iterationSetting);
    return refuse(
      `an iteration sets ${name} itself: run each iteration with its own configuration and credentials file`,
    );
  }
  return async (values) => {
    await remembered?.remember(place, values);
    for (const [name, text] of values) settings.set(name, text);
  };
}

/** Adds the place of an authenticator to its errors. */
function withPlace(inner: Authenticator | undefined, place: string): Authenticator | undefined {
  if (inner === undefined) return undefined;
  return {
    async authorize(request, signal) {
      const authorized = await inner.authorize(request, signal).catch((error) => fail(error, place));
      return {
        ...authorized,
        request() {
          try {
            return authorized.request();
          } catch (error) {
            return fail(error, place);
          }
        },
      };
    },
    preview: inner.preview,
  };
}

/** Throws an error again. Pointers into `api.authentication` become pointers into the authentication at `place`. */
function fail(error: unknown, place: string): never {
  if (!(error instanceof SpileError) || error instanceof ConfigurationError) throw error;
  const { kind, message, pointer: found } = error;
  if (found?.startsWith(`${defaultPlace}/`) !== true) throw error;
  throw new SpileError(kind, message, { cause: error, pointer: place + found.slice(defaultPlace.length) });
}
