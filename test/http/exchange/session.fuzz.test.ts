import assert from "node:assert/strict";
import { test } from "node:test";
import { SpileError } from "../../../src/core/errors.ts";
import { fin, raw } from "../../helpers/answers.ts";
import { startApi } from "../../helpers/api.ts";
import type { Random } from "../../helpers/random.ts";
import { forSeeds } from "../../helpers/seeds.ts";
import { clientFor } from "../client.ts";

/*
 * Tests with random heads of responses: right, odd, broken, and cut anywhere. Each ends in time with a body or with a SpileError
 * of one line, never with a bug.
 */

const pieces = {
  status: [
    "200 OK",
    "200",
    "204 No Content",
    "301 Moved",
    "304 X",
    "401 No",
    "429 Slow",
    "500 Oops",
    "999 ?",
    "20",
    "x",
  ],
  version: ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2", "ICY", ""],
  name: [
    "Content-Length",
    "Content-Type",
    "Content-Encoding",
    "Transfer-Encoding",
    "Connection",
    "Location",
    "Retry-After",
    "Set-Cookie",
    "X",
    "constructor",
    "__proto__",
    "Sp ace",
    "",
    "\u0000",
  ],
  value: [
    "0",
    "2",
    "-1",
    "1e3",
    "99999999999999999999",
    "chunked",
    "identity, chunked",
    "gzip",
    "br, gzip",
    "close",
    "keep-alive",
    "upgrade",
    "application/json; charset=utf-16",
    "text/html;charset=\u001b[31m",
    "/again",
    "//",
    "http://[",
    "javascript:1",
    "a=b; Max-Age=x; Domain=..",
    "é\u0000",
    "\u001b]0;title\u0007",
    " ".repeat(300),
    "x".repeat(20_000),
  ],
  body: ["[]", '[{"id":1}]', "", "2\r\n[]\r\n0\r\n\r\n", "zz\r\n", "\u001f\u008b\u0008", "<html>", "\u0000"],
} as const;

function head(random: Random): Buffer {
  const { pick } = random;
  const headers = Array.from(
    { length: random.below(5) },
    () => `${pick(pieces.name)}${random.oneIn(12) ? "" : ":"} ${pick(pieces.value)}`,
  );
  const end = random.oneIn(15) ? "\n" : "\r\n";
  const lines = [`${pick(pieces.version)} ${pick(pieces.status)}`, ...headers, "", pick(pieces.body)];
  const bytes = Buffer.from(lines.join(end), "latin1");
  return random.oneIn(4) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

test("every head of a response leads to a body or to a line that says what is wrong", async () => {
  await forSeeds(200, async (random, seed) => {
    await using api = await startApi(() => raw(head(random), fin));
    using client = clientFor(api.url, {
      retry: { maxRetries: 1 },
      maxWait: 50,
      timeouts: { connect: 5, request: 5, idle: 5 },
    });
    try {
      assert.equal(typeof (await client.page("x")), "string");
    } catch (error) {
      assert.ok(error instanceof SpileError, `seed ${seed}: ${(error as Error).stack}`);
      assert.ok(["data", "refused", "temporary", "authentication"].includes(error.kind), `seed ${seed}: ${error.kind}`);
      assert.doesNotMatch(error.message, /[\u0000-\u001f\u007f-\u009f]/, `seed ${seed}`);
    }
    for (const { message } of client.events)
      assert.doesNotMatch(message, /[\u0000-\u001f\u007f-\u009f]/, `seed ${seed}`);
  });
});
