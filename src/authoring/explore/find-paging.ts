import { counted } from "../../core/text/counted.ts";
import type { Value, ValueObject } from "../../core/values/value.ts";
import type { RequestDescription } from "../request-description.ts";
import { capital } from "./finding.ts";
import { compareRecords } from "./first-answer/same-records.ts";
import { sizeNotes } from "./kinds/counting.ts";
import type { Hypothesis } from "./kinds/kind.ts";
import { hypothesesOf } from "./kinds/kinds.ts";
import { narrowGuesses } from "./narrow-guesses.ts";
import { testHypothesis } from "./test-hypothesis.ts";
import {
  adjusted,
  createProber,
  type Exploration,
  type FoundList,
  type Prober,
  type Refined,
  requestText,
} from "./trials/prober.ts";
import { judgeFullness, notFoundComment, otherPath, type SearchTraces } from "./unpaged.ts";

export interface FoundPaging {
  readonly paging: ValueObject | undefined;
  readonly responses?: readonly ValueObject[] | undefined;
  /** The request, without the parameters that the paging sends itself. */
  readonly explored: RequestDescription;
  /** Comment above the paging in the configuration, or in its place if there is no paging. */
  readonly comment: readonly string[];
}

/** Tests the hypotheses in turn. Refines and returns the first one that a second page proves. */
export async function findPaging(list: FoundList, exploration: Exploration): Promise<FoundPaging> {
  const prober = createProber(list, exploration);
  const { page, tell } = prober;
  const tried: string[] = [];
  const untried: string[] = [];
  const search: Search = { more: "", unsure: "", strict: false };
  for await (const hypothesis of candidates(prober, tried, search)) {
    const own = hypothesis.address === undefined ? prober : prober.withAddress(hypothesis.address);
    const { verdict: tested, refused, more = "", doubt = "" } = await testHypothesis(hypothesis, own);
    const verdict = typeof tested === "string" ? tested : await checkWritten(tested, hypothesis, own);
    search.unsure ||= doubt;
    if (refused) {
      untried.push(hypothesis.label);
      search.unsure ||= search.strict ? "" : `not all was tried, as ${prober.memory.why}`;
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
    return { paging, responses, explored: adjusted(own.page.description, drops, sets), comment };
  }
  if (untried.length > 0) tell({ kind: "note", text: untriedText(untried, prober.memory.why) });
  search.more ||= await otherPath(prober);
  const unpaged = await judgeFullness(prober, search.more !== "", search.unsure !== "");
  return {
    paging: unpaged.paging,
    explored: adjusted(page.description, [], unpaged.sets),
    comment: notFoundComment(prober, unpaged, search, tried),
  };
}

/** Number of pages for which a paging is run in its final form. */
const checkedPages = 4;

/**
 * Runs a paging in its final form. Compares its pages with those that were already received, and requests further pages while
 * requests are left. Returns the paging, or the reason why it would write other records than those of the list.
 */
async function checkWritten(
  final: Refined,
  { kind, paging, guessed }: Hypothesis,
  prober: Prober,
): Promise<Refined | string> {
  const { pages } = await prober.try(final.paging, final.drops, checkedPages, final.sets);
  let records: readonly Value[] = prober.page.place.records;
  // The explored request asked for the second page of a list that turned out to begin one page earlier.
  const begins =
    kind === "page number" && !guessed && Number(final.paging.firstPage ?? 1) < Number(paging.firstPage ?? 1) ? 1 : 0;
  for (const [index, page] of pages.slice(begins).entries()) {
    const comparison = compareRecords(records, page.records);
    if (index === 0 && comparison.kind !== "same")
      return "does not hold: the paging in its written form gives another first page";
    // A token or an id may lead to the last record once more. With counted numbers, a repeated record is a fault.
    const counts = kind === "offset" || kind === "page number";
    if (index > 0 && counts && comparison.kind === "overlap")
      return `does not hold: ${requestText(page.exchanged)} gave ${counted(comparison.count, "record")} of the pages before it`;
    if (index > 0) records = [...records, ...page.records];
  }
  return final;
}

interface Search extends SearchTraces {
  /** True if the API refuses parameters that it does not know. */
  strict: boolean;
}

function untriedText(labels: readonly string[], why: string): string {
  const more = labels.length > 3 ? ` and ${labels.length - 3} more` : "";
  return `not tried, as ${why}: ${labels.slice(0, 3).join(", ")}${more}`;
}

/**
 * Yields the hypotheses that are worth a test: all that a sign suggests, the likeliest guess, and those other guesses that remain
 * after one request with all of them.
 */
async function* candidates(prober: Prober, tried: string[], search: Search): AsyncGenerator<Hypothesis> {
  const { extent } = prober;
  const { hinted, guessed, guessedIds } = hypothesesOf(prober.page, extent);
  for (const [likeliest, ...others] of groups(hinted)) {
    if (likeliest !== undefined) yield likeliest;
    yield* await narrowed(others);
  }
  if (extent.flag?.more === true) yield* await narrowed(guessedIds);
  const [likeliest, ...others] = guessed;
  if (likeliest !== undefined) yield likeliest;
  yield* await narrowed(others);
  if (extent.flag?.more !== true) yield* await narrowed(guessedIds);

  async function narrowed(guesses: readonly Hypothesis[]): Promise<readonly Hypothesis[]> {
    if (guesses.length === 0) return [];
    const { left, text, refused, more, doubt = "" } = await narrowGuesses(guesses, prober);
    search.more ||= more;
    search.unsure ||= doubt;
    if (refused) search.unsure ||= `not all was tried, as ${prober.memory.why}`;
    search.strict = text !== "" && !prober.memory.halted;
    const labels = guesses.map(({ label }) => label);
    if (refused) prober.tell({ kind: "note", text: untriedText(labels, prober.memory.why) });
    if (text !== "") prober.tell({ kind: "tried", text });
    if (text !== "") tried.push(text);
    return left;
  }
}

/** Groups the hypotheses that send the same value. Every other hypothesis is a group of its own. */
function groups(hypotheses: readonly Hypothesis[]): readonly (readonly Hypothesis[])[] {
  const found = new Map<unknown, Hypothesis[]>();
  for (const hypothesis of hypotheses) {
    const key = hypothesis.group ?? hypothesis;
    found.set(key, [...(found.get(key) ?? []), hypothesis]);
  }
  return [...found.values()];
}
