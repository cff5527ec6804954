import { counted } from "../../core/counted.ts";
import type { ValueObject } from "../../core/value.ts";
import type { JobDraft } from "../configuration-draft.ts";
import type { RequestDescription } from "../request-description.ts";
import { adjusted, type Bench, createBench, type Refined, requestText, type TriedPage } from "./bench.ts";
import type { Finding } from "./finding.ts";
import { type FirstPage, fieldsOf } from "./first-page.ts";
import { hypothesesOf } from "./hypotheses.ts";
import type { Hypothesis } from "./hypothesis.ts";
import { hypermediaLinks } from "./leading.ts";
import { refinements, testGuessedOffset } from "./refine.ts";
import { type Comparison, compareRecords } from "./same-records.ts";
import type { Told } from "./told.ts";
import type { Laboratory } from "./trial.ts";

export interface FoundPaging {
  readonly paging: ValueObject | undefined;
  /** The request, without the parameters that the paging sends itself. */
  readonly explored: RequestDescription;
  /** What stands above the paging in the configuration, or in its place. */
  readonly comment: readonly string[];
}

/** Tries the hypotheses in turn; the first that a second page proves is refined and returned. */
export async function findPaging(
  page: FirstPage,
  told: Told,
  job: JobDraft,
  laboratory: Laboratory,
  tell: (finding: Finding) => void,
): Promise<FoundPaging> {
  const bench = createBench(page, told, job, laboratory, tell);
  const tried: string[] = [];
  for (const hypothesis of hypothesesOf(page, told)) {
    const { verdict, refused } = await test(hypothesis, bench);
    if (typeof verdict === "string") {
      if (!refused) tried.push(`${hypothesis.label}: ${verdict}`);
      tell({
        kind: refused ? "note" : "tried",
        text: `${hypothesis.label}${hypothesis.guessed ? "" : ` (${hypothesis.because})`}: ${verdict}`,
      });
      continue;
    }
    const { paging, drops, sets, remarks } = verdict;
    for (const text of remarks) tell({ kind: "found", text });
    return { paging, explored: adjusted(page.description, drops, sets), comment: remarks.map(capital) };
  }
  return { paging: undefined, explored: page.description, comment: notShown(page, told, tried, tell) };
}

/** Puts a hypothesis to the test: its final form, or why it does not hold. */
async function test(
  hypothesis: Hypothesis,
  bench: Bench,
): Promise<{ readonly verdict: Refined | string; readonly refused: boolean }> {
  const { page } = bench;
  if (hypothesis.kind === "offset" && hypothesis.guessed && page.place.records.length > 1) {
    return testGuessedOffset(hypothesis, bench);
  }
  const { pages, trouble, refused } = await bench.try(hypothesis.paging, hypothesis.drops, 2, hypothesis.sets);
  const [first, second] = pages;
  if (refused) return { verdict: "not tried, no requests are left (--probes)", refused };
  if (trouble !== "") return { verdict: `does not hold: ${trouble}`, refused };
  if (first === undefined || second === undefined)
    return { verdict: "does not hold: it would end after the first page", refused };
  const begins = compareRecords(page.place.records, first.records);
  if (hypothesis.drops.length > 0 && begins.kind !== "same") {
    return { verdict: `does not hold: its first page is another (${comparisonText(begins)})`, refused };
  }
  const comparison = compareRecords(first.records, second.records);
  if (comparison.kind !== "different") return { verdict: `does not hold: ${comparisonText(comparison)}`, refused };
  const strayed = unfitting(hypothesis, page, second);
  if (strayed !== "") return { verdict: `does not hold: ${strayed}`, refused };
  const evidence = `${hypothesis.label}: ${requestText(second.exchanged)} gave ${counted(second.records.length, "other record")} (by "${comparison.by}")`;
  const verdict = await refinements[hypothesis.kind](hypothesis, { first, second }, bench);
  if (typeof verdict === "string") return { verdict, refused };
  return { verdict: { ...verdict, remarks: [evidence, ...verdict.remarks] }, refused };
}

/** Does the second page contradict what the first one told? */
function unfitting({ echo, kind, paging }: Hypothesis, { place }: FirstPage, second: TriedPage): string {
  if (echo !== undefined) {
    const moved = fieldsOf(second.document, place.path).find(
      ({ path }) => path.join("\0") === echo.field.path.join("\0"),
    );
    const expected = Number(echo.field.value) + echo.by;
    if (moved !== undefined && Number(moved.value) !== expected) {
      return `"${echo.field.path.join(".")}" is ${moved.value} on the second page, not ${expected}`;
    }
  }
  if (kind !== "address") return "";
  const path = paging.delimiter === undefined ? String(paging.urlKey) : "";
  const links = hypermediaLinks(second.document);
  const wanders = /\.[0-9]+\./.test(path) && links.some((link) => link.path.join(".") !== path);
  return wanders ? `on the second page the next address does not stand at "${path}"` : "";
}

function comparisonText(comparison: Comparison): string {
  if (comparison.kind === "empty") return "the second page is empty";
  if (comparison.kind === "same") return `the second page holds the same records (by "${comparison.by}")`;
  if (comparison.kind === "overlap")
    return `${counted(comparison.count, "record")} of the second page stood on the first (by "${comparison.by}")`;
  return `other records by "${comparison.by}"`;
}

/** Sizes that pages often have: so many records on one page may be all, or not. */
const roundSizes = new Set([
  10, 12, 15, 20, 24, 25, 30, 40, 48, 50, 60, 64, 75, 80, 96, 100, 120, 128, 150, 200, 250, 256, 300, 400, 500, 512,
  1000, 1024, 2000, 2500, 5000, 10_000,
]);

/** Says that no paging is written, and what to look for. */
function notShown(page: FirstPage, told: Told, tried: readonly string[], tell: Bench["tell"]): readonly string[] {
  const count = page.place.records.length;
  const asked = tried.length > 0 ? `Tried: ${tried.join("; ")}.` : "";
  if (told.more !== "") {
    const text = `the API has more (${told.more}), but no way to the next page was found`;
    tell({ kind: "note", text });
    return [
      `${capital(text)}. Look in its documentation for how it pages, and give init an address with those parameters in it, or write api.pagination (spile help paging).`,
      asked,
    ].filter((line) => line !== "");
  }
  if (told.all !== "") {
    const text = `the API tells that this is all (${told.all}): no paging was shown`;
    tell({ kind: "note", text });
    return [`${capital(text)}. Should there be more one day, the run says so.`];
  }
  const round = roundSizes.has(count)
    ? `; ${count} is a size that pages often have, so this may be the first of several`
    : "";
  const text = `no paging was found: the answer has ${counted(count, "record")} and nothing in it speaks of more${round}`;
  tell({ kind: "note", text });
  return [
    `${capital(text)}. If its documentation tells of paging, give init an address with those parameters in it, or write api.pagination (spile help paging).`,
    asked,
  ].filter((line) => line !== "");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
