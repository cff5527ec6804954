import type { Agent } from "node:http";
import type { Secrets } from "../../core/secrets/redact.ts";
import { Gate } from "../pacing/gate.ts";
import type { Rate } from "../pacing/rates.ts";
import { type Agents, createAgents } from "./agents.ts";

export interface ConnectionsOptions {
  readonly secrets: Secrets;
  /** PEM texts: `api.caCertificate` and `api.#clientCertificate`. */
  readonly caCertificate?: string | undefined;
  readonly clientCertificate?: string | undefined;
  /** Variables in which proxies are looked up; `process.env` if absent. */
  readonly variables?: NodeJS.ProcessEnv | undefined;
  /** Limits for each origin; all of them apply. */
  readonly rates?: readonly Rate[];
  /** Returns the agent for an address; undefined: one of the connections' own. */
  readonly agent?: ((address: URL) => Agent | undefined) | undefined;
  /** False: never wait for a rate, or because a server asks for it. */
  readonly waits?: boolean | undefined;
}

/** Resources that all sessions of a run share: connections, and the rates of each origin. */
export interface Connections {
  readonly agents: Agents;
  readonly gate: Gate;
  close(): void;
}

/** Creates connections. Throws SpileError (configuration) for certificates that cannot be read. */
export function createConnections(options: ConnectionsOptions): Connections {
  const { secrets, caCertificate, clientCertificate, variables, agent, rates = [], waits = true } = options;
  const agents = createAgents({ authority: caCertificate, client: clientCertificate }, secrets, variables, agent);
  return { agents, gate: new Gate(waits ? rates : [], waits), close: () => agents.close() };
}
