import { course } from "./figures.ts";
import type { Moment, Soaked } from "./run.ts";
import { type Verdict, verdicts } from "./verdicts.ts";

export function momentLine({ seconds, lines, served, sample }: Moment): string {
  const faults = Object.values(served.faults).reduce((sum, count) => sum + count, 0);
  return (
    `${(seconds / 60).toFixed(0)} min: ${count(lines)} records, ${count(served.pages)} pages, ${served.logins} logins, ` +
    `${served.refused} times 401, ${faults} faults, RSS ${sample?.memory.toFixed(0)} MB, ${sample?.descriptors} descriptors`
  );
}

/** Returns the figures, a line for each criterion, and PASS or FAIL at the end. */
export function summary(soaked: Soaked): { text: string; passed: boolean } {
  const { seconds, lines, job, served, samples } = soaked;
  const memory = course(samples, "memory");
  const descriptors = course(samples, "descriptors");
  const found = verdicts(soaked);
  const passed = found.every(({ holds }) => holds !== false);
  const rows = [
    `seconds      ${seconds.toFixed(1)}`,
    `records      ${count(lines)}, ${count(lines / seconds)} a second`,
    `pages        ${count(job?.pages ?? Number.NaN)}, of ${count(served.pages)} good answers, on ${count(served.connections)} connections`,
    `logins       ${job?.logins}, ${served.refused} times 401`,
    `retries      ${job?.retries}`,
    `RSS          ${megabytes(memory.start)} at the start, ${megabytes(memory.median)} median, ${megabytes(memory.largest)} largest, ${memory.slope.toFixed(2)} MB a minute in the second half`,
    `descriptors  ${descriptors.start} at the start, ${descriptors.largest} largest, ${descriptors.end} at the end`,
    ...found.map(verdictRow),
    passed ? "PASS" : "FAIL",
  ];
  return { text: rows.join("\n"), passed };
}

function verdictRow({ what, holds, found }: Verdict): string {
  return `${holds === undefined ? "too short" : holds ? "holds    " : "FAILS    "}    ${what}: ${found}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}
