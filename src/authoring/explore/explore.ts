import { SpileError } from "../../core/errors.ts";
import type { WireRequest } from "../../core/requests/request.ts";
import { counted } from "../../core/text/counted.ts";
import type { Value } from "../../core/values/value.ts";
import { findRecords } from "../../knowledge/records.ts";
import { datasetName, type JobDraft } from "../configuration-draft.ts";
import type { RequestDescription } from "../request-description.ts";
import { findPaging } from "./find-paging.ts";
import { capital } from "./finding.ts";
import { type ReadAnswer, readAnswer, readingOf, recordsText, unreadable } from "./first-answer/answer.ts";
import { rateLimitOf, readExtent } from "./first-answer/extent.ts";
import { describeFirstPage, type FirstPage, fromBeginning } from "./first-answer/first-page.ts";
import type { Exploration } from "./trials/prober.ts";
import { tryConfiguration } from "./trials/prober.ts";

/** Result of exploring an API. */
export interface Explored {
  /** The request for the first page. */
  readonly description: RequestDescription;
  readonly job: JobDraft;
  /** Comments for the configuration, by JSON pointer. */
  readonly comments: ReadonlyMap<string, readonly string[]>;
  /** The first record that was seen. */
  readonly sample: Value | undefined;
  /** The reason why nothing could be found at all. */
  readonly failure: SpileError | undefined;
}

const jobPointer = "/config/jobs/0";

/**
 * Sends the request, finds the records in its answer, and tries ways of paging until one is proved. Reports every finding,
 * including ways that do not hold; the job gets only what was proved. `following`: the request after this one in a recorded
 * session. Rejects with the signal's reason if it aborts.
 */
export async function explore(
  request: RequestDescription,
  exploration: Exploration,
  following?: RequestDescription | undefined,
): Promise<Explored> {
  const { draft, reportFinding } = exploration;
  const { description: firstRequest, notes } = fromBeginning(request);
  for (const text of notes) reportFinding({ kind: "note", text });
  let description = firstRequest;
  const dataType = datasetName(description.address);
  const nothingFound = (failure: SpileError | undefined, job: JobDraft, comment: string): Explored => ({
    ...unprovedResult(description, comment, job),
    failure,
  });

  const first = await tryConfiguration(draft(description, { dataField: "." }), 1, exploration);
  const response = first.pages.at(-1)?.response;
  if (response === undefined && first.isOutOfRequests) {
    const text =
      "there is no recorded answer to the list's first request, and no request is sent: nothing could be found";
    reportFinding({ kind: "note", text });
    return nothingFound(undefined, {}, `${capital(text)}.`);
  }
  if (response === undefined || response.status < 200 || response.status > 299) {
    const failure = first.failure ?? new SpileError("temporary", "there was no answer");
    reportFinding({ kind: "tried", text: `the request was not answered with records: ${failure.message}` });
    return nothingFound(
      failure,
      {},
      "The API did not answer with records when this was written: the place of its records and its paging are unknown.",
    );
  }
  const redirectTarget = afterRedirects(description, first.pages.at(-1)?.request);
  if (redirectTarget !== undefined) {
    description = redirectTarget;
    reportFinding({
      kind: "note",
      text: `the address redirects to ${redirectTarget.address}: a run requests that address`,
    });
  }
  const answer = readAnswer(response);
  const unread = unreadable(answer, response);
  if (unread !== undefined) {
    reportFinding({ kind: "tried", text: unread.text });
    return nothingFound(unread.failure, unread.job, unread.comment);
  }
  const document = answer.kind === "json" ? answer.document : "records" in answer ? (answer.records ?? null) : null;
  const place = findRecords(document, dataType);
  const page = describeFirstPage(description, response, document, place, following);
  return describeList(page, answer, dataType, exploration);
}

/** Returns the result for an API about which nothing was proved. A run reports each page with records as suspect. */
export function unprovedResult(description: RequestDescription, comment: string, job: JobDraft = {}): Explored {
  return {
    description,
    job: { dataType: datasetName(description.address), ...job, pagination: { method: "none", fullPage: 1 } },
    comments: new Map([
      [jobPointer, [comment]],
      ["/api/pagination", [doubtAll]],
    ]),
    sample: undefined,
    failure: undefined,
  };
}

const doubtAll =
  'It is unknown how the API pages, so a run reports each page with records as suspect ("fullPage"). Remove "fullPage" if one request gives all records.';

/**
 * Returns the request with the address to which redirects led, so that a run needs no redirects. Undefined if there were none, or
 * if they led to another host or changed the method.
 */
function afterRedirects(
  description: RequestDescription,
  last: WireRequest | undefined,
): RequestDescription | undefined {
  const [asked, answered] = [new URL(description.address), new URL(last?.url ?? description.address)];
  const isSame = asked.origin === answered.origin && asked.pathname === answered.pathname;
  if (
    isSame ||
    asked.hostname !== answered.hostname ||
    last?.method !== (description.method === "GET" ? "GET" : "POST")
  )
    return undefined;
  answered.search = asked.search;
  return { ...description, address: answered.href };
}

async function describeList(
  page: FirstPage,
  answer: ReadAnswer,
  dataType: string | undefined,
  exploration: Exploration,
): Promise<Explored> {
  const { reportFinding } = exploration;
  const { place, description } = page;
  const job: JobDraft = { dataType, ...readingOf(answer, place) };
  reportFinding({ kind: "found", text: recordsText(place, answer) });
  const comments = new Map<string, readonly string[]>();
  const extent = readExtent(page);
  for (const { text, remedy } of extent.doubts)
    reportFinding({ kind: "note", text: [text, remedy].filter(Boolean).join("; ") });
  if (place.others.length > 0) {
    const text = `other lists in the answer: ${place.others.slice(0, 5).join(", ")}`;
    reportFinding({ kind: "note", text });
    comments.set(`${jobPointer}/dataField`, [capital(text)]);
  }
  const rate = rateLimitOf(page.header);
  if (rate !== undefined) reportFinding({ kind: "found", text: rate.text });
  const done = (more: JobDraft, comment: readonly string[] = []): Explored => {
    if (comment.length > 0) comments.set(more.pagination === undefined ? "/api" : "/api/pagination", comment);
    const [sample] = place.records;
    return { description, job: { ...job, rateLimit: rate?.limit, ...more }, comments, sample, failure: undefined };
  };
  if (!place.list) {
    reportFinding({
      kind: "note",
      text: "the answer is one record and not a list, so there is nothing to page through",
    });
    return done({});
  }
  if (extent.total !== undefined)
    reportFinding({
      kind: "found",
      text: `${extent.total.shownText} counts ${counted(extent.total.number, "record")}`,
    });
  if (place.records.length === 0) {
    const why = extent.more === "" ? "" : `the API has more (${extent.more}), but `;
    const text = `${why}the list is empty, so its paging could not be found`;
    reportFinding({ kind: "note", text });
    const pagination = { method: "none", fullPage: 1 };
    return done({ pagination }, [`${capital(text)}: run spile init again when there are records. ${doubtAll}`]);
  }
  const { paging, responses, request, comment } = await findPaging({ page, extent, job }, exploration);
  return { ...done({ pagination: paging, responses }, comment), description: request };
}
