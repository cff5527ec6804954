import type { Request } from "../core/requests/request.ts";
import type { Evidence } from "../core/runs/page.ts";
import type { Path } from "../core/values/path.ts";

/** The facts about one request and its answer that matter for paging. */
export interface ExchangeFacts {
  /** The request, without the credentials that are added when it is sent; undefined if it is not known. */
  readonly request?: Request | undefined;
  /** The address that answered. */
  readonly url: string;
  /** Fields beside the records. */
  readonly evidence: readonly Evidence[];
  /** Path to the records; undefined if it is not known. */
  readonly dataPath?: Path | undefined;
  readonly records: number;
  /** Names of the response's headers. If absent, the headers that are commonly used for paging are looked up. */
  readonly headerNames?: readonly string[] | undefined;
  /** Returns a header by its name, in upper or lower case. Several headers of one name are joined by ", ". */
  header(name: string): string | undefined;
}
