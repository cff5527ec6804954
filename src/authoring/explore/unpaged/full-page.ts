import { counted } from "../../../core/counted.ts";
import { exactNumber, isObject, type Value, type ValueObject } from "../../../core/value.ts";
import type { FirstPage } from "../first-answer/first-page.ts";
import { sizeNames } from "../first-answer/names.ts";
import { isCount, placeText } from "../first-answer/places.ts";
import { grouped } from "../first-answer/same-records.ts";
import type { Placed } from "../hypotheses/hypothesis.ts";
import { type Prober, requestText } from "../trials/prober.ts";

/** What is written where no paging was shown. */
export interface Unpaged {
  /** `none`, with the page size from which on a run doubts the page; undefined where the API's own words are enough. */
  readonly paging: ValueObject | undefined;
  /** Parameters that the job gains: a page size in which a run sees that nothing is missing. */
  readonly sets: readonly Placed[];
  /** Why the page may not be all, or how it was shown that it is; "" where there is nothing to say. */
  readonly text: string;
}

/** Sizes that pages often have: so many records on one page may be all, or not. */
const roundSizes = new Set([
  10, 12, 15, 20, 24, 25, 30, 40, 48, 50, 60, 64, 75, 80, 96, 100, 120, 128, 150, 200, 250, 256, 300, 400, 500, 512,
  1000, 1024, 2000, 2500, 5000, 10_000,
]);

/** What answers call the size that was asked for, and not that of the page. */
const echoedSizes = new Set(["limit", "perpage", "pagesize", "pagelimit", "hitsperpage", "resultsperpage"]);

/** A page size that lets many lists come whole. */
const large = 10_000;

/**
 * Is the first page all? Without a way to the second one only its size tells. A page that is as full as it can be is never
 * taken for all: where a larger one is asked for and not filled, that is written, otherwise a page that a run has to doubt.
 * `more`: more records are known to be there; `unsure`: what may well lead on could not be tried.
 */
export async function judgeFullness(prober: Prober, more: boolean, unsure: boolean): Promise<Unpaged> {
  const { page, told } = prober;
  const count = page.place.records.length;
  if (more || told.more !== "") return doubted(count, "");
  const window = rangeWindow(page);
  if (window !== undefined)
    return count < window
      ? doubted(window, "")
      : doubted(
          count,
          `as many as the header Range asks for, which cannot be counted on: give init the API's own parameters`,
        );
  const size = askedSize(page);
  const inner = grouped(page.place.records)?.length ?? count;
  if (inner > count && (size === undefined || size.asked <= inner))
    return doubted(count, `its elements hold ${counted(inner, "record")} in lists, and the API may count these`);
  if (size !== undefined && size.asked === count && told.flag?.more !== false) return larger(count, size.place, prober);
  if (told.all !== "") return { paging: undefined, sets: [], text: "" };
  // A page that is not filled is hardly one of several.
  if (unsure && (size?.asked ?? 0) <= count) return doubted(count, "");
  const echo = page.fields.find(({ plain, value }) => echoedSizes.has(plain) && Number(value) === count);
  if (echo !== undefined) return doubted(count, `as many as "${echo.path.join(".")}" tells that a page has`);
  if (roundSizes.has(count)) return doubted(count, `${count} is a size that pages often have`);
  return size === undefined || size.asked < count ? { paging: undefined, sets: [], text: "" } : doubted(size.asked, "");
}

/** Asks for one record more than came, since so many were asked for. */
async function larger(count: number, place: Value, prober: Prober): Promise<Unpaged> {
  const { told } = prober;
  const next = await sized(count + 1, place, prober);
  const filled = `as many as ${placeText(place)} asks for`;
  if (next === undefined) return told.all === "" ? doubted(count, filled) : { paging: undefined, sets: [], text: "" };
  if (next.count > count) {
    prober.follow();
    const all = await sized(large, place, prober);
    if (all !== undefined && all.count > count && all.count < large && !roundSizes.has(all.count)) {
      const text = `${all.request} gave ${counted(all.count, "record")}: all there are, in one page`;
      return { ...doubted(large, text), sets: [{ place, value: exactNumber(String(large)) }] };
    }
    const text = `${next.request} gave ${counted(next.count, "record")}: there are more`;
    const { paging, sets } = doubted(count, text);
    // A total that says otherwise counts the page only.
    return { paging: told.all === "" ? paging : { ...paging, evidence: false }, sets, text };
  }
  if (told.all !== "") return { paging: undefined, sets: [], text: "" };
  if (next.count < count || roundSizes.has(count)) return doubted(count, filled);
  const text = `${next.request} gave ${counted(next.count, "record")}, fewer than asked for: all there are`;
  return { ...doubted(count + 1, text), sets: [{ place, value: exactNumber(String(count + 1)) }] };
}

function doubted(fullPage: number, text: string): Unpaged {
  return { paging: { method: "none", fullPage }, sets: [], text };
}

/** How many records come where so many are asked for; undefined where that could not be tried. */
async function sized(
  size: number,
  place: Value,
  prober: Prober,
): Promise<{ readonly count: number; readonly request: string } | undefined> {
  const { pages, trouble, refused } = await prober.try({ method: "none" }, [], 1, [
    { place, value: exactNumber(String(size)) },
  ]);
  const [answer] = pages;
  if (refused || trouble !== "" || answer === undefined) return undefined;
  return { count: answer.records.length, request: requestText(answer.exchanged) };
}

/** How many records the request's header `Range` asks for: `items=0-24`. Bytes are none. */
function rangeWindow({ description }: FirstPage): number | undefined {
  const range = description.headers.find(([name]) => name.toLowerCase() === "range")?.[1] ?? "";
  const [, unit = "", from, to] = /^\s*(?:(\w+)=)?([0-9]{1,9})-([0-9]{1,9})\s*$/.exec(range) ?? [];
  return from === undefined || unit === "bytes" ? undefined : Number(to) - Number(from) + 1;
}

/** The page size that the request's own parameters ask for; those of its address cannot be changed by a job. */
function askedSize({ given, description }: FirstPage): { readonly place: Value; readonly asked: number } | undefined {
  const found = given.find(
    ({ plain, value, place }) =>
      sizeNames.has(plain) &&
      isCount(value) &&
      Number(value) > 0 &&
      description.params.some(({ name }) => name === (isObject(place) ? String(place.path).split(".")[0] : place)),
  );
  return found === undefined ? undefined : { place: found.place, asked: Number(found.value) };
}
