import type { RunOptions } from "../../core/runs/run.ts";
import { Gate } from "../pacing/gate.ts";
import type { Rate } from "../pacing/rates.ts";
import { type Agents, createAgents } from "./agents.ts";

/** The options of connections. If `waits` is false, requests wait neither for a rate limit nor when a server asks for a wait. */
export interface ConnectionsOptions extends Pick<RunOptions, "secrets" | "variables" | "agent" | "waits"> {
  /** PEM texts: `api.caCertificate` and `api.#clientCertificate`. */
  readonly caCertificate?: string | undefined;
  readonly clientCertificate?: string | undefined;
  /** Limits for each origin. All of them apply. */
  readonly rates?: readonly Rate[];
}

/** The resources that all sessions of a run share: connections, and the rates of each origin. */
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
