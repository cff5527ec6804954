import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { json, startApi } from "../helpers/api.ts";
import { records, shell, spile, start, temporaryFolder } from "../helpers/cli.ts";

const jobs = [{ endpoint: "items", dataType: "items" }];
const paged = { method: "offset", limit: 2 };

/** Returns a page of two records at any offset, so that the paging never ends. */
const endless = ({ params }: { params: URLSearchParams }) => {
  const offset = Number(params.get("offset"));
  return [{ id: offset, text: "x".repeat(20_000) }, { id: offset + 1 }];
};

/** Milliseconds that a stop may take under load. The limit of the product is 200. */
const stopLimit = 2000;

test("a reader that closes the pipe ends the run with 141 and no message", async () => {
  await using api = await startApi(endless);
  await using folder = await temporaryFolder();
  await folder.write("config.json", { api: { baseUrl: api.url, pagination: paged }, config: { jobs } });
  const script = "{ spile config.json; echo $? > code; } | head -n 1 | cut -c 1-7";
  const { stdout, stderr } = await shell(script, { cwd: folder.path });
  assert.deepEqual([stdout, stderr, await folder.read("code")], ['{"id":0\n', "", "141\n"]);
});

test("a full disk ends the run with 74 and a message", async () => {
  const cases = ["spile demo -q > /dev/full", "spile schema > /dev/full", "spile demo -q -o /dev/full"];
  for (const script of cases) {
    const { code, stderr } = await shell(script);
    assert.equal(code, 74, script);
    assert.match(stderr, /^error .*cannot write to (stdout|\/dev\/full): .*\n$/, script);
    assert.equal(stderr.split("\n").length, 2, stderr);
  }
});

test("a slow reader of the log gets every line", async () => {
  await using folder = await temporaryFolder();
  const faulty = Array.from({ length: 2000 }, () => ({ endpoint: "x", dataFeild: "y" }));
  await folder.write("config.json", { api: { baseUrl: "http://127.0.0.1:1/" }, config: { jobs: faulty } });
  const script = "{ spile config.json 2>&1 >/dev/null; echo $? > code; } | (sleep 1; cat)";
  const { stdout } = await shell(script, { cwd: folder.path });
  assert.equal(stdout.match(/^error \/config\/jobs\/\d+: .*\n/gm)?.length, 2000);
  assert.equal(await folder.read("code"), "78\n");
});

test("a summary that cannot be written ends with 74 before the run", async () => {
  const { code, stdout, stderr } = await spile(["demo", "-q", "--max-records", "1", "--summary", "/nowhere/s.json"]);
  assert.deepEqual([code, stdout], [74, ""]);
  assert.match(stderr, /^error .*\/nowhere\/s\.json[^\n]*\n$/);
});

// A shell also passes >(command) as the name of a descriptor.
test("-o and --summary can write to a pipe that is named as a device (/dev/stdout, /dev/fd/3)", async () => {
  await using folder = await temporaryFolder();
  const script = `spile demo -q --job trees -o /dev/stdout | cat > piped
spile demo -q --job trees --summary /dev/fd/1 -o /dev/fd/1 | cat > both
spile demo -q --job trees > whole
{ spile demo -q --job trees --summary /dev/fd/3 3>&1 >/dev/null; } | cat > summary
cmp piped whole && head -n 420 both | cmp - whole && grep -c '"verdict": "complete"' both summary`;
  const { code, stdout, stderr } = await shell(script, { cwd: folder.path });
  assert.deepEqual([code, stdout, stderr], [0, "both:1\nsummary:1\n", ""]);
});

test("a closed stderr does not affect the run", async () => {
  const { code, stdout } = await shell("spile demo -v --max-records 5 2>&-; echo $? >&2");
  assert.deepEqual([code, records(stdout).length], [0, 5]);
  const broken = await shell("{ spile demo -v --job trees 2>&1 >&3 3>&- | true; } 3>&1");
  assert.equal(records(broken.stdout).length, 420);
});

