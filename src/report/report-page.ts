import type { JobResult, RunResult } from "../core/runs/run.ts";
import { bytesText, counted } from "../core/text/counted.ts";
import { drawAmounts, drawBars, drawShares } from "./drawing.ts";
import { type FiguresOptions, figuresOf, type JobFigures, type ReportFigures } from "./figures.ts";

import template from "./report.html";
import { type RunAccount, type ShareName, shareNames } from "./run-account.ts";
import { sentenceOf } from "./run-verdict.ts";
import { cutText, numberText, timeText } from "./words.ts";

/** Maximum number of bytes of a report. */
const maxBytes = 300_000;

/** Maximum number of jobs in the table. */
const maxJobs = 100;

/** Maximum number of suspect and failed jobs above the table, and of suspect files. */
const maxEvidence = 20;

/** Returns the report of a run as an HTML page. Leaves out jobs and shards until the page is short enough. */
export function reportPage(result: RunResult, options: Omit<FiguresOptions, "maxListed">): string {
  for (let maxListed = maxJobs; ; maxListed = Math.floor(maxListed / 2)) {
    const page = fillTemplate(template, viewOf(result, figuresOf(result, { ...options, maxListed }), options.account));
    if (Buffer.byteLength(page) <= maxBytes || maxListed === 0) return page;
  }
}

function viewOf(result: RunResult, figures: ReportFigures, account: RunAccount | undefined): View {
  const { verdict, configuration, startedAt, durationMs, records, exitCode, version, jobs } = figures;
  return {
    version,
    verdict,
    verdictWord: `${verdict.slice(0, 1).toUpperCase()}${verdict.slice(1)}`,
    sentence: cutText(sentenceOf(result), 500),
    configuration,
    started: `${startedAt.slice(0, 19).replace("T", " ")} UTC`,
    duration: timeText(durationMs),
    records: numberText(records),
    exitCode: `${exitCode}`,
    evidence: evidenceView(result, figures, jobs.length),
    noJobs: jobs.length === 0,
    jobTable: jobs.length > 0 && tableView(figures),
    shards: shardsView(figures),
    time: account !== undefined && timeView(figures, account),
    figures: JSON.stringify(figures).replaceAll("<", "\\u003c"),
  };
}

/** Returns the suspect and failed jobs with their reasons, the failure of the run itself, and its suspect files. */
function evidenceView({ jobs, failure }: RunResult, figures: ReportFigures, listedJobs: number): View | false {
  const doubtful = jobs.filter(isDoubtful);
  const items = doubtful.slice(0, Math.min(maxEvidence, listedJobs)).map((job): View => {
    const row = figures.jobs.find((one) => one.dataType === job.dataType && one.verdict === job.verdict);
    return {
      job: cutText(job.job),
      verdict: job.verdict,
      why: `${job.verdict}: ${cutText(job.reason, 1000)}`,
      place: row && placeOf(row),
    };
  });
  // The failure of a job is already shown as the reason of the job.
  const isReported = doubtful.some(({ reason }) => failure !== undefined && reason.includes(failure.message));
  if (failure !== undefined && !isReported) {
    items.unshift({ job: "The run", verdict: "failed", why: figures.failure });
  }
  const { suspectFiles = [] } = figures;
  if (suspectFiles.length > 0) {
    const names = suspectFiles.slice(0, maxEvidence).join(", ");
    items.push({
      job: "Files",
      verdict: "suspect",
      why: cutText(`The records of this run are in ${names}; those of an earlier run stay as they were`, 1000),
    });
  }
  if (items.length === 0) return false;
  const hiddenJobs = doubtful.length - Math.min(maxEvidence, listedJobs, doubtful.length);
  return {
    items,
    more:
      hiddenJobs > 0 &&
      `${counted(hiddenJobs, "more suspect or failed job")}; the table shows as many as it has room for.`,
  };
}

function isDoubtful({ verdict }: { readonly verdict: string }): boolean {
  return verdict === "suspect" || verdict === "failed";
}

