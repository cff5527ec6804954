import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type Budget, readAhead } from "../../../src/pipeline/fetch/look-ahead.ts";

/** Creates a body that counts the chunks that were requested. With `waits`, each chunk comes only when `release` is called. */
function body(chunks: readonly string[], waits = false) {
  const waiting: (() => void)[] = [];
  const state = { asked: 0, release: () => waiting.shift()?.() };
  async function* read(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) {
      state.asked += 1;
      if (waits) await new Promise<void>((resolve) => waiting.push(resolve));
      yield Buffer.from(chunk);
    }
  }
  return Object.assign(state, { read: read() });
}

const never = new AbortController().signal;

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece.toString();
  return text;
}

test("a body before its turn is read up to the budget, and the rest follows in order", async () => {
  const chunks = Array.from({ length: 50 }, (_, index) => `${index} ${"x".repeat(96)}`.slice(0, 98));
  const source = body(chunks);
  const budget: Budget = { free: 980 };
  const ahead = readAhead(source.read, budget, never);
  for (let round = 0; round < 100; round += 1) await turn();
  assert.equal(source.asked, 10);
  assert.ok(budget.free <= 0);
  assert.equal(await textOf(ahead), chunks.join(""));
  assert.equal(budget.free, 980);
});

test("a chunk that is being read when the turn comes keeps its place", async () => {
  const source = body(["a", "b", "c"], true);
  const text = textOf(readAhead(source.read, { free: 1000 }, never));
  for (let chunk = 0; chunk < 3; chunk += 1) {
    while (source.asked <= chunk) await turn();
    await turn();
    assert.equal(source.asked, chunk + 1);
    source.release();
  }
  assert.equal(await text, "abc");
});

test("bytes that were read for a turn that never comes are released", async () => {
  const stop = new AbortController();
  const source = body(["a", "b", "c"], true);
  const budget: Budget = { free: 1000 };
  readAhead(source.read, budget, stop.signal);
  await turn();
  source.release();
  while (source.asked < 2) await turn();
  assert.equal(budget.free, 999);
  stop.abort();
  assert.equal(budget.free, 1000);
  source.release();
  for (let round = 0; round < 10; round += 1) await turn();
  assert.deepEqual([budget.free, source.asked], [1000, 2]);
});

test("a body whose turn has come is read only as far as its reader requests", async () => {
  const source = body(["a", "b", "c"], true);
  const pieces = readAhead(source.read, { free: 1000 }, never)[Symbol.asyncIterator]();
  const first = pieces.next();
  while (source.asked < 1) await turn();
  source.release();
  assert.equal(String((await first).value), "a");
  for (let round = 0; round < 10; round += 1) await turn();
  assert.equal(source.asked, 1);
});

test("a reader that leaves releases the bytes that were read ahead, and ends the body", async () => {
  let left = false;
  async function* read(): AsyncGenerator<Buffer> {
    try {
      for (const chunk of ["a", "b", "c", "d"]) yield Buffer.from(chunk);
    } finally {
      left = true;
    }
  }
  const budget: Budget = { free: 3 };
  const ahead = readAhead(read(), budget, never);
  for (let round = 0; round < 10; round += 1) await turn();
  assert.deepEqual([budget.free, left], [0, false]);
  for await (const _ of ahead) break;
  assert.deepEqual([budget.free, left], [3, true]);
});

test("an error of a body that is read ahead is thrown at its turn, and ignored if the turn never comes", async () => {
  async function* read(): AsyncGenerator<Buffer> {
    yield Buffer.from("a");
    throw new Error("broken");
  }
  readAhead(read(), { free: 1000 }, never);
  const met = readAhead(read(), { free: 1000 }, never)[Symbol.asyncIterator]();
  for (let round = 0; round < 10; round += 1) await turn();
  assert.equal(String((await met.next()).value), "a");
  await assert.rejects(met.next(), /^Error: broken$/);
});
