import { ClientRequest, type IncomingMessage } from "node:http";
import { connect, isIP, isIPv6, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { HttpsProxyAgent } from "https-proxy-agent";
import { SpileError } from "../../core/errors.ts";
import { printable } from "../../core/text/printable.ts";
import { TransportFault } from "./fault.ts";

type ConnectOptions = Parameters<HttpsProxyAgent<string>["connect"]>[1];

/**
 * Opens a tunnel through a proxy for each connection. Node's parser reads the proxy's answer and limits the size of its headers.
 * The library alone would keep endless headers in memory, and would report a refusal by the proxy as if it came from the API.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  /** The CONNECT request of each request that waits for its tunnel. */
  readonly #opening = new Map<ClientRequest, ClientRequest>();

  override async connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const { host = "" } = options;
    const socket = await this.#tunnel(request, `${isIPv6(host) ? `[${host}]` : host}:${options.port}`);
    const { path: _path, port: _port, ...rest } = options as ConnectOptions & { readonly path?: string };
    // With a socket, `host` is used only to check the certificate. A numeric address has no `servername`, so the check needs `host`.
    return connectSecurely({ ...withServerName(rest, host), socket });
  }

  /**
   * Closes the connection to the proxy for a request that no longer waits. The request itself cannot close it, because it has no
   * socket yet.
   */
  abandon(request: ClientRequest): void {
    this.#opening.get(request)?.destroy();
  }

  /** Opens a connection to a host behind the proxy. Rejects with Node's error, SpileError or TransportFault. */
  #tunnel(request: ClientRequest, target: string): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const tunnelRequest = new ClientRequest({
        method: "CONNECT",
        path: target,
        headers: this.#headers(target),
        setHost: false,
        createConnection: () => this.#toProxy(),
      });
      tunnelRequest.removeHeader("connection");
      this.#opening.set(request, tunnelRequest);
      tunnelRequest.once("close", () => this.#opening.delete(request));
      tunnelRequest.once("error", (error) => reject(faultOfProxy(error)));
      tunnelRequest.once("connect", (answer, socket, head) => {
        const refusal = refusalOf(answer, this.proxy.host);
        if (refusal === undefined) {
          if (head.length > 0) socket.unshift(head);
          resolve(socket as Socket);
        } else {
          socket.destroy();
          reject(refusal);
        }
      });
      tunnelRequest.end();
    });
  }

  #toProxy(): Socket {
    const { connectOpts, proxy } = this;
    return proxy.protocol === "https:"
      ? connectSecurely(withServerName(connectOpts, connectOpts.host ?? ""))
      : connect(connectOpts as Parameters<typeof connect>[0] & object);
  }

  #headers(target: string): Record<string, string> {
    const { username, password } = this.proxy;
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return {
      Host: target,
      "Proxy-Connection": "Keep-Alive",
      ...(user === ":" ? {} : { "Proxy-Authorization": `Basic ${Buffer.from(user).toString("base64")}` }),
    };
  }

  override destroy(): void {
    for (const tunnelRequest of this.#opening.values()) tunnelRequest.destroy();
    super.destroy();
  }
}

function withServerName<T extends object>(options: T & { readonly servername?: string | undefined }, host: string): T {
  return options.servername === undefined && isIP(host) === 0 ? { ...options, servername: host } : options;
}

/** Returns whether a proxy that answers with this status may open the tunnel later. */
const isTemporary = (status: number): boolean => status >= 500 || status === 408 || status === 429;

function refusalOf({ statusCode = 0, statusMessage = "" }: IncomingMessage, proxy: string): Error | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const text = printable(`the proxy ${proxy} answered ${statusCode} ${statusMessage}`).trimEnd();
  return isTemporary(statusCode) ? new TransportFault(text) : new SpileError("refused", text);
}

function faultOfProxy(error: NodeJS.ErrnoException): Error {
  if (error.code?.startsWith("HPE_") !== true) return error;
  const what = error.code === "HPE_HEADER_OVERFLOW" ? "has headers that are too long" : "is not HTTP";
  return new TransportFault(`the answer of the proxy ${what}: ${error.message}`, { cause: error, outlook: "garbled" });
}
