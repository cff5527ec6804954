import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { columnsOf } from "../../src/cli/figures.ts";
import { json, startApi } from "../helpers/api.ts";
import { type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";

/*
 * Checks the screens of the command in terminals of several widths, by tmux. Skipped if tmux is missing.
 */
const command = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const run = promisify(execFile);
const socket = `spile-${process.pid}`;
const skip = spawnSync("tmux", ["-V"]).error === undefined ? false : "tmux is not installed";
const widths = [50, 80, 120];

// One session stays open: the server ends with its last session, perhaps while the next one begins.
before(() => {
  if (skip === false) spawnSync("tmux", ["-L", socket, "-f", "/dev/null", "new-session", "-d", "-s", "keep", "cat"]);
});
after(() => {
  if (skip === false) spawnSync("tmux", ["-L", socket, "kill-server"]);
});

/** Runs a shell script in a terminal. Returns the screen once it matches `until`. */
async function screen(
  script: string,
  {
    width,
    until,
    folder,
    escapes = false,
  }: { width: number; until: RegExp; folder: TemporaryFolder; escapes?: boolean },
): Promise<{ readonly text: string; readonly lines: readonly string[] }> {
  const bin = await folder.write("spile", `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`);
  await chmod(bin, 0o755);
  const file = await folder.write(
    "script.sh",
    `PATH='${folder.path}':$PATH\ncd '${folder.path}'\n${script}\necho "ends: $?"\nexec cat\n`,
  );
  const name = `w${Math.random().toString(36).slice(2)}`;
  const size = ["-x", String(width), "-y", "45"];
  await run("tmux", ["-L", socket, "-f", "/dev/null", "new-session", "-d", "-s", name, ...size, "sh", file]);
  try {
    const late = Date.now() + 30_000;
    for (;;) {
      const { stdout } = await run("tmux", [
        "-L",
        socket,
        "capture-pane",
        "-p",
        ...(escapes ? ["-e"] : []),
        "-t",
        name,
      ]);
      const text = stdout.trimEnd();
      if (until.test(text)) return { text, lines: text.split("\n") };
      assert.ok(Date.now() < late, `the screen never showed ${until}:\n${text}`);
      await pause(50);
    }
  } finally {
    await run("tmux", ["-L", socket, "kill-session", "-t", name]);
  }
}

test("the progress line fits a terminal of any width", { skip }, async () => {
  await using api = await startApi(({ params }) =>
    params.get("offset") === "0"
      ? { total: 420, data: Array.from({ length: 100 }, (_, id) => ({ id })) }
      : json({}, { status: 503, headers: { "Retry-After": "60" } }),
  );
  for (const width of widths) {
    await using folder = await temporaryFolder();
    const script = `spile get '${api.url}/users' --records data --paging offset --limit 100 > /dev/null`;
    const { lines } = await screen(script, { width, until: /503, retry 1 of 10 in/, folder });
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0] ?? "", /^503, retry 1 of 10 in (1 min|5\d s)/);
    if (width >= 80) assert.match(lines[0] ?? "", /1 page {2}100 records/);
    if (width >= 120) assert.match(lines[0] ?? "", /23 % of 420/);
    assert.ok(columnsOf(lines[0] ?? "") < width);
  }
});

test("the table of preview fits any width and never cuts a number", { skip }, async () => {
  const users = Array.from({ length: 30 }, (_, id) => ({
    id: id + 1000,
    name: `Käthe 名前 ${id}`,
    email: `person.${id}@example.com`,
    address: { street: "A long street with a long name", city: "Wien" },
    active: id % 2 === 0,
    amount: 12.5,
  }));
  await using api = await startApi(() => ({ total: 95, data: users }));
  await using folder = await temporaryFolder();
  await folder.write("users.json", {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 30 } },
    config: { jobs: [{ endpoint: "users", dataField: "data" }] },
  });
  for (const width of widths) {
    const { lines } = await screen("spile preview users.json --no-color", { width, until: /ends: 0/, folder });
    const from = lines.findIndex((line) => line.startsWith("id"));
    const table = lines.slice(from, from + 21);
    assert.ok(from > 0, lines.join("\n"));
    for (const [index, line] of table.slice(1).entries()) assert.match(line, new RegExp(`^${1000 + index} `), line);
    for (const line of table) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
    assert.match(lines.join(" "), /of 95 that the API reports, the first 20 shown/);
  }
});

test("errors are red on a terminal, and plain with NO_COLOR", { skip }, async () => {
  await using folder = await temporaryFolder();
  await folder.write("wrong.json", { api: { baseUrl: "http://127.0.0.1/" }, config: { jobs: [{ endpont: "users" }] } });
  for (const [before, color] of [
    ["", true],
    ["NO_COLOR=1 ", false],
  ] as const) {
    const { text } = await screen(`${before}spile wrong.json`, { width: 80, until: /ends: 78/, folder, escapes: true });
    assert.equal(text.includes("\u001b[31merror"), color, text);
    assert.match(text, /endpont/);
  }
});

test("explain breaks lines only between words, and a short finding of init is one line", { skip }, async () => {
  await using api = await startApi(() => [{ id: 1 }, { id: 2 }]);
  await using folder = await temporaryFolder();
  const explained = await screen("spile explain probeEnd", { width: 50, until: /ends: 0/, folder });
  assert.match(explained.lines.join(" "), /Asks once more after a short page that is not\s+empty/);
  const found = await screen(`spile init ${api.url}/users -o users.json`, { width: 50, until: /ends: 0/, folder });
  assert.match(found.text, /^found 2 records: the answer is a list$/m);
});
