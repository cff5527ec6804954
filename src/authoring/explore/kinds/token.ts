import { exactNumber, isObject, type Value, type ValueObject } from "../../../core/values/value.ts";
import { headerRole } from "../../../knowledge/headers.ts";
import { meaningOf } from "../../../knowledge/parameters.ts";
import { isAddress } from "../../../knowledge/values.ts";
import { plainName, wordsOf } from "../../../knowledge/words.ts";
import {
  type FirstPage,
  isHeader,
  nameOf,
  type PageField,
  pathValue,
  placeText,
  sourceOf,
} from "../first-answer/first-page.ts";
import { isNextTokenName, lastingTokens, mayBeNextToken, namesIn, tokenHeader } from "../first-answer/names.ts";
import { distinctPlaces, hasNamingStyle, modelOf, placeBeside, placesFor } from "../first-answer/style.ts";
import { inGroupOf } from "./counting.ts";
import { nextInAnswer } from "./follow.ts";
import { graphqlCursor } from "./graphql.ts";
import {
  type Hypothesis,
  type HypothesisSearch,
  type PagingKind,
  responseParamPaging,
  secondIsEmpty,
  stopBy,
} from "./kind.ts";

/** Names of parameters that may also be filters, so that an empty second page proves nothing. */
const filterNames = new Set(["after", "before", "from", "start", "page"]);

/** An empty second page proves a token only if its parameter cannot be anything else. */
export const token: PagingKind = {
  refine: nextInAnswer.refine,
  async refineWhole(hypothesis, pages, prober) {
    const isFilter = filterNames.has(plainName(nameOf(hypothesis.paging.queryParam ?? "")));
    return isFilter ? secondIsEmpty : nextInAnswer.refineWhole(hypothesis, pages, prober);
  },
};

/** Looks for tokens of the next page in the response's body and headers. */
export const byToken: HypothesisSearch = (page, { flag }) => {
  const ofBody = page.fields.filter(
    ({ path, plain, value }) =>
      // The id of the last record leads to the next page as long as a flag says that there is more.
      (isNextTokenName(path.at(-1) ?? "") || isInNext(path) || (plain === "lastid" && flag?.more === true)) &&
      (typeof value === "number"
        ? value > 0 && plain !== "offset"
        : typeof value === "string" && value !== "" && !/^https?:\/\//i.test(value)),
  );
  const others = page.fields.filter(
    ({ path, value }) =>
      !isNextTokenName(path.at(-1) ?? "") &&
      (mayBeNextToken(path.at(-1) ?? "") || (flag?.more === true && isNamedOffset(path, value))) &&
      typeof value !== "boolean" &&
      value !== "",
  );
  const ofHeaders = page.response.headers.filter(
    ([name, value]) => (tokenHeader.test(name) || isNextHeader(name)) && value !== "" && !isAddress(value),
  );
  const stop = flag?.more === true ? stopBy(flag) : {};
  return [
    ...[...ofBody, ...others].flatMap((field) => tokensOf(page, field, lastingTokens.test(field.plain) ? stop : {})),
    ...ofHeaders.flatMap(([name, value]) =>
      headerParameters(name, page).map((place) =>
        hypothesisOf(page, { source: { header: name }, shownText: `the header ${name}`, value }, place, {}),
      ),
    ),
  ];
};

/** Returns whether a field is an offset above 0 whose name has a word before `offset`: `vid-offset`. */
function isNamedOffset(path: readonly string[], value: PageField["value"]): boolean {
  const words = wordsOf(path.at(-1) ?? "");
  return words.length > 1 && words.at(-1) === "offset" && Number(value) > 0;
}

/** Looks for texts outside the records that look like tokens, that `byToken` does not find, and that the request did not send. */
export const byOpaqueText: HypothesisSearch = (page, extent) => {
  const { flag, all } = extent;
  if (all !== "") return [];
  const sentValues = new Set(page.requestParameters.map(({ value }) => String(value)));
  const triedFields = new Set(byToken(page, extent).map(({ group }) => group));
  return page.fields
    .filter(
      ({ path, value }) =>
        !triedFields.has(shownField(path)) && !sentValues.has(String(value)) && looksOpaque(path, value),
    )
    .slice(0, 2)
    .flatMap((field) => tokensOf(page, field, flag?.more === true ? stopBy(flag) : {}));
};

/** Words of fields that never hold the next page's token. */
const otherWords =
  /^(prev|previous|before|first|self|current|request|trace|correlation|session|etag|hash|checksum|signature|version|date|time|at|timestamp|sync|delta|type|status|currency|locale|language|country|message|copyright|name|title|url|uri|link|href|path)$/;
const tokenWords =
  /^(next|cursor|token|after|marker|continuation|continue|iterator|bookmark|scroll|position|key|last|end|resume|more)$/;

function looksOpaque(path: readonly string[], value: PageField["value"]): boolean {
  if (typeof value !== "string" || !/^[\w+/=.:~|,-]{2,2000}$/.test(value) || /^(https?:\/\/|\/)/i.test(value))
    return false;
  const words = path.flatMap(wordsOf);
  if (wordsOf(path.at(-1) ?? "").some((word) => otherWords.test(word))) return false;
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(value) || /^v?[0-9]+(\.[0-9]+)+$/.test(value)) return false;
  const isMixed = value.length >= 8 && /[0-9]/.test(value) && /[a-z]/i.test(value);
  return isMixed || words.some((word) => tokenWords.test(word));
}

