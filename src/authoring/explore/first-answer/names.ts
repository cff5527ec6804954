import { type Role, roleOf } from "../../../knowledge/fields.ts";
import { plainName } from "../../../knowledge/words.ts";

/*
 * What parameters and fields of paging are called. Names are compared without regard to spelling: `page[size]`,
 * `page_size`, `pageSize` and `PageSize` are one.
 */

/** Words that a group's name may stand before: `filter[limit]`. */
const bracketed = /^\w+\[(limit|offset|skip|per_?page|page_?size)\]$/i;

/** Words that a maker's prefix may stand before: `sysparm_limit`. */
const prefixed = /^([a-z]+[_.])(limit|offset|skip|per_?page|page_?size)$/i;

/** The name of a parameter as it is compared, less a maker's prefix or the name of a group. */
export function plainParameter(name: string): string {
  const plain = plainName(name);
  return sizeNames.has(plain) || offsetNames.has(plain)
    ? plain
    : plainName(bracketed.exec(name)?.[1] ?? prefixed.exec(name)?.[2] ?? name);
}

/** What stands before the names of paging, as one of them has it: `_`, `$`, `sysparm_`; "" for nothing. */
export function prefixOf(name: string): string {
  if (/^[_$]/.test(name)) return name.charAt(0);
  return sizeNames.has(plainName(name)) ? "" : (prefixed.exec(name)?.[1] ?? "");
}

/** A header's name as it is compared: `X-Page` is `page`. "" for those that mean something else. */
export function plainHeader(name: string): string {
  return /^(from|max-forwards)$/i.test(name) ? "" : plainName(name.replace(/^x-/i, ""));
}

/** Is it a header that says where a page begins, or how large it is? */
export function isPagingHeader(name: string): boolean {
  const plain = plainHeader(name);
  return (
    plain === "range" ||
    tokenHeader.test(name) ||
    [pageNames, offsetNames, sizeNames, tokenNames].some((names) => names.has(plain))
  );
}

interface Names {
  has(plain: string): boolean;
}

/** Names as they are compared, and those that a run takes for evidence of these kinds. */
const namesOf = (words: string, ...kinds: readonly Role["kind"][]): Names => {
  const listed = new Set(words.split(/\s+/));
  return {
    has: (plain) => listed.has(plain) || (kinds.length > 0 && kinds.includes(roleOf(plain)?.kind ?? "beside")),
  };
};

/** Records to skip. */
export const offsetNames = namesOf(
  "offset skip start startat startindex startrow startrecord from begin firstresult displaystart pageoffset resultoffset recordoffset",
);

/** Words of names that offsets have where nothing speaks for one, the likeliest first. */
export const guessedOffsets: readonly (readonly string[])[] = [
  ["offset"],
  ["skip"],
  ["start"],
  ["start", "at"],
  ["from"],
  ["start", "index"],
  ["begin"],
  ["first", "result"],
  ["result", "offset"],
  ["first"],
];

/** Number of a page. */
export const pageNames = namesOf("page pagenumber pageno pagenum pageindex p pg paged currentpage curpage pageid");

/** The same for page numbers. */
export const guessedPages: readonly (readonly string[])[] = [
  ["page"],
  ["page", "number"],
  ["p"],
  ["page", "no"],
  ["page", "index"],
  ["pg"],
  ["page", "num"],
  ["current", "page"],
  ["paged"],
];

/** Records of a page. */
export const sizeNames = namesOf(
  "limit perpage pagesize pagelimit size count rows max maxresults maxitems maxrecords results top take n num numresults first items itemsperpage recordsperpage resultsperpage hitsperpage length pagecount batchsize",
);

/** Where a page begins, in the API's own words. */
export const tokenNames = namesOf(
  "cursor nextcursor pagecursor after pageafter startafter startingafter afterid pagetoken nextpagetoken nexttoken cursormark paginationtoken continuation continuationtoken marker nextmarker bookmark scrollid sinceid maxid skiptoken startcursor startkey resumptiontoken synctoken pageid endcursor before endingbefore",
);

/** Ids that a page begins behind, which a client makes of the last record. */
export const lastIdNames = namesOf("startingafter afterid startafter lastid sinceid fromid after");

/** Fields that hold the address or the token of the next page. */
export const nextNames = namesOf(
  "next nextpage nexturl nextlink nexthref nexturi nextpageurl nextpagelink nextpageuri odatanextlink nextrecordsurl nextpagepath nextpath nextresults nextlinkurl",
  "next",
);

export const nextTokenNames = namesOf(
  "next nextcursor nextpagetoken nexttoken nextpage nextoffset nextstart nextskip nextpagecursor nextpagestart nextmarker nextid nextsince nextindex nextkey nextbatch nextcontinuationtoken cursor endcursor continuation continuationtoken after pagetoken marker bookmark scrollid paginationtoken resumptiontoken starttoken offset lastseq",
  "next",
);

/** Others that begin so are worth a try, too: `nextCursorMark`, not `next_payment_date`. */
export function mayBeNextToken(plain: string): boolean {
  return (
    /^next[a-z]+$/.test(plain) && !nextNames.has(plain) && !/(date|time|at|on|run|update|payment|invoice)$/.test(plain)
  );
}

/** What an API repeats on its last page too, so that only a flag tells the end. */
export const lastingTokenNames = namesOf("endcursor cursor scrollid bookmark after marker lastid");

/** Headers that hold the token or the number of the next page. */
export const nextHeaders = [
  "X-Next-Cursor",
  "X-Next-Page",
  "X-Next-Token",
  "X-Next-Page-Token",
  "X-Continuation-Token",
  "Next-Range",
  "x-ms-continuation",
  "x-ms-continuationtoken",
] as const;

/** Others that end so may hold a token: `x-ms-continuationtoken`, `CB-AFTER`. */
export const tokenHeader =
  /(?:^|-)(?:next(?:-?(?:cursor|token|marker|key))?|after|cursor|continuation(?:-?token)?|marker)$/i;
