import { readdirSync, readFileSync } from "node:fs";
import type { Judged } from "./goals.ts";

/** Factor by which a ratio may be worse than the committed one, since machines and their load differ. */
const tolerance = 1.5;

/** Returns ratios that are much worse than in the last committed result of the scale, a line each. Memory, CPU time and MB/s are not ratios. */
export function slips(judged: readonly Judged[], scale: string, folder: URL): string[] {
  // Results of `--rivals` have no goals, and those of `--only` lack some, so both do not count.
  const named = new RegExp(`^\\d{4}-\\d\\d-\\d\\d-${scale}\\.md$`);
  const file = readdirSync(folder)
    .filter((name) => named.test(name))
    .sort()
    .at(-1);
  if (file === undefined) throw new Error(`there is no committed result of the scale ${scale}`);
  const committed = figuresIn(readFileSync(new URL(file, folder), "utf8"));
  return judged.flatMap(({ goal, figure }) => {
    const before = committed.get(`${goal.work} ${goal.text}`);
    if (before === undefined || !goal.text.includes("times")) return [];
    const isFine = goal.atLeast === undefined ? figure <= before * tolerance : figure >= before / tolerance;
    return isFine ? [] : [`${goal.work}: ${goal.text}: ${figure.toPrecision(3)}, in ${file} ${before}`];
  });
}

/** Returns the measured figures of the table of goals, by work and goal. */
function figuresIn(report: string): ReadonlyMap<string, number> {
  const [, table = ""] = report.split("\n## Goals\n");
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(rows.map(([, work, text, , figure = ""]) => [`${work} ${text}`, Number(figure.replaceAll(",", ""))]));
}
