import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { type TestContext, test } from "node:test";
import { columnsOf, cutTo, durationText } from "../../src/cli/figures.ts";
import { progressLine } from "../../src/cli/progress-line.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import { empty, startApi } from "../helpers/api.ts";
import { type Running, startCommand, temporaryFolder } from "../helpers/cli.ts";

/** A progress line on a terminal, with a clock that the test moves. */
function lineOn(context: TestContext, columns: number) {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const clock = { now: 0 };
  let text = "";
  const write = (part: string): void => {
    text += part;
  };
  const progress = progressLine({ columns, write }, () => clock.now);
  return {
    progress,
    /** Returns the text of the line at this time. */
    at(now: number): string {
      clock.now = now;
      context.mock.timers.tick(100);
      return screenOf(text);
    },
    text: () => text,
  };
}

/** Returns the last line of the screen after its carriage returns are applied. */
function screenOf(text: string): string {
  let cells: string[] = [];
  let column = 0;
  for (const character of text) {
    if (character === "\r") column = 0;
    else if (character === "\n") [cells, column] = [[], 0];
    else cells[column++] = character;
  }
  return cells.join("").trimEnd();
}

const page = (fields: Partial<RunEvent> = {}): RunEvent => ({
  event: "page",
  level: "info",
  message: "",
  job: "users",
  records: 100,
  bytes: 2500,
  ...fields,
});

test("the progress line shows figures, makes room for other lines and disappears at the end", (context) => {
  const { progress, at, text } = lineOn(context, 80);
  assert.equal(at(500), "");
  progress.count(page());
  assert.equal(at(2000), "1 page  100 records  users  50 records/s  2.5 kB");
  progress.clear();
  assert.equal(screenOf(text()), "");
  assert.equal(at(4000), "1 page  100 records  users  25 records/s  2.5 kB");
  progress.stop();
  assert.equal(screenOf(text()), "");
  assert.equal(at(9000), "");
  assert.doesNotMatch(text(), /\u001b|\n/);
});

test("a known total adds the share and the remaining time", (context) => {
  const { progress, at } = lineOn(context, 80);
  progress.count(page({ reached: 1100, expected: 2000 }));
  assert.equal(at(1000).slice(0, 50), "1 page  100 records  55 % of 2000  users  100 reco");
  progress.count(page({ reached: 1200, expected: 2000 }));
  assert.match(at(4000), /^2 pages {2}200 records {2}60 % of 2000, 32 s left {2}users/);
  progress.count(page({ job: "child", records: 1 }));
  assert.match(at(4000), /60 % of 2000, 32 s left {2}child/);
  progress.count({ event: "job.end", level: "info", message: "", job: "users" });
  assert.doesNotMatch(at(4000), /%/);
  progress.count(page({ reached: 300, expected: 200 }));
  assert.doesNotMatch(at(4000), /%/, "an invalid total");
});

test("a job that runs several times shows no share, since its total is that of the latest run only", (context) => {
  const { progress, at } = lineOn(context, 80);
  progress.count(page({ page: 1, reached: 100, expected: 200 }));
  assert.match(at(1000), /50 % of 200/);
  progress.count(page({ page: 2, reached: 200, expected: 200 }));
  progress.count(page({ page: 1, reached: 100, expected: 400 }));
  assert.doesNotMatch(at(2000), /%/);
  progress.count({ event: "job.end", level: "info", message: "", job: "users" });
  progress.count(page({ page: 1, reached: 100, expected: 400 }));
  assert.match(at(3000), /25 % of 400/);
});

test("waits are shown with their reason, also before the first page", (context) => {
  const { progress, at } = lineOn(context, 60);
  assert.equal(at(1200), "waiting for the first page (2 s)");
  const waitMs = 8000;
  progress.count({ event: "retry", level: "info", message: "", waitMs, reason: "503, retry 1 of 10 in 8.0 s" });
  assert.equal(at(1300), "503, retry 1 of 10 in 8 s");
  assert.equal(at(7300), "503, retry 1 of 10 in 2 s");
  assert.equal(at(9300), "waiting for the first page (10 s)");
  progress.count(page());
  assert.match(at(9300), /^1 page/);
  progress.count({
    event: "retry",
    level: "info",
    message: "",
    waitMs: 100_000,
    reason: "no route, retry 2 of 10 in 100 s",
  });
  assert.equal(at(9300), "no route, retry 2 of 10 in 1 min 40 s  1 page  100 records");
});

