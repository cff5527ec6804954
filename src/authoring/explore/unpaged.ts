import { counted } from "../../core/text/counted.ts";
import { exactNumber, isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { capital } from "./finding.ts";
import { type FirstPage, isCount, isInQuery, nameOf, type Placed, placeText } from "./first-answer/first-page.ts";
import { numberInPath } from "./first-answer/path-number.ts";
import { compareRecords, innerRecords } from "./first-answer/same-records.ts";
import { othersText, type Prober, requestText } from "./trials/prober.ts";

/**
 * Requests the next number if the path ends with one that may count pages. It may also be an id, so no paging is written. Returns
 * the evidence that there are more records; "" if there is none.
 */
export async function otherPath(prober: Prober): Promise<string> {
  const found = numberInPath(prober.page.description.address);
  if (found === undefined) return "";
  const { number, kind } = found;
  const isPage = kind === "page" || kind === "counts";
  const { pages, trouble, isOutOfRequests } = await prober
    .withAddress(found.withText(`${number + 1}`))
    .try({ method: "none" }, [], 1);
  const [answer] = pages;
  if (isPage && isOutOfRequests)
    return `the path names page ${number}; the next one was not tried, because ${prober.memory.stopReason}`;
  if (isOutOfRequests || trouble !== "" || answer === undefined)
    return isPage && number > 1 ? `the path names page ${number}` : "";
  const others = othersText(answer, compareRecords(prober.page.place.records, answer.records));
  if (others === "") return isPage && number > 1 ? `the path names page ${number}` : "";
  if (kind !== "id")
    return `${others}: if the path counts pages, write {page} there, and "pageParam": {"endpoint": "page"}`;
  const text = `the path ends with a number, and ${requestText(answer.exchanged)} gave other records: if the number counts pages, there are more`;
  prober.reportFinding({ kind: "note", text });
  return "";
}

/** The parts of the configuration if no paging was proved. */
export interface Unpaged {
  /** Method `none` with a `fullPage`; undefined if a run need not doubt a page of any size. */
  readonly paging: ValueObject | undefined;
  /**
   * Parameters that are added to the job: a page size that is larger than the list, so that a run sees that nothing is missing.
   */
  readonly sets: readonly Placed[];
  /** Reason to doubt that the page holds all records, or proof that it does; "" for neither. */
  readonly text: string;
}

/** Usual page sizes. A page with exactly this many records is perhaps not the only one. */
const roundSizes = new Set([
  10, 12, 15, 20, 24, 25, 30, 40, 48, 50, 60, 64, 75, 80, 96, 100, 120, 128, 150, 200, 250, 256, 300, 400, 500, 512,
  1000, 1024, 2000, 2500, 5000, 10_000,
]);

/** Names of fields of an answer that hold the requested page size, not the number of records that came. */
const echoedSizes = new Set(["limit", "perpage", "pagesize", "pagelimit", "hitsperpage", "resultsperpage"]);

/** A page size that is large enough for many lists to come as a whole. */
const largePage = 10_000;

/**
 * Judges whether the first page holds all records. Without a way to a second page, only its size can show that, and a full page
 * never does. So a larger page size is tried. If the resulting page is not full, the configuration gets the larger size.
 * Otherwise it gets a `fullPage`: if a page has at least this many records, a run doubts that it is the only one. `hasMore`: there
 * certainly are more records. `isUnsure`: a likely way could not be tried.
 */
export async function judgeFullness(prober: Prober, hasMore: boolean, isUnsure: boolean): Promise<Unpaged> {
  const { page, extent } = prober;
  const count = page.place.records.length;
  if (hasMore || extent.more !== "") return withDoubt(count, "");
  const window = rangeWindow(page);
  if (window !== undefined)
    return count < window
      ? withDoubt(window, "")
      : withDoubt(
          count,
          `the header Range asks for as many, but this is not a reliable page size: give init the API's own parameters`,
        );
  const size = sizeInRequest(page);
  const inner = innerRecords(page.place.records)?.length ?? count;
  if (inner > count && (size === undefined || size.requestedSize <= inner))
    return withDoubt(count, `its elements hold ${counted(inner, "record")} in lists, and the API may count these`);
  if (size !== undefined && size.requestedSize === count && extent.flag?.more !== false)
    return larger(count, size.place, prober);
  if (extent.all !== "") return withoutDoubt;
  // A page that is not full is probably the only one.
  if (isUnsure && (size?.requestedSize ?? 0) <= count) return withDoubt(count, "");
  const echo = page.fields.find(({ plain, value }) => echoedSizes.has(plain) && Number(value) === count);
  if (echo !== undefined) return withDoubt(count, `"${echo.path.join(".")}" says that a page has ${count}`);
  if (roundSizes.has(count)) return withDoubt(count, `${count} is a size that pages often have`);
  return size === undefined || size.requestedSize < count ? withoutDoubt : withDoubt(size.requestedSize, "");
}

/** Requests one record more than the page has, because the page has as many records as the request asked for. */
async function larger(count: number, place: Value, prober: Prober): Promise<Unpaged> {
  const { extent } = prober;
  const next = await askSized(count + 1, place, prober);
  const filled = `${placeText(place)} asks for as many`;
  if (next === undefined) return extent.all === "" ? withDoubt(count, filled) : withoutDoubt;
  if (next.count > count) {
    prober.memory.follow();
    const all = await askSized(largePage, place, prober);
    if (all !== undefined && all.count > count && all.count < largePage && !roundSizes.has(all.count)) {
      const text = `${all.request} gave ${counted(all.count, "record")}: all there are, in one page`;
      return { ...withDoubt(largePage, text), sets: [{ place, value: exactNumber(String(largePage)) }] };
    }
    const text = `${next.request} gave ${counted(next.count, "record")}: there are more`;
    const { paging, sets } = withDoubt(count, text);
    // If the API states a total that contradicts these records, the total counts only one page.
    return { paging: extent.all === "" ? paging : { ...paging, evidence: false }, sets, text };
  }
  if (extent.all !== "") return withoutDoubt;
  if (next.count < count || roundSizes.has(count)) return withDoubt(count, filled);
  const text = `${next.request} gave ${counted(next.count, "record")}, fewer than asked for: all there are`;
  return { ...withDoubt(count + 1, text), sets: [{ place, value: exactNumber(String(count + 1)) }] };
}

const withoutDoubt: Unpaged = { paging: undefined, sets: [], text: "" };

function withDoubt(fullPage: number, text: string): Unpaged {
  return { paging: { method: "none", fullPage }, sets: [], text };
}

/** Returns the number of records that come if `size` are requested; undefined if that could not be tried. */
async function askSized(
  size: number,
  place: Value,
  prober: Prober,
): Promise<{ readonly count: number; readonly request: string } | undefined> {
  const { pages, trouble, isOutOfRequests } = await prober.try({ method: "none" }, [], 1, [
    { place, value: exactNumber(String(size)) },
  ]);
  const [answer] = pages;
  if (isOutOfRequests || trouble !== "" || answer === undefined) return undefined;
  return { count: answer.records.length, request: requestText(answer.exchanged) };
}

/** Returns the number of records that the request's header `Range` asks for: `items=0-24`; undefined for bytes. */
function rangeWindow({ description }: FirstPage): number | undefined {
  const range = description.headers.find(([name]) => name.toLowerCase() === "range")?.[1] ?? "";
  const [, unit = "", from, to] = /^\s*(?:(\w+)=)?([0-9]{1,9})-([0-9]{1,9})\s*$/.exec(range) ?? [];
  return from === undefined || unit === "bytes" ? undefined : Number(to) - Number(from) + 1;
}

/** Returns the page size among the request's parameters, except those that stay in the endpoint, where paging cannot change them. */
function sizeInRequest({
  requestParameters,
  description,
}: FirstPage): { readonly place: Value; readonly requestedSize: number } | undefined {
  const found = requestParameters.find(
    ({ meaning, value, place }) =>
      meaning === "size" &&
      isCount(value) &&
      Number(value) > 0 &&
      (isInQuery(place) ? (description.query ?? []) : description.params).some(
        ({ name }) =>
          name === (isObject(place) && !isInQuery(place) ? String(place.path).split(".")[0] : nameOf(place)),
      ),
  );
  return found === undefined ? undefined : { place: found.place, requestedSize: Number(found.value) };
}

/** Results of a search other than a way to page. */
export interface SearchTraces {
  /** Evidence of more records; "" if there is none. */
  more: string;
  /** Reason why a likely way was not proved; "" for none. */
  unsure: string;
}

/** Returns the comment for a configuration without paging, with advice. */
export function notFoundComment(
  prober: Prober,
  { paging, text: judged }: Unpaged,
  { more, unsure }: Readonly<SearchTraces>,
  triedTexts: readonly string[],
): readonly string[] {
  const { page, extent, reportFinding } = prober;
  const count = page.place.records.length;
  const triedText = triedTexts.length > 0 ? [`Tried: ${triedTexts.join("; ")}.`] : [];
  const advice =
    "If its documentation describes paging, give init an address with those parameters in it, or write api.pagination (spile help paging).";
  const inText = positionInText(page);
  const comment = (text: string, ...more: readonly string[]): readonly string[] => {
    reportFinding({ kind: "note", text });
    if (inText !== "") reportFinding({ kind: "note", text: inText });
    const where = inText === "" ? [] : [`${capital(inText)}.`];
    return [[`${capital(text)}.`, ...where, ...more].join(" "), ...triedText];
  };
  const doubtLines =
    paging === undefined
      ? []
      : [
          `A run reports a page of ${paging.fullPage} or more records as suspect ("fullPage"). Remove "fullPage" if such a page can hold all records.`,
        ];
  if (extent.more !== "" || more !== "") {
    const why = extent.more === "" ? more : extent.more;
    return comment(`the API has more (${why}), but no way to the next page was found`, advice, ...doubtLines);
  }
  if (extent.all !== "" && paging === undefined) {
    return comment(
      `the API says that this is all (${extent.all}): no paging was found`,
      "If there are more one day, the run reports it.",
    ).slice(0, 1);
  }
  const reason = unsure === "" ? judged : unsure;
  const why = reason === "" ? "" : `; ${reason}`;
  return comment(
    `no paging was found: the answer has ${counted(count, "record")} and nothing in it says that there is more${why}`,
    advice,
    ...doubtLines,
  );
}

/** Patterns of a position or a page size in a text: in SQL, SPARQL and the like, and in literal arguments of GraphQL. */
const positions = [
  {
    pattern: /\b(?:OFFSET|LIMIT|START AT)\s+[0-9]+/i,
    remedy: "raise the limit in the text, or write a job for each part",
  },
  {
    pattern: /\b(?:offset|skip|page|after|first|limit)\s*:\s*(?:[0-9]+|"[^"]{0,40}")/,
    remedy: "give the query a variable for it, and run spile init with that query",
  },
];

/** Explains that the position is inside the text of a parameter, where no paging can change it; "" if it is not. */
function positionInText({ requestParameters }: FirstPage): string {
  for (const { place, value } of requestParameters) {
    if (typeof value !== "string" || !/\s/.test(value.trim())) continue;
    for (const { pattern, remedy } of positions) {
      const [found] = pattern.exec(value) ?? [];
      if (found !== undefined)
        return `the position is inside the text of ${placeText(place)} (${found}), where no paging can change it: ${remedy}`;
    }
  }
  return "";
}
