import { counted } from "../../core/text/counted.ts";
import { exactNumber } from "../../core/values/value.ts";
import { answerText } from "./first-answer/answer.ts";
import { type FirstPage, fieldsOf, isCount } from "./first-answer/first-page.ts";
import { type Comparison, compareRecords } from "./first-answer/same-records.ts";
import { withNamedType } from "./kinds/graphql.ts";
import { countingPages, type Hypothesis, promisesMore, secondIsEmpty, type TestResult } from "./kinds/kind.ts";
import { kinds } from "./kinds/kinds.ts";
import { continuesAfter, fromOne } from "./kinds/offset.ts";
import type { Exchanged } from "./trials/exchange-memory.ts";
import { othersText, type Prober, requestText, type TriedPage } from "./trials/prober.ts";

/** Tests a hypothesis. Resolves with its final form, or with the reason why it does not hold. */
export async function testHypothesis(hypothesis: Hypothesis, prober: Prober): Promise<TestResult> {
  const { page } = prober;
  const kind = kinds[hypothesis.kind];
  const guessResult = hypothesis.isGuess ? await kind.testGuess?.(hypothesis, prober) : undefined;
  if (guessResult !== undefined) return guessResult;
  const { paging, drops, sets } = hypothesis;
  const { pages, trouble, failed, isOutOfRequests } = await prober.try(paging, drops, 2, sets);
  const [first, second] = pages;
  if (isOutOfRequests) return { verdict: "not tried", isOutOfRequests };
  const correctedHypothesis = withExpectedType(hypothesis, failed ?? first?.exchanged);
  if (correctedHypothesis !== undefined) return testHypothesis(correctedHypothesis, prober);
  if (trouble !== "") {
    const doubt = mayBeRight(hypothesis, failed?.response.status)
      ? `${trouble}, which may be how the API ends its pages`
      : "";
    return { verdict: `does not hold: ${trouble}`, isOutOfRequests, doubt };
  }
  if (first === undefined || second === undefined) {
    const more = await recordsAfterFirst(hypothesis, prober);
    return { verdict: "does not hold: it would end after the first page", isOutOfRequests, more };
  }
  const firstComparison = compareRecords(page.place.records, first.records);
  const hasChanges = hypothesis.drops.length > 0 || hypothesis.sets !== undefined;
  if (hasChanges && firstComparison.kind !== "same") {
    const what = firstComparison.kind === "empty" ? "is empty" : "has other records";
    return { verdict: `does not hold: the first page that it requests ${what}`, isOutOfRequests };
  }
  const comparison = compareRecords(first.records, second.records);
  const evidenceStart = `${hypothesis.label}: ${requestText(second.exchanged)} gave`;
  if (
    comparison.kind === "empty" &&
    hypothesis.isGuess &&
    hypothesis.kind === "page number" &&
    paging.firstPage === 1
  ) {
    // In a list that counts from 0, page 2 is the third page and may be empty.
    const fromZero = await testHypothesis({ ...hypothesis, paging: { ...paging, firstPage: 0 } }, prober);
    if (typeof fromZero.verdict !== "string") return fromZero;
  }
  const isZero = hypothesis.isGuess && hypothesis.kind === "page number" && paging.firstPage === 0;
  if (comparison.kind === "empty" && isZero) return { verdict: secondIsEmpty, isOutOfRequests };
  if (comparison.kind === "empty") {
    const isOwed = promisesMore(prober.extent, first.records.length);
    const verdict = isOwed ? secondIsEmpty : await kind.refineWhole(hypothesis, { first, second }, prober);
    if (typeof verdict === "string") return orPages(hypothesis, { verdict, isOutOfRequests }, prober);
    const evidence = `${evidenceStart} no records: ${counted(first.records.length, "record")} ${first.records.length === 1 ? "is" : "are"} all there ${first.records.length === 1 ? "is" : "are"} now`;
    return { verdict: { ...verdict, remarks: [evidence, ...verdict.remarks] }, isOutOfRequests };
  }
  const isOneBased = comparison.kind === "overlap" && hypothesis.kind === "offset" && paging.offsetFromJob !== true;
  if (isOneBased && continuesAfter(first.records, second.records, 1))
    return testHypothesis(fromOne(hypothesis), prober);
  const more = othersText(second, comparison);
  if (comparison.kind !== "different")
    return { verdict: `does not hold: ${comparisonText(comparison)}`, isOutOfRequests, more };
  const contradiction = echoContradiction(hypothesis, page, second);
  if (contradiction !== "") return { verdict: `does not hold: ${contradiction}`, isOutOfRequests, more };
  prober.memory.follow();
  const evidence = `${evidenceStart} ${counted(second.records.length, "other record")} (by "${comparison.by}")`;
  const verdict = await kind.refine(hypothesis, { first, second }, prober);
  if (typeof verdict === "string") return orPages(hypothesis, { verdict, isOutOfRequests, more }, prober);
  return { verdict: { ...verdict, remarks: [evidence, ...verdict.remarks] }, isOutOfRequests };
}

