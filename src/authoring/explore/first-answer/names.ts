import { roleOf } from "../../../knowledge/fields.ts";
import { meaningOfHeader } from "../../../knowledge/parameters.ts";
import { plainName } from "../../../knowledge/words.ts";

/** Splits a list of names, such as `page number, p`, into the words of each name. */
export function namesIn(text: string): readonly (readonly string[])[] {
  return text === "" ? [] : text.split(", ").map((name) => name.split(" "));
}

/** Matches a vendor's prefix before the name of a paging parameter: `sysparm_limit`. */
const prefixedName = /^((?!page|per|max)[a-z]+[_.])(?:limit|offset|skip|per_?page|page_?size)$/i;

/**
 * Returns the prefix of a paging parameter's name, such as `_`, `$` or `sysparm_`; "" for none. The request's other parameters
 * probably have the same prefix.
 */
export function prefixOf(name: string): string {
  return /^(?:_|\$+)/.exec(name)?.[0] ?? prefixedName.exec(name)?.[1] ?? "";
}

/** Returns whether a header says where a page begins or how large it is. */
export function isPagingHeader(name: string): boolean {
  return /^range$/i.test(name) || tokenHeader.test(name) || meaningOfHeader(name) !== undefined;
}

/** Returns whether a run regards a field of this name as the address or the token of the next page. */
export function isNextName(name: string): boolean {
  return roleOf(name)?.kind === "next" || plainName(name) === "odatanextlink";
}

/** Token names that a run does not count as evidence, since an API may repeat such a token on its last page. */
const quietTokens =
  /^(cursor|endcursor|after|offset|nextsince|nextbatch|pagetoken|scrollid|paginationtoken|resumptiontoken|starttoken|lastseq)$/;

/** Returns whether a field of this name may hold the token or the address of the next page. */
export function isNextTokenName(name: string): boolean {
  return isNextName(name) || quietTokens.test(plainName(name));
}

/** Returns whether a field with a less usual name may hold the token: `nextCursorMark`, but not `next_payment_date`. */
export function mayBeNextToken(name: string): boolean {
  const plain = plainName(name);
  return (
    /^next[a-z]+$/.test(plain) && !isNextName(name) && !/(date|time|at|on|run|update|payment|invoice)$/.test(plain)
  );
}

/** Names of tokens that an API also sends on its last page, so that only a flag shows the end. */
export const lastingTokens = /^(endcursor|cursor|scrollid|bookmark|after|marker|lastid)$/;

/** Matches the name of a header that may hold a token, by its end: `x-ms-continuationtoken`, `CB-AFTER`. */
export const tokenHeader =
  /(?:^|-)(?:next(?:-?(?:cursor|token|marker|key))?|after|cursor|continuation(?:-?token)?|marker)$/i;
