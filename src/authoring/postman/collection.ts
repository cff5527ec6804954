import { SpileError } from "../../core/errors.ts";
import { isObject, parseValue, type Value, type ValueObject } from "../../core/values/value.ts";
import { findRecords } from "../../knowledge/records.ts";
import { filled, present } from "../configuration-draft.ts";
import { type AuthoringOptions, pathFilter } from "../described/choice.ts";
import { namedPaging } from "../described/named-paging.ts";
import { draftSettings, type WrittenSettings } from "../described/settings.ts";
import {
  type AuthoredStreams,
  authorStreams,
  type StreamJob,
  type StreamNode,
  type StreamReason,
} from "../described/streams.ts";
import { listOf, objectOf, UnsupportedError } from "../described/values.ts";
import { variablePrefix } from "../variable-names.ts";
import { authenticationOf, bodyOf, type CollectionSettings, parameterValue, textOf } from "./request-parts.ts";

/** A request of a collection. */
interface Item {
  readonly name: string;
  /** The names of the folders around the request, the outermost first. */
  readonly folders: readonly string[];
  readonly request: ValueObject;
  /** The authentication of the request, else that of the nearest folder. */
  readonly auth: ValueObject;
  /** Answers that the collection has saved for the request. */
  readonly answers: readonly ValueObject[];
  readonly hasScripts: boolean;
}

/** A Postman collection of version 2.1. */
export interface Collection {
  readonly items: readonly Item[];
  readonly variables: readonly ValueObject[];
}

