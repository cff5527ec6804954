import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { filled, present } from "../configuration-draft.ts";
import type { StreamJob } from "../described/streams.ts";
import { joinedValue, objectOf, UnsupportedError } from "../described/values.ts";
import { authenticationOf } from "./authentication.ts";
import { errorsOf } from "./errors.ts";
import { evaluate, expressionOf } from "./evaluate.ts";
import { parentFilter } from "./fields.ts";
import { incrementsOf } from "./increments.ts";
import { filterOf } from "./jq.ts";
import { delegationMark } from "./manifest.ts";
import { configurationValue } from "./meaning.ts";
import { pagingOf, placeOfOption } from "./paging.ts";
import { formatOf, recordsOf } from "./records.ts";
import { inAddress, type RequestSpot, requestOf, type StreamRequest } from "./request.ts";
import { eachValue, type ManifestScope, truth } from "./scope.ts";
import type { ManifestSettings } from "./settings.ts";
import { retrieverOf, type Slice, type SliceParent, slicesOf } from "./slices.ts";
import { placeOrNothing, withoutFallbacks } from "./token.ts";

/** A job of a stream, for one of its slices (see `Slice`). */
export interface SlicedJob extends StreamJob {
  readonly slice: Slice;
}

export function nameOf(stream: ValueObject): string {
  return String(stream.name ?? objectOf(stream.$parameters).name ?? "");
}

/**
 * Converts a stream to jobs. With `isIncremental: false`, the jobs request all records, as a parent's jobs do for its children.
 * Throws `UnsupportedError`.
 */
export function jobsOf(stream: ValueObject, settings: ManifestSettings, isIncremental: boolean): readonly SlicedJob[] {
  const scope: ManifestScope = { settings, parameters: objectOf(stream.$parameters), slice: () => undefined };
  if (/^Custom/.test(String(stream.type)) || stream.class_name !== undefined)
    throw new UnsupportedError(`it needs the Python class ${String(stream.class_name)}`);
  if (typeof stream.condition === "string" && !truth(evaluate(expressionOf(stream.condition), scope), scope))
    throw new UnsupportedError("its condition is false for these settings");
  const retriever = retrieverOf(stream);
  if (retriever.type !== undefined && retriever.type !== "SimpleRetriever")
    throw new UnsupportedError(`it needs the retriever ${String(retriever.class_name ?? retriever.type)}`);
  const requester = objectOf(retriever.requester);
  if (requester.type !== undefined && requester.type !== "HttpRequester")
    throw new UnsupportedError(`it needs the requester ${String(requester.class_name ?? requester.type)}`);
  if (requester.query_properties !== undefined)
    throw new UnsupportedError("it requests the properties of its records in several portions");
  return slicesOf(retriever.partition_router, scope).map((slice) => jobOf(stream, slice, scope, isIncremental));
}