/** Tests whether the parameter of an offset hypothesis counts pages. Returns `tested` if it does not, and for other hypotheses. */
async function orPages(hypothesis: Hypothesis, tested: TestResult, prober: Prober): Promise<TestResult> {
  if (hypothesis.kind !== "offset") return tested;
  const pageResult = await testHypothesis(countingPages(hypothesis), prober);
  return typeof pageResult.verdict === "string" ? tested : pageResult;
}

/**
 * Returns the hypothesis with the type that the API's answer names for the variable of its GraphQL query; undefined if the answer
 * names none.
 */
function withExpectedType(hypothesis: Hypothesis, answered: Exchanged | undefined): Hypothesis | undefined {
  const sets = hypothesis.sets ?? [];
  const query = sets.find(({ place }) => place === "query")?.value;
  if (typeof query !== "string" || answered === undefined) return undefined;
  const value = withNamedType(query, answerText(answered.response));
  if (value === undefined) return undefined;
  return { ...hypothesis, sets: sets.map((one) => (one.place === "query" ? { ...one, value } : one)) };
}

/**
 * Requests the page after a first page that is not full, at which the paging would end. Describes its records; "" if there are
 * none, if the request has no page size, or if no parameter contains an offset or a page number.
 */
async function recordsAfterFirst({ kind, paging, address }: Hypothesis, prober: Prober): Promise<string> {
  const { requestParameters, place } = prober.page;
  const size = requestParameters.find(({ meaning, value }) => meaning === "size" && isCount(value));
  if (size === undefined || address !== undefined || (kind !== "offset" && kind !== "page number")) return "";
  const position = kind === "offset" ? (paging.offsetParam ?? "offset") : (paging.pageParam ?? "page");
  const next = kind === "offset" ? Number(size.value) : Number(paging.firstPage ?? 1) + 1;
  const { pages } = await prober.try({ method: "none" }, [], 1, [
    { place: position, value: exactNumber(String(next)) },
  ]);
  const [answer] = pages;
  return answer === undefined ? "" : othersText(answer, compareRecords(place.records, answer.records));
}

/**
 * Returns whether a hypothesis of page numbers or offsets may be right although its second page was refused: with 404 or 416, or
 * with another status below 500 if it is no guess.
 */
function mayBeRight({ kind, isGuess }: Hypothesis, status: number | undefined): boolean {
  if (status === undefined || (kind !== "page number" && kind !== "offset")) return false;
  return status === 404 || status === 416 || (!isGuess && status < 500);
}

/** Explains that the second page has another number than `echo` requires; "" if it has not. */
function echoContradiction({ echo }: Hypothesis, { place }: FirstPage, second: TriedPage): string {
  if (echo !== undefined) {
    const echoedField = fieldsOf(second.document, place.path).find(
      ({ path }) => path.join("\0") === echo.field.path.join("\0"),
    );
    const expected = Number(echo.field.value) + echo.by;
    if (echoedField !== undefined && Number(echoedField.value) !== expected) {
      return `"${echo.field.path.join(".")}" is ${echoedField.value} on the second page, not ${expected}`;
    }
  }
  return "";
}

function comparisonText(comparison: Comparison): string {
  if (comparison.kind === "empty") return "the second page is empty";
  if (comparison.kind === "same") return `the second page holds the same records (by "${comparison.by}")`;
  if (comparison.kind === "overlap")
    return `${counted(comparison.count, "record")} of the second page were on the first one (by "${comparison.by}")`;
  return `other records by "${comparison.by}"`;
}
