import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIPv6 } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { readWholeNow } from "../../core/blocking-work.ts";
import { messageOf, SpileError } from "../../core/errors.ts";
import type { Secrets } from "../../core/secrets/redact.ts";
import { readProxyAddress } from "./proxy-address.ts";

/** Certificates as PEM text. */
export interface Certificates {
  /** PEM text of `api.caCertificate`: authorities that are trusted in addition to Node's own and those of NODE_EXTRA_CA_CERTS. */
  readonly authority?: string | undefined;
  /** `api.#clientCertificate`: the client's certificate and its key, one after the other. */
  readonly client?: string | undefined;
}

/** Connections that are kept alive and reused. */
export interface Agents {
  /** Returns the agent for an address. It uses the proxy that the environment names for the address, if any. */
  find(address: string): HttpAgent | Promise<HttpAgent>;
  /** Closes idle connections if they lead to many hosts, as in iterations with a host each. */
  closeIdle(): void;
  close(): void;
}

/**
 * Options of all agents. A host's second address is tried after one second: on a slow line, Node's default of 250 ms is too short
 * for a connection to the first one.
 */
const options: AgentOptions & { readonly autoSelectFamilyAttemptTimeout: number } = {
  keepAlive: true,
  autoSelectFamilyAttemptTimeout: 1000,
};

/** Number of hosts to which idle connections may stay open. */
const maxHosts = 8;

/**
 * Creates agents. For an address, `choose` may return an agent of the caller. It is used unchanged and never closed. Throws
 * SpileError (configuration) for certificates that cannot be read.
 */
export function createAgents(
  certificates: Certificates,
  secrets: Secrets,
  variables: NodeJS.ProcessEnv = process.env,
  choose?: (address: URL) => HttpAgent | undefined,
): Agents {
  const secureContext = secureContextOf(certificates);
  const secure = secureContext === undefined ? options : { ...options, secureContext };
  /** The agents, or promises of them, so that concurrent requests do not create an agent twice. */
  const agents = new Map<string, HttpAgent | Promise<HttpAgent>>();
  const mayUseProxy = ["http_proxy", "https_proxy", "all_proxy"].some(
    (name) => (variables[name] || variables[name.toUpperCase()] || "") !== "",
  );
  const reuse = (key: string, make: () => HttpAgent | Promise<HttpAgent>): HttpAgent | Promise<HttpAgent> => {
    const existing = agents.get(key);
    if (existing !== undefined) return existing;
    const agent = make();
    agents.set(key, agent);
    return agent;
  };
  const direct = (protocol: string): HttpAgent | Promise<HttpAgent> =>
    reuse(protocol, () => tap(protocol === "https:" ? new HttpsAgent(secure) : new HttpAgent(options)));
  const findProxied = async (address: string, protocol: string): Promise<HttpAgent> => {
    const proxy = proxyFor(address, variables, await import("proxy-from-env"));
    if (proxy === "") return direct(protocol);
    return reuse(`${protocol} ${proxy}`, () =>
      throughProxy(protocol, proxyAddress(proxy, protocol, variables, secrets), secure),
    );
  };
  const each = (work: (agent: HttpAgent) => void): void => {
    for (const agent of agents.values()) {
      if (agent instanceof Promise) void agent.then(work);
      else work(agent);
    }
  };
  return {
    find(address) {
      const chosen = choose?.(new URL(address));
      if (chosen !== undefined) return chosen;
      const protocol = address.startsWith("https:") ? "https:" : "http:";
      return mayUseProxy ? findProxied(address, protocol) : direct(protocol);
    },
    closeIdle: () =>
      each((agent) => {
        if (Object.keys(agent.freeSockets).length > maxHosts) agent.destroy();
      }),
    close: () => each((agent) => agent.destroy()),
  };
}

/**
 * Returns the proxy for an address. The library reads only the variables of the process, so `variables` replace those while it
 * runs.
 */
function proxyFor(
  address: string,
  variables: NodeJS.ProcessEnv,
  { getProxyForUrl }: { getProxyForUrl(address: string): string },
): string {
  const environment = process.env;
  process.env = withBrackets(variables);
  try {
    return getProxyForUrl(address);
  } finally {
    process.env = environment;
  }
}

