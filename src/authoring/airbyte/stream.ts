import type { Value, ValueObject } from "../../core/value.ts";
import { authenticationOf, type StreamAuthentication } from "./authentication.ts";
import { errorsOf } from "./errors.ts";
import { incrementsOf } from "./increments.ts";
import { filterOf } from "./jq.ts";
import { objectOf } from "./manifest.ts";
import { sayable } from "./meaning.ts";
import { pagingOf, placeOfOption } from "./paging.ts";
import { formatOf, recordsOf } from "./records.ts";
import { type RequestSpot, requestOf } from "./request.ts";
import type { ManifestScope } from "./scope.ts";
import type { ManifestSettings } from "./settings.ts";
import { retrieverOf, type Slice, slicesOf } from "./slices.ts";
import { Unsayable } from "./unsayable.ts";

/** A job of a stream, in parts. A stream with several slices has several. */
export interface StreamJob {
  readonly base: Value;
  /** What is joined to the base. */
  readonly path: Value;
  /** Fields of the job besides `endpoint`, `scroller`, `children` and those of its authentication. */
  readonly fields: ValueObject;
  readonly pagination: ValueObject | undefined;
  readonly authentication: StreamAuthentication;
  readonly slice: Slice;
  /** What jq does to its records. */
  readonly jq: string | undefined;
  /** What the job does otherwise than the manifest says. */
  readonly remarks: readonly string[];
  /** What its user is to know. */
  readonly notes: readonly string[];
}

export function nameOf(stream: ValueObject): string {
  return String(stream.name ?? objectOf(stream.$parameters).name ?? "");
}

/** Converts a stream. `isIncremental: false` asks for all its records: a parent is read whole. Throws `Unsayable`. */
export function jobsOf(stream: ValueObject, settings: ManifestSettings, isIncremental: boolean): readonly StreamJob[] {
  const scope: ManifestScope = { settings, parameters: objectOf(stream.$parameters), slice: () => undefined };
  if (/^Custom/.test(String(stream.type)) || stream.class_name !== undefined)
    throw new Unsayable(`it needs the Python class ${String(stream.class_name)}`);
  const retriever = retrieverOf(stream);
  if (retriever.type !== undefined && retriever.type !== "SimpleRetriever")
    throw new Unsayable(`it needs the retriever ${String(retriever.class_name ?? retriever.type)}`);
  const requester = objectOf(retriever.requester);
  if (requester.type !== undefined && requester.type !== "HttpRequester")
    throw new Unsayable(`it needs the requester ${String(requester.class_name ?? requester.type)}`);
  if (requester.query_properties !== undefined) throw new Unsayable("its properties are asked for in portions");
  return slicesOf(retriever.partition_router, scope).map((slice) => jobOf(stream, slice, scope, isIncremental));
}

function jobOf(stream: ValueObject, slice: Slice, outer: ManifestScope, isIncremental: boolean): StreamJob {
  const retriever = retrieverOf(stream);
  const requester = objectOf(retriever.requester);
  const isChild = slice.parent !== undefined;
  const increments = incrementsOf(stream, outer, isIncremental && !isChild);
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
  const given = [...slice.options, ...increments.options()].map(
    ({ option, meaning }) => [placeOfOption(option, { scope, request }), sayable(meaning) ?? ""] as const,
  );
  if (request.method === "GET" && Object.keys(authentication.body).length > 0)
    throw new Unsayable("its key goes into the body of a GET");
  const target = request.method === "GET" ? "query" : "body";
  const placed = [...paging.sizes, ...given].reduce<Placed>(
    (parts, [place, value]) => put(parts, target, place, value),
    {
      query: request.query,
      body: { ...request.body, ...authentication.body },
      headers: request.headers,
    },
  );
  const { fields, remarks } = increments.members();
  const filter = filterOf(stream, selector, {
    scope,
    columnOf: (placeholder) => columnOf(slice, placeholder),
    settingOf: (name) => outer.settings.members()[name],
  });
  const key = keyOf(stream.primary_key);
  const format = formatOf(objectOf(retriever.decoder));
  const [params, query] = request.method === "GET" ? [placed.query, {}] : [placed.body, placed.query];
  const hasLists = Object.values(request.method === "POST" ? query : params).some(Array.isArray);
  return {
    base: request.base,
    path: request.path,
    slice,
    jq: filter.jq,
    pagination: paging.pagination,
    authentication,
    fields: present({
      method: request.method === "GET" ? undefined : request.method,
      placeholders: filled(Object.fromEntries(slice.placeholders)),
      params: filled(params),
      query: filled(query),
      lists: hasLists ? "repeat" : undefined,
      headers: filled(placed.headers),
      dataField: records.dataField,
      dataType: nameOf(stream),
      format,
      key,
      responses: errors.responses.length === 0 ? undefined : errors.responses,
      retryConfig: errors.retryConfig,
      ...fields,
    }),
    remarks: [
      ...(isChild && isIncremental && stream.incremental_sync !== undefined && stream.incremental_sync !== null
        ? ["each run reads it from its first time on: a child has no increments"]
        : []),
      ...(isFiltered(slice.parent?.stream)
        ? [`it is asked for every record of ${nameOf(slice.parent?.stream ?? {})}, whose filter does not choose`]
        : []),
      ...request.remarks,
      ...errors.remarks,
      ...paging.remarks,
      ...remarks,
      ...filter.remarks,
    ],
    notes: [...request.notes, ...authentication.notes],
  };
}

/** Returns whether only some of a parent's records have children. */
function isFiltered(parent: ValueObject | undefined): boolean {
  return (
    parent !== undefined &&
    typeof objectOf(objectOf(retrieverOf(parent).record_selector).record_filter).condition === "string"
  );
}

/** The column that a child's records have of a placeholder; undefined if several would have that name. */
function columnOf({ placeholders }: Slice, placeholder: string): string | undefined {
  const path = placeholders.get(placeholder);
  const isAlone = [...placeholders.values()].filter((one) => one === path).length === 1;
  if (typeof path !== "string" || !isAlone) return undefined;
  return path.startsWith("parent_") ? path : `parent_${path}`;
}

interface Placed {
  readonly query: Readonly<Record<string, Value>>;
  readonly body: Readonly<Record<string, Value>>;
  readonly headers: Readonly<Record<string, Value>>;
}

/** Puts a value at a place of the request. */
function put(parts: Placed, target: "query" | "body", place: RequestSpot, value: Value): Placed {
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

/** Returns the names that tell records apart, if they are names of members. */
function keyOf(primaryKey: Value | undefined): Value | undefined {
  if (typeof primaryKey === "string" && primaryKey !== "") return primaryKey;
  if (!Array.isArray(primaryKey) || primaryKey.length === 0) return undefined;
  const names = primaryKey.map((one: Value) => (Array.isArray(one) && one.length === 1 ? (one[0] ?? null) : one));
  if (!names.every((name) => typeof name === "string" && name !== "")) return undefined;
  return names.length === 1 ? (names[0] ?? undefined) : names;
}

export function present(entries: Readonly<Record<string, Value | undefined>>): ValueObject {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

export function filled(entries: Readonly<Record<string, Value>>): ValueObject | undefined {
  return Object.keys(entries).length === 0 ? undefined : entries;
}
