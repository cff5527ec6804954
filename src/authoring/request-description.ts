import type { Method, Parameter } from "../core/requests/request.ts";

/** A request that a curl command, an address or the log of a browser describes. Plain data. */
export interface RequestDescription {
  readonly method: Method;
  /** Absolute http(s) address with its query unchanged, without fragment and userinfo. */
  readonly address: string;
  /** Parameters outside of the address: of the query for GET, of the body for POST and FORM. */
  readonly params: readonly Parameter[];
  /** Parameters of the query, if the method carries its parameters elsewhere. */
  readonly query?: readonly Parameter[] | undefined;
  /** Style of lists among the parameters (the job's `lists`), if it is not the default one. */
  readonly lists?: "repeat" | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** User and password of HTTP Basic. */
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  /** Timeout for a connection, in seconds. */
  readonly connectTimeout?: number | undefined;
  readonly requestTimeout?: number | undefined;
  /** PEM text of the certificate authority that signed the server's certificate. */
  readonly caCertificate?: string | undefined;
  /** PEM text of the client's certificate and its key, and the files that contain them. */
  readonly clientCertificate?: { readonly text: string; readonly files: readonly string[] } | undefined;
  readonly proxy?: string | undefined;
  /** Values of shell variables, with the variables' names. A credential among them keeps its variable. */
  readonly variables?: ReadonlyMap<string, string> | undefined;
}
