/*
 * What parameters and fields of paging are called. Names are compared without regard to spelling: `page[size]`,
 * `page_size`, `pageSize` and `PageSize` are one.
 */

import { evidenceFields, type Meaning } from "../../core/evidence.ts";

/** A name as it is compared. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

const namesOf = (words: string, ...meanings: readonly Meaning[]): ReadonlySet<string> =>
  new Set([
    ...words.split(/\s+/),
    // What a run takes for evidence is known here too.
    ...evidenceFields.flatMap(([name, meaning]) => (meanings.includes(meaning) ? [plainName(name)] : [])),
  ]);

/** Records to skip. */
export const offsetNames = namesOf(
  "offset skip start startat startindex startrow startrecord from begin firstresult displaystart pageoffset resultoffset recordoffset",
);

/** The same as they are tried where nothing speaks for one, the likeliest first. */
export const guessedOffsets = [
  "offset",
  "skip",
  "start",
  "startAt",
  "from",
  "begin",
  "first_result",
  "resultOffset",
] as const;

/** Number of a page. */
export const pageNames = namesOf("page pagenumber pageno pagenum pageindex p pg paged currentpage curpage pageid");

export const guessedPages = ["page", "p", "page_number", "pageNumber", "pageNo", "pageIndex", "pg"] as const;

/** Records of a page. */
export const sizeNames = namesOf(
  "limit perpage pagesize pagelimit size count rows max maxresults maxitems maxrecords results top take n num numresults first items itemsperpage recordsperpage resultsperpage hitsperpage length pagecount batchsize",
);

/** Where a page begins, in the API's own words. */
export const tokenNames = namesOf(
  "cursor nextcursor pagecursor after pageafter startafter startingafter afterid pagetoken nextpagetoken nexttoken paginationtoken continuation continuationtoken marker nextmarker bookmark scrollid sinceid maxid skiptoken startcursor startkey resumptiontoken synctoken pageid endcursor before endingbefore",
);

/** Ids that a page begins behind, which a client makes of the last record. */
export const lastIdNames = namesOf("startingafter afterid startafter lastid sinceid fromid after");

/** Totals. */
export const totalNames = namesOf(
  "total totalcount totalresults totalrecords totalelements totalitems totalsize totalrows totalhits count nbhits odatacount numfound recordcount itemcount",
  "total",
);

/** Numbers of pages. */
export const pageTotalNames = namesOf("totalpages pagecount lastpage nbpages pages", "pages");

/** Flags that say whether there is more: true where there is. */
export const moreNames = namesOf(
  "hasmore hasnext hasnextpage hasmoreitems istruncated truncated moredataavailable more",
  "more",
);

/** Flags that say whether this is all: false where there is more. */
export const lastNames = namesOf("islast islastpage last done complete", "last");

/** Fields that hold the address or the token of the next page. */
export const nextNames = namesOf(
  "next nextpage nexturl nextlink nexthref nexturi nextpageurl nextpagelink nextpageuri odatanextlink nextrecordsurl nextpagepath nextpath nextresults nextlinkurl",
  "next",
);

export const nextTokenNames = namesOf(
  "next nextcursor nextpagetoken nexttoken nextpage nextoffset nextstart nextskip nextpagecursor nextpagestart nextmarker nextid nextsince nextindex nextkey nextbatch nextcontinuationtoken cursor endcursor continuation continuationtoken after pagetoken marker bookmark scrollid paginationtoken resumptiontoken starttoken offset lastseq",
  "next",
  "number",
);

/** What an API repeats on its last page too, so that only a flag tells the end. */
export const lastingTokenNames = namesOf("endcursor cursor scrollid bookmark after marker");

/** Objects beside the records that speak of pages. */
export const envelopeNames = namesOf(
  "meta metadata responsemetadata pagination paging pager page pageinfo info links cursor cursors next",
);

/** Headers that hold the token or the number of the next page. */
export const nextHeaders = [
  "X-Next-Cursor",
  "X-Next-Page",
  "X-Next-Token",
  "X-Next-Page-Token",
  "X-Continuation-Token",
  "Next-Range",
] as const;