function jobOf(stream: ValueObject, slice: Slice, outer: ManifestScope, isIncremental: boolean): SlicedJob {
  const retriever = retrieverOf(stream);
  const requester = objectOf(retriever.requester);
  const increments = incrementsOf(stream, outer, isIncremental);
  const scope: ManifestScope = { ...outer, slice: (path) => increments.read(path) ?? slice.read(path) };
  const selector = objectOf(retriever.record_selector);
  const records = recordsOf(objectOf(selector.extractor), scope);
  const request = requestOf(requester, scope);
  const paging = pagingOf(objectOf(retriever.paginator), {
    scope,
    request,
    records: records.path,
    isBareAfterFirst:
      retriever.ignore_stream_slicer_parameters_on_paginated_requests === true ||
      stream.ignore_stream_slicer_parameters_on_paginated_requests === true,
  });
  const authentication = authenticationOf(objectOf(requester.authenticator), scope);
  const errors = errorsOf(objectOf(requester.error_handler), scope);
  const placedValues = [...slice.options, ...increments.options()].map(
    ({ option, meaning }) => [placeOfOption(option, { scope, request }), configurationValue(meaning) ?? ""] as const,
  );
  if (request.method === "GET" && Object.keys(authentication.body).length > 0)
    throw new UnsupportedError("its key would be in the body of a GET, and spile sends a GET without a body");
  const target = request.method === "GET" ? "query" : "body";
  const placedParts = [...paging.sizes, ...placedValues].reduce<RequestParts>(
    (parts, [place, value]) => put(parts, target, place, value),
    {
      query: request.query,
      body: { ...request.body, ...authentication.body },
      headers: request.headers,
    },
  );
  const { address, query: remainingQuery, list } = withList(request, slice, placedParts.query);
  const dropsOlder = (): boolean => isIncremental && filtersByTime(selector, stream, scope);
  const requests = [address, placedParts.query, placedParts.body, placedParts.headers];
  const { fields, differences, notes } = increments.members({ requests, dropsOlder });
  const isFilteredByIncrement = fields.incremental !== undefined && dropsOlder();
  const filter = filterOf(stream, isFilteredByIncrement ? {} : selector, {
    scope,
    columnOf: (placeholder) => columnOf(slice, placeholder),
    settingOf: (name) => outer.settings.members()[name],
  });
  const key = keyOf(stream.primary_key);
  const format = formatOf(objectOf(retriever.decoder));
  const [params, query] = request.method === "GET" ? [remainingQuery, {}] : [placedParts.body, remainingQuery];
  if (holdsList(params) || holdsList(placedParts.headers))
    throw new UnsupportedError("it sends, in its body or headers, each value of a list that only a run knows");
  const parents = filterOfParents(slice, scope);
  const hasLists = Object.values(request.method === "POST" ? query : params).some(isListValue);
  return {
    base: request.base,
    path: address,
    list,
    slice,
    jq: filter.jq,
    pagination: paging.pagination,
    authentication,
    fields: present({
      method: request.method === "GET" ? undefined : request.method,
      placeholders: filled(Object.fromEntries(slice.placeholders)),
      recursionFilter: parents.filter,
      params: filled(params),
      query: filled(query),
      lists: hasLists ? "repeat" : undefined,
      headers: filled(placedParts.headers),
      dataField: records.dataField,
      dataType: nameOf(stream),
      format,
      key,
      responses: errors.responses.length === 0 ? undefined : errors.responses,
      retryConfig: errors.retryConfig,
      ...fields,
      ...(isFilteredByIncrement ? { incremental: { ...objectOf(fields.incremental), filter: true } } : {}),
    }),
    differences: [
      ...parents.differences,
      ...(stream[delegationMark] === true
        ? ["each run sends the requests of a first run: those for a run with a state are not converted"]
        : []),
      ...(sendsPagingInBody(retriever, request)
        ? ["its paging parameters are sent in the query: spile sends a GET without a body"]
        : []),
      ...(selector.schema_normalization !== undefined && selector.schema_normalization !== "None"
        ? ["its values are written as the API sends them, and are not converted to the types of its schema"]
        : []),
      ...request.differences,
      ...errors.differences,
      ...paging.differences,
      ...differences,
      ...filter.differences,
    ],
    notes: [...request.notes, ...authentication.notes, ...notes],
  };
}

/** Returns whether a parameter has several values: it is a list, or an expression that splits a setting into a list. */
function isListValue(value: Value): boolean {
  if (Array.isArray(value)) return true;
  return isObject(value) && value.function === "split" && Array.isArray(value.args) && value.args.length === 2;
}

/** Returns whether a filter drops only the records that are older than the increment, as `incremental` with `filter: true` does. */
function filtersByTime(selector: ValueObject, { incremental_sync: sync }: ValueObject, scope: ManifestScope): boolean {
  const { condition } = objectOf(selector.record_filter);
  if (typeof condition !== "string") return false;
  const expression = expressionOf(condition);
  if (expression.kind !== "call" || !/^>=?$/.test(expression.operator)) return false;
  const [left, right] = expression.operands.map((one) => placeOrNothing(withoutFallbacks(one), scope));
  const cursor = String(objectOf(sync).cursor_field ?? "");
  const isCursor = left?.root === "record" && (left.path.join(".") === cursor || cursor.includes("{{"));
  return isCursor && right?.root === "stream_slice" && right.path.join(".") === "start_time";
}

/** Returns whether the manifest puts paging parameters into the body of a GET. */
function sendsPagingInBody({ paginator }: ValueObject, { method }: StreamRequest): boolean {
  return method === "GET" && /"inject_into":"body_/.test(valueText(paginator ?? null));
}