function placeOf({ evidence }: JobFigures): string {
  if (evidence === undefined) return "";
  const { page, window, url } = evidence;
  const places = [page === undefined ? "" : `page ${page}`, window === undefined ? "" : `window ${window}`, url ?? ""];
  const place = places.filter((text) => text !== "").join(", ");
  return place === "" ? "" : `Seen on ${place}`;
}

/** A column of the table of jobs. */
interface Column {
  readonly label: string;
  /** Default: the column is left out if all its values are missing or zero. */
  readonly isAlwaysShown?: boolean;
  value(job: JobFigures): number | undefined;
  text(value: number, job: JobFigures): string;
}

const columns: readonly Column[] = [
  {
    label: "Records",
    isAlwaysShown: true,
    value: ({ records }) => records,
    text: (records, { expected }) =>
      expected === undefined ? numberText(records) : `${numberText(records)} of ${numberText(expected)}`,
  },
  { label: "Pages", isAlwaysShown: true, value: ({ pages }) => pages, text: numberText },
  { label: "Bytes", isAlwaysShown: true, value: ({ bytes }) => bytes, text: bytesText },
  { label: "Duration", value: ({ durationMs }) => durationMs, text: timeText },
  { label: "Retries", value: ({ retries }) => retries, text: numberText },
  { label: "Waits", value: ({ waitMs }) => waitMs, text: timeText },
  { label: "Duplicates dropped", value: ({ duplicates }) => duplicates, text: numberText },
  { label: "Filtered out", value: ({ filtered }) => filtered, text: numberText },
];

function tableView({ jobs, rest, unlistedJobs }: ReportFigures): View {
  const visibleColumns = columns.filter(
    ({ isAlwaysShown, value }) => isAlwaysShown === true || jobs.some((job) => (value(job) ?? 0) > 0),
  );
  const depths = depthsOf(jobs);
  const rows = jobs.map((job, index): View => {
    const cells = visibleColumns.map(({ label, value, text }) => {
      const found = value(job);
      return { label, text: found === undefined ? "" : text(found, job) };
    });
    return { job: job.job, depth: depths[index] ?? 0, verdict: job.verdict, reason: job.reason, cells };
  });
  if (rest !== undefined) {
    const sums: Readonly<Record<string, number>> = { ...rest };
    const cells = visibleColumns.map(({ label }) => {
      const sum = sums[label.toLowerCase()];
      return { label, text: sum === undefined ? "" : label === "Bytes" ? bytesText(sum) : numberText(sum) };
    });
    rows.push({ job: `${counted(rest.jobs, "more job")}`, depth: 0, verdict: "", reason: "", cells });
  }
  const order = [
    ...(unlistedJobs === undefined ? [] : [`${counted(unlistedJobs, "further job")} not run`]),
    ...(jobs.length > 1 && jobs.some(isDoubtful) ? ["suspect and failed jobs first"] : []),
    ...(depths.some((depth) => depth > 0) ? ["children below their parents"] : []),
  ];
  return {
    caption: [counted(jobs.length + (rest?.jobs ?? 0), "job"), order.join(", ")]
      .filter((text) => text !== "")
      .join("; "),
    columns: visibleColumns.map(labelOf),
    rows,
  };
}

function labelOf({ label }: Column): View {
  return { label };
}

/** Returns the depth of each job below its top-level job, at most 3. */
function depthsOf(jobs: readonly JobResult[]): readonly number[] {
  const depths = new Map<string, number>();
  return jobs.map(({ dataType, parent }) => {
    const depth = parent === undefined ? 0 : Math.min(3, (depths.get(parent) ?? 0) + 1);
    depths.set(dataType, depth);
    return depth;
  });
}

