import { counted } from "../core/counted.ts";
import type { RunEvent } from "../core/event.ts";
import { printable } from "../core/printable.ts";
import { bytesText } from "./figures.ts";

/** A terminal, or what stands for one in a test. */
export interface Terminal {
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** One line that is redrawn in place: pages, records, bytes, records a second, the current job. */
export interface Progress {
  /** Counts an event; only `page` events change the line. */
  count(event: RunEvent): void;
  /** Removes the line, so that another can be written. It comes back with the next redraw. */
  clear(): void;
  stop(): void;
}

/** Milliseconds between two redraws. */
const interval = 100;

/** Draws with blanks and carriage returns alone: no escape codes, so it is fit for any terminal. */
export function progressLine(terminal: Terminal, now: () => number = () => performance.now()): Progress {
  const started = now();
  let [pages, records, bytes, shown] = [0, 0, 0, 0];
  let job = "";
  let changed = false;

  function clear(): void {
    if (shown > 0) terminal.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  }

  function draw(): void {
    if (!changed) return;
    changed = false;
    const perSecond = Math.round(records / Math.max((now() - started) / 1000, 0.001));
    const line =
      `${counted(pages, "page")}  ${counted(records, "record")}  ${bytesText(bytes)}  ${perSecond} records/s  ${job}`
        .slice(0, (terminal.columns || 80) - 1)
        .trimEnd();
    clear();
    terminal.write(line);
    shown = line.length;
  }

  const timer = setInterval(draw, interval);
  timer.unref();
  return {
    count(event) {
      if (event.event !== "page") return;
      pages += 1;
      records += event.records ?? 0;
      bytes += event.bytes ?? 0;
      job = printable(event.job ?? "");
      changed = true;
    },
    clear() {
      if (shown > 0) changed = true;
      clear();
    },
    stop() {
      clearInterval(timer);
      clear();
    },
  };
}
