import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { broken, startApi } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

test("an iteration's connections are closed with it", async () => {
  const open: number[] = [];
  await using api = await startApi(() => {
    open.push(api.open());
    return [1];
  });
  const iterations = Array.from({ length: 20 }, (_, number) => ({ number }));
  const { output } = await runHere({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "x" }] },
    iterations,
  });
  assert.equal(output, "1\n".repeat(20));
  // The one before may still be closing.
  assert.ok(Math.max(...open) <= 3, `${open}`);
});

test("an iteration leaves no listener behind", async () => {
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
