import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { objectOf, UnsupportedError } from "../described/values.ts";
import { expressionOf, meaningOf } from "./evaluate.ts";
import { pythonText } from "./meaning.ts";
import { placeOf, queryPlace, type RequestSpot } from "./request.ts";
import { knownValue, type ManifestScope } from "./scope.ts";
import { stopOf } from "./stop.ts";
import { fallbackPlaces, type PagingOptions, type PagingParts, sourceValue, tokenSource } from "./token.ts";

/** The paging of a stream, as parts of a configuration. */
export interface StreamPaging {
  /** `api.pagination`, or a scroller; undefined for a single request. */
  readonly pagination: ValueObject | undefined;
  /** Values that every request sends, such as the page size. */
  readonly sizes: readonly (readonly [place: RequestSpot, value: Value])[];
  readonly differences: readonly string[];
}

const none: StreamPaging = { pagination: undefined, sizes: [], differences: [] };

/** Converts a paginator. Throws `UnsupportedError`. */
export function pagingOf(paginator: ValueObject, options: PagingOptions): StreamPaging {
  const type = String(paginator.type ?? "NoPagination");
  if (type === "NoPagination") return none;
  if (type !== "DefaultPaginator")
    throw new UnsupportedError(`it needs the paginator ${String(paginator.class_name ?? type)}`);
  const strategy = objectOf(paginator.pagination_strategy);
  const reader = strategies[String(strategy.type)];
  if (reader === undefined)
    throw new UnsupportedError(`it needs the pagination strategy ${String(strategy.class_name ?? strategy.type)}`);
  return reader({ strategy, paginator, ...options });
}

type Strategy = (parts: PagingParts) => StreamPaging;

/** Returns the place in the request at which a request option puts its value. */
export function placeOfOption(
  option: ValueObject,
  { scope, request }: { readonly scope: ManifestScope; readonly request: { readonly method: string } },
): RequestSpot {
  const name = pythonText(knownValue(meaningOf(option.field_name ?? "", scope)));
  const path = Array.isArray(option.field_path)
    ? option.field_path.map((step) => pythonText(knownValue(meaningOf(step, scope))))
    : [name];
  switch (option.inject_into) {
    case "header":
      return { header: name };
    case "request_parameter":
      return request.method === "GET" ? name : queryPlace(name);
    case "body_json":
    case "body_data":
      return request.method === "GET" ? name : placeOf(path);
    default:
      throw new UnsupportedError(`its ${name} goes into ${String(option.inject_into)}`);
  }
}

/** Returns the page size; undefined if there is none. A setting has the value for which the configuration is written. */
function pageSize({ strategy, scope }: PagingParts): number | undefined {
  const { page_size: size } = strategy;
  if (size === undefined || size === null || size === "") return undefined;
  const meaning = meaningOf(size, scope);
  const value =
    meaning.kind === "run" && meaning.setting !== undefined
      ? scope.settings.decide(meaning.setting)
      : knownValue(meaning);
  const number = Number(pythonText(value));
  return Number.isInteger(number) && number >= 1 ? number : undefined;
}

/** Returns the place of the page size in the request; undefined if requests contain no page size. */
function sizePlace(parts: PagingParts): RequestSpot | undefined {
  const { page_size_option: option } = parts.paginator;
  return isObject(option) && pageSize(parts) !== undefined ? placeOfOption(option, parts) : undefined;
}

/** Returns the paging of a stream whose requests contain no page number: one page, since all requests would be the same. */
function single(parts: PagingParts): StreamPaging {
  const size = pageSize(parts);
  const sizeSpot = sizePlace(parts);
  return {
    pagination: size === undefined ? undefined : { method: "none", fullPage: size },
    sizes: sizeSpot === undefined || size === undefined ? [] : [[sizeSpot, size]],
    differences: ["only one page is requested: no parameter contains the number of the next one"],
  };
}

