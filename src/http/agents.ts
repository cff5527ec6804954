import { readFileSync } from "node:fs";
import { type AgentOptions, type ClientRequest, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIPv6 } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { messageOf, SpileError } from "../core/errors.ts";
import type { Secrets } from "../core/redact.ts";
import { withoutUser } from "../core/without-user.ts";

/** Certificates as PEM text. */
export interface Certificates {
  /** `api.caCertificate`: authorities known besides Node's own and those of NODE_EXTRA_CA_CERTS. */
  readonly authority?: string | undefined;
  /** `api.#clientCertificate`: our certificate and its key, one after the other. */
  readonly client?: string | undefined;
}

/** Connections, kept alive and reused. */
export interface Agents {
  /** The agent for an address: through the proxy that the environment names for it, if any. */
  find(address: string): HttpAgent | Promise<HttpAgent>;
  /** Closes connections where there are those of many hosts, as of iterations that each have their own. */
  tidy(): void;
  close(): void;
}

/** The second address of a host is tried after this long; Node's default of 250 ms is less than a slow line takes. */
const options: AgentOptions & { readonly autoSelectFamilyAttemptTimeout: number } = {
  keepAlive: true,
  autoSelectFamilyAttemptTimeout: 1000,
};

/** To so many hosts connections may stay open that nothing is under way on. */
const mostHosts = 8;

/** Throws SpileError (configuration) for certificates that cannot be read. */
export function createAgents(
  certificates: Certificates,
  secrets: Secrets,
  variables: NodeJS.ProcessEnv = process.env,
): Agents {
  const secureContext = secureContextOf(certificates);
  const secure = secureContext === undefined ? options : { ...options, secureContext };
  /** Those under way too: of several requests at once the first makes the agent of all. */
  const made = new Map<string, HttpAgent | Promise<HttpAgent>>();
  const proxied = ["http_proxy", "https_proxy", "all_proxy"].some(
    (name) => (variables[name] || variables[name.toUpperCase()] || "") !== "",
  );
  const reuse = (key: string, make: () => HttpAgent | Promise<HttpAgent>): HttpAgent | Promise<HttpAgent> => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const agent = make();
    made.set(key, agent);
    return agent;
  };
  const direct = (protocol: string): HttpAgent | Promise<HttpAgent> =>
    reuse(protocol, () => tap(protocol === "https:" ? new HttpsAgent(secure) : new HttpAgent(options)));
  const findProxied = async (address: string, protocol: string): Promise<HttpAgent> => {
    const proxy = proxyFor(address, variables, await import("proxy-from-env"));
    if (proxy === "") return direct(protocol);
    return reuse(`${protocol} ${proxy}`, () => throughProxy(protocol, proxyAddress(proxy, secrets), secure));
  };
  const each = (work: (agent: HttpAgent) => void): void => {
    for (const agent of made.values()) {
      if (agent instanceof Promise) void agent.then(work);
      else work(agent);
    }
  };
  return {
    find(address) {
      const protocol = address.startsWith("https:") ? "https:" : "http:";
      return proxied ? findProxied(address, protocol) : direct(protocol);
    },
    tidy: () =>
      each((agent) => {
        if (Object.keys(agent.freeSockets).length > mostHosts) agent.destroy();
      }),
    close: () => each((agent) => agent.destroy()),
  };
}

/** The library reads the process' variables and no others; for the length of its call these stand in their place. */
function proxyFor(
  address: string,
  variables: NodeJS.ProcessEnv,
  { getProxyForUrl }: { getProxyForUrl(address: string): string },
): string {
  const own = process.env;
  process.env = withBrackets(variables);
  try {
    return getProxyForUrl(address);
  } finally {
    process.env = own;
  }
}

/** The library knows an IPv6 address of NO_PROXY only in the brackets that it has in a URL; people write it without. */
function withBrackets(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const name = variables.no_proxy === undefined ? "NO_PROXY" : "no_proxy";
  const hosts = variables[name];
  if (hosts?.includes("::") !== true) return variables;
  const bracketed = hosts.replace(/[^\s,]+/g, (host) => (isIPv6(host) ? `[${host}]` : host));
  return { ...variables, [name]: bracketed };
}

let see: ((request: ClientRequest) => void) | undefined;

/**
 * Calls `send`, and `look` with the request that it makes by one of our agents before it returns: Node hands a request to
 * its agent while it makes it, before anybody else can listen to it.
 */
export function watchRequest<T>(look: (request: ClientRequest) => void, send: () => T): T {
  see = look;
  try {
    return send();
  } finally {
    see = undefined;
  }
}

function tap(agent: HttpAgent): HttpAgent {
  const tapped = agent as HttpAgent & { addRequest(request: ClientRequest, ...rest: unknown[]): void };
  const addRequest = tapped.addRequest.bind(tapped);
  tapped.addRequest = (request, ...rest) => {
    see?.(request);
    addRequest(request, ...rest);
  };
  return tapped;
}

async function throughProxy(protocol: string, proxy: URL, secure: AgentOptions): Promise<HttpAgent> {
  if (protocol === "https:") {
    const { HttpsProxyAgent } = await import("https-proxy-agent");
    const agent = new HttpsProxyAgent(proxy, secure);
    // Its own options reach the proxy alone; these the server behind the tunnel.
    Object.assign(agent.options, secure);
    return tap(agent);
  }
  const { HttpProxyAgent } = await import("http-proxy-agent");
  return tap(new HttpProxyAgent(proxy, options));
}

function proxyAddress(text: string, secrets: Secrets): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    const shown = withoutUser(text);
    throw new SpileError(
      "configuration",
      `the proxy ${JSON.stringify(shown)} from the environment is not an http(s) address`,
    );
  }
  for (const part of [url.username, url.password]) {
    // The agents would throw at each request.
    if (isPercentEncoded(part)) continue;
    throw new SpileError(
      "configuration",
      'the proxy from the environment has a "%" in its user or password that stands for itself; there it is written %25',
    );
  }
  secrets.add(decodeURIComponent(url.password));
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
  // A context of one's own knows neither Node's authorities nor the extra ones.
  const known = authority === undefined ? {} : { ca: [...rootCertificates, ...extraAuthorities(), authority] };
  const own = client === undefined ? {} : { cert: client, key: client };
  try {
    if (authority !== undefined && !authority.includes("-----BEGIN")) throw new Error("no PEM certificate in it");
    return createSecureContext({ ...known, ...own });
  } catch (error) {
    const field =
      client === undefined
        ? "api.caCertificate"
        : authority === undefined
          ? "api.#clientCertificate"
          : "api.caCertificate or api.#clientCertificate";
    throw new SpileError("configuration", `${field} cannot be read: ${messageOf(error)}; PEM text is right`, {
      cause: error,
    });
  }
}

function extraAuthorities(): string[] {
  const name = process.env.NODE_EXTRA_CA_CERTS ?? "";
  try {
    return name === "" ? [] : [readFileSync(name, "utf8")];
  } catch {
    // Node warns about a file that it cannot read, and goes on without it.
    return [];
  }
}
