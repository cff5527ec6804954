import assert from "node:assert/strict";
import { test } from "node:test";
import { dataset, json, linesOf, records, startApi } from "../helpers/api.ts";
import { shell, spile, start, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { configurationFor, messagesOf, offset, run } from "./run.ts";

/* Tests of the command with pipes, files, clocks and configurations that people write. */

test("an output longer than a pipe's buffer arrives whole, even if the run fails", async () => {
  const all = Array.from({ length: 200 }, (_, id) => ({ id, text: "x".repeat(10_000) }));
  for (const [end, code] of [
    [200, "0"],
    [150, "69"],
  ] as const) {
    await using api = await startApi((request) =>
      Number(request.params.get("offset")) >= end
        ? end === 200
          ? []
          : json({}, { status: 403 })
        : dataset(all)(request),
    );
    await using folder = await temporaryFolder();
    await folder.write("config.json", configurationFor(api.url, { api: offset(50) }));
    const script =
      "spile config.json -q > file 2>/dev/null; echo $?; { spile config.json -q 2>/dev/null; echo $? > code; } | cat > piped; cat code; cmp file piped";
    const { stdout, code: compared } = await shell(script, { cwd: folder.path });
    assert.deepEqual([stdout, compared], [`${code}\n${code}\n`, 0]);
    assert.equal(await folder.read("piped"), linesOf(all.slice(0, end)));
  }
});

test("a page's lines reach the reader before the next page arrives", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using api = await startApi(async ({ params }) => {
    if (params.get("offset") === "0") return records(2);
    await held;
    return json({ error: "no" }, { status: 403 });
  });
  const running = start(["-"], { stdin: JSON.stringify(configurationFor(api.url, { api: offset(2) })) });
  assert.equal(await running.until("stdout", /"id":2,.*\n$/s), linesOf(records(2)));
  release();
  const { code, stdout } = await running.finished;
  assert.deepEqual([code, stdout], [69, linesOf(records(2))]);
});

test("the time of the state moves to the start of the run only if every job is read to its end", async () => {
  await using folder = await temporaryFolder();
  const state = `${folder.path}/state.json`;
  const since = { time: "previousStart" };
  await using api = await startApi({ "/items": dataset(records(3)), "/gone": () => json({}, { status: 403 }) });
  const given = {
    api: offset(2),
    job: { params: { since, until: { time: "currentStart" } } },
    args: ["--state", state],
  };
  await folder.write("state.json", { time: { previousStart: 1492606006 } });
  const before = await folder.read("state.json");
  const timeOf = async () => JSON.parse(await folder.read("state.json")).time;

  // Runs that do not get everything leave the time unchanged, so that the next run begins where this one did.
  const failing = { jobs: [{ endpoint: "items" }, { endpoint: "gone" }] };
  for (const [more, code] of [
    [{ config: failing }, 69],
    [{ args: [...given.args, "--max-records", "1"] }, 0],
    [{ args: [...given.args, "--job", "items", "--max-pages", "1"] }, 0],
  ] as const) {
    await folder.write("state.json", before);
    assert.equal((await run(api, { ...given, ...more })).code, code);
    assert.deepEqual(await timeOf(), JSON.parse(before).time);
  }

  await folder.write("state.json", before);
  const startTime = Math.floor(Date.now() / 1000);
  const first = await run(api, given);
  const { previousStart } = await timeOf();
  assert.ok(previousStart >= startTime, `${previousStart}`);
  assert.deepEqual([first.code, api.log.at(-1)?.params.get("since")], [0, "1492606006"]);
  assert.equal(api.log.at(-1)?.params.get("until"), String(previousStart));
  // The next window begins at the second at which this one ends.
  await run(api, given);
  assert.equal(api.log.at(-1)?.params.get("since"), String(previousStart));

  await folder.write("state.json", before);
  const again = await run(api, given);
  assert.deepEqual([again.stdout, api.log.at(-1)?.params.get("since")], [first.stdout, "1492606006"]);
});

for (const text of ["{", "null", "[]", '{"time":{"previousStart":"yesterday"}}', '{"time":{"previousStart":-1}}']) {
  test(`a state of ${JSON.stringify(text)} is refused, and is not taken for a first run`, async () => {
    await using folder = await temporaryFolder();
    const state = await folder.write("state.json", text);
    await using api = await startApi(() => []);
    const end = await run(api, { args: ["--state", state] });
    assert.deepEqual([end.code, end.stdout, api.targets()], [78, "", []], end.stderr);
    assert.match(messagesOf(end, "error").join(), /state\.json/);
    assert.equal(await folder.read("state.json"), text);
  });
}

test("a configuration from stdin may have a byte order mark, CRLF and comments", async () => {
  await using api = await startApi(() => records(1));
  const pretty = JSON.stringify({ parameters: configurationFor(api.url, {}) }, null, 2).replaceAll("\n", "\r\n");
  const stdin = `\uFEFF// mine\r\n${pretty}\r\n/* end */`;
  const end = await spile(["-", "--strict"], { stdin });
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(1))], end.stderr);
});

for (const [name, stdin, says] of [
  [
    "a repeated key",
    '{"api":{"baseUrl":"http://a/","baseUrl":"http://b/"},\n"config":{"jobs":[]}}',
    /baseUrl.*1:\d+|1:\d+.*baseUrl/,
  ],
  ["a trailing comma", '{"api":{"baseUrl":"http://a/"},\n"config":{"jobs":[],}}', /2:\d+/],
  [
    "a misspelt field",
    '{"api":{"baseUrl":"http://a/"},"config":{"jobs":[{"endpoint":"x","dataFeild":"y"}]}}',
    /jobs\/0.*"dataFeild".*"dataField"/,
  ],
  ["no content", "", /stdin|empty/],
  ["a list", "[]", /object/],
  ["a cut end", '{"api":{"baseUrl":"http://a/"', /1:\d+/],
] as const) {
  test(`a faulty configuration is reported with its place: ${name}`, async () => {
    const end = await spileHere(["-"], { stdin });
    assert.deepEqual([end.code, end.stdout], [78, ""]);
    assert.match(messagesOf(end, "error").join("\n"), says);
  });
}

test("stderr has no escape codes and no progress line if it is not a terminal", async () => {
  await using api = await startApi({ "/items": dataset(records(5)) });
  for (const env of [{}, { NO_COLOR: "1" }, { TERM: "dumb" }, { FORCE_COLOR: "1", NO_COLOR: "1" }]) {
    const end = await run(api, { api: offset(2), args: ["-v"], env });
    assert.equal(end.code, 0);
    assert.doesNotMatch(end.stderr, /[\u001b\r\u0008]/);
  }
});
