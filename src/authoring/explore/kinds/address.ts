import { decodeForm, splitAddress } from "../../../core/requests/request.ts";
import type { ValueObject } from "../../../core/values/value.ts";
import type { More } from "../../../knowledge/signals.ts";
import { isAddress } from "../../../knowledge/values.ts";
import { plainName, wordsOf } from "../../../knowledge/words.ts";
import { type FirstPage, type PageField, pathValue } from "../first-answer/first-page.ts";
import { isNextName } from "../first-answer/names.ts";
import type { Hypothesis, HypothesisSearch } from "./kind.ts";

/** Looks for the next address in the header `Link`. */
export const byLink: HypothesisSearch = ({ description }, { nextSigns }) =>
  nextSigns
    .filter(({ kind }) => kind === "link")
    .flatMap(({ value = "" }) => keeping(description, value))
    .map((kept) => ({
      kind: "link",
      label: `the Link header's next address${keptText(kept)}`,
      reason: "the answer has a Link header with rel=next",
      isGuess: false,
      paging: { method: "link", ...kept },
      drops: [],
    }));

/** The address of the next page in an answer, and the fields of `response.url` that find it on each page. */
interface NextAddress {
  readonly sourceFields: ValueObject;
  readonly shownText: string;
  readonly value: string;
}

/** Looks for the next address in a field, in a list element whose relation is next, or in a header. */
export const byAddress: HypothesisSearch = ({ fields, description }, { nextSigns }) =>
  [...fields.filter(holdsAddress).map(addressOf), ...nextSigns.flatMap(addressOfSignal)]
    .slice(0, 2)
    .flatMap((address) => hypothesesFor(address, description));

function addressOf({ path, value }: PageField): NextAddress {
  const { path: urlKey, ...delimiter } = pathValue(path);
  return { sourceFields: { urlKey, ...delimiter }, shownText: `"${path.join(".")}"`, value: String(value) };
}

/** Returns the next address in a list of links or in a header. `holdsAddress` finds addresses in fields. */
function addressOfSignal({ kind, origin, value = "", pick }: More): readonly NextAddress[] {
  if (kind === "address" && "header" in origin && origin.member === undefined) {
    return [{ sourceFields: { urlKey: { header: origin.header } }, shownText: `the header ${origin.header}`, value }];
  }
  // A template, such as `/orders{?page}`, is the same for each page.
  if (pick === undefined || !("path" in origin) || value.includes("{")) return [];
  const urlKey = { ...pathValue(origin.path), where: pick.where, value: pick.value.join(".") };
  const [relation = ""] = Object.keys(pick.where);
  return [
    {
      sourceFields: { urlKey },
      shownText: `the element of "${origin.path.join(".")}" whose ${relation} is next`,
      value,
    },
  ];
}

function hypothesesFor(
  { sourceFields, shownText, value }: NextAddress,
  description: FirstPage["description"],
): Hypothesis[] {
  return keeping(description, value).flatMap((kept) => {
    const common = { kind: "address", reason: `${shownText} holds an address`, isGuess: false, drops: [] } as const;
    const paging = { method: "response.url", ...sourceFields, ...kept };
    const address = { ...common, label: `the address at ${shownText}${keptText(kept)}`, paging };
    // Some APIs give the address of something else, but its query still says where the next page begins.
    const query = {
      ...common,
      label: `the query of the address at ${shownText}${keptText(kept)}`,
      paging: { ...paging, paramIsQuery: true },
    };
    return leadsElsewhere(value, description.address) ? [address, query] : [address];
  });
}

function holdsAddress({ plain, path, value }: PageField): boolean {
  const isInNext = path.slice(0, -1).some((step) => isNextName(step));
  // A template (`/orders{?page}`) is the same for each page.
  const isAddressText = typeof value === "string" && /^(https?:\/\/|\/|\?)[^{]*$/i.test(value);
  const hasNextName =
    isNextName(path.at(-1) ?? "") || /^(next|more)|^after(url|link|uri|href)$/.test(plain) || isInNext;
  // A link holds an address, perhaps a relative one.
  return (
    (isAddressText && hasNextName) || (isInNext && /^(href|url|uri)$/.test(plain) && /^[^{]+$/.test(String(value)))
  );
}

/**
 * Looks for an address with the request's path and a query in any other field, such as `before_url`. Names of other pages, such
 * as `self` and `previous`, do not count.
 */
export const byOtherAddress: HypothesisSearch = ({ fields, description }) => {
  const requestUrl = new URL(description.address);
  const isOther = (field: PageField): boolean => {
    const { path, value } = field;
    if (holdsAddress(field) || typeof value !== "string" || !isAddress(value) || !URL.canParse(value, requestUrl.href))
      return false;
    if (path.flatMap(wordsOf).some((word) => otherPageWords.test(word))) return false;
    const { pathname, search } = new URL(value, requestUrl);
    return pathname === requestUrl.pathname && search !== "";
  };
  return fields
    .filter(isOther)
    .slice(0, 1)
    .flatMap((field) => hypothesesFor(addressOf(field), description));
};

const otherPageWords = /^(self|first|last|prev|previous|current|canonical)$/;

/** Returns whether an address with a query has another path than the request, or a relative path whose base is unknown. */
function leadsElsewhere(text: string, from: string): boolean {
  if (!text.includes("?")) return false;
  if (!/^(https?:\/\/|\/|\?)/i.test(text)) return true;
  return URL.canParse(text, from) && new URL(text, from).pathname !== new URL(from).pathname;
}

/**
 * Returns the fields to add to the paging for each try. If the next address lacks some of the request's parameters, the first try
 * adds them by `includeParams`. The last try does not, since the API may refuse parameters that its address does not have.
 */
function keeping({ address, params }: FirstPage["description"], target: string): readonly ValueObject[] {
  const next = URL.canParse(target, address) ? new URL(target, address) : undefined;
  const kept = new Set(
    next === undefined ? [] : splitAddress(next).query.map(({ name }) => plainName(decodeForm(name))),
  );
  return params.every(({ name }) => kept.has(plainName(name)) || kept.has(plainName(name.split("[", 1)[0] ?? "")))
    ? [{}]
    : [{ includeParams: true }, {}];
}

function keptText({ includeParams }: ValueObject): string {
  return includeParams === true ? " with the request's parameters" : "";
}
