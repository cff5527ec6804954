import { decodeForm, splitAddress } from "../../../core/request.ts";
import { isObject, plainText, type Value, type ValueObject, valueText } from "../../../core/value.ts";
import { isPlaceName } from "../../../knowledge/fields.ts";
import { headerRole } from "../../../knowledge/headers.ts";
import { linkTarget } from "../../../knowledge/link-header.ts";
import { isAddress } from "../../../knowledge/values.ts";
import { plainName, wordsOf } from "../../../knowledge/words.ts";
import { delimiterOf, type FirstPage, type PageField, pathValue } from "../first-answer/first-page.ts";
import { isNextName } from "../first-answer/names.ts";
import type { Hypothesis, Look } from "./kind.ts";

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
  const inNext = path.slice(0, -1).some((step) => isNextName(step));
  // A template (`/orders{?page}`) is the same for each page.
  const looksSo = typeof value === "string" && /^(https?:\/\/|\/|\?)[^{]*$/i.test(value);
  const isNamedSo = isNextName(path.at(-1) ?? "") || /^(next|more)|^after(url|link|uri|href)$/.test(plain) || inNext;
  // A link holds an address, perhaps a relative one.
  return (looksSo && isNamedSo) || (inNext && /^(href|url|uri)$/.test(plain) && /^[^{]+$/.test(String(value)));
}

/** An address of the same path with another query, below a name that does not say that it leads back: `before_url`. */
export const byOtherAddress: Look = (page, extent) => {
  const known = byAddress(page, extent).map(({ because }) => because);
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
  return byAddress({ ...page, fields: next, document: null, response: { ...page.response, headers: [] } }, extent);
};

/** Returns whether an address has another path, or a path that is relative to something unknown. */
function leadsElsewhere(text: string, from: string): boolean {
  if (!text.includes("?")) return false;
  if (!/^(https?:\/\/|\/|\?)/i.test(text)) return true;
  return URL.canParse(text, from) && new URL(text, from).pathname !== new URL(from).pathname;
}

function urlKey(path: readonly string[]): ValueObject {
  const delimiter = delimiterOf(path);
  return { urlKey: path.join(delimiter), ...(delimiter === "." ? {} : { delimiter }) };
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
