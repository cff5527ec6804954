import { counted } from "../../../core/counted.ts";
import { exactNumber, type Value, type ValueObject } from "../../../core/value.ts";
import { fieldsOf } from "../first-answer/first-page.ts";
import type { Hypothesis, HypothesisKind } from "../hypotheses/hypothesis.ts";
import { flagField, nameOf, placeText } from "../parameters/places.ts";
import type { Prober, Refined, Tried, TriedPage } from "../trials/prober.ts";
import { compareRecords } from "../trials/same-records.ts";
import { endRule } from "./end-rule.ts";
import { followToTheEnd } from "./to-the-end.ts";

type Refine = (
  hypothesis: Hypothesis,
  pages: { readonly first: TriedPage; readonly second: TriedPage },
  prober: Prober,
) => Promise<Refined | string>;

/** Where the API leads, it is followed. */
const led: Refine = (hypothesis, _pages, prober) => followToTheEnd(hypothesis, prober);

/** Page numbers: where they begin, and how they end. */
const pageNumber: Refine = async (hypothesis, pages, prober) => {
  const numbered = await firstNumber(hypothesis, prober);
  if (typeof numbered === "string") return numbered;
  const { paging, drops, remarks } = numbered;
  const end = await endOfPages(paging, drops, pages, prober);
  if (typeof end === "string") return end;
  const { fields, responses } = end;
  return { paging: { ...paging, ...fields }, drops, responses, remarks: [...remarks, ...end.remarks] };
};

/**
 * Page numbers: from 0 or from 1? Told by the answer's own number, else by which number gives the first page. A text says why
 * neither does.
 */
export async function firstNumber(hypothesis: Hypothesis, prober: Prober): Promise<Refined | string> {
  const { paging, echo } = hypothesis;
  const { firstPage, firstPageParams: _, ...rest } = paging;
  const place = paging.pageParam ?? "page";
  const own = prober.page.given.some((given) => given.name === nameOf(place));
  const drops = [...hypothesis.drops, ...(own ? [nameOf(place)] : [])];
  const from = (number: Value | undefined): ValueObject =>
    Number(number) === 1 ? rest : { ...rest, firstPage: Number(number) };
  const first = await startingWith(from(firstPage), drops, prober);
  const isFirst = first !== undefined && compareRecords(prober.page.place.records, first).kind === "same";
  let final = from(firstPage);
  const remarks: string[] = [];
  if (!hypothesis.guessed) {
    // Asked for with the number or told by the answer: where the simple form was not seen, what was seen is kept.
    if (!isFirst) final = { ...paging };
    if (own && echo === undefined && prober.page.observed === undefined && Number(firstPage) === 1) {
      const before = await startingWith({ ...rest, firstPage: 0 }, drops, prober);
      if (
        before !== undefined &&
        before.length > 0 &&
        compareRecords(prober.page.place.records, before).kind === "different"
      ) {
        final = { ...rest, firstPage: 0 };
        remarks.push(`pages count from 0: ${placeText(place)} of 0 gave ${counted(before.length, "other record")}`);
      }
    }
  } else if (!isFirst) {
    const zero = await startingWith({ ...rest, firstPage: 0 }, drops, prober);
    if (zero === undefined || compareRecords(prober.page.place.records, zero).kind !== "same") {
      return "does not hold: neither page 0 nor page 1 was shown to be the first";
    }
    final = { ...rest, firstPage: 0 };
    remarks.push(`pages count from 0: ${placeText(place)} of 0 gave the first page`);
  }
  return { paging: final, drops, remarks };
}

/** What ends a paging. */
interface End {
  readonly fields: ValueObject;
  readonly responses?: readonly ValueObject[] | undefined;
  readonly remarks: readonly string[];
}

