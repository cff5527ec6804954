import type { Request, RequestParts } from "../../src/core/requests/request.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { type ConnectionsOptions, createConnections } from "../../src/http/connection/connections.ts";
import {
  createSession,
  type Exchange,
  type ExchangeOptions,
  type SessionOptions,
  TransportFault,
} from "../../src/http/exchange/session.ts";
import { buildRequest, parseBaseUrl } from "../../src/http/requests/request.ts";

/** Creates a session as a run would, with quick retries. */
export function clientFor(url: string, options: Partial<SessionOptions & ConnectionsOptions> = {}) {
  const secrets = options.secrets ?? new Secrets();
  const events: RunEvent[] = [];
  const abort = new AbortController();
  const connections = createConnections({ ...options, secrets });
  const session = createSession({
    connections,
    secrets,
    emit: (event) => events.push(event),
    signal: abort.signal,
    trusted: [url],
    backoff: () => 1,
    ...options,
  });
  const request = (endpoint: string, parts: Partial<RequestParts> = {}): Request =>
    buildRequest(
      { method: undefined, params: [], headers: [], ...parts, endpoint },
      { baseUrl: parseBaseUrl(url).url, secrets },
    );
  const exchange = (
    endpoint: string,
    parts?: Partial<RequestParts>,
    exchangeOptions: Partial<ExchangeOptions> = {},
  ): Exchange => session.exchange(request(endpoint, parts), { signal: abort.signal, ...exchangeOptions });
  return {
    secrets,
    events,
    abort,
    session,
    request,
    exchange,
    messages: (event: RunEvent["event"]) => events.filter((one) => one.event === event).map((one) => one.message),
    /** Returns the body of the page, which is requested again after faults, as in the pipeline. */
    page: (endpoint: string, parts?: Partial<RequestParts>, exchangeOptions?: Partial<ExchangeOptions>) =>
      readPage(exchange(endpoint, parts, exchangeOptions)),
    [Symbol.dispose]: () => connections.close(),
  };
}

export async function readPage(exchange: Exchange): Promise<string> {
  for (let fault: TransportFault | undefined; ; ) {
    const { body } = await exchange.open(fault);
    try {
      return await bodyText(body);
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      fault = error;
    }
  }
}

export async function bodyText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