/** Creates the conversion for offsets or page numbers. */
function counting(method: "offset" | "pagenum"): Strategy {
  return (parts) => {
    const { strategy, paginator, request } = parts;
    const { page_token_option: option } = paginator;
    const size = pageSize(parts);
    const sizeSpot = sizePlace(parts);
    if (isObject(option) && option.type === "RequestPath")
      throw new UnsupportedError("it sends a page number as the address of the next page");
    const place = isObject(option) ? placeOfOption(option, parts) : request.token;
    if (place === undefined) return single(parts);
    const isSentFirst = strategy.inject_on_first_request === true || request.token !== undefined;
    const [tokenParam, sizeParam] = [method === "offset" ? "offset" : "page", "limit"];
    const start = strategy.start_from_page;
    const first =
      method === "pagenum"
        ? Number(pythonText(start === undefined ? 0 : knownValue(meaningOf(start, parts.scope))))
        : 0;
    const isEndless = method === "offset" && size === undefined;
    const limit: ValueObject =
      size === undefined
        ? isEndless
          ? { limit: "unknown" }
          : {}
        : {
            limit: size,
            ...(sizeSpot === undefined || valueText(sizeSpot) === valueText(place)
              ? { limitParam: false }
              : sizeSpot === sizeParam
                ? {}
                : { limitParam: sizeSpot }),
          };
    return {
      pagination: {
        method,
        ...limit,
        ...(place === tokenParam ? {} : { [`${tokenParam}Param`]: place }),
        ...(method === "pagenum" && first !== 1 ? { firstPage: first } : {}),
        ...(isSentFirst ? {} : { firstPageParams: false }),
      },
      sizes: sizeSpot !== undefined && size !== undefined && !isSentFirst ? [[sizeSpot, size]] : [],
      differences: [],
    };
  };
}

const cursor: Strategy = (parts) => {
  const { strategy, paginator, request } = parts;
  const { page_token_option: option } = paginator;
  const sizeSpot = sizePlace(parts);
  const size = pageSize(parts);
  const sizes: StreamPaging["sizes"] = sizeSpot === undefined || size === undefined ? [] : [[sizeSpot, size]];
  const source = tokenSource(String(strategy.cursor_value), parts);
  const ignoredFallbacks = fallbackPlaces(expressionOf(String(strategy.cursor_value)), parts.scope);
  const stop = stopOf(strategy.stop_condition, source, parts);
  if (stop === "always") return { ...none, sizes };
  const isAddress = isObject(option) && option.type === "RequestPath";
  const differences = [
    ...(ignoredFallbacks.length === 0
      ? []
      : [`its paging ends at a page where only ${ignoredFallbacks.join(" or ")} names the next page`]),
    ...(typeof stop === "string" ? [stop] : []),
  ];
  const flag = isObject(stop) ? { nextPageFlag: stop } : {};
  const isBare = parts.isBareAfterFirst;
  if (source.kind === "link") {
    return {
      pagination: {
        method: "link",
        ...(source.rel === "next" ? {} : { rel: source.rel }),
        ...(isBare ? {} : { includeParams: true }),
        ...flag,
      },
      sizes,
      differences,
    };
  }
  if (source.kind === "pages") {
    const place = isObject(option) && !isAddress ? placeOfOption(option, parts) : request.token;
    if (place === undefined) throw new UnsupportedError("no parameter contains its page numbers");
    const limit = source.count === undefined ? {} : { pageCount: source.count };
    return {
      pagination: {
        method: "pagenum",
        ...(place === "page" ? {} : { pageParam: place }),
        ...(source.first === 1 ? {} : { firstPage: source.first }),
        firstPageParams: false,
        ...limit,
        ...flag,
      },
      sizes,
      differences,
    };
  }
  const value = sourceValue(source);
  if (isAddress || source.kind === "address") {
    const urlKey =
      isObject(value) && value.delimiter !== undefined && Object.keys(value).length === 2
        ? { urlKey: value.path ?? "", delimiter: value.delimiter }
        : { urlKey: value };
    return {
      pagination: { method: "response.url", ...urlKey, ...(isBare ? {} : { includeParams: true }), ...flag },
      sizes,
      differences,
    };
  }
  const tokenPlace = isObject(option) ? placeOfOption(option, parts) : request.token;
  if (tokenPlace === undefined) throw new UnsupportedError("no parameter contains the token of its next page");
  const place = "member" in source && source.member !== undefined ? memberPlace(tokenPlace, source.member) : tokenPlace;
  return {
    pagination: {
      method: "response.param",
      responseParam: value,
      queryParam: place,
      ...(isBare ? {} : { includeParams: true }),
      ...flag,
    },
    sizes,
    differences,
  };
};

/** Returns the place of a member of the object at a place. */
function memberPlace(place: RequestSpot, member: string): RequestSpot {
  if (typeof place === "string") return placeOf([place, member]);
  const { path, delimiter = "." } = place;
  return typeof path === "string" ? placeOf([...path.split(String(delimiter)), member]) : place;
}

const strategies: Readonly<Record<string, Strategy>> = {
  OffsetIncrement: counting("offset"),
  PageIncrement: counting("pagenum"),
  CursorPagination: cursor,
};