function shownField(path: readonly string[]): string {
  return `"${path.join(".")}"`;
}

function tokensOf(page: FirstPage, { path, value }: PageField, stop: ValueObject): readonly Hypothesis[] {
  const token = { source: sourceOf(path), shownText: shownField(path), value };
  return tokenParameters(path.at(-1) ?? "", page).map((place) => hypothesisOf(page, token, place, stop));
}

function headerParameters(name: string, page: FirstPage): readonly Value[] {
  // Heroku sends `Next-Range` and reads `Range`.
  if (/^next-range$/i.test(name)) return [{ header: "Range" }];
  const word = (tokenHeader.exec(name)?.[0] ?? name)
    .replace(/^(x-|-)/i, "")
    .toLowerCase()
    .replaceAll("-", "_");
  const fieldName = word === "continuationtoken" ? "continuationToken" : word;
  const [first = "", second = "", ...others] = tokenParameters(fieldName, page);
  return [first, second, { header: name }, ...others];
}

function isNextHeader(name: string): boolean {
  const role = headerRole(name);
  return typeof role === "object" && role.kind === "next";
}

/** Returns whether a path leads to a token inside an object called `next`: `pages.next.starting_after`. */
function isInNext(path: readonly string[]): boolean {
  return meaningOf(path.slice(-1)) === "token" && path.slice(0, -1).some((step) => plainName(step) === "next");
}

/** A value for the next request, and the place where the response contains it. */
interface Token {
  readonly source: Value;
  readonly shownText: string;
  readonly value: PageField["value"] | undefined;
}

function hypothesisOf(
  page: FirstPage,
  { source, shownText, value }: Token,
  place: Value,
  stop: ValueObject,
): Hypothesis {
  const query = graphqlCursor(page)?.query;
  return {
    sets: query === undefined ? undefined : [{ place: "query", value: query }],
    kind: "token",
    group: value === undefined || query !== undefined || isHeader(place) ? undefined : shownText,
    value: typeof value === "number" ? exactNumber(String(value)) : value,
    label: `the value at ${shownText} sent as ${placeText(place)}`,
    reason: `${shownText} holds a value`,
    isGuess: false,
    paging: { ...responseParamPaging(page, source, place), ...stop },
    drops: [],
  };
}

/** Looks for tokens that are objects or lists. They are sent as a whole, or as one parameter for each member (MediaWiki). */
export const byContinuation: HypothesisSearch = (page) => {
  const { document } = page;
  if (!isObject(document)) return [];
  const whole = Object.entries(document).filter(
    ([name, value]) =>
      (isObject(value) || Array.isArray(value)) &&
      Object.keys(value).length > 0 &&
      Object.entries(value).every(([member, inner]) => isShallow(inner) && meaningOf([member]) === undefined) &&
      (isNextTokenName(name) || plainName(name) === "lastevaluatedkey"),
  );
  return [
    ...byMembers(document.continue),
    ...whole.flatMap(([name]) =>
      tokenParameters(name, page)
        .slice(0, 4)
        .map((place) =>
          hypothesisOf(page, { source: sourceOf([name]), shownText: `"${name}"`, value: undefined }, place, {}),
        ),
    ),
  ];
};

/** Returns whether a member of a token is a scalar, or an object of scalars as in DynamoDB's keys. */
function isShallow(value: Value): boolean {
  if (Array.isArray(value)) return false;
  return !isObject(value) || Object.values(value).every((inner) => !isObject(inner) && !Array.isArray(inner));
}

function byMembers(next: Value | undefined): Hypothesis[] {
  if (!isObject(next) || Object.keys(next).length === 0) return [];
  return [
    {
      kind: "token",
      label: `the members of "continue" sent as parameters`,
      reason: `"continue" holds parameters`,
      isGuess: false,
      paging: { method: "response.param", responseParam: "continue", includeParams: true },
      drops: [],
    },
  ];
}

