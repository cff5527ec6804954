import { SpileError } from "../../core/errors.ts";
import type { WireRequest } from "../../core/requests/request.ts";
import { counted } from "../../core/text/counted.ts";
import { beginningOf } from "../../core/text/printable.ts";
import { isObject, type Value, valueText } from "../../core/values/value.ts";
import { findRecords } from "../../knowledge/records.ts";
import { datasetName, type JobDraft } from "../configuration-draft.ts";
import type { RequestDescription } from "../request-description.ts";
import { findPaging } from "./find-paging.ts";
import { capital } from "./finding.ts";
import { type ReadAnswer, readAnswer, readingOf, recordsText, unreadable } from "./first-answer/answer.ts";
import { rateLimitOf, readExtent, unfinishedOf } from "./first-answer/extent.ts";
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
 * session. Rejects with the signal's reason.
 */
export async function explore(
  given: RequestDescription,
  exploration: Exploration,
  following?: RequestDescription | undefined,
): Promise<Explored> {
  const { draft, tell } = exploration;
  const { description: begun, notes } = fromBeginning(given);
  for (const text of notes) tell({ kind: "note", text });
  let description = begun;
  const dataType = datasetName(description.address);
  const nothing = (failure: SpileError | undefined, job: JobDraft, comment: string): Explored => ({
    ...unknown(description, comment, job),
    failure,
  });

  const first = await tryConfiguration(draft(description, { dataField: "." }), 1, exploration);
  const response = first.pages.at(-1)?.response;
  if (response === undefined && first.refused) {
    const text = "the answer to the list's first request is not there, and nothing is sent: nothing could be shown";
    tell({ kind: "note", text });
    return nothing(undefined, {}, `${capital(text)}.`);
  }
  if (response === undefined || response.status < 200 || response.status > 299) {
    const failure = first.failure ?? new SpileError("temporary", "there was no answer");
    tell({ kind: "tried", text: `the request was not answered with records: ${failure.message}` });
    return nothing(
      failure,
      {},
      "The API did not answer with records when this was written: the place of its records and its paging are unknown.",
    );
  }
  const moved = redirected(description, first.pages.at(-1)?.request);
  if (moved !== undefined) {
    description = moved;
    tell({ kind: "note", text: `the address redirects to ${moved.address}: that is requested from now on` });
  }
  const answer = readAnswer(response);
  const unread = unreadable(answer, response);
  if (unread !== undefined) {
    tell({ kind: "tried", text: unread.text });
    return nothing(unread.failure, unread.job, unread.comment);
  }
  const document = answer.kind === "json" ? answer.document : "records" in answer ? (answer.records ?? null) : null;
  const place = findRecords(document, dataType);
  const page = describeFirstPage(description, response, document, place, following);
  return describeList(page, answer, dataType, exploration);
}

/** Returns the result if nothing was proved. A run of it reports every page as suspect. */
export function unknown(description: RequestDescription, comment: string, job: JobDraft = {}): Explored {
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
  'How the API pages is not known: a run doubts whatever comes ("fullPage"). Take that out where one request gives all.';

/**
 * Returns the request with the address to which redirects led, so that a run needs no redirects; undefined if they led to another
 * host.
 */
function redirected(description: RequestDescription, last: WireRequest | undefined): RequestDescription | undefined {
  const [asked, answered] = [new URL(description.address), new URL(last?.url ?? description.address)];
  const same = asked.origin === answered.origin && asked.pathname === answered.pathname;
  if (same || asked.hostname !== answered.hostname || last?.method !== (description.method === "GET" ? "GET" : "POST"))
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
  const { tell } = exploration;
  const { place, document, description } = page;
  const job: JobDraft = { dataType, ...readingOf(answer, place) };
  tell({ kind: "found", text: recordsText(place, answer) });
  const trouble = isObject(document) ? (document.errors ?? document.error) : undefined;
  if (trouble !== undefined && trouble !== null && place.records.length === 0) {
    tell({ kind: "note", text: `the answer reports errors: ${beginningOf(valueText(trouble), 300)}` });
  }
  const comments = new Map<string, readonly string[]>();
  const unfinished = unfinishedOf(page);
  if (unfinished !== undefined) {
    const { text, when } = unfinished;
    const rule =
      when === undefined
        ? ""
        : `: the rule {"when": ${JSON.stringify(when)}, "then": "retry"} of "responses" asks again`;
    tell({ kind: "note", text: text + rule });
  }
  if (place.others.length > 0) {
    const text = `other lists in the answer: ${place.others.slice(0, 5).join(", ")}`;
    tell({ kind: "note", text });
    comments.set(`${jobPointer}/dataField`, [capital(text)]);
  }
  const rate = rateLimitOf(page.header);
  if (rate !== undefined) tell({ kind: "found", text: rate.text });
  const done = (more: JobDraft, comment: readonly string[] = []): Explored => {
    if (comment.length > 0) comments.set(more.pagination === undefined ? "/api" : "/api/pagination", comment);
    const [sample] = place.records;
    return { description, job: { ...job, rateLimit: rate?.limit, ...more }, comments, sample, failure: undefined };
  };
  if (!place.list) {
    tell({ kind: "note", text: "the answer is one record, no list: there is nothing to page through" });
    return done({});
  }
  const extent = readExtent(page);
  if (extent.total !== undefined)
    tell({ kind: "found", text: `${extent.total.shown} counts ${counted(extent.total.number, "record")}` });
  if (place.records.length === 0) {
    const text = "the list is empty, so nothing could be shown about paging";
    tell({ kind: "note", text });
    const pagination = { method: "none", fullPage: 1 };
    return done({ pagination }, [`${capital(text)}: write this again when there are records. ${doubtAll}`]);
  }
  const { paging, responses, explored, comment } = await findPaging({ page, extent, job }, exploration);
  return { ...done({ pagination: paging, responses }, comment), description: explored };
}
