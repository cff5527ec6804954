import type { RunEvent } from "../core/runs/event.ts";
import { bytesText, counted } from "../core/text/counted.ts";
import { printable } from "../core/text/printable.ts";
import { columnsOf, cutTo, durationText } from "./figures.ts";

/** A terminal, or what stands for one in a test. */
export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** One line that is redrawn in place: what is waited for, pages, records, share and time left, bytes, rate, the current job. */
export interface ProgressLine {
  /** Counts an event: pages, waits and the ends of jobs change the line. */
  count(event: RunEvent): void;
  /** Removes the line, so that another can be written. It comes back with the next redraw. */
  clear(): void;
  stop(): void;
}

/** Milliseconds between two redraws. */
const interval = 100;

/** Milliseconds without a first page after which the line says so. */
const firstShownAfterMs = 1000;

/** Milliseconds of a job after which its rate predicts its end. */
const settled = 2000;

/** Draws with blanks and carriage returns alone: no escape codes, so it is fit for any terminal. */
export function progressLine(terminal: Terminal, now: () => number = () => performance.now()): ProgressLine {
  const figures = createFigures(now);
  let shownLine = "";

  function clear(): void {
    if (shownLine !== "") terminal.write(`\r${" ".repeat(columnsOf(shownLine))}\r`);
    shownLine = "";
  }

  function draw(): void {
    const line = joined(figures.parts(), (terminal.columns || 80) - 1);
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

/** The parts that fit into one line; the first is cut where it alone is too long. */
function joined([first = "", ...parts]: readonly string[], columns: number): string {
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

/** The figures of a run, and its line in parts, the more important ones first. */
function createFigures(now: () => number): { count(event: RunEvent): void; parts(): readonly string[] } {
  const started = now();
  let [pages, records, bytes] = [0, 0, 0];
  let job = "";
  let wait: { readonly reason: string; readonly until: number } | undefined;
  /** The job whose total is known: how far it is, and where it was when that was first told. */
  let extent: { readonly job: string | undefined; readonly time: number; readonly from: number } | undefined;
  let [reached, expected] = [0, 0];
  /** Jobs under way, with how often each has begun: what one of several runs has to come tells nothing of the job. */
  const begun = new Map<string, number>();

  function count({ event, ...fields }: RunEvent): void {
    if (fields.waitMs !== undefined && fields.reason !== undefined) {
      wait = { reason: fields.reason.replace(/ in [0-9.]+ s$/, ""), until: now() + fields.waitMs };
    }
    if (event === "job.end" && fields.job === extent?.job) extent = undefined;
    if (event === "job.end") begun.delete(fields.job ?? "");
    if (event !== "page") return;
    pages += 1;
    records += fields.records ?? 0;
    bytes += fields.bytes ?? 0;
    job = printable(fields.job ?? "");
    if (fields.page === 1) begun.set(fields.job ?? "", (begun.get(fields.job ?? "") ?? 0) + 1);
    if (fields.expected === undefined || fields.reached === undefined) return;
    if (extent?.job !== fields.job) extent = { job: fields.job, time: now(), from: fields.reached };
    [reached, expected] = [fields.reached, fields.expected];
  }

  function share(): string[] {
    if (extent === undefined || expected <= 0 || reached > expected) return [];
    if ((begun.get(extent.job ?? "") ?? 0) > 1) return [];
    const elapsed = now() - extent.time;
    const recordsSince = reached - extent.from;
    const left = elapsed >= settled && recordsSince > 0 ? ((expected - reached) * elapsed) / recordsSince : undefined;
    const time = left === undefined ? "" : `, ${durationText(left)} left`;
    return [`${Math.floor((reached / expected) * 100)} % of ${expected}${time}`];
  }

  function waiting(): string[] {
    const left = (wait?.until ?? 0) - now();
    if (wait !== undefined && left > 0) return [`${printable(wait.reason)} in ${durationText(left)}`];
    const elapsed = now() - started;
    return pages === 0 && elapsed >= firstShownAfterMs ? [`waiting for the first page (${durationText(elapsed)})`] : [];
  }

  return {
    count,
    parts() {
      if (pages === 0) return waiting();
      const seconds = Math.max((now() - started) / 1000, 0.001);
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
