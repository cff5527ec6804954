import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  type Answer,
  broken,
  dataset,
  inTurn,
  json,
  linesOf,
  odd,
  pause,
  raw,
  records,
  startApi,
  text,
  tooMany,
} from "../helpers/api.ts";
import { messagesOf, offset, run } from "./run.ts";

/* Tests of connections that end too early, too late, or not at all. They run side by side, since most of them wait. */

const body = JSON.stringify({ items: records(40) });
const lines = linesOf(records(40));

describe("connections", { concurrency: 4 }, () => {
  for (const [name, answer] of Object.entries(odd)) {
    if (name === "gzipDeclaredButPlain") continue;
    test(`a whole body needs no retry: ${name}`, async () => {
      await using api = await startApi(() => answer(body));
      const end = await run(api, { api: { retryConfig: { maxRetries: 0 } }, args: ["--strict"] });
      assert.deepEqual([end.code, end.stdout, api.log.length], [0, lines, 1], end.stderr);
    });
  }

  for (const [name, answer] of [
    ["a chunked body without its last chunk", () => broken.cutWithoutTerminator(body)],
    ["a chunked body cut in mid-chunk", () => broken.resetInChunk(body)],
    ["a Content-Length above the body", () => broken.lengthTooLarge(body)],
    ["a Content-Length below the body", () => broken.lengthTooSmall(body)],
    ["a Content-Length below the body, in one packet", () => broken.lengthTooSmallInOnePacket(body)],
    ["a cut gzip body", () => broken.gzipCutWithoutLength(body)],
    ["a body cut by the connection's end", () => broken.cutWithoutLength(body)],
  ] as const) {
    test(`a body that is cut or has a wrong length is requested again: ${name}`, async () => {
      await using api = await startApi(inTurn(answer as () => Answer, () => text(body)));
      const end = await run(api, { args: ["-v"] });
      assert.deepEqual([end.code, end.stdout, api.log.length], [0, lines, 2], end.stderr);
      assert.match(end.stderr, /retry 1 of 10/);
      await using never = await startApi(answer as () => Answer);
      const refused = await run(never, { api: { retryConfig: { maxRetries: 0 } } });
      assert.deepEqual([refused.code, refused.stdout], [75, ""]);
    });
  }

  for (const method of ["GET", "POST"]) {
    test(`an API that closes each connection after its answer needs no retry: ${method}`, async () => {
      const all = records(100);
      const pages = dataset(all);
      await using api = await startApi((request) => odd.closedAfterAnswer(JSON.stringify(pages(request))));
      const end = await run(api, {
        api: { ...offset(2), retryConfig: { maxRetries: 0 } },
        job: { method },
        args: ["--strict"],
      });
      assert.deepEqual([end.code, end.stdout], [0, linesOf(all)], end.stderr);
      assert.doesNotMatch(end.stderr, /retry/);
    });
  }

  for (const [name, answer, says] of [
    ["nothing", () => broken.stalledBeforeHeaders(), /no response within 0.5 s/],
    ["headers and then nothing", () => broken.stalledAfterHeaders(body), /no byte of the body came within 0.5 s/],
    ["half a body and then nothing", () => broken.stalledInBody(body), /no byte of the body came within 0.5 s/],
  ] as const) {
    test(`the run ends by a time-out if a server sends ${name}`, async () => {
      await using api = await startApi(answer as () => Answer);
      const http = { idleTimeout: 0.5, requestTimeout: 0.5 };
      const end = await run(api, { api: { http, retryConfig: { maxRetries: 1 } }, args: ["-v"] });
      // On a busy machine, the time may be over before the server has read a request, so requests are counted by the log.
      assert.deepEqual([end.code, end.stdout], [75, ""]);
      assert.match(end.stderr, /retry 1 of 1/);
      assert.match(messagesOf(end, "error").join(), says);
    });
  }

  test("only --max-time ends a body that drips", async () => {
    await using api = await startApi(() => broken.dripping(body, 100));
    const end = await run(api, { api: { http: { idleTimeout: 2 } }, args: ["--max-time", "1"], started: true });
    assert.deepEqual([end.code, end.stdout, api.log.length], [75, "", 1]);
    assert.match(messagesOf(end, "error").join(), /--max-time/);
  });

  for (const [name, answer] of [
    ["no HTTP", () => raw("SSH-2.0-OpenSSH_9.6\r\n")],
    ["a head that is cut", () => broken.headersCut()],
    ["a reset before the head", () => broken.resetBeforeHeaders()],
    ["another protocol", () => raw("HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")],
    ["an invalid chunk size", () => broken.badChunkHeader(body)],
    ["a head of 100 kB", () => raw(`HTTP/1.1 200 X\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`)],
    ["two different lengths", () => raw("HTTP/1.1 200 X\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[]")],
  ] as const) {
    test(`an answer that is not HTTP fails with two error lines and no stack trace: ${name}`, async () => {
      await using api = await startApi(answer as () => Answer);
      const end = await run(api, { api: { retryConfig: { maxRetries: 0 } } });
      assert.deepEqual([end.code, end.stdout], [75, ""]);
      assert.equal(messagesOf(end, "error").length, 2, end.stderr);
    });
  }

  test("each page has its own budget of retries", async () => {
    const all = records(9);
    const failed = new Set<string>();
    await using api = await startApi((request) => {
      if (failed.has(request.target)) return dataset(all)(request);
      failed.add(request.target);
      return json({}, { status: 503 });
    });
    const end = await run(api, { api: { ...offset(2), retryConfig: { maxRetries: 1 } } });
    assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(all), 10]);
  });

  test("maxRetries and codes replace the defaults", async () => {
    await using api = await startApi(() => json({ error: "down" }, { status: 503 }));
    const none = await run(api, { api: { retryConfig: { maxRetries: 0 } } });
    assert.deepEqual([none.code, api.log.length], [75, 1]);
    const other = await run(api, { api: { retryConfig: { maxRetries: 1, http: { codes: [418] } } } });
    assert.deepEqual([other.code, api.log.length], [69, 2]);
    await using teapot = await startApi(
      inTurn(
        () => json({}, { status: 418 }),
        () => records(1),
      ),
    );
    const brewed = await run(teapot, { api: { retryConfig: { http: { codes: [418] } } } });
    assert.deepEqual([brewed.code, brewed.stdout, teapot.log.length], [0, linesOf(records(1)), 2]);
  });

  test("all kinds of failures share the budget of a page, and no line is written twice", async () => {
    const turns = () =>
      inTurn(
        () => tooMany("1"),
        () => json({}, { status: 500 }),
        () => broken.resetInBody(body),
        () => text(body),
      );
    await using api = await startApi(turns());
    const end = await run(api, { api: { retryConfig: { maxRetries: 3 } }, args: ["-v"] });
    assert.deepEqual([end.code, end.stdout, api.log.length], [0, lines, 4], end.stderr);
    assert.match(end.stderr, /retry 3 of 3/);
    await using short = await startApi(turns());
    const over = await run(short, { api: { retryConfig: { maxRetries: 2 } } });
    assert.deepEqual([over.code, over.stdout, short.log.length], [75, "", 3]);
  });

  test("requestTimeout limits the wait for the head, not for the body", async () => {
    const head = "HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\n";
    await using api = await startApi(() => raw(head, pause(700), '[{"a"', pause(700), ":1}]"));
    const end = await run(api, {
      api: { http: { requestTimeout: 0.5, idleTimeout: 5 }, retryConfig: { maxRetries: 0 } },
    });
    assert.deepEqual([end.code, end.stdout], [0, '{"a":1}\n'], end.stderr);
  });
});
