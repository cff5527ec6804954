import type { ValueObject } from "../../core/values/value.ts";
import type { StreamRequest } from "./request.ts";
import type { ManifestScope } from "./scope.ts";

/** Facts about a stream that its paging depends on. */
export interface PagingOptions {
  readonly scope: ManifestScope;
  readonly request: StreamRequest;
  /** The path of the records in a response; undefined if it has wildcards. */
  readonly records: readonly string[] | undefined;
  /** True if requests with a token omit the parameters of the slice. */
  readonly isBareAfterFirst: boolean;
}

/** A paginator and the facts about its stream. */
export interface PagingParts extends PagingOptions {
  readonly strategy: ValueObject;
  readonly paginator: ValueObject;
}