function shardsView({ shards = [] }: ReportFigures): View | false {
  if (shards.length === 0) return false;
  const times = shards.map(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt)] as const);
  const firstStart = Math.min(...times.map(([from]) => from));
  const span = Math.max(1, Math.max(...times.map(([, to]) => to)) - firstStart);
  const clock = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  const items = shards.map(({ index, bytes }, place): View => {
    const [from, to] = times[place] ?? [firstStart, firstStart];
    const left = Math.round(((from - firstStart) / span) * 1000);
    const width = Math.max(3, Math.round(((to - from) / span) * 1000));
    return { name: index, took: timeText(to - from), bytes: bytesText(bytes), x: Math.min(left, 997), width };
  });
  const caption = `The attempts whose lines were merged, the slowest first. From ${clock(firstStart)} to ${clock(firstStart + span)}`;
  return { caption, items };
}

const shareLabels: Readonly<Record<ShareName, string>> = {
  reader: "Waiting for the output (its reader or its disk)",
  transfer: "Transferring answers",
  answer: "Waiting for the API",
  rateLimit: "Waiting for a rate limit",
  retry: "Waiting before a retry",
  spile: "spile itself",
};

function timeView({ time, timeline, durationMs, advice }: ReportFigures, account: RunAccount): View | false {
  if (time === undefined || timeline === undefined) return false;
  const bars = account.bars();
  const drawing = bars === undefined ? drawShares(timeline, durationMs) : drawBars(bars, durationMs);
  const shares = shareNames.map((name): View => {
    const fraction = durationMs === 0 ? 0 : time[name] / durationMs;
    return {
      name,
      label: shareLabels[name],
      took: timeText(time[name]),
      percent: `${(fraction * 100).toFixed(1)} %`,
      width: Math.round(fraction * 1000),
    };
  });
  const requests = bars?.filter(({ kind }) => kind === "answer").length;
  const ticks = [0, 0.25, 0.5, 0.75].map((fraction): View => {
    return { label: timeText(fraction * durationMs), end: fraction === 0.75 ? timeText(durationMs) : "" };
  });
  const shareTexts = shareNames
    .filter((name) => time[name] > 0)
    .map((name) => `${shareLabels[name]} ${timeText(time[name])}`);
  return {
    advice,
    shares,
    ticks,
    requestsCaption:
      requests === undefined
        ? `Shares of each ${timeText(timeline.binMs)} of the run`
        : `${counted(requests, "request")} over time; concurrent requests are below each other`,
    requestsText: `In all: ${shareTexts.join("; ")}.`,
    requestsHeight: drawing.height,
    paths: drawing.shapes.map(({ kind, d }) => ({ name: kind, d, label: shareLabels[kind] })),
    rates: (["records", "bytes"] as const).flatMap((name): View[] => {
      const amounts = timeline[name];
      const perSecond = Math.max(...amounts) / (timeline.binMs / 1000);
      if (perSecond === 0) return [];
      const greatest = name === "bytes" ? `${bytesText(perSecond)}` : `${numberText(perSecond)} records`;
      const title = name === "bytes" ? "Bytes per second" : "Records per second";
      const d = drawAmounts(amounts, timeline.binMs, durationMs, 60);
      return [{ id: name, title, caption: `${title}: at most ${greatest}`, d }];
    }),
  };
}

/** The values of a template: texts and numbers by name, and lists of views for sections that are repeated. */
interface View {
  readonly [name: string]: string | number | boolean | undefined | View | readonly View[];
}

const tagPattern = /\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}|\{\{(&?)(\w+)\}\}/g;

/**
 * Fills an HTML template. `{{name}}` becomes the escaped value, `{{&name}}` the unescaped one. `{{#name}}...{{/name}}` is a
 * section: it appears once for each view of a list, once for a single view, text, number or true, and never for undefined, "",
 * false or 0. Inside a section, names of the view hide the outer ones.
 */
export function fillTemplate(template: string, view: View): string {
  return template.replace(tagPattern, (_match, section, body, raw, name) => {
    if (section === undefined) return raw === "&" ? textOf(view[name]) : escapeHtml(textOf(view[name]));
    const value = view[section];
    if (value === undefined || value === "" || value === false || value === 0) return "";
    const views = Array.isArray(value) ? value : [typeof value === "object" ? value : {}];
    return views.map((one: View) => fillTemplate(body, { ...view, ...one })).join("");
  });
}

function textOf(value: View[string]): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
