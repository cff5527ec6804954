import type { Request } from "../core/requests/request.ts";
import type { Evidence } from "../core/runs/page.ts";
import type { Path } from "../core/values/path.ts";

/** One request and its answer, as far as they tell of paging. */
export interface ExchangeFacts {
  /** The request as it was made, without credentials that are added later; undefined if it is not known. */
  readonly request?: Request | undefined;
  /** The address that answered. */
  readonly url: string;
  /** Fields beside the records. */
  readonly evidence: readonly Evidence[];
  /** Path to the records; undefined if it is not known. */
  readonly dataPath?: Path | undefined;
  readonly records: number;
  /** Names of the response's headers; those that are commonly used for paging where absent. */
  readonly headerNames?: readonly string[] | undefined;
  /** A header by its name in any case; several of one name are joined by ", ". */
  header(name: string): string | undefined;
}
