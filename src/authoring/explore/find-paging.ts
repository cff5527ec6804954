import { counted } from "../../core/counted.ts";
import type { ValueObject } from "../../core/value.ts";
import type { RequestDescription } from "../request-description.ts";
import type { Exploration } from "./exploration.ts";
import { type FirstPage, fieldsOf } from "./first-answer/first-page.ts";
import { sizeNotes } from "./hypotheses/counting.ts";
import { hypothesesOf } from "./hypotheses/hypotheses.ts";
import type { Hypothesis } from "./hypotheses/hypothesis.ts";
import { hypermediaLinks } from "./hypotheses/leading.ts";
import { othersText, type Tested, testGuessedOffset } from "./refinements/guessed-offset.ts";
import { refinements } from "./refinements/refine.ts";
import { refineWhole } from "./refinements/whole-list.ts";
import { narrowGuesses } from "./trials/narrow-guesses.ts";
import { adjusted, createProber, type FoundList, type Prober, requestText, type TriedPage } from "./trials/prober.ts";
import { type Comparison, compareRecords } from "./trials/same-records.ts";
import { judgeFullness, type Unpaged } from "./unpaged/full-page.ts";
import { otherPath } from "./unpaged/path-number.ts";

export interface FoundPaging {
  readonly paging: ValueObject | undefined;
  readonly responses?: readonly ValueObject[] | undefined;
  /** The request, without the parameters that the paging sends itself. */
  readonly explored: RequestDescription;
  /** What stands above the paging in the configuration, or in its place. */
  readonly comment: readonly string[];
}

/** Tries the hypotheses in turn; the first that a second page proves is refined and returned. */
export async function findPaging(list: FoundList, exploration: Exploration): Promise<FoundPaging> {
  const prober = createProber(list, exploration);
  const { page, tell } = prober;
  const tried: string[] = [];
  const untried: string[] = [];
  const search: Search = { more: "", unsure: "", strict: false };
  for await (const hypothesis of candidates(prober, tried, search)) {
    const { verdict, refused, more = "", doubt = "" } = await test(hypothesis, prober);
    search.unsure ||= doubt;
    if (refused) {
      untried.push(hypothesis.label);
      search.unsure ||= search.strict ? "" : `not all was tried, as ${prober.why()}`;
      continue;
    }
    if (typeof verdict === "string") {
      search.more ||= more;
      tried.push(`${hypothesis.label}: ${verdict}`);
      const because = hypothesis.guessed ? "" : ` (${hypothesis.because})`;
      tell({ kind: "tried", text: `${hypothesis.label}${because}: ${verdict}` });
      continue;
    }
    const { paging, drops, sets, responses, remarks } = verdict;
    const notes = [...sizeNotes(page, paging), ...(verdict.notes ?? [])];
    for (const text of remarks) tell({ kind: "found", text });
    for (const text of notes) tell({ kind: "note", text });
    const comment = [...remarks, ...notes].map(capital);
    return { paging, responses, explored: adjusted(page.description, drops, sets), comment };
  }
  if (untried.length > 0) tell({ kind: "note", text: untriedText(untried, prober.why()) });
  search.more ||= await otherPath(prober);
  const unpaged = await judgeFullness(prober, search.more !== "", search.unsure !== "");
  return {
    paging: unpaged.paging,
    explored: adjusted(page.description, [], unpaged.sets),
    comment: notShown(prober, unpaged, search, tried),
  };
}

/** What the search has come upon beside a way to page. */
interface Search {
  /** What has shown that there are more records; "" where nothing has. */
  more: string;
  /** Why something that may well lead on was not shown; "" where there is no such thing. */
  unsure: string;
  /** The API refuses parameters that it does not know. */
  strict: boolean;
}

/** A number that is refused may be heeded: a parameter of the request's own is, and one that leads to nothing. */
function mayPage({ kind, guessed }: Hypothesis, status: number | undefined): boolean {
  if (status === undefined || (kind !== "page number" && kind !== "offset")) return false;
  return status === 404 || status === 416 || (!guessed && status < 500);
}

function untriedText(labels: readonly string[], why: string): string {
  const more = labels.length > 3 ? ` and ${labels.length - 3} more` : "";
  return `not tried, as ${why}: ${labels.slice(0, 3).join(", ")}${more}`;
}