test("the progress line never wraps, for any width and any letters", (context) => {
  for (const columns of [10, 20, 40]) {
    const { progress, at } = lineOn(context, columns);
    progress.count(page({ job: "山の名前".repeat(3), reached: 10, expected: 1_000_000 }));
    const line = at(5000);
    assert.ok(columnsOf(line) < columns, `${columns}: ${line}`);
    assert.notEqual(line, "");
    progress.stop();
    context.mock.timers.reset();
  }
  assert.deepEqual([columnsOf("aé山"), cutTo("a山b", 2), cutTo("a山b", 3)], [4, "a", "a山"]);
  assert.deepEqual([0, 1, 59_001, 3_600_000, 7_500_000].map(durationText), [
    "0 s",
    "1 s",
    "1 min 0 s",
    "1 h 0 min",
    "2 h 5 min",
  ]);
});

/** Runs a shell script on a terminal of 70 columns. Without the command `script` of util-linux, skips the test and returns undefined. */
function onTerminal(context: TestContext, script: string, env: Readonly<Record<string, string>>): Running | undefined {
  const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  if (!/util-linux/.test(stdout ?? "")) {
    context.skip("script of util-linux is not installed");
    return undefined;
  }
  return startCommand("script", ["-qec", `stty cols 70; ${script}`, "/dev/null"], {
    env: { TERM: "xterm", NO_COLOR: "1", ...env },
  });
}

const spileOn = `"${process.execPath}" dist/bin.js "$CONFIG"`;

test("a terminal shows waits and shares, and nothing of the progress line stays", async (context) => {
  await using folder = await temporaryFolder();
  let seen = (): void => undefined;
  const shown = new Promise<void>((resolve) => {
    seen = resolve;
  });
  let requests = 0;
  await using api = await startApi(async ({ params }) => {
    requests += 1;
    if (requests === 1) return empty(503, { "retry-after": "2" });
    if (requests === 3) await shown;
    const offset = Number(params.get("offset"));
    return { total: 5, data: [{ id: offset }, { id: offset + 1 }].slice(0, 5 - offset) };
  });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
    config: { jobs: [{ endpoint: "users", dataField: "data" }] },
  });
  const running = onTerminal(context, `${spileOn} > "$OUT"`, { CONFIG: config, OUT: `${folder.path}/out` });
  if (running === undefined) return seen();
  await running.until("stdout", /503, retry 1 of 10 in [12] s/);
  await running.until("stdout", /1 page {2}2 records {2}40 % of 5 {2}users/);
  seen();
  const { code, stdout } = await running.finished;
  assert.equal(code, 0, stdout);
  assert.equal((await folder.read("out")).split("\n").length, 6);
  const lines = stdout.split("\n").map((line) => screenOf(line));
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /^info users complete: 5 of 5 records/);
});

test("no progress line is drawn if the records go to a terminal or a pipe, or with -q or --progress never", async (context) => {
  await using folder = await temporaryFolder();
  await using api = await startApi(async () => {
    // This is longer than the command waits before it draws.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return [{ id: 1 }];
  });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "users" }] },
  });
  const cases = [
    ["", false],
    [" | cat", false],
    [` -o "$OUT"`, true],
    [" > /dev/null", true],
    [" -q > /dev/null", false],
    [" --progress never > /dev/null", false],
  ] as const;
  for (const [rest, drawn] of cases) {
    const running = onTerminal(context, spileOn + rest, { CONFIG: config, OUT: `${folder.path}/out` });
    if (running === undefined) return;
    const { stdout } = await running.finished;
    assert.equal(/waiting for the first page/.test(stdout), drawn, rest);
  }
});