/** Returns the job's `recursionFilter`, and a difference for each filter of a parent that it cannot express. */
function filterOfParents(
  { parent, placeholders }: Slice,
  scope: ManifestScope,
): { readonly filter: string | undefined; readonly differences: readonly string[] } {
  const conditionOf = (stream: ValueObject): string => {
    const { record_filter: filter } = objectOf(retrieverOf(stream).record_selector);
    const { condition } = objectOf(filter);
    return typeof condition === "string" ? condition : "";
  };
  const above = (one: SliceParent | undefined): readonly SliceParent[] =>
    one === undefined ? [] : [one, ...above(one.under)];
  const [key] = [...placeholders].flatMap(([name, path]) => (/^[^:]+$/.test(name) && isText(path) ? [path] : []));
  const direct = parent === undefined ? "" : conditionOf(parent.stream);
  const isFilteredLast =
    objectOf(retrieverOf(parent?.stream ?? {}).record_selector).transform_before_filtering === true;
  const filter = direct === "" || isFilteredLast ? undefined : parentFilter(direct, key ?? "", scope);
  const unfilteredParents = above(parent).filter(
    (one) => conditionOf(one.stream) !== "" && (one !== parent || filter === undefined),
  );
  return {
    filter,
    differences: unfilteredParents.map(
      ({ stream }) => `it is requested for every record of ${nameOf(stream)}, whose filter cannot be expressed here`,
    ),
  };
}

function isText(value: Value): value is string {
  return typeof value === "string";
}

/**
 * Returns the column that spile adds to a child's records for a placeholder; undefined if there is none, or if another placeholder
 * has the same column.
 */
function columnOf({ placeholders }: Slice, placeholder: string): string | undefined {
  const path = placeholders.get(placeholder);
  const isAlone = [...placeholders.values()].filter((one) => one === path).length === 1;
  if (typeof path !== "string" || !isAlone) return undefined;
  return path.startsWith("parent_") ? path : `parent_${path}`;
}

/** Returns whether a value contains the element of a list that only a run has. */
function holdsList(value: Value): boolean {
  return valueText(value).includes(JSON.stringify(eachValue));
}

/** Moves parameters that contain the element of a list into the address. A run requests the address once for each element. */
function withList(
  { base, path }: StreamRequest,
  slice: Slice,
  query: Readonly<Record<string, Value>>,
): { readonly address: Value; readonly query: Readonly<Record<string, Value>>; readonly list: Value | undefined } {
  const listParameters = Object.entries(query).filter(([, value]) => holdsList(value));
  const address = listParameters.reduce<Value>((text, [name, value], index) => {
    const sign = index > 0 || valueText(text).includes("?") ? "&" : "?";
    return joinedValue(text, `${sign}${encodeURIComponent(name)}=`, inAddress(value));
  }, path);
  return {
    address,
    query: Object.fromEntries(Object.entries(query).filter(([, value]) => !holdsList(value))),
    list: valueText([base, address]).includes("{}") ? slice.list : undefined,
  };
}

interface RequestParts {
  readonly query: Readonly<Record<string, Value>>;
  readonly body: Readonly<Record<string, Value>>;
  readonly headers: Readonly<Record<string, Value>>;
}

/** Puts a value into a request. `target`: the part for a place that is only a name. */
function put(parts: RequestParts, target: "query" | "body", place: RequestSpot, value: Value): RequestParts {
  if (typeof place === "string") return { ...parts, [target]: { ...parts[target], [place]: value } };
  if (typeof place.header === "string") return { ...parts, headers: { ...parts.headers, [place.header]: value } };
  if (typeof place.query === "string") return { ...parts, query: { ...parts.query, [place.query]: value } };
  const steps = String(place.path ?? "").split(String(place.delimiter ?? "."));
  return { ...parts, body: objectOf(withMember(parts.body, steps, value)) };
}

function withMember(object: Value, [step, ...rest]: readonly string[], value: Value): Value {
  if (step === undefined) return value;
  return { ...objectOf(object), [step]: withMember(objectOf(object)[step] ?? {}, rest, value) };
}

/** Converts the primary key to the job's `key`; undefined if the key contains nested paths. */
function keyOf(primaryKey: Value | undefined): Value | undefined {
  if (typeof primaryKey === "string" && primaryKey !== "") return primaryKey;
  if (!Array.isArray(primaryKey) || primaryKey.length === 0) return undefined;
  const names = primaryKey.map((one: Value) => (Array.isArray(one) && one.length === 1 ? (one[0] ?? null) : one));
  if (!names.every((name) => typeof name === "string" && name !== "")) return undefined;
  return names.length === 1 ? (names[0] ?? undefined) : names;
}