/**
 * What is worth a test: all that something speaks for, the likeliest guess, and of the others those that one request with all
 * of them leaves.
 */
async function* candidates(prober: Prober, tried: string[], search: Search): AsyncGenerator<Hypothesis> {
  const { hinted, guessed, guessedIds } = hypothesesOf(prober.page, prober.told);
  yield* hinted;
  yield* await narrowed(guessedIds);
  const [likeliest, ...others] = guessed;
  if (likeliest === undefined) return;
  yield likeliest;
  yield* await narrowed(others);

  async function narrowed(guesses: readonly Hypothesis[]): Promise<readonly Hypothesis[]> {
    const { left, text, refused, more } = await narrowGuesses(guesses, prober);
    search.more ||= more;
    if (refused) search.unsure ||= `not all was tried, as ${prober.why()}`;
    search.strict = text !== "" && !prober.halted();
    const labels = guesses.map(({ label }) => label);
    if (refused) prober.tell({ kind: "note", text: untriedText(labels, prober.why()) });
    if (text !== "") prober.tell({ kind: "tried", text });
    if (text !== "") tried.push(text);
    return left;
  }
}

/** Puts a hypothesis to the test: its final form, or why it does not hold. */
async function test(hypothesis: Hypothesis, prober: Prober): Promise<Tested> {
  const { page } = prober;
  if (hypothesis.kind === "offset" && hypothesis.guessed && page.place.records.length > 1) {
    return testGuessedOffset(hypothesis, prober);
  }
  const { paging, drops, sets } = hypothesis;
  const { pages, trouble, failed, refused } = await prober.try(paging, drops, 2, sets);
  const [first, second] = pages;
  if (refused) return { verdict: "not tried", refused };
  if (trouble !== "") {
    const doubt = mayPage(hypothesis, failed?.response.status) ? `${trouble}, which may be how it ends its pages` : "";
    return { verdict: `does not hold: ${trouble}`, refused, doubt };
  }
  if (first === undefined || second === undefined)
    return { verdict: "does not hold: it would end after the first page", refused };
  const begins = compareRecords(page.place.records, first.records);
  const changed = hypothesis.drops.length > 0 || hypothesis.sets !== undefined;
  if (changed && begins.kind !== "same") {
    return { verdict: `does not hold: its first page is another (${comparisonText(begins)})`, refused };
  }
  const comparison = compareRecords(first.records, second.records);
  const behind = `${hypothesis.label}: ${requestText(second.exchanged)} gave`;
  if (comparison.kind === "empty") {
    const verdict = await refineWhole(hypothesis, { first, second }, prober);
    if (verdict === undefined) return { verdict: "does not hold: the second page is empty", refused };
    if (typeof verdict === "string") return { verdict, refused };
    const evidence = `${behind} no records: ${counted(first.records.length, "record")} ${first.records.length === 1 ? "is" : "are"} all there ${first.records.length === 1 ? "is" : "are"} now`;
    return { verdict: { ...verdict, remarks: [evidence, ...verdict.remarks] }, refused };
  }
  const more = othersText(second, comparison);
  if (comparison.kind !== "different")
    return { verdict: `does not hold: ${comparisonText(comparison)}`, refused, more };
  const strayed = unfitting(hypothesis, page, second);
  if (strayed !== "") return { verdict: `does not hold: ${strayed}`, refused, more };
  const evidence = `${behind} ${counted(second.records.length, "other record")} (by "${comparison.by}")`;
  const verdict = await refinements[hypothesis.kind](hypothesis, { first, second }, prober);
  if (typeof verdict === "string") return { verdict, refused, more };
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

/** Says that no paging is written, and what to look for. */
function notShown(
  prober: Prober,
  { paging, text: judged }: Unpaged,
  { more, unsure }: Search,
  tried: readonly string[],
): readonly string[] {
  const { page, told, tell } = prober;
  const count = page.place.records.length;
  const asked = tried.length > 0 ? [`Tried: ${tried.join("; ")}.`] : [];
  const advice =
    "If its documentation tells of paging, give init an address with those parameters in it, or write api.pagination (spile help paging).";
  const comment = (text: string, ...more: readonly string[]): readonly string[] => {
    tell({ kind: "note", text });
    return [[`${capital(text)}.`, ...more].join(" "), ...asked];
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

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