/** How the API tells its end: a flag on each page; else what it answers beyond its last page decides. A text says that there is none. */
async function endOfPages(
  paging: ValueObject,
  drops: readonly string[],
  pages: { readonly second: TriedPage },
  prober: Prober,
): Promise<End | string> {
  const { told, page } = prober;
  const count = page.place.records.length;
  const flag = flagOn(pages.second, prober);
  if (flag !== undefined) return { fields: { nextPageFlag: flag }, remarks: [] };
  const last = told.pages?.count ?? (told.total === undefined ? undefined : Math.ceil(told.total.total / count));
  const beyond = Number(paging.firstPage ?? 1) + (last ?? 100_000);
  const tried = await prober.try({ ...paging, firstPage: beyond, firstPageParams: true }, drops, 1);
  if (tried.refused)
    return { fields: {}, remarks: [`what the API answers beyond its last page was not tried, as ${prober.why()}`] };
  const [answer] = tried.pages;
  if (tried.trouble === "" && (answer?.records.length ?? 0) === 0) return { fields: {}, remarks: [] };
  if (
    tried.trouble === "" &&
    last !== undefined &&
    compareRecords(page.place.records, answer?.records ?? []).kind === "different"
  ) {
    return {
      fields: {},
      remarks: [`page ${beyond} has records too, though the API tells of ${last} pages: its total is not trusted`],
    };
  }
  const why = tried.trouble === "" ? "beyond its last page the API gives records again" : tried.trouble;
  if (told.total !== undefined)
    return { fields: { limitStop: { field: told.total.source } }, remarks: [`${why}: the total ends the paging`] };
  const rule = tried.failed === undefined ? undefined : endRule(tried.failed);
  if (rule !== undefined) return { fields: {}, responses: [rule], remarks: [`${why}: that ends the paging`] };
  if (await isEndless(paging, drops, beyond, answer, prober))
    return `does not hold: pages ${beyond} and ${beyond + 1} have other records again, so it would never end`;
  const size = page.given.find((given) => Number(given.value) === count);
  const sized = { limit: count, ...(size === undefined || size.place === "limit" ? {} : { limitParam: size.place }) };
  const full = tried.trouble === "" ? "" : "; a last page that is full ends a run with that answer";
  return { fields: sized, remarks: [`${why}: a page with fewer than ${count} records ends the paging${full}`] };
}

/** Has a full page far behind all pages a successor with other records? One that repeats itself ends a run. */
async function isEndless(
  paging: ValueObject,
  drops: readonly string[],
  beyond: number,
  answer: TriedPage | undefined,
  prober: Prober,
): Promise<boolean> {
  if (answer === undefined || answer.records.length < prober.page.place.records.length) return false;
  const next = await startingWith({ ...paging, firstPage: beyond + 1, firstPageParams: true }, drops, prober);
  return next !== undefined && compareRecords(answer.records, next).kind === "different";
}

/** Offsets: does the second page begin right behind the first, and how does the paging end? */
const offset: Refine = async (hypothesis, pages, prober) => {
  const remarks: string[] = [];
  if (pages.first.records.length > 1) {
    const tried = await skippingAllButOne(hypothesis, prober);
    const gap = gapText(tried, pages.first);
    if (tried.refused) remarks.push(`that nothing lies between the pages was not tried, as ${prober.why()}`);
    else if (gap !== "") return `does not hold: ${gap}`;
  }
  return finalOffset(hypothesis, pages.second, remarks, prober);
};

/** Nothing tells the end: far behind the last record the API may answer with an error, and is then not asked for more than it has. */
async function endOfOffsets(final: Refined, hypothesis: Hypothesis, prober: Prober): Promise<Refined> {
  const { trouble, failed, refused } = await skipping(prober.page.place.records.length * 100_000, hypothesis, prober);
  if (refused || trouble === "" || failed === undefined) return final;
  const rule = endRule(failed);
  if (rule !== undefined)
    return { ...final, responses: [rule], remarks: [...final.remarks, `${trouble}: that ends the paging`] };
  const { probeEnd: _, ...paging } = final.paging;
  const end = `${trouble}: a short page ends the paging; a last page that is full ends a run with that answer`;
  return { ...final, paging, remarks: [...final.remarks, end] };
}

