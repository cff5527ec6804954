import { availableParallelism, cpus } from "node:os";
import type { Judged, Result } from "./goals.ts";
import { examples, type Rivalry } from "./rivalry.ts";

/** Returns the beginning of a report in Markdown. It names the processor, but not the machine or a path. */
export function heading(scale: string, date: string): string {
  const machine = `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores, ${process.platform}`;
  return `# spile bench, ${scale}\n\n${date}, node ${process.version}, ${machine}.
Medians of runs taken in turn; the server shares the machine. MB are of decoded bodies, memory is the peak of the largest process.\n`;
}

export function workTable(title: string, results: readonly Result[]): string {
  const spile = results.find((result) => result.contender === "spile");
  const rows = results.map((result) => {
    const speed = result.megabytes / result.seconds;
    const ratio = spile === undefined || spile.runs === 0 ? Number.NaN : spile.megabytes / spile.seconds / speed;
    return [
      result.contender +
        (result.wrong && result.runs > 0 ? " WRONG LINES" : "") +
        (result.remark === undefined ? "" : ` (${result.remark})`),
      number(result.seconds),
      number(result.cpu),
      number(speed),
      number(result.records / result.seconds),
      number(result.memory),
      number(ratio),
      String(result.runs),
    ];
  });
  const columns = ["", "seconds", "CPU s", "MB/s", "records/s", "memory MB", "spile is faster by", "runs"];
  return `\n## ${title}\n\n${table([columns, ...rows])}\n`;
}

export function goalTable(judged: readonly Judged[]): string {
  const rows = judged.map(({ goal, figure, holds }) => [
    goal.work,
    goal.text,
    goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`,
    number(figure),
    holds ? "holds" : "misses",
  ]);
  return `\n## Goals\n\n${table([["work", "goal", "bound", "measured", ""], ...rows])}\n`;
}

/** Returns the comparison with tools that read APIs by a configuration, and the values that they wrote. */
export function rivalryTable(title: string, rivalry: readonly Rivalry[]): string {
  const figures = rivalry.map(({ name, packages, measured, runs, remark }) => [
    [name, packages === "" ? "" : ` (${packages})`, remark === undefined ? "" : `: ${remark}`].join(""),
    number(measured?.seconds),
    number(measured?.cpu),
    number(measured?.memory),
    number((measured?.seconds ?? Number.NaN) / (rivalry[0]?.measured?.seconds ?? Number.NaN)),
    String(runs),
  ]);
  const columns = ["", "seconds", "CPU s", "memory MB", "times spile's", "runs"];
  const values = rivalry.flatMap(({ name, values }) => (values.length === 0 ? [] : [[name, ...values]]));
  const titles = ["", ...examples.map(({ title, value }) => `${title}: ${value}`)];
  return `\n## rivals: ${title}, as JSON lines into files\n\n${table([columns, ...figures])}\n\n${table([titles, ...values])}\n`;
}

/** Formats a number with three significant digits, or rounded to a whole number if it has more; "-" if it is unknown. */
function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "-";
  return value >= 100 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (column < 2 ? (row[column] ?? "").padEnd(width) : (row[column] ?? "").padStart(width))).join(" | ")} |`;
  const [first = [], ...rest] = rows;
  return [line(first), line(widths.map((width) => "-".repeat(width))), ...rest.map(line)].join("\n");
}
