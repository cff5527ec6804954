import type { Method, Parameter } from "../core/requests/request.ts";

/** A request as somebody has it: what a curl command, an address or a browser's log say of it. Plain data. */
export interface RequestDescription {
  readonly method: Method;
  /** Absolute http(s) address, its query as it was given; without fragment and userinfo. */
  readonly address: string;
  /** Parameters beside those in the address: of the query for GET, of the body for POST and FORM. */
  readonly params: readonly Parameter[];
  /** Parameters of the query, if the method carries its parameters elsewhere. */
  readonly query?: readonly Parameter[] | undefined;
  /** Style of lists among the parameters, if it is not the usual one (the job's `lists`). */
  readonly lists?: "repeat" | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** HTTP Basic. */
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  /** Seconds. */
  readonly connectTimeout?: number | undefined;
  readonly requestTimeout?: number | undefined;
  /** PEM text of the authority that the server's certificate is checked against. */
  readonly caCertificate?: string | undefined;
  /** PEM text of the client's certificate and its key, and the files that it is made of. */
  readonly clientCertificate?: { readonly text: string; readonly files: readonly string[] } | undefined;
  readonly proxy?: string | undefined;
  /** Values that came from variables of a shell, and the variables' names: a credential among them keeps its variable. */
  readonly variables?: ReadonlyMap<string, string> | undefined;
}
