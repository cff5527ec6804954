import { readSync } from "node:fs";
import type { Socket } from "node:net";
import { SpileError } from "../../core/errors.ts";

/**
 * Kinds of faults that are probably permanent, and therefore retried less often. `unreachable`: the host's name cannot be looked
 * up, or the host refused the connection. `garbled`: the response is not HTTP.
 */
export type Outlook = "unreachable" | "garbled";

interface TransportFaultDetails {
  readonly cause?: unknown;
  readonly outlook?: Outlook | undefined;
  readonly askedWaitMs?: number | undefined;
  readonly unauthorized?: boolean;
}

/**
 * The fault of a response that did not arrive, is incomplete, or asks for another attempt. The message of the fault follows "GET
 * url: ".
 */
export class TransportFault extends Error {
  readonly outlook: Outlook | undefined;
  /** Wait in ms that the response asks for. */
  readonly askedWaitMs: number | undefined;
  /** True if the response says that the credentials have expired: a retry needs new credentials. */
  readonly unauthorized: boolean;

  constructor(message: string, details: TransportFaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "TransportFault";
    this.outlook = details.outlook;
    this.askedWaitMs = details.askedWaitMs;
    this.unauthorized = details.unauthorized ?? false;
  }
}

/** The fault of a body without a length whose connection was reset instead of closed. */
export const resetText = "the connection was reset, and the response does not state its length";

/**
 * Returns whether a socket that has just ended was reset. Node reports a reset that arrives together with data as an ordinary end,
 * but the socket then no longer has a peer's address. Nothing may read this address earlier: the socket would remember it even
 * after a reset.
 */
export function wasReset(socket: Socket): boolean {
  const { localAddress, remoteAddress } = socket;
  return localAddress !== undefined && remoteAddress === undefined && !hasReceivedEnd(socket);
}

/**
 * Returns whether the peer ended the stream before the connection was reset. The system's own `read` then reports the end, and the
 * body is complete. Such resets come if the reader of the output pauses: a minute after the end, the peer's system forgets the
 * connection, and answers later packets (keep-alive) with a reset.
 */
function hasReceivedEnd({ _handle: handle }: Socket & { readonly _handle?: { readonly fd?: number } | null }): boolean {
  try {
    return readSync(handle?.fd ?? -1, Buffer.alloc(1)) === 0;
  } catch {
    return false;
  }
}

const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  ETIMEDOUT: "the connection timed out",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  HPE_HEADER_OVERFLOW: "the response's headers are too long",
};

/** The parser's messages about responses that it accepts in its lenient mode. */
const lenient = /header value char|expected (CR|LF)|Transfer-Encoding can't be present/i;

const unreachable = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * Codes of TLS errors that no retry can solve: the certificate's chain, name or dates are wrong, or the server requires a client
 * certificate.
 */
const certificate =
  /^(CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT_|ERR_SSL_\w*(CERT|UNKNOWN_CA))/;

const certificateAdvice =
  "api.caCertificate or NODE_EXTRA_CA_CERTS adds an authority; api.#clientCertificate is the certificate that a server may ask for";

const outOfDate: ReadonlySet<string> = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

const outOfDateAdvice = "the API has to renew its certificate, unless the clock of this machine is wrong";

/**
 * TLS messages about two sides that have no protocol or cipher in common. Other TLS faults, such as "internal error", may be
 * temporary.
 */
const noAgreement =
  /alert (protocol version|handshake failure|insufficient security|no application protocol|unrecognized name|access denied|inappropriate fallback)|unsupported protocol|no protocols available|no shared cipher|no ciphers available|unsafe legacy renegotiation|wrong signature type|(dh|ee) key too small|ca md too weak/i;

/** Errors of JavaScript code, either spile's or other code in this process. The network is not the cause, and no retry helps. */
const errorsOfCode = [TypeError, RangeError, ReferenceError, SyntaxError] as const;

/**
 * Converts an error of Node or node-fetch. Faults of certificates, refused handshakes and servers without TLS are not retried: they
 * become a SpileError (refused) with the cause and `where`. Errors in code stay unchanged, and so do errors that are already
 * converted. All others become a TransportFault. `mayNeedTls`: no answer has come over plain http yet, so a server that resets the
 * connection may want https.
 */
export function faultOf(
  error: unknown,
  where: string,
  { mayNeedTls = false }: { readonly mayNeedTls?: boolean } = {},
): Error {
  if (error instanceof TransportFault || error instanceof SpileError) return error;
  for (const kind of errorsOfCode) if (error instanceof kind) return error;
  const { code = "", message: full, hostname, address = hostname, port } = detailsOf(error);
  // Only the reason in OpenSSL's line is meant for people.
  const message = /:SSL routines:[^:]*:([^:]+)/.exec(full)?.[1] ?? full;
  if (certificate.test(code) || (code === "EPROTO" && /alert .{0,200}(certificate|unknown ca)/i.test(message))) {
    return new SpileError(
      "refused",
      `${where}: certificate fault: ${message} (${code}); ${outOfDate.has(code) ? outOfDateAdvice : certificateAdvice}`,
      { cause: error },
    );
  }
  if (noAgreement.test(message)) {
    const text = `${where}: the TLS handshake failed: ${message} (${code}); the server may want a client certificate (api.#clientCertificate), or a TLS version or cipher that is not offered here`;
    return new SpileError("refused", text, { cause: error });
  }
  if (/wrong.version.number|packet.length.too.long/i.test(`${code} ${message}`)) {
    const text = `${where}: the server does not use TLS; should the address begin with http://?`;
    return new SpileError("refused", text, { cause: error });
  }
  const garbled = code.startsWith("HPE_");
  const text = garbled
    ? `the response is not HTTP: ${message}${lenient.test(message) ? ' ("lenientParser": true in api.http reads it anyway)' : ""}`
    : message;
  const outlook = garbled ? "garbled" : unreachable.has(code) ? "unreachable" : undefined;
  const peer = address === undefined ? "" : ` (${address}${port === undefined ? "" : `:${port}`})`;
  const hint = mayNeedTls && code === "ECONNRESET" ? "; should the address begin with https://?" : "";
  return new TransportFault((texts[code] ?? text) + peer + hint, { cause: error, outlook });
}

interface ErrorFields {
  readonly code?: string;
  readonly message: string;
  readonly address?: string;
  /** The host whose name could not be looked up: the API's or a proxy's. */
  readonly hostname?: string;
  readonly port?: number;
}

function detailsOf(error: unknown): ErrorFields {
  // If connections to several addresses failed, the last error is reported for all of them.
  if (error instanceof AggregateError && error.errors.length > 0) return detailsOf(error.errors.at(-1));
  return error instanceof Error ? (error as ErrorFields) : { message: String(error) };
}
