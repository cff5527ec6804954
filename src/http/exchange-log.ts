import type { EventName, Level, RunEvent } from "../core/event.ts";
import { printable } from "../core/printable.ts";
import type { WireRequest } from "../core/request.ts";
import type { SessionContext } from "./context.ts";

/** Whose request it is: the job's label, its dataType, the page's number. */
export interface RequestOwner {
  readonly job?: string | undefined;
  readonly dataType?: string | undefined;
  readonly page?: number | undefined;
}

/** What an exchange tells: its events, and the names that errors give to requests. Nothing leaves it unmasked. */
export class ExchangeLog {
  readonly #context: SessionContext;
  readonly #owner: RequestOwner;

  constructor(context: SessionContext, { job, dataType, page }: RequestOwner) {
    this.#context = context;
    this.#owner = { job, dataType, page };
  }

  shown(text: string): string {
    return printable(this.#context.secrets.mask(text));
  }

  /** "GET url" */
  nameOf(wire: WireRequest): string {
    return `${wire.method} ${this.shown(wire.url)}`;
  }

  /** Told once a session for each origin. */
  untrusted(origin: string): void {
    if (this.#context.warned.has(origin)) return;
    this.#context.warned.add(origin);
    const text = `${origin} is not a trusted origin: no configured headers, credentials, cookies or secrets are sent there (api.allowedOrigins)`;
    this.#tell("warning", "warning", text);
  }

  sent({ method, url }: WireRequest): void {
    if (!this.#context.debug) return;
    const { pathname, search } = new URL(url);
    this.#tell("request", "debug", `${method} ${this.shown(pathname + search)}`, { method, url: this.shown(url) });
  }

  retrying(
    wire: WireRequest,
    message: string,
    wait: { readonly ms: number; readonly status: number | undefined },
  ): void {
    const { method, url } = wire;
    const level = wait.ms >= longWait ? "warning" : "info";
    this.#tell("retry", level, message, { method, url: this.shown(url), status: wait.status, waitMs: wait.ms });
  }

  #tell(event: EventName, level: Level, message: string, fields: Partial<RunEvent> = {}): void {
    this.#context.emit({ event, level, message, ...fields, ...this.#owner });
  }
}

/** A wait of so many ms is told without `-v` too: the run seems to stand still. */
const longWait = 30_000;