for (const [signal, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`${signal} during a wait before a retry ends the run with ${exitCode}`, async () => {
    await using api = await startApi({ "/items": () => json({}, { status: 503, headers: { "retry-after": "600" } }) });
    await using folder = await temporaryFolder();
    const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs } });
    const running = start([file, "-v", "--log-format", "json", "--summary", `${folder.path}/summary.json`]);
    await running.until("stderr", /"event":"retry"/);
    const startTime = performance.now();
    running.kill(signal);
    const { code, stdout } = await running.finished;
    assert.deepEqual([code, stdout], [exitCode, ""]);
    assert.ok(performance.now() - startTime < stopLimit);
    assert.equal(JSON.parse(await folder.read("summary.json")).exitCode, exitCode);
  });
}

test("a signal during a run of 20,000 jobs leaves a summary that counts all of them", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  // A stop has 150 ms, in which a busy disk may not write the state and the summary. This folder is in memory if there is one.
  await using folder = await temporaryFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const many = Array.from({ length: 20_000 }, (_, index) => ({ endpoint: `e${index}`, dataType: `type ${index}` }));
  const config = { "#token": "s3cret-token", jobs: many };
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config });
  const summary = `${folder.path}/summary.json`;
  const running = start([file, "--summary", summary, "--state", `${folder.path}/state.json`]);
  await running.until("stdout", /\n/);
  running.kill("SIGTERM");
  const { code, stderr } = await running.finished;
  assert.equal(code, 143, stderr.slice(0, 1000));
  const { jobs: listed, unlistedJobs } = JSON.parse(await folder.read("summary.json"));
  assert.equal(listed.length + unlistedJobs, many.length);
});

test("an interrupted run writes whole lines if its reader reads", async () => {
  await using api = await startApi(endless);
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", { api: { baseUrl: api.url, pagination: paged }, config: { jobs } });
  const running = start([file]);
  await running.until("stdout", /"id":10,/);
  running.kill("SIGINT");
  const { code, stdout } = await running.finished;
  assert.equal(code, 130);
  assert.ok(records(stdout).length > 10);
});

test("an interrupted run does not wait for a reader that does not read", async () => {
  await using api = await startApi(endless);
  await using folder = await temporaryFolder();
  await folder.write("config.json", { api: { baseUrl: api.url, pagination: paged }, config: { jobs } });
  const script = `"$NODE" "$SPILE" config.json > pipe & pid=$!
exec 3< pipe
read -r first <&3
sleep 1
kill -INT $pid
wait $pid; echo $? > code`;
  const { code } = await shell(`mkfifo pipe; trap '' INT; ${script}`, { cwd: folder.path });
  assert.equal(code, 0);
  assert.equal(await folder.read("code"), "130\n");
});

test("the JSON log has its documented names and fields", async () => {
  const { code, stderr } = await spile(["demo", "--job", "trees", "-v", "--debug", "--log-format", "json"]);
  assert.equal(code, 0);
  const events = records(stderr) as Record<string, unknown>[];
  const names = new Set(events.map(({ event }) => event));
  for (const name of ["run.start", "login", "request", "page", "job.end", "run.end"]) assert.ok(names.has(name), name);
  const known = new Set(
    "time level event message job dataType page method url status records bytes reached expected waitMs verdict reason exitCode".split(
      " ",
    ),
  );
  for (const event of events) {
    for (const field of Object.keys(event)) assert.ok(known.has(field), field);
    assert.equal(new Date(String(event.time)).toISOString(), event.time);
  }
  const end = events.find(({ event }) => event === "job.end");
  assert.deepEqual([end?.verdict, end?.records, end?.job], ["complete", 420, "trees"]);
  assert.equal(events.at(-1)?.exitCode, 0);
  assert.doesNotMatch(stderr, /drip-drip-drip/);
});