/** Reads a collection. Throws a usage error if the text is not a collection. */
export function readCollection(text: string, name: string): Collection {
  let root: Value;
  try {
    root = parseValue(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw new SpileError("usage", `cannot read the Postman collection ${name}: it is not JSON`, { cause: error });
  }
  // Exports through Postman's API put the collection inside another object.
  const collection = objectOf(objectOf(root).collection ?? root);
  if (!Array.isArray(collection.item) || !isObject(collection.info))
    throw new SpileError("usage", `${name} is not a Postman collection of version 2.1: it has no info or no item`);
  const variables = [...listOf(collection.variable), ...listOf(collection.item).flatMap(variablesIn)];
  return { items: itemsIn(collection, [], {}), variables };
}

function variablesIn(item: ValueObject): readonly ValueObject[] {
  return [...listOf(item.variable), ...listOf(item.item).flatMap(variablesIn)];
}

function itemsIn(group: ValueObject, folders: readonly string[], inheritedAuth: ValueObject): readonly Item[] {
  const auth = isObject(group.auth) ? group.auth : inheritedAuth;
  return listOf(group.item).flatMap((one) => {
    const name = String(one.name ?? "");
    if (Array.isArray(one.item)) return itemsIn(one, [...folders, name], auth);
    const request: ValueObject = typeof one.request === "string" ? { url: one.request } : objectOf(one.request);
    const nearestAuth = isObject(request.auth) ? request.auth : isObject(one.auth) ? one.auth : auth;
    const hasScripts = listOf(one.event).some(({ script }) => String(objectOf(script).exec ?? "").trim() !== "");
    return [{ name, folders, request, auth: nearestAuth, answers: listOf(one.response), hasScripts }];
  });
}

/**
 * Returns the configuration of a collection. `only`: patterns for the names of requests and folders, and for paths. Throws a usage
 * error if no request matches.
 */
export function authorCollection(
  { items, variables }: Collection,
  { only, settingValues, refusedStreams }: AuthoringOptions,
): AuthoredStreams {
  const wantedItems = only.length === 0 ? items : items.filter((item) => isWanted(item, only));
  if (items.length === 0) throw new SpileError("usage", "the collection has no requests");
  if (wantedItems.length === 0) {
    const names = items.slice(0, 20).map(({ folders, name }) => [...folders, name].join("/"));
    throw new SpileError("usage", `the collection has no request ${only.join(", ")}; it has ${names.join(", ")}`);
  }
  const attempt = (before: readonly StreamReason[]): AuthoredStreams => {
    const settings = settingsOf(variables, wantedItems, settingValues);
    const leftOut: StreamReason[] = [...before];
    const names = new Map<string, number>();
    const nodes = wantedItems.flatMap((item): StreamNode[] => {
      const stream = uniqueName(item, names);
      if (before.some((one) => one.stream === stream)) return [];
      try {
        return [{ stream, job: jobOf(item, stream, settings), isWritten: true, children: [] }];
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        leftOut.push({ stream, reason: error.message });
        return [];
      }
    });
    return authorStreams(nodes, { settings, leftOut });
  };
  // The second attempt begins without the requests that the first one left out: the configuration reads none of their settings.
  return attempt(attempt(refusedStreams).leftOut);
}

function isWanted({ name, folders, request }: Item, only: readonly string[]): boolean {
  const filter = pathFilter(only);
  const paths = folders.map((_, index) => folders.slice(0, index + 1).join("/"));
  return [name, [...folders, name].join("/"), ...folders, ...paths, pathOf(request)].some(filter);
}

function pathOf({ url }: ValueObject): string {
  return addressOf(url)
    .replace(/^(?:[a-z]+:\/\/)?[^/]*/i, "")
    .replace(/\?.*$/s, "");
}

function addressOf(url: Value | undefined): string {
  if (typeof url === "string") return url;
  const { raw, protocol, host, path } = objectOf(url);
  if (typeof raw === "string") return raw;
  const joined = (value: Value | undefined, sign: string): string =>
    Array.isArray(value) ? value.map(String).join(sign) : String(value ?? "");
  return `${protocol === undefined ? "" : `${String(protocol)}://`}${joined(host, ".")}/${joined(path, "/")}`;
}

/** Returns the name of a request, followed by a number if earlier requests have the same name. */
function uniqueName({ name, folders }: Item, names: Map<string, number>): string {
  const plain = name === "" ? folders.join("/") : name;
  const count = (names.get(plain) ?? 0) + 1;
  names.set(plain, count);
  return count === 1 ? plain : `${plain} ${count}`;
}

/** Creates the settings of a collection. Secrets and variables without a value come from the environment. */
function settingsOf(
  variables: readonly ValueObject[],
  items: readonly Item[],
  settingValues: ReadonlyMap<string, string>,
): CollectionSettings & WrittenSettings {
  const enabledVariables = new Map(
    variables.filter(({ disabled }) => disabled !== true).map((one) => [String(one.key ?? one.id ?? ""), one]),
  );
  const { read, members, variables: written } = draftSettings(prefixOf(items, enabledVariables));
  return {
    read: (name, isSecret) => {
      const { value, type } = enabledVariables.get(name) ?? {};
      const isEmpty = value === undefined || value === null || value === "";
      return read([name], {
        value: settingValues.get(name) ?? (isEmpty ? undefined : String(value)),
        isSecret: isSecret || type === "secret",
      });
    },
    members,
    variables: written,
  };
}

function prefixOf(items: readonly Item[], variables: ReadonlyMap<string, ValueObject>): string {
  const filledIn = items.map(({ request }) =>
    addressOf(request.url).replace(/\{\{([^{}]*)\}\}/g, (_, name: string) =>
      String(variables.get(name.trim())?.value ?? "x"),
    ),
  );
  const address = filledIn
    .map((one) => (/^https?:/i.test(one) ? one : `https://${one}`))
    .find((one) => URL.canParse(one));
  return address === undefined ? "API" : variablePrefix(address);
}

function jobOf(item: Item, stream: string, settings: CollectionSettings): StreamJob {
  const { request, answers } = item;
  const method = String(request.method ?? "GET").toUpperCase();
  if (method !== "GET" && method !== "POST")
    throw new UnsupportedError(`its method is ${method}: spile sends GET and POST`);
  const body = method === "POST" ? bodyOf(objectOf(request.body), settings) : undefined;
  const address = addressOf(request.url);
  const [place = ""] = address.split("?", 1);
  const query = queryOf(request.url, address);
  const records = recordsIn(answers);
  if (method === "GET" && records === undefined && /\/(?::[\w-]+|\{\{(?=[^{}]*id)[^{}]*\}\})\/?$/i.test(place))
    throw new UnsupportedError("it requests a single object, not a list");
  const path = withPathValues(place, objectOf(request.url));
  const paging =
    method === "GET"
      ? namedPaging({
          parameters: query.map(([name, value]) => ({ name, in: "query", schema: { default: value } })),
          addresses: [],
          tokens: [],
          headers: [],
        })
      : undefined;
  const pagingNames = new Set(
    [paging?.limitParam ?? "limit", paging?.offsetParam ?? "offset", paging?.pageParam ?? "page"].map(String),
  );
  const isCounted = paging?.method === "offset" || paging?.method === "pagenum";
  const otherPairs = query.filter(([name]) => !isCounted || !pagingNames.has(name));
  const params = Object.fromEntries(otherPairs.map(([name, value]) => [name, parameterValue(name, value, settings)]));
  const headers = listOf(request.header).filter(
    ({ disabled, key }) => disabled !== true && !/^(?:content-type|content-length|host)$/i.test(String(key)),
  );
  const authentication = authenticationOf(item.auth, settings);
  const { base, rest } = splitBase(path);
  return {
    base: textOf(/^https?:|^\{\{/i.test(base) ? base : `https://${base}`, settings),
    path: textOf(rest, settings),
    pagination: paging,
    authentication,
    fields: present({
      method: body?.method ?? undefined,
      params: filled(method === "GET" ? params : { ...body?.params, ...authentication.body }),
      query: method === "GET" ? undefined : filled(params),
      headers: filled(
        Object.fromEntries(
          headers.map(({ key, value }) => [String(key), parameterValue(String(key), String(value ?? ""), settings)]),
        ),
      ),
      dataField: records,
      dataType: stream,
    }),
    differences: [
      ...(item.hasScripts ? ["its scripts are not run"] : []),
      ...(records === undefined
        ? ["no saved answer shows where its records are: a run reads the only list in the answer"]
        : []),
      ...(paging === undefined ? [] : ["its paging is derived from the names of its parameters, and is not proven"]),
    ],
    notes: method === "POST" ? ["a run sends this POST: keep the job only if the request changes nothing"] : [],
  };
}

/** Splits an address without a query before its path. */
function splitBase(address: string): { readonly base: string; readonly rest: string } {
  const [, base = address, rest = ""] = /^((?:[a-z]+:\/\/)?[^/]+)(\/.*)?$/is.exec(address) ?? [];
  return { base, rest };
}

/**
 * Replaces each `:id` in a path by the value of the request's variable `id`. Throws `UnsupportedError` if a variable has no value,
 * and for `{id}`, for which Postman has no value.
 */
function withPathValues(address: string, { variable }: ValueObject): string {
  const values = new Map(listOf(variable).map(({ key, value }) => [String(key), String(value ?? "")]));
  const [, open] = /(?<!\{)\{([\w-]+)\}(?!\})/.exec(address) ?? [];
  if (open !== undefined) throw new UnsupportedError(`its path needs a value for {${open}}`);
  return address.replace(/(?<=\/):([\w-]+)/g, (_, name: string) => {
    const value = values.get(name) ?? "";
    if (value === "") throw new UnsupportedError(`its path needs a value for :${name}`);
    return /^\{\{/.test(value) ? value : encodeURIComponent(value);
  });
}

function queryOf(url: Value | undefined, address: string): readonly (readonly [name: string, value: string])[] {
  const { query } = objectOf(url);
  if (Array.isArray(query))
    return listOf(query)
      .filter(({ disabled }) => disabled !== true)
      .map(({ key, value }) => [String(key ?? ""), String(value ?? "")] as const);
  const text = address.includes("?") ? address.slice(address.indexOf("?") + 1) : "";
  return text === ""
    ? []
    : text.split("&").map((piece) => {
        const [name = "", ...rest] = piece.split("=");
        return [name, rest.join("=")] as const;
      });
}

/** Returns the path of the records in the saved answers; undefined if no answer contains a list. */
function recordsIn(answers: readonly ValueObject[]): Value | undefined {
  for (const { body, code } of answers) {
    if (typeof body !== "string" || Number(code ?? 200) >= 300) continue;
    try {
      const place = findRecords(parseValue(body), undefined);
      if (place.list) return place.path.length === 0 ? "." : place.path.join(".");
    } catch {
      // An answer that is not JSON does not show where the records are.
    }
  }
  return undefined;
}