/** Adds brackets to IPv6 addresses in NO_PROXY: the library needs them, but people omit them. */
function withBrackets(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const name = variables.no_proxy === undefined ? "NO_PROXY" : "no_proxy";
  const hosts = variables[name];
  if (hosts?.includes("::") !== true) return variables;
  const bracketed = hosts.replace(/[^\s,]+/g, (host) => (isIPv6(host) ? `[${host}]` : host));
  return { ...variables, [name]: bracketed };
}

/** Agents whose requests `watchRequest` sees. */
const tappedAgents = new WeakSet<object>();

/** Returns whether `watchRequest` sees the requests of an agent. */
export function isWatched(agent: HttpAgent): boolean {
  return tappedAgents.has(agent);
}

let watcher: ((request: ClientRequest) => void) | undefined;

/**
 * Calls `send`. If one of our agents receives a request during this call, `look` gets the request. Node hands a request to its
 * agent while it creates the request, before other code can listen to it.
 */
export function watchRequest<T>(look: (request: ClientRequest) => void, send: () => T): T {
  watcher = look;
  try {
    return send();
  } finally {
    watcher = undefined;
  }
}

function tap(agent: HttpAgent): HttpAgent {
  const tapped = agent as HttpAgent & { addRequest(request: ClientRequest, ...rest: unknown[]): void };
  const addRequest = tapped.addRequest.bind(tapped);
  tapped.addRequest = (request, ...rest) => {
    watcher?.(request);
    addRequest(request, ...rest);
  };
  tappedAgents.add(tapped);
  return tapped;
}

async function throughProxy(protocol: string, proxy: URL, secure: AgentOptions): Promise<HttpAgent> {
  if (protocol === "https:") {
    const { TunnelAgent } = await import("./tunnel.ts");
    const agent = new TunnelAgent(proxy, secure);
    // The options given to the constructor apply only to the proxy. Those in `agent.options` apply to the server behind it.
    Object.assign(agent.options, secure);
    return tap(agent);
  }
  const { HttpProxyAgent } = await import("http-proxy-agent");
  return tap(new HttpProxyAgent(proxy, options));
}

/** `text`: an address as the library returns it. The library adds the scheme of the request to an address without one. */
function proxyAddress(text: string, protocol: string, variables: NodeJS.ProcessEnv, secrets: Secrets): URL {
  const isComplete = Object.values(variables).includes(text);
  const written = isComplete ? text : text.slice(`${protocol}//`.length);
  // A variable from a file often ends with a line break.
  const url = readProxyAddress(written.trim(), isComplete ? undefined : protocol);
  if (url === undefined) {
    // Any part of an address that cannot be read may belong to the password, so nothing of it is shown.
    throw new SpileError(
      "configuration",
      "the proxy from the environment (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) is not an http(s) address such as http://user:password@host:3128; in its user and password, write @ as %40, : as %3A, / as %2F, ? as %3F and # as %23",
    );
  }
  for (const part of [url.username, url.password]) {
    // The agents decode this part, and would throw at each request if it were not valid percent-encoding.
    if (isPercentEncoded(part)) continue;
    throw new SpileError(
      "configuration",
      'the proxy from the environment has a "%" in its user or password that is not an escape; write it as %25',
    );
  }
  // A token may be the user, without a password.
  secrets.add(decodeURIComponent(url.password === "" ? url.username : url.password));
  return url;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function secureContextOf({ authority, client }: Certificates): SecureContext | undefined {
  if (authority === undefined && client === undefined) return undefined;
  // `ca` replaces Node's authorities and those of NODE_EXTRA_CA_CERTS, so they are listed again.
  const authorities = authority === undefined ? {} : { ca: [...rootCertificates, ...extraAuthorities(), authority] };
  const clientKey = client === undefined ? {} : { cert: client, key: client };
  try {
    if (authority !== undefined && !authority.includes("-----BEGIN")) throw new Error("no PEM certificate in it");
    return createSecureContext({ ...authorities, ...clientKey });
  } catch (error) {
    const field =
      client === undefined
        ? "api.caCertificate"
        : authority === undefined
          ? "api.#clientCertificate"
          : "api.caCertificate or api.#clientCertificate";
    throw new SpileError("configuration", `${field} cannot be read: ${messageOf(error)}; it must be PEM text`, {
      cause: error,
    });
  }
}

function extraAuthorities(): string[] {
  const name = process.env.NODE_EXTRA_CA_CERTS ?? "";
  try {
    return name === "" ? [] : [readWholeNow(name).toString()];
  } catch {
    // Node warns about a file that it cannot read, and continues without it.
    return [];
  }
}