/** One page from the last record of the first page on. */
export function skippingAllButOne(hypothesis: Hypothesis, prober: Prober): Promise<Tried> {
  return skipping(prober.page.place.records.length - 1, hypothesis, prober);
}

/** One page behind so many records. */
function skipping(count: number, { paging, drops }: Hypothesis, prober: Prober): Promise<Tried> {
  const start = paging.offsetFromJob === true ? 1 : 0;
  const place = paging.offsetParam ?? "offset";
  return prober.try(
    { ...paging, firstPageParams: true, offsetFromJob: true },
    [...drops, nameOf(place), nameOf(paging.limitParam ?? "limit")],
    1,
    [{ place, value: exactNumber(String(start + count)) }],
  );
}

/** Asked for one record earlier, the page must begin with the last record of the first page, or be the first page itself. */
function gapText({ pages: [answer], trouble }: Tried, first: TriedPage): string {
  // An API that takes only whole pages says so, or rounds down.
  if (trouble !== "" || answer === undefined || answer.records.length === 0) return "";
  const one = compareRecords(first.records.slice(-1), answer.records.slice(0, 1));
  if (one.kind === "same" || compareRecords(first.records, answer.records).kind === "same") return "";
  return `asked to skip ${first.records.length - 1} records, the API does not begin with the last one of its first page`;
}

/** An offset paging in its simplest form that gives the first page, with its end. */
export async function finalOffset(
  hypothesis: Hypothesis,
  second: TriedPage,
  remarks: readonly string[],
  prober: Prober,
): Promise<Refined> {
  const { paging, drops: taken, sets } = hypothesis;
  const offsetName = nameOf(paging.offsetParam ?? "offset");
  let final: Omit<Refined, "remarks"> = { paging, drops: taken, sets };
  const { firstPageParams: _, ...simple } = paging;
  if (paging.offsetFromJob !== true) {
    const own = prober.page.given.some((given) => given.name === offsetName);
    const drops = [...new Set([...taken, ...(own ? [offsetName] : []), nameOf(paging.limitParam ?? "limit")])];
    const first = await startingWith(simple, drops, prober);
    const same = first !== undefined && compareRecords(prober.page.place.records, first).kind === "same";
    if (same) final = { paging: simple, drops };
  }
  const flag = flagOn(second, prober);
  const total = prober.told.total !== undefined;
  const end: ValueObject = {
    ...(flag === undefined ? {} : { nextPageFlag: flag }),
    ...(total || flag !== undefined ? {} : { probeEnd: true }),
  };
  const ending = { ...final, paging: { ...final.paging, ...end }, remarks };
  return end.probeEnd === true || final.paging.probeEnd === true ? endOfOffsets(ending, hypothesis, prober) : ending;
}

/** The records of the first page that a paging asks for; undefined where that could not be tried. */
async function startingWith(
  paging: ValueObject,
  drops: readonly string[],
  prober: Prober,
): Promise<TriedPage["records"] | undefined> {
  const { pages, trouble, refused } = await prober.try(paging, drops, 1);
  return refused || trouble !== "" ? undefined : pages[0]?.records;
}

/** `nextPageFlag`, where both pages carry the flag. */
function flagOn(second: TriedPage, { told, page }: Prober): ValueObject | undefined {
  const { flag } = told;
  if (flag === undefined || !flag.more) return undefined;
  const again = fieldsOf(second.document, page.place.path).some(
    ({ path, value }) => typeof value === "boolean" && path.join("\0") === flag.field.path.join("\0"),
  );
  return again ? { field: flagField(flag.field), stopOn: flag.stopOn } : undefined;
}

/** What is still to be shown of a hypothesis whose second page has shown other records. */
export const refinements: { readonly [Kind in HypothesisKind]: Refine } = {
  link: led,
  address: led,
  token: led,
  "last record": led,
  cursor: led,
  offset,
  "page number": pageNumber,
};
