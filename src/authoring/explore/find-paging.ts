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
  adjustRequest,
  createProber,
  type Exploration,
  type FinalPaging,
  type FoundList,
  type Prober,
  requestText,
} from "./trials/prober.ts";
import { judgeFullness, notFoundComment, otherPath, type SearchTraces } from "./unpaged.ts";

export interface FoundPaging {
  readonly paging: ValueObject | undefined;
  readonly responses?: readonly ValueObject[] | undefined;
  /** The request without the parameters that the paging sends itself, and with those that the job needs in addition. */
  readonly request: RequestDescription;
  /** Comment above the paging in the configuration, or in its place if there is no paging. */
  readonly comment: readonly string[];
}

/**
 * Tests the hypotheses in turn, and returns the final form of the first one that a second page proves. If there is none, returns
 * what the configuration needs without paging.
 */
export async function findPaging(list: FoundList, exploration: Exploration): Promise<FoundPaging> {
  const prober = createProber(list, exploration);
  const { page, reportFinding } = prober;
  const triedTexts: string[] = [];
  const untriedLabels: string[] = [];
  const search: Search = { more: "", unsure: "", excludesGuesses: false };
  for await (const hypothesis of candidates(prober, triedTexts, search)) {
    const hypothesisProber = hypothesis.address === undefined ? prober : prober.withAddress(hypothesis.address);
    const {
      verdict: tested,
      isOutOfRequests,
      more = "",
      doubt = "",
    } = await testHypothesis(hypothesis, hypothesisProber);
    const verdict = typeof tested === "string" ? tested : await checkFinalForm(tested, hypothesis, hypothesisProber);
    search.unsure ||= doubt;
    if (isOutOfRequests) {
      untriedLabels.push(hypothesis.label);
      search.unsure ||= search.excludesGuesses ? "" : `not every way was tried, because ${prober.memory.stopReason}`;
      continue;
    }
    if (typeof verdict === "string") {
      search.more ||= more;
      triedTexts.push(`${hypothesis.label}: ${verdict}`);
      const reasonText = hypothesis.isGuess ? "" : ` (${hypothesis.reason})`;
      reportFinding({ kind: "tried", text: `${hypothesis.label}${reasonText}: ${verdict}` });
      continue;
    }
    const { paging, drops, sets, responses, remarks } = verdict;
    const notes = [...sizeNotes(page, paging), ...(verdict.notes ?? [])];
    for (const text of remarks) reportFinding({ kind: "found", text });
    for (const text of notes) reportFinding({ kind: "note", text });
    const comment = [...remarks, ...notes].map(capital);
    return { paging, responses, request: adjustRequest(hypothesisProber.page.description, drops, sets), comment };
  }
  if (untriedLabels.length > 0)
    reportFinding({ kind: "note", text: untriedText(untriedLabels, prober.memory.stopReason) });
  search.more ||= await otherPath(prober);
  const unpagedParts = await judgeFullness(prober, search.more !== "", search.unsure !== "");
  return {
    paging: unpagedParts.paging,
    request: adjustRequest(page.description, [], unpagedParts.sets),
    comment: notFoundComment(prober, unpagedParts, search, triedTexts),
  };
}

/** Number of pages for which a paging is run in its final form. */
const checkedPages = 4;

/**
 * Runs a paging in its final form, while requests are left. Compares its first page with the explored page, and each further page
 * with the pages before it. Returns the paging, or the reason why it would write other records than those of the list.
 */
async function checkFinalForm(
  final: FinalPaging,
  { kind, paging, isGuess }: Hypothesis,
  prober: Prober,
): Promise<FinalPaging | string> {
  const { pages } = await prober.try(final.paging, final.drops, checkedPages, final.sets);
  let records: readonly Value[] = prober.page.place.records;
  // If the list turned out to begin one page before the explored request, the first page of the trial is that earlier one.
  const firstCompared =
    kind === "page number" && !isGuess && Number(final.paging.firstPage ?? 1) < Number(paging.firstPage ?? 1) ? 1 : 0;
  for (const [index, page] of pages.slice(firstCompared).entries()) {
    const comparison = compareRecords(records, page.records);
    if (index === 0 && comparison.kind !== "same")
      return "does not hold: in its final form, the paging begins with other records";
    // A token or an id may lead to the last record once more. With counted numbers, a repeated record is a fault.
    const isCounting = kind === "offset" || kind === "page number";
    if (index > 0 && isCounting && comparison.kind === "overlap")
      return `does not hold: ${requestText(page.exchanged)} gave ${counted(comparison.count, "record")} of the pages before it`;
    if (index > 0) records = [...records, ...page.records];
  }
  return final;
}

interface Search extends SearchTraces {
  /** True if the latest request with many guesses showed that none of them is right, or was refused. */
  excludesGuesses: boolean;
}

function untriedText(labels: readonly string[], why: string): string {
  const more = labels.length > 3 ? ` and ${labels.length - 3} more` : "";
  return `not tried, because ${why}: ${labels.slice(0, 3).join(", ")}${more}`;
}

/**
 * Yields the hypotheses that are worth a test, group by group. The likeliest one of a group comes first, except among guessed ids.
 * One request then tries all others of the group, and those that it does not exclude follow.
 */
async function* candidates(prober: Prober, triedTexts: string[], search: Search): AsyncGenerator<Hypothesis> {
  const { extent } = prober;
  const { suggestions, guesses, guessedIds } = hypothesesOf(prober.page, extent);
  for (const [likeliest, ...others] of groups(suggestions)) {
    if (likeliest !== undefined) yield likeliest;
    yield* await narrow(others);
  }
  if (extent.flag?.more === true) yield* await narrow(guessedIds);
  const [likeliest, ...others] = guesses;
  if (likeliest !== undefined) yield likeliest;
  yield* await narrow(others);
  if (extent.flag?.more !== true) yield* await narrow(guessedIds);

  async function narrow(guesses: readonly Hypothesis[]): Promise<readonly Hypothesis[]> {
    if (guesses.length === 0) return [];
    const { remainingGuesses, text, isOutOfRequests, more, doubt = "" } = await narrowGuesses(guesses, prober);
    search.more ||= more;
    search.unsure ||= doubt;
    if (isOutOfRequests) search.unsure ||= `not every way was tried, because ${prober.memory.stopReason}`;
    search.excludesGuesses = text !== "" && !prober.memory.isHalted;
    const labels = guesses.map(({ label }) => label);
    if (isOutOfRequests) prober.reportFinding({ kind: "note", text: untriedText(labels, prober.memory.stopReason) });
    if (text !== "") prober.reportFinding({ kind: "tried", text });
    if (text !== "") triedTexts.push(text);
    return remainingGuesses;
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
