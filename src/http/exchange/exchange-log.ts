import type { WireRequest } from "../../core/requests/request.ts";
import type { EventName, Level, RunEvent } from "../../core/runs/event.ts";
import { briefAddress, printable, shortText } from "../../core/text/printable.ts";
import { shownAddress, shownBody } from "../../knowledge/credentials.ts";
import { inSeconds } from "../pacing/retry.ts";
import { secureOrigin } from "../requests/origin.ts";
import type { SessionContext } from "./context.ts";

/** The owner of a request: the job's label, its dataType, its window, the page's number, the step's name. */
export interface RequestOwner {
  readonly job?: string | undefined;
  readonly dataType?: string | undefined;
  readonly window?: string | undefined;
  readonly page?: number | undefined;
  readonly step?: string | undefined;
}

/** A wait for a rate limit is reported as a warning if it is longer than this many ms. */
const longWait = 60_000;

/** Maximum number of characters of a request's body that are logged. */
const longestBody = 1024;

/** A wait before a retry, as it is reported. `reason` is its cause in a few words. */
interface Wait {
  readonly level: Level;
  readonly waitMs: number;
  readonly status: number | undefined;
  readonly reason: string;
}

/** Emits the events of an exchange, and names its requests in errors. Everything is masked. */
export class ExchangeLog {
  readonly #context: SessionContext;
  readonly #owner: RequestOwner;
  /** The name of the dataset to which the request belongs. */
  readonly dataset: string | undefined;

  constructor(context: SessionContext, { job, dataType, window, page, step }: RequestOwner) {
    this.#context = context;
    this.dataset = dataType;
    this.#owner = { job, dataType, window, page, ...(step === undefined ? {} : { step }) };
  }

  /** Masks a text. `isCut`: the end of the text is missing. */
  display(text: string, { isCut = false } = {}): string {
    return printable(this.#context.secrets.mask(text, { isCut }));
  }

  /** Masks an address, including the values of parameters whose names mean credentials. */
  address(url: string): string {
    return printable(shownAddress(url, (text) => this.#context.secrets.mask(text)));
  }

  /** Returns "GET url". */
  nameOf(wire: WireRequest): string {
    return `${wire.method} ${briefAddress(this.address(wire.url))}`;
  }

  /**
   * Warns about an untrusted origin, once in a session. `isSigned`: the address contains its own credentials. The warning then does
   * not advise to trust the origin, which would disclose further credentials.
   */
  untrusted(origin: string, isSigned = false): void {
    if (this.#context.warned.has(origin)) return;
    this.#context.warned.add(origin);
    const { isTrusted } = this.#context;
    const omitted = "no configured headers, credentials, cookies or secrets are sent there";
    // Trusting the http origin of a host that offers https would send the credentials unencrypted.
    const remedy = isSigned || isTrusted(secureOrigin(origin)) ? "" : " (api.allowedOrigins)";
    const text = isTrusted(origin)
      ? `a redirect leads back to ${origin} by way of an origin that is not trusted: ${omitted}`
      : `${origin} is not a trusted origin: ${omitted}${remedy}`;
    this.#emit("warning", "warning", text);
  }

  sent({ method, url, body }: WireRequest): void {
    if (!this.#context.debug) return;
    const { pathname, search } = new URL(url);
    const message = `${method} ${this.address(pathname + search)}${body ? ` ${this.#bodyText(body)}` : ""}`;
    this.#emit("request", "debug", message, { method, url: this.address(url) });
  }

  retrying({ method, url }: WireRequest, message: string, { level, ...wait }: Wait): void {
    this.#emit("retry", level, message, { method, url: this.address(url), ...wait });
  }

  /** Reports that requests to an origin wait for `ms`. Called once, for the first of them. */
  waiting({ method, url }: WireRequest, reason: string, ms: number): void {
    const next = `next request in ${inSeconds(ms)}`;
    const message = `${method} ${briefAddress(this.address(url))}: ${this.display(reason)}; ${next}`;
    const level = ms > longWait ? "warning" : "info";
    this.#emit("wait", level, message, {
      method,
      url: this.address(url),
      waitMs: Math.round(ms),
      reason: `${this.display(reason)}, ${next}`,
    });
  }

  /** Returns the beginning of a body, masked. The text is masked before it is cut, so that no beginning of a secret is shown. */
  #bodyText(body: string): string {
    return shortText(printable(shownBody(body, (part) => this.#context.secrets.mask(part))), longestBody);
  }

  #emit(event: EventName, level: Level, message: string, fields: Partial<RunEvent> = {}): void {
    this.#context.emit({ event, level, message, ...fields, ...this.#owner });
  }
}
