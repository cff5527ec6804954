import { counted } from "../../../core/counted.ts";
import { capital } from "../finding.ts";
import type { FirstPage } from "../first-answer/first-page.ts";
import { placeText } from "../first-answer/places.ts";
import type { Prober } from "../trials/prober.ts";
import type { Unpaged } from "./full-page.ts";

/** What a search has come upon beside a way to page. */
export interface SearchTraces {
  /** What has shown that there are more records; "" where nothing has. */
  more: string;
  /** Why something that may well lead on was not shown; "" where there is no such thing. */
  unsure: string;
}

/** Says that no paging is written, and what to look for. */
export function notFoundComment(
  prober: Prober,
  { paging, text: judged }: Unpaged,
  { more, unsure }: Readonly<SearchTraces>,
  tried: readonly string[],
): readonly string[] {
  const { page, told, tell } = prober;
  const count = page.place.records.length;
  const asked = tried.length > 0 ? [`Tried: ${tried.join("; ")}.`] : [];
  const advice =
    "If its documentation tells of paging, give init an address with those parameters in it, or write api.pagination (spile help paging).";
  const inText = positionInText(page);
  const comment = (text: string, ...more: readonly string[]): readonly string[] => {
    tell({ kind: "note", text });
    if (inText !== "") tell({ kind: "note", text: inText });
    const where = inText === "" ? [] : [`${capital(inText)}.`];
    return [[`${capital(text)}.`, ...where, ...more].join(" "), ...asked];
  };
  const doubted =
    paging === undefined
      ? []
      : [`A run doubts a page of ${paging.fullPage} or more ("fullPage"); take that out where such a page is all.`];
  if (told.more !== "" || more !== "") {
    const why = told.more === "" ? more : told.more;
    return comment(`the API has more (${why}), but no way to the next page was found`, advice, ...doubted);
  }
  if (told.all !== "" && paging === undefined) {
    return comment(
      `the API tells that this is all (${told.all}): no paging was shown`,
      "Should there be more one day, the run says so.",
    ).slice(0, 1);
  }
  const reason = unsure === "" ? judged : unsure;
  const why = reason === "" ? "" : `; ${reason}`;
  return comment(
    `no paging was found: the answer has ${counted(count, "record")} and nothing in it speaks of more${why}`,
    advice,
    ...doubted,
  );
}

/** A position or a page size in a text: of SQL, SPARQL and the like, and the literal arguments of GraphQL. */
const positions = [
  {
    pattern: /\b(?:OFFSET|LIMIT|START AT)\s+[0-9]+/i,
    remedy: "raise the limit in the text, or write a job for each part",
  },
  {
    pattern: /\b(?:offset|skip|page|after|first|limit)\s*:\s*(?:[0-9]+|"[^"]{0,40}")/,
    remedy: "give the query a variable for it, and init that query",
  },
];

/** Says that the position stands inside the text of a parameter, where no paging can change it; "" if none does. */
function positionInText({ given }: FirstPage): string {
  for (const { place, value } of given) {
    if (typeof value !== "string" || !/\s/.test(value.trim())) continue;
    for (const { pattern, remedy } of positions) {
      const [found] = pattern.exec(value) ?? [];
      if (found !== undefined)
        return `the position stands inside the text of ${placeText(place)} (${found}), where no paging can change it: ${remedy}`;
    }
  }
  return "";
}