/** Names of parameters that take tokens, whatever the name of the field. The likeliest come first. */
const usualParameters = namesIn(
  "cursor, after, page token, next token, token, start, from, next, marker, since, starting after, " +
    "page cursor, next cursor, start cursor, after cursor, start after, start key, start token, " +
    "continuation token, pagination token, page id, after id, scroll id, continuation, bookmark, position, " +
    "offset, page, until",
);

/** Names of parameters for fields whose tokens APIs read from parameters with other names, by the plain names of the fields. */
const relatedParameters: Readonly<Record<string, string>> = {
  next: "cursor, next, after, offset",
  nextpage: "cursor, page token",
  lastid: "after id, after",
  endcursor: "after, cursor",
  nexttoken: "next token, pagination token, token",
  // CouchDB's list of changes.
  lastseq: "since",
  minid: "max id",
  // DynamoDB.
  lastevaluatedkey: "exclusive start key",
};

/** Names of fields that are rarely those of parameters, so that a parameter of the same name is not tried first. */
const neverSent = new Set(["endcursor", "next", "lastevaluatedkey", "lastid"]);

/**
 * Returns the places that may take a token in the next request. If a recorded session or a GraphQL query shows the place, it is the
 * only one. Else these are parameters of the request, a parameter with the token's name without `next`, and those that APIs use
 * for such a name.
 */
function tokenParameters(name: string, page: FirstPage): readonly Value[] {
  const { observed } = page;
  const field = page.fields.find(({ path }) => path.at(-1) === name);
  const isSentNext = page.fields.some(({ path, value }) => path.at(-1) === name && String(value) === observed?.after);
  if (observed !== undefined && isSentNext) return [observed.place];
  const graphql = graphqlCursor(page);
  if (graphql !== undefined) return [graphql.place];
  const plain = plainName(name);
  // A short number in a field of this name is the number of a page.
  const isPageNumber = /^[0-9]{1,7}$/.test(String(field?.value)) && /^next(page)?$/.test(plain);
  const kind = isPageNumber ? "page" : /^next(offset|skip|start)$|^offset$/.test(plain) ? "offset" : "token";
  const requestPlaces = page.requestParameters.filter(({ meaning }) => meaning === kind).map(({ place }) => place);
  const rest = wordsOf(name).filter((word) => word !== "next");
  const fieldWords = neverSent.has(plain) || (plain === "nextpage" && !isPageNumber) ? [] : [rest, wordsOf(name)];
  const withPrefix = ["start", "page", "from", "after", "first"].map((word) => [word, ...rest]);
  const [first, ...others] = rest;
  // A `last_item_id` goes into `start_after_item_id`.
  const afterLast = first === "last" ? [["after"], ["start", "after"], ["starting", "after"]] : [];
  const ofLast = afterLast.map((begin) => [...begin, ...others]);
  const words = [
    ...(isPageNumber ? [["page"]] : []),
    ...fieldWords,
    ...namesIn(relatedParameters[plain] ?? ""),
    ...ofLast,
    ...withPrefix,
    ...usualParameters,
  ];
  const styled = placesFor(
    words.filter(({ length }) => length > 0),
    page,
    name,
  );
  // The spelling of the field is the likeliest one, unless the request's parameters show a style.
  const fieldSpellings =
    hasNamingStyle(page) || isPageNumber || fieldWords.length === 0 ? [] : [withoutNext(name), name];
  // If the request shows no style, the parameter may have a spelling that no field shows: `page-token`, `pagetoken`.
  const isOpen = modelOf(page) === undefined;
  const grouped = field === undefined ? [] : ["cursor", withoutNext(name)].flatMap((one) => inGroupOf(field, one));
  const joined = rest.length > 1 ? [rest.join("-"), rest.join("")] : ["page-token"];
  const unseenSpellings = isOpen && page.description.method === "GET" ? [...joined, ...grouped] : [];
  const underscoredNames = rest.length === 1 ? [`_${rest.join("")}`] : [];
  const beside = (one: string): Value => placeBeside(modelOf(page), one);
  // A JSON body without a page size may hold its paging in an object.
  const isBody = isOpen && page.description.method === "POST";
  const inner = isBody ? ["pagination", "paging", "page"].map((group) => pathValue([group, withoutNext(name)])) : [];
  return distinctPlaces([
    ...requestPlaces,
    ...fieldSpellings.map(beside),
    ...styled,
    ...inner,
    ...[...underscoredNames, ...unseenSpellings].map(beside),
  ]);
}

/** Removes `next` from a name: `nextPageToken` becomes `pageToken`, `cursor_next` becomes `cursor`. */
function withoutNext(name: string): string {
  const rest = name.replace(/^next[_-]?(?=.)|(?<=.)[_-]?next$/i, "");
  return /^[a-z]/.test(name) ? rest.charAt(0).toLowerCase() + rest.slice(1) : rest;
}
