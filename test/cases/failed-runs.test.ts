import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { json, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";
import { configurationFor, messagesOf, run } from "./run.ts";

/* Tests of a failed run, which reports what became of its lines and how to continue. */

const api = () =>
  startApi(({ params }) => {
    return params.get("offset") === "0" ? [{ id: 1 }, { id: 2 }] : json({ message: "no" }, { status: 403 });
  });

test("a run that fails before its first page offers no progress for --resume", async () => {
  await using served = await startApi(() => json({ message: "no" }, { status: 403 }));
  await using folder = await temporaryFolder();
  const state = join(folder.path, "s.json");
  const end = await run(served, { args: ["--state", state] });
  assert.deepEqual([end.code, messagesOf(end, "info")], [69, []]);
  await folder.write("s.json", '{"time":{"previousStart":1}}');
  const later = await run(served, { args: ["--state", state] });
  assert.deepEqual([later.code, messagesOf(later, "info")], [69, []]);
});

test("lines written to a device are not reported as unwritten", async () => {
  await using served = await api();
  const end = await run(served, { api: { pagination: { method: "offset", limit: 2 } }, args: ["-o", "/dev/null"] });
  assert.deepEqual([end.code, messagesOf(end, "info")], [69, []]);
});

for (const [what, options, left] of [
  ["the output is a pipe", [], []],
  ["the output is a file", ["-o", "lines.ndjson"], ["lines.ndjson was not written"]],
  ["the output is a folder", ["--split", "lines"], ["no file in lines was written"]],
  ["a state is kept", ["--state", "s.json"], ["--resume continues this run: its progress is in s.json"]],
  [
    "the output is a file, and a state is kept",
    ["-o", "lines.ndjson", "--state", "s.json"],
    ["lines.ndjson was not written; --resume continues this run: its progress is in s.json"],
  ],
] as const) {
  test(`a failed run says what becomes of its output: ${what}`, async () => {
    await using served = await api();
    await using folder = await temporaryFolder();
    const args = options.map((word) => (word.startsWith("-") ? word : join(folder.path, word)));
    const end = await run(served, { api: { pagination: { method: "offset", limit: 2 } }, args });
    assert.equal(end.code, 69);
    const notes = messagesOf(end, "info").map((line) => line.replaceAll(`${folder.path}/`, ""));
    assert.deepEqual(notes, left);
    assert.equal(existsSync(join(folder.path, "lines.ndjson")), false);
  });
}

test("a resumed run whose place to continue has expired does not offer --resume again", async () => {
  let isExpired = false;
  await using served = await startApi(({ params }) => {
    const cursor = params.get("cursor");
    return cursor === null ? { items: [{ id: 1 }], next: "b" } : json({}, { status: isExpired ? 410 : 403 });
  });
  await using folder = await temporaryFolder();
  const args = ["--state", join(folder.path, "s.json")];
  const pagination = { method: "response.param", responseParam: "next", queryParam: "cursor" };
  const options = { api: { pagination }, job: { dataField: "items" } };
  assert.equal((await run(served, { ...options, args })).code, 69);
  isExpired = true;
  const end = await run(served, { ...options, args: [...args, "--resume"] });
  assert.deepEqual([end.code, messagesOf(end, "info")], [69, []]);
  assert.match(messagesOf(end, "error").join("\n"), /run it without --resume to start over/);
});

test("a run that is stopped lists the jobs that did not begin", async () => {
  const stop = new AbortController();
  await using served = await startApi(({ path }) => {
    if (path === "/second") stop.abort();
    return [{ id: 1 }];
  });
  const jobs = ["first", "second", "third"].map((endpoint) => ({ endpoint }));
  const { result } = await runHere(configurationFor(served.url, { config: { jobs } }), { signal: stop.signal });
  const ends = result.jobs.map(({ job, verdict, reason }) => [job, verdict, reason.replace(/^not run: .*/, "not run")]);
  assert.deepEqual(ends.at(0)?.slice(0, 2), ["first", "complete"]);
  assert.deepEqual(ends.at(1)?.slice(0, 2), ["second", "failed"]);
  assert.deepEqual(ends.at(2), ["third", "failed", "not run"]);
});
