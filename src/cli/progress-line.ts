import type { RunEvent } from "../core/runs/event.ts";
import { bytesText, counted } from "../core/text/counted.ts";
import { printable } from "../core/text/printable.ts";
import { columnsOf, cutTo, durationText } from "./figures.ts";

/** A terminal, or its substitute in a test. */
export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** A line that is redrawn in place. It shows the current wait, pages, records, share, time left, job, rate and bytes. */
export interface ProgressLine {
  /** Counts an event: pages, waits and the ends of jobs change the line. */
  count(event: RunEvent): void;
  /** Removes the line until the next redraw, so that another line can be written. */
  clear(): void;
  stop(): void;
}

/** Milliseconds between two redraws. */
const interval = 100;

/** Milliseconds after which the line says that the run waits for the first page. */
const firstShownAfterMs = 1000;

/** Milliseconds since a job's total was first reported, after which the line predicts the end of the job from its rate. */
const predictedAfterMs = 2000;

/** Creates the line. It uses only blanks and carriage returns, no escape codes, so that it works on any terminal. */
export function progressLine(terminal: Terminal, now: () => number = () => performance.now()): ProgressLine {
  const figures = createFigures(now);
  let shownLine = "";

  function clear(): void {
    if (shownLine !== "") terminal.write(`\r${" ".repeat(columnsOf(shownLine))}\r`);
    shownLine = "";
  }

  function draw(): void {
    const line = joinFitting(figures.parts(), (terminal.columns || 80) - 1);
    if (line === shownLine) return;
    clear();
    terminal.write(line);
    shownLine = line;
  }

  const timer = setInterval(draw, interval);
  timer.unref();
  return {
    count: figures.count,
    clear,
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}

/** Joins the parts that fit into one line. If the first part alone is too long, shortens it. */
function joinFitting([first = "", ...parts]: readonly string[], columns: number): string {
  return parts
    .filter((part) => part !== "")
    .reduce(
      (line, part) => {
        const longer = `${line}  ${part}`;
        return columnsOf(longer) > columns ? line : longer;
      },
      cutTo(first, columns),
    );
}

/** Counts the events of a run. `parts` returns the parts of the line, the more important ones first. */
function createFigures(now: () => number): { count(event: RunEvent): void; parts(): readonly string[] } {
  const startTime = now();
  let [pages, records, bytes] = [0, 0, 0];
  let job = "";
  let wait: { readonly reason: string; readonly until: number } | undefined;
  /** The job whose total is known. `time`, `from`: the time, and the number of records reached, when it was first reported. */
  let extent: { readonly job: string | undefined; readonly time: number; readonly from: number } | undefined;
  let [reached, expected] = [0, 0];
  /** Number of job runs that each job in progress has begun. If there are several, the total of one is not that of the job. */
  const runsByJob = new Map<string, number>();

  function count({ event, ...fields }: RunEvent): void {
    if (fields.waitMs !== undefined && fields.reason !== undefined) {
      wait = { reason: fields.reason.replace(/ in [0-9.]+ s$/, ""), until: now() + fields.waitMs };
    }
    if (event === "job.end" && fields.job === extent?.job) extent = undefined;
    if (event === "job.end") runsByJob.delete(fields.job ?? "");
    if (event !== "page") return;
    pages += 1;
    records += fields.records ?? 0;
    bytes += fields.bytes ?? 0;
    job = printable(fields.job ?? "");
    if (fields.page === 1) runsByJob.set(fields.job ?? "", (runsByJob.get(fields.job ?? "") ?? 0) + 1);
    if (fields.expected === undefined || fields.reached === undefined) return;
    if (extent?.job !== fields.job) extent = { job: fields.job, time: now(), from: fields.reached };
    [reached, expected] = [fields.reached, fields.expected];
  }

  function share(): string[] {
    if (extent === undefined || expected <= 0 || reached > expected) return [];
    if ((runsByJob.get(extent.job ?? "") ?? 0) > 1) return [];
    const elapsed = now() - extent.time;
    const recordsSince = reached - extent.from;
    const remainingMs =
      elapsed >= predictedAfterMs && recordsSince > 0 ? ((expected - reached) * elapsed) / recordsSince : undefined;
    const time = remainingMs === undefined ? "" : `, ${durationText(remainingMs)} left`;
    return [`${Math.floor((reached / expected) * 100)} % of ${expected}${time}`];
  }

  function waiting(): string[] {
    const remainingWait = (wait?.until ?? 0) - now();
    if (wait !== undefined && remainingWait > 0) return [`${printable(wait.reason)} in ${durationText(remainingWait)}`];
    const elapsed = now() - startTime;
    return pages === 0 && elapsed >= firstShownAfterMs ? [`waiting for the first page (${durationText(elapsed)})`] : [];
  }

  return {
    count,
    parts() {
      if (pages === 0) return waiting();
      const seconds = Math.max((now() - startTime) / 1000, 0.001);
      const rate = `${Math.round(records / seconds)} records/s`;
      return [
        ...waiting(),
        counted(pages, "page"),
        counted(records, "record"),
        ...share(),
        job,
        rate,
        bytesText(bytes),
      ];
    },
  };
}
