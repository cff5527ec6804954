import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { setImmediate as turn, setTimeout as wait } from "node:timers/promises";
import { readBody } from "../../../src/http/body/body.ts";
import type { RawResponse } from "../../../src/http/connection/client.ts";
import { TransportFault } from "../../../src/http/connection/fault.ts";
import { bodyText } from "../client.ts";

/* Tests of bodies whose bytes, end and connection come in an order that no server can be made to produce. */

/** Returns a response whose stream the test feeds. `drops`: reasons of its aborts. `isDone`: true once the reader has called `done`. */
function response(headers: Readonly<Record<string, string>> = {}) {
  const stream = new Readable({ read: () => undefined, autoDestroy: false });
  const seen = { drops: [] as unknown[], isDone: false };
  const raw: RawResponse = {
    status: 200,
    headers: Object.entries(headers),
    header: (name) => headers[name],
    cookies: [],
    stream,
    framed: true,
    length: undefined,
    fault: () => (stream.readableEnded ? undefined : new TransportFault("the body ended early")),
    abort: (reason) => {
      seen.drops.push(reason);
      stream.destroy(reason as Error);
    },
    isReset: () => false,
    aborted: () => (seen.drops.length === 0 ? undefined : { reason: seen.drops[0] }),
    done: () => {
      seen.isDone = true;
    },
  };
  return Object.assign(seen, { stream, raw });
}

const where = (): string => "GET x";
const iteratorOf = (raw: RawResponse, idle = 0): AsyncIterator<Buffer> =>
  readBody(raw, { idle, maxBytes: undefined, where })[Symbol.asyncIterator]();

/** Blocks the event loop. */
function block(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

describe("the end of a connection", () => {
  test("a response that breaks off before its body is read is a fault", async () => {
    const { stream, raw } = response();
    stream.destroy();
    await once(stream, "close");
    await assert.rejects(bodyText(readBody(raw, { idle: 1000, maxBytes: undefined, where })), /the body ended early/);
  });

  test("a response that closes without an error while it is read is a fault", async () => {
    const { stream, raw } = response();
    const body = iteratorOf(raw, 1000);
    const asked = body.next();
    stream.destroy();
    await assert.rejects(asked, /the body ended early/);
  });

  test("a reader that leaves after the end of the body does not close the connection", async () => {
    const seen = response();
    const body = iteratorOf(seen.raw);
    seen.stream.push("[1]");
    seen.stream.push(null);
    await once(seen.stream, "end");
    assert.equal(String((await body.next()).value), "[1]");
    await body.return?.();
    assert.deepEqual([seen.drops, seen.isDone], [[], true]);
  });

  test("a fault of the connection after the end of the body has no effect", async () => {
    const { stream, raw } = response();
    const body = iteratorOf(raw);
    stream.push("[1]");
    stream.push(null);
    await once(stream, "end");
    stream.destroy(new Error("late"));
    await new Promise((resolve) => stream.once("close", resolve));
    assert.equal(String((await body.next()).value), "[1]");
    assert.equal((await body.next()).done, true);
  });

  test("an aborted body throws the reason of the abort", async () => {
    const { raw } = response();
    const asked = iteratorOf(raw).next();
    raw.abort(new Error("stop"));
    await assert.rejects(asked, /^Error: stop$/);
  });

  test("a reader that leaves before the end drops the connection", async () => {
    const seen = response();
    const body = iteratorOf(seen.raw);
    seen.stream.push("[1,");
    await body.next();
    await body.return?.();
    assert.deepEqual([seen.drops.length, seen.isDone], [1, true]);
  });
});

describe("the idle time-out", () => {
  test("the idle time counts only while a reader waits for bytes", async () => {
    const { stream, raw, drops } = response();
    const body = iteratorOf(raw, 20);
    const first = body.next();
    stream.push("aaa");
    await first;
    await wait(80);
    stream.push("bbb");
    assert.equal(String((await body.next()).value), "bbb");
    assert.deepEqual(drops, []);
  });

  test("bytes that arrive while the event loop is blocked are read before the idle time-out applies, and restart its clock", async () => {
    const { stream, raw, drops } = response();
    const body = iteratorOf(raw, 300);
    const first = body.next();
    const second = first.then(() => body.next());
    await turn();
    block(400);
    // The time-out fires first, and gives these bytes a moment to arrive.
    setImmediate(() => stream.push("aaa"));
    assert.equal(String((await first).value), "aaa");
    for (let round = 0; round < 4; round += 1) await turn();
    assert.deepEqual(drops, []);
    stream.push("bbb");
    assert.equal(String((await second).value), "bbb");
  });

  test("a body that has ended or failed leaves no timer", async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    for (const end of [(stream: Readable) => void stream.push(null), (stream: Readable) => void stream.destroy()]) {
      const { stream, raw } = response();
      const asked = iteratorOf(raw, 60_000).next();
      assert.equal(timers(), before + 1);
      end(stream);
      await asked.catch(() => undefined);
      assert.equal(timers(), before);
    }
  });

  test("an idle time-out of 0 means none", async () => {
    const { stream, raw, drops } = response();
    const first = iteratorOf(raw, 0).next();
    await wait(50);
    stream.push("aaa");
    await first;
    assert.deepEqual(drops, []);
  });
});

describe("the byte order mark", () => {
  const typed = { "content-type": "text/csv; charset=utf-16le" };
  for (const [name, headers, chunks, text] of [
    [
      "a mark is removed only at the beginning",
      typed,
      ["\ufeffab", "\ufeffcd"].map((part) => Buffer.from(part, "utf16le")),
      "ab\ufeffcd",
    ],
    ["a character that begins with the bytes of a mark is kept", {}, [Buffer.from("\ufef0,b")], "\ufef0,b"],
  ] as const) {
    test(name, async () => {
      const { stream, raw } = response(headers);
      const read = bodyText(readBody(raw, { idle: 0, maxBytes: undefined, where }));
      for (const chunk of chunks) {
        stream.push(chunk);
        await turn();
      }
      stream.push(null);
      assert.equal(await read, text);
    });
  }
});
