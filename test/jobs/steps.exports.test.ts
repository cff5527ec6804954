import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Handler, inTurn, json, startApi, text } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { type Outcome, runHere } from "../helpers/run.ts";

const poll = { name: "poll", endpoint: "export", until: { path: "status", is: "done" } };

/** Runs a job whose records are in the files that the answer to a step lists. */
async function outcomeOf(
  answers: Handler,
  { path = "files.*.url", step = {}, reference = {} }: { path?: string; step?: object; reference?: object } = {},
): Promise<Outcome & { api: Api }> {
  await using api = await startApi({
    "/export": answers,
    "/a": () => text('{"id":1}\n{"id":2}\n'),
    "/b": () => text('{"id":3}\n'),
  });
  const endpoint = { step: "poll", path, ...reference };
  const job = { endpoint, dataType: "rows", format: "ndjson", steps: [{ ...poll, ...step }] };
  return { ...(await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } })), api };
}

const done = (files: unknown): Handler => inTurn(json({ status: "done", files }));
const rows = '{"id":1}\n{"id":2}\n{"id":3}\n';

test("a * in the path of a step's answer means every element of a list", async () => {
  const { output, result } = await outcomeOf(done([{ url: "/a" }, { url: "b" }]));
  assert.deepEqual([output, result.jobs[0]?.verdict], [rows, "complete"]);
  const nested = done([{ parts: [{ url: "/a" }] }, { parts: [] }, { parts: [{ url: "/b" }] }]);
  assert.equal((await outcomeOf(nested, { path: "files.*.parts.*.url" })).output, rows);
  assert.equal((await outcomeOf(done(["/a", "/b"]), { path: "files.*" })).output, rows);
  const empty = await outcomeOf(done([]));
  assert.deepEqual([empty.output, empty.result.exitCode], ["", 0]);
  const member = inTurn(json({ status: "done", files: { "*": { url: "/b" } } }));
  assert.equal((await outcomeOf(member)).output, '{"id":3}\n');
});

test("an element without the value is a data error that names it", async () => {
  for (const second of [{}, { url: null }, "text"]) {
    const { output, result } = await outcomeOf(done([{ url: "/a" }, second]));
    assert.deepEqual([output, result.exitCode], ["", 65]);
    assert.equal(result.failure?.message, 'the answer to step "poll" has nothing at "files.*.url", in element 2 of 2');
  }
  const { result } = await outcomeOf(done({ url: "/a" }));
  assert.equal(result.failure?.message, 'the answer to step "poll" has nothing at "files.*.url"');
});

test("with `optional`, a missing, null or empty address means that there is nothing to fetch", async () => {
  const reference = { optional: true };
  for (const files of [undefined, null, "", []]) {
    const path = Array.isArray(files) || files === undefined ? "files.*.url" : "files";
    const { output, result } = await outcomeOf(done(files), { path, reference });
    assert.deepEqual([output, result.exitCode, result.jobs[0]?.verdict], ["", 0, "complete"], JSON.stringify(files));
    assert.equal(result.jobs[0]?.reason, "the steps gave no address");
  }
  const some = await outcomeOf(done([{ url: null }, { url: "/a" }, {}]), { reference });
  assert.equal(some.output, '{"id":1}\n{"id":2}\n');
  const url = await outcomeOf(done("/a"), { path: "files", reference });
  assert.equal(url.output, '{"id":1}\n{"id":2}\n');
});

test("a status in `accept` means waiting, and every other error status is refused", async () => {
  const later = (...before: unknown[]): Handler =>
    inTurn(
      ...before.map((status) => text("not there", { status: Number(status) })),
      json({ status: "done", files: ["a"] }),
    );
  const step = { accept: [404, "409"] };
  const { output, result, events, api } = await outcomeOf(later(404, 409, 404), { path: "files", step });
  assert.deepEqual([output, result.exitCode, api.log.length], ['{"id":1}\n{"id":2}\n', 0, 5]);
  const waits = events.filter(({ event }) => event === "wait").map(({ message }) => message);
  assert.match(waits[0] ?? "", /^step "poll": not done yet \(answered 404\), asked again in /);
  assert.equal((await outcomeOf(later(404), { path: "files" })).result.exitCode, 69);
  assert.equal((await outcomeOf(later(410), { path: "files", step })).result.exitCode, 69);
  const failWhen = { status: 404 };
  assert.equal((await outcomeOf(later(404), { path: "files", step: { ...step, failWhen } })).result.exitCode, 69);
  const never = await outcomeOf(() => text("", { status: 404 }), { path: "files", step: { ...step, timeout: 20 } });
  assert.equal(never.result.exitCode, 75);
  assert.match(never.result.failure?.message ?? "", /not done after 20 s \(answered 404\)/);
});

test("check reports `accept` without `until`, and an `optional` that is not true or false", async () => {
  const configuration = (step: object, endpoint: object): string =>
    JSON.stringify({
      api: { baseUrl: "https://api.example.com/" },
      config: { jobs: [{ endpoint, dataType: "rows", steps: [step] }] },
    });
  const check = (step: object, endpoint: object) => spileHere(["check", "-"], { stdin: configuration(step, endpoint) });
  const plain = { name: "poll", endpoint: "export" };
  const url = { step: "poll", path: "url" };
  const alone = await check({ ...plain, accept: [404] }, url);
  assert.match(alone.stderr, /^error +\/config\/jobs\/0\/steps\/0\/accept: is only allowed with "until"$/m);
  const wrong = await check(poll, { ...url, optional: "yes" });
  assert.match(wrong.stderr, /^error +\/config\/jobs\/0\/endpoint: to read step "poll", write /m);
  const right = await check({ ...poll, accept: [404] }, { ...url, optional: true });
  assert.match(right.stdout, /steps? poll \(until "status" is "done", waits after 404, every/);
});
