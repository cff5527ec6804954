import type { ValueObject } from "../../core/values/value.ts";
import type { StreamRequest } from "./request.ts";
import type { ManifestScope } from "./scope.ts";

/** What paging needs to know of its stream. */
export interface PagingSurroundings {
  readonly scope: ManifestScope;
  readonly request: StreamRequest;
  /** The path of the records in a response; undefined if it has wildcards. */
  readonly records: readonly string[] | undefined;
  /** The slice's parameters are not sent with a token. */
  readonly isBareAfterFirst: boolean;
}

/** The parts of a paginator with what is around it. */
export interface PagingParts extends PagingSurroundings {
  readonly strategy: ValueObject;
  readonly paginator: ValueObject;
}
