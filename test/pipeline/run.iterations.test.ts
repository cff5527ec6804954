import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { broken, json, startApi, tooMany } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

test("an iteration uses the connection of the previous one", async () => {
  await using api = await startApi(() => [1]);
  const iterations = Array.from({ length: 20 }, (_, number) => ({ number }));
  const { output } = await runHere({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "x" }] },
    iterations,
  });
  assert.equal(output, "1\n".repeat(20));
  assert.equal(api.connections(), 1);
});

test("iterations with different hosts do not keep all connections open", async () => {
  const open: number[] = [];
  const handler = (): unknown => {
    open.push(apis.reduce((sum, api) => sum + api.open(), 0));
    return [1];
  };
  const apis = await Promise.all(Array.from({ length: 30 }, () => startApi(handler)));
  try {
    const iterations = apis.map(({ url }) => ({ url }));
    const config = { jobs: [{ endpoint: "x" }] };
    const { output } = await runHere({ api: { baseUrl: { attr: "url" } }, config, iterations });
    assert.equal(output, "1\n".repeat(30));
    // Nine connections may stay open, and as many may be closing.
    assert.ok(Math.max(...open) <= 20, `${open}`);
  } finally {
    for (const api of apis) await api.close();
  }
});

test("a rate, and a wait that the API requests, apply across iterations", async () => {
  const iterations = Array.from({ length: 5 }, (_, number) => ({ number }));
  const config = { jobs: [{ endpoint: "x" }] };
  await using api = await startApi(() => [1]);
  const { result } = await runHere({ api: { baseUrl: api.url, http: { rateLimit: 20 } }, config, iterations });
  assert.deepEqual([result.records, result.durationMs >= 199], [5, true], `${result.durationMs} ms`);

  const headers = { "RateLimit-Remaining": "0", "RateLimit-Reset": "1" };
  await using telling = await startApi(() => json([1], { headers }));
  const { events } = await runHere({ api: { baseUrl: telling.url }, config, iterations: iterations.slice(0, 2) });
  assert.equal(events.filter(({ event }) => event === "wait").length, 1);
});

test("an iteration removes its listeners", async () => {
  await using api = await startApi(() => [1]);
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  try {
    const iterations = Array.from({ length: 30 }, (_, number) => ({ number }));
    const config = { jobs: [{ endpoint: "x" }] };
    const { output } = await runHere({ api: { baseUrl: api.url }, config, iterations });
    assert.equal(output, "1\n".repeat(30));
  } finally {
    process.off("warning", warned);
  }
  assert.deepEqual(warnings, []);
});

test("a failed iteration ends the run, except with --keep-going", async () => {
  for (const keepGoing of [false, true]) {
    await using api = await startApi(({ params }) => (params.get("n") === "1" ? json({}, { status: 403 }) : [1]));
    const config = { jobs: [{ endpoint: "x", params: { n: { attr: "number" } } }] };
    const iterations = [{ number: 0 }, { number: 1 }, { number: 2 }];
    const { output, result } = await runHere({ api: { baseUrl: api.url }, config, iterations }, { keepGoing });
    assert.deepEqual([result.exitCode, output], [69, keepGoing ? "1\n1\n" : "1\n"]);
    assert.deepEqual(api.targets(), keepGoing ? ["/x?n=0", "/x?n=1", "/x?n=2"] : ["/x?n=0", "/x?n=1"]);
  }
});

test("an output that fails while a page is awaited ends the run at once", async () => {
  await using api = await startApi(({ params }) => (params.get("page") === "1" ? [1] : broken.stalledBeforeHeaders()));
  const stream = new PassThrough();
  stream.once("data", () => stream.destroy(new Error("EIO")));
  const pagination = { method: "pagenum" };
  const { result } = await runHere(
    { api: { baseUrl: api.url, pagination }, config: { jobs: [{ endpoint: "x" }] } },
    { target: { kind: "stream", stream } },
  );
  assert.equal(result.exitCode, 74);
  assert.match(result.failure?.message ?? "", /EIO/);
});

test("a page that waits for its retry is dropped when the output fails", async () => {
  await using api = await startApi(({ params }) => (params.get("page") === "1" ? [1] : tooMany("60")));
  let isWaiting = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve;
  });
  const stream = new Writable({
    write: (_lines, _encoding, callback) => void waiting.then(() => callback(new Error("EIO"))),
  });
  stream.on("error", () => undefined);
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const { result } = await runHere(
    { api: { baseUrl: api.url, pagination: { method: "pagenum" } }, config: { jobs: [{ endpoint: "x" }] } },
    { target: { kind: "stream", stream }, emit: ({ event }) => event === "retry" && isWaiting() },
  );
  assert.deepEqual([result.exitCode, api.log.length], [74, 2]);
  // A timer of the wait would keep the process alive for a minute.
  assert.ok(timers() <= before, `${before} timers before, ${timers()} after`);
});
