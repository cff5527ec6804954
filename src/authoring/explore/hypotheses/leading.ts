import { decodeForm, splitAddress } from "../../../core/request.ts";
import { exactNumber, isObject, plainText, type Value, type ValueObject, valueText } from "../../../core/value.ts";
import { isPlaceName } from "../../../knowledge/fields.ts";
import { headerRole } from "../../../knowledge/headers.ts";
import { linkTarget } from "../../../knowledge/link-header.ts";
import { isAddress } from "../../../knowledge/values.ts";
import { plainName, wordsOf } from "../../../knowledge/words.ts";
import { delimiterOf, type FirstPage, type PageField, pathValue } from "../first-answer/first-page.ts";
import {
  lastingTokenNames,
  mayBeNextToken,
  nextHeaders,
  nextNames,
  nextTokenNames,
  tokenHeader,
  tokenNames,
} from "../first-answer/names.ts";
import { flagField, isHeader, placeText } from "../first-answer/places.ts";
import { sourceOf } from "../first-answer/told.ts";
import { graphqlCursor } from "./graphql.ts";
import type { Hypothesis, Look } from "./hypothesis.ts";
import { tokenParameters } from "./token-parameters.ts";

/*
 * Ways of paging in which the answer says where the next page begins.
 */

/** The header `Link`. */
export const byLink: Look = ({ header, description }) => {
  const target = linkTarget(header("link") ?? "", "next");
  if (target === undefined) return [];
  return keeping(description, target).map((kept) => ({
    kind: "link",
    label: `the Link header's next address${keptText(kept)}`,
    because: "the answer has a Link header with rel=next",
    guessed: false,
    paging: { method: "link", ...kept },
    drops: [],
  }));
};

/** An address of the next page in an answer, and the fields of `response.url` that find it on each page. */
interface NextAddress {
  readonly finding: ValueObject;
  readonly shown: string;
  readonly value: string;
}

/** An address in the response. */
export const byAddress: Look = ({ fields, description, document, response, header }) => {
  const inFields = fields.filter(holdsAddress).map(({ path, value }): NextAddress => {
    return { finding: urlKey(path), shown: `"${path.join(".")}"`, value: String(value) };
  });
  const inHeaders = response.headers
    .filter(([name, value]) => headerRole(name) !== "relation" && /(^|-)next(-|$)/i.test(name) && isAddress(value))
    .map(([name]): NextAddress => {
      return { finding: { urlKey: { header: name } }, shown: `the header ${name}`, value: header(name) ?? "" };
    });
  return [...inFields, ...linksByRelation(document, []), ...inHeaders]
    .slice(0, 2)
    .flatMap((address) => followAddress(address, description));
};

function followAddress({ finding, shown, value }: NextAddress, description: FirstPage["description"]): Hypothesis[] {
  return keeping(description, value).flatMap((kept) => {
    const common = { kind: "address", because: `${shown} holds an address`, guessed: false, drops: [] } as const;
    const paging = { method: "response.url", ...finding, ...kept };
    const address = { ...common, label: `the address at ${shown}${keptText(kept)}`, paging };
    // Some APIs write addresses of something else: then their query still says where the next page begins.
    const query = {
      ...common,
      label: `the query of the address at ${shown}${keptText(kept)}`,
      paging: { ...paging, paramIsQuery: true },
    };
    return leadsElsewhere(value, description.address) ? [address, query] : [address];
  });
}

