import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import { streamSink } from "../../src/output/stream-sink.ts";
import { collector } from "../helpers/run.ts";

const line = (text: string) => ({ dataset: "d", bytes: Buffer.from(`${text}\n`), records: 1 });

test("only one write is in progress at a time, and a failed write is reported", async () => {
  const waiting: ((error?: Error) => void)[] = [];
  const output = new Writable({
    highWaterMark: 1e6,
    write: (_chunk, _encoding, callback) => void waiting.push(callback),
  });
  output.on("error", () => undefined);
  const { stream, records } = streamSink(output);
  const failed = new Promise((resolve) => stream.once("error", resolve));
  for (const text of ["first", "second", "third"]) stream.write(line(text));
  await immediate();
  assert.deepEqual([records(), output.writableLength], [1, 6]);
  waiting.shift()?.();
  await immediate();
  assert.deepEqual([records(), output.writableLength], [2, 7]);
  waiting.shift()?.(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));
  assert.equal(String(await failed), "SpileError: cannot write to stdout: ENOSPC: no space left on device");
  assert.equal(records(), 1, "the lines of the write that failed were counted");
});

test("lines after a mark wait until the mark is saved, and a failure to save it ends the run", async () => {
  const reader = collector();
  const { stream, records } = streamSink(reader.stream);
  let done = (): void => undefined;
  stream.write(line("before"));
  stream.write({
    reached: () =>
      new Promise<void>((resolve) => {
        done = resolve;
      }),
  });
  stream.write(line("behind"));
  for (let turn = 0; turn < 5; turn += 1) await immediate();
  assert.deepEqual([reader.text(), records()], ["before\n", 1]);
  done();
  const failed = new Promise((resolve) => stream.once("error", resolve));
  stream.write({ reached: () => Promise.reject(new Error("the disk is full")) });
  stream.write(line("never"));
  assert.match(String(await failed), /the disk is full/);
  assert.equal(reader.text(), "before\nbehind\n");
});
