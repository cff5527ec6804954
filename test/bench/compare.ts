import { messageOf } from "../../src/core/errors.ts";
import type { Contender } from "./contenders.ts";
import type { Result } from "./goals.ts";
import { digest, has, type Measured, measure, median, outputDigest, throughJq, type Until } from "./measure.ts";
import { type Work, works } from "./works.ts";

/** Number of runs of each contender. After `maxSeconds` seconds at one piece of work, a contender does not run it again. */
export interface Pace {
  readonly rounds: number;
  readonly maxSeconds: number;
}

/** Runs the contenders in turn on one piece of work, after checking the lines that they write. */
export async function compare(
  work: Work,
  contenders: readonly Contender[],
  base: string,
  pace: Pace,
): Promise<Result[]> {
  const entries = await Promise.all(contenders.map((contender) => enter(contender, work, base)));
  for (const entry of entries)
    entry.wrong = entry.remark === undefined && !(await isRight(entry.contender, work, base));
  await inTurn(entries, { ...pace, ...work.pace }, work.until);
  return entries.map((entry) => {
    const share = entry.task === work ? undefined : `on ${Math.round(entry.task.megabytes)} MB`;
    return {
      ...medians(entry),
      ...entry.task,
      contender: entry.name,
      wrong: entry.wrong,
      remark: entry.remark ?? share,
    };
  });
}

/** Measures the CPU time of commands that do nothing else. Each run starts its command ten times, because the clock of CPU time is coarse. */
export async function compareCommands(commands: ReadonlyMap<string, readonly string[]>, pace: Pace): Promise<Result[]> {
  const entries = [...commands].map(([name, commandLine]) => ({
    name,
    commandLine: ["sh", "-c", `for run in 1 2 3 4 5 6 7 8 9 10; do "$@" || exit; done`, "sh", ...commandLine],
    runs: [],
    remark: undefined,
  }));
  await inTurn(entries, pace);
  return entries.map((entry) => ({
    ...tenth(medians(entry)),
    contender: entry.name,
    megabytes: Number.NaN,
    records: Number.NaN,
    wrong: false,
    remark: entry.remark,
  }));
}

interface Entry {
  readonly name: string;
  readonly commandLine: readonly string[];
  readonly runs: Measured[];
  /** Why the contender does not run, or does not run again. */
  remark: string | undefined;
}

interface WorkEntry extends Entry {
  readonly contender: Contender;
  readonly task: Work;
  wrong: boolean;
}

function enter(contender: Contender, work: Work, base: string): WorkEntry {
  const lacking = contender.needs.filter((program) => !has(program));
  const task = contender.smaller === true ? (work.smaller ?? work) : work;
  return {
    name: contender.name,
    contender,
    task,
    commandLine: contender.commandLine(task, base),
    runs: [],
    remark: lacking.length === 0 ? undefined : `skipped: no ${lacking.join(", no ")} here`,
    wrong: false,
  };
}

/** Returns whether the contender writes the right lines: exact ones for the whole work, those of jq for the work of a quick run. */
async function isRight(contender: Contender, work: Work, base: string): Promise<boolean> {
  if (contender.lines === "unchecked") return true;
  if (contender.lines === "exact") {
    return (await outputDigest(contender.commandLine(work, base))) === digest(work.lines());
  }
  const quick = works("quick").find(({ name }) => name === work.name) ?? work;
  const task = quick.smaller ?? quick;
  return (await outputDigest(contender.commandLine(task, base))) === digest([throughJq(task.lines())]);
}

/** Runs all contenders once, then all of them again, so that a disturbance of the machine affects all of them. */
async function inTurn(entries: readonly Entry[], { rounds, maxSeconds }: Pace, until?: Until): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) {
      const spent = entry.runs.reduce((sum, run) => sum + run.seconds, 0);
      if (entry.remark !== undefined || spent > maxSeconds) continue;
      try {
        entry.runs.push(await measure(entry.commandLine, until));
      } catch (error) {
        entry.remark = `failed: ${messageOf(error)}`;
      }
    }
  }
}

function tenth<T extends Measured>(of: T): T {
  return { ...of, seconds: of.seconds / 10, cpu: of.cpu / 10 };
}

function medians({ runs }: Entry): Measured & { runs: number } {
  const memory = runs.flatMap((run) => run.memory ?? []);
  return {
    runs: runs.length,
    seconds: median(runs.map((run) => run.seconds)),
    cpu: median(runs.map((run) => run.cpu)),
    memory: memory.length === 0 ? undefined : median(memory),
  };
}
