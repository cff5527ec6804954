import { roleOf } from "../../../knowledge/fields.ts";
import { meaningOfHeader } from "../../../knowledge/parameters.ts";
import { plainName } from "../../../knowledge/words.ts";

/** Returns the words of names in a text, in which commas separate the names: `page number, p`. */
export function namesIn(text: string): readonly (readonly string[])[] {
  return text === "" ? [] : text.split(", ").map((name) => name.split(" "));
}

/** A vendor's prefix before the name of a paging parameter: `sysparm_limit`. */
const prefixed = /^((?!page|per|max)[a-z]+[_.])(?:limit|offset|skip|per_?page|page_?size)$/i;

/** Returns the prefix of a paging parameter's name: `_`, `$`, `sysparm_`; "" for none. Other parameters probably have the same. */
export function prefixOf(name: string): string {
  return /^(?:_|\$+)/.exec(name)?.[0] ?? prefixed.exec(name)?.[1] ?? "";
}

/** Returns whether a header says where a page begins, or how large it is. */
export function isPagingHeader(name: string): boolean {
  return /^range$/i.test(name) || tokenHeader.test(name) || meaningOfHeader(name) !== undefined;
}

/** Returns whether a run takes a field of this name for the address or the token of the next page. */
export function isNextName(name: string): boolean {
  return roleOf(name)?.kind === "next" || plainName(name) === "odatanextlink";
}

/** Names of tokens that are no evidence for a run, since an API may repeat them on its last page. */
const quietTokens =
  /^(cursor|endcursor|after|offset|nextsince|nextbatch|pagetoken|scrollid|paginationtoken|resumptiontoken|starttoken|lastseq)$/;

/** Returns whether a field of this name may hold the token or the address of the next page. */
export function isNextTokenName(name: string): boolean {
  return isNextName(name) || quietTokens.test(plainName(name));
}

/** Returns whether a field of another name may hold the token, too: `nextCursorMark`, but not `next_payment_date`. */
export function mayBeNextToken(name: string): boolean {
  const plain = plainName(name);
  return (
    /^next[a-z]+$/.test(plain) && !isNextName(name) && !/(date|time|at|on|run|update|payment|invoice)$/.test(plain)
  );
}

/** Names of tokens that an API gives on its last page, too, so that only a flag shows the end. */
export const lastingTokens = /^(endcursor|cursor|scrollid|bookmark|after|marker|lastid)$/;

/** Ends of the names of headers that may hold a token: `x-ms-continuationtoken`, `CB-AFTER`. */
export const tokenHeader =
  /(?:^|-)(?:next(?:-?(?:cursor|token|marker|key))?|after|cursor|continuation(?:-?token)?|marker)$/i;