function holdsAddress({ plain, path, value }: PageField): boolean {
  const inNext = path.slice(0, -1).some((step) => nextNames.has(plainName(step)));
  // A template (`/orders{?page}`) is the same for each page.
  const looksSo = typeof value === "string" && /^(https?:\/\/|\/|\?)[^{]*$/i.test(value);
  const isNamedSo = nextNames.has(plain) || /^(next|more)|^after(url|link|uri|href)$/.test(plain) || inNext;
  // What stands in a link is an address, relative as it may be.
  return (looksSo && isNamedSo) || (inNext && /^(href|url|uri)$/.test(plain) && /^[^{]+$/.test(String(value)));
}

/** An address of the same path with another query, below a name that does not say that it leads back: `before_url`. */
export const byOtherAddress: Look = (page, told) => {
  const known = byAddress(page, told).map(({ because }) => because);
  const own = new URL(page.description.address);
  const leading = page.fields.filter(({ path, value }) => {
    const words = path.flatMap(wordsOf);
    if (
      typeof value !== "string" ||
      words.some((word) => /^(self|first|last|prev|previous|current|canonical)$/.test(word))
    )
      return false;
    if (!/^(https?:\/\/|\/|\?)/i.test(value) || !URL.canParse(value, own.href)) return false;
    const { pathname, search } = new URL(value, own);
    return pathname === own.pathname && search !== "" && !known.includes(`"${path.join(".")}" holds an address`);
  });
  const next = leading.slice(0, 1).map((field) => ({ ...field, plain: "next" }));
  return byAddress({ ...page, fields: next, document: null, response: { ...page.response, headers: [] } }, told);
};

/** Is it another path with a query, or one that is relative to nobody knows what? */
function leadsElsewhere(text: string, from: string): boolean {
  if (!text.includes("?")) return false;
  if (!/^(https?:\/\/|\/|\?)/i.test(text)) return true;
  return URL.canParse(text, from) && new URL(text, from).pathname !== new URL(from).pathname;
}

function urlKey(path: readonly string[]): ValueObject {
  const delimiter = delimiterOf(path);
  return { urlKey: path.join(delimiter), ...(delimiter === "." ? {} : { delimiter }) };
}

/** A token in the response's body or headers, to be sent in the next request. */
export const byToken: Look = (page, { flag }) => {
  const ofBody = page.fields.filter(
    ({ path, plain, value }) =>
      // The id of the last record leads on as long as a flag says that there is more.
      (nextTokenNames.has(plain) || isInNext(path, plain) || (plain === "lastid" && flag?.more === true)) &&
      (typeof value === "number"
        ? value > 0 && plain !== "offset"
        : typeof value === "string" && value !== "" && !/^https?:\/\//i.test(value)),
  );
  const others = page.fields.filter(
    ({ plain, value }) =>
      !nextTokenNames.has(plain) && mayBeNextToken(plain) && typeof value !== "boolean" && value !== "",
  );
  const headers = [...new Set([...nextHeaders, ...page.response.headers.map(([name]) => name).filter(isTokenHeader)])];
  const ofHeaders = headers.filter((name) => (page.header(name) ?? "") !== "");
  const stop = flag?.more === true ? { nextPageFlag: { field: flagField(flag.field), stopOn: flag.stopOn } } : {};
  return [
    ...[...ofBody, ...others].flatMap((field) => tokensOf(page, field, lastingTokenNames.has(field.plain) ? stop : {})),
    ...ofHeaders.flatMap((name) =>
      headerParameters(name, page).map((place) =>
        sending(
          page,
          { source: { header: name }, shown: `the header ${name}`, value: page.header(name) ?? "" },
          place,
          {},
        ),
      ),
    ),
  ];
};

/** Any other text beside the records that looks like a token, and that the request did not send. */
export const byOpaqueText: Look = (page, { flag, all, more }) => {
  if (all !== "") return [];
  const sent = new Set(page.given.map(({ value }) => String(value)));
  const known = new Set(
    byToken(page, { flag, all, more, total: undefined, pages: undefined }).map(({ group }) => group),
  );
  return page.fields
    .filter(({ path, value }) => !known.has(shownField(path)) && !sent.has(String(value)) && looksOpaque(path, value))
    .slice(0, 2)
    .flatMap((field) =>
      tokensOf(
        page,
        field,
        flag?.more === true ? { nextPageFlag: { field: flagField(flag.field), stopOn: flag.stopOn } } : {},
      ),
    );
};

/** Words of fields that hold something else than where the next page begins. */
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
  const token = { source: sourceOf(path), shown: shownField(path), value };
  return tokenParameters(path.at(-1) ?? "", page).map((place) => sending(page, token, place, stop));
}

function headerParameters(name: string, page: FirstPage): readonly Value[] {
  // Ranges go from header to header (Heroku).
  if (name === "Next-Range") return [{ header: "Range" }];
  const word = (tokenHeader.exec(name)?.[0] ?? name)
    .replace(/^(x-|-)/i, "")
    .toLowerCase()
    .replaceAll("-", "_");
  const own = word === "continuationtoken" ? "continuationToken" : word;
  const [first = "", second = "", ...others] = tokenParameters(own, page);
  return [first, second, { header: name }, ...others];
}

function isTokenHeader(name: string): boolean {
  return tokenHeader.test(name) && !nextHeaders.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** A token in an object that is called `next`: `pages.next.starting_after`. */
function isInNext(path: readonly string[], plain: string): boolean {
  return tokenNames.has(plain) && path.slice(0, -1).some((step) => plainName(step) === "next");
}

/** A value for the next request, and where it is found. */
interface Token {
  readonly source: Value;
  readonly shown: string;
  readonly value: PageField["value"] | undefined;
}

function sending(page: FirstPage, { source, shown, value }: Token, place: Value, stop: ValueObject): Hypothesis {
  const query = graphqlCursor(page)?.query;
  return {
    sets: query === undefined ? undefined : [{ place: "query", value: query }],
    kind: "token",
    group: value === undefined || query !== undefined || isHeader(place) ? undefined : shown,
    value: typeof value === "number" ? exactNumber(String(value)) : value,
    label: `the value at ${shown} sent as ${placeText(place)}`,
    because: `${shown} holds a value`,
    guessed: false,
    paging: {
      method: "response.param",
      responseParam: source,
      queryParam: place,
      ...(page.given.some((given) => !isHeader(given.place)) ? { includeParams: true } : {}),
      ...stop,
    },
    drops: [],
  };
}

/** A token that is an object or a list: sent as a whole where it belongs, or each of its members (MediaWiki). */
export const byContinuation: Look = (page) => {
  const { document } = page;
  if (!isObject(document)) return [];
  const whole = Object.entries(document).filter(
    ([name, value]) =>
      (isObject(value) || Array.isArray(value)) &&
      Object.keys(value).length > 0 &&
      Object.values(value).every((inner) => !isObject(inner) && !Array.isArray(inner)) &&
      (nextTokenNames.has(plainName(name)) || plainName(name) === "lastevaluatedkey"),
  );
  return [
    ...byMembers(document.continue),
    ...whole.flatMap(([name]) =>
      tokenParameters(name, page)
        .slice(0, 4)
        .map((place) => sending(page, { source: sourceOf([name]), shown: `"${name}"`, value: undefined }, place, {})),
    ),
  ];
};

function byMembers(next: Value | undefined): Hypothesis[] {
  if (!isObject(next) || Object.keys(next).length === 0) return [];
  return [
    {
      kind: "token",
      label: `the members of "continue" sent as parameters`,
      because: `"continue" holds parameters`,
      guessed: false,
      paging: { method: "response.param", responseParam: "continue", includeParams: true },
      drops: [],
    },
  ];
}

/**
 * `includeParams` where the next address lacks parameters that the request has. Where that does not lead on, the address may
 * want none beside its own.
 */
function keeping({ address, params }: FirstPage["description"], target: string): readonly ValueObject[] {
  const next = URL.canParse(target, address) ? new URL(target, address) : undefined;
  const kept = new Set(
    next === undefined ? [] : splitAddress(next).query.map(({ name }) => plainName(decodeForm(name))),
  );
  return params.every(({ name }) => kept.has(plainName(name)) || kept.has(plainName(name.replace(/\[.*$/, ""))))
    ? [{}]
    : [{ includeParams: true }, {}];
}

function keptText({ includeParams }: ValueObject): string {
  return includeParams === true ? " with the request's parameters" : "";
}

/**
 * Addresses in lists of links, by their relation: `links: [{"rel": "next", "href": ...}]`. Their index is another one where
 * the page has no `prev`. `path`: the object that holds such lists.
 */
function linksByRelation(value: Value | undefined, path: readonly string[]): readonly NextAddress[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]): readonly NextAddress[] => {
    if (isObject(inner) && path.length === 0 && isPlaceName(name)) return linksByRelation(inner, [name]);
    if (!Array.isArray(inner) || !/^_?links?$/i.test(name)) return [];
    return inner.flatMap((link) => nextAddressOf(link, [...path, name])).slice(0, 1);
  });
}

function nextAddressOf(link: Value, path: readonly string[]): readonly NextAddress[] {
  if (!isObject(link)) return [];
  const relation = ["rel", "relation"].find((name) => /(^|[\s"[])next($|[\s"\]])/i.test(valueText(link[name] ?? null)));
  const address = ["href", "url", "uri", "link"].find((name) => /^[^{]+$/.test(plainText(link[name] ?? "")));
  if (relation === undefined || address === undefined) return [];
  const finding = { urlKey: { ...pathValue(path), where: { [relation]: "next" }, value: address } };
  const shown = `the element of "${path.join(".")}" whose ${relation} is next`;
  return [{ finding, shown, value: plainText(link[address] ?? "") }];
}
