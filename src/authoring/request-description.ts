import type { Method, Parameter } from "../core/requests/request.ts";

/** The request for which a configuration is written. Plain data. */
export interface RequestDescription {
  readonly method: Method;
  /** Absolute http(s) address with its query, but without a fragment and without the user's name and password. */
  readonly address: string;
  /** Parameters besides those in the address. A GET sends them in its query, a POST or FORM in its body. */
  readonly params: readonly Parameter[];
  /** For a POST or FORM: further parameters of its query. */
  readonly query?: readonly Parameter[] | undefined;
  /** The job's `lists`, if it is not the default. */
  readonly lists?: "repeat" | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** User and password of HTTP Basic. */
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  /** Seconds within which a connection must be established. */
  readonly connectTimeout?: number | undefined;
  /** Seconds within which the answer must begin. */
  readonly requestTimeout?: number | undefined;
  /** PEM text of the certificate authority that signed the server's certificate. */
  readonly caCertificate?: string | undefined;
  /** PEM text of the client's certificate and its key, and the files that contain them. */
  readonly clientCertificate?: { readonly text: string; readonly files: readonly string[] } | undefined;
  readonly proxy?: string | undefined;
  /** Names of shell variables by their values. A run reads a credential with such a value from that variable. */
  readonly variables?: ReadonlyMap<string, string> | undefined;
}
