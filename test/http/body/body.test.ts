import assert from "node:assert/strict";
import { test } from "node:test";
import { SpileError } from "../../../src/core/errors.ts";
import {
  type Answer,
  type Api,
  broken,
  chunked,
  compress,
  encoded,
  fin,
  type Handler,
  inTurn,
  odd,
  pause,
  raw,
  records,
  reset,
  startApi,
  text,
} from "../../helpers/api.ts";
import { bodyText, clientFor } from "../client.ts";

const small = JSON.stringify({ items: records(20) });
/** More than all the buffers between a server and a reader hold. */
const large = JSON.stringify({ items: records(300_000) });
const quick = { timeouts: { idle: 0.2, request: 0.3 } };

/** Returns the body of a page whose first answer is `first` and whose next one is good, the number of requests, and the retries. */
async function fetched(first: Handler | Answer, good: string, options = {}) {
  await using api = await startApi(inTurn(first, () => text(good)));
  using client = clientFor(api.url, options);
  const body = await client.page("items");
  return { body, requests: api.log.length, messages: client.messages("retry").join("\n") };
}

const faults: Readonly<Record<keyof typeof broken, RegExp>> = {
  resetBeforeHeaders: /connection was reset/,
  closedBeforeHeaders: /connection was reset/,
  headersCut: /connection was reset/,
  stalledBeforeHeaders: /no response within 0.3 s/,
  resetInBody: /ended early, after \d+ bytes of \d+/,
  resetInChunk: /ended early, after \d+ bytes, before its last chunk/,
  cutInBody: /ended early, after \d+ bytes of/,
  resetWithoutLength: /-/,
  cutWithoutLength: /-/,
  cutWithoutTerminator: /ended early, after \d+ bytes, before its last chunk/,
  badChunkHeader: /the body is not HTTP after \d+ bytes/,
  lengthTooLarge: /ended early, after \d+ bytes of \d+/,
  lengthTooSmall: /longer than its Content-Length of \d+ bytes/,
  lengthTooSmallInOnePacket: /longer than its Content-Length of \d+ bytes/,
  gzipCut: /cannot be decoded: unexpected end of file/,
  gzipCutWithoutLength: /cannot be decoded: unexpected end of file/,
  gzipGarbled: /cannot be decoded/,
  stalledAfterHeaders: /no byte of the body came within 0.2 s/,
  stalledInBody: /no byte of the body came within 0.2 s/,
  dripping: /-/,
};

for (const [name, message] of Object.entries(faults)) {
  if (message.source === "-") continue;
  test(`a broken body is a fault and is requested again: ${name}`, async () => {
    const answer = broken[name as keyof typeof broken](small, 100);
    const isStalled = name.startsWith("stalled");
    const result = await fetched(answer, small, isStalled ? quick : {});
    assert.equal(result.body, small);
    // On a busy machine, the good answer may also come later than these timeouts allow.
    if (!isStalled) assert.equal(result.requests, 2);
    assert.match(result.messages, message);
  });
}

test("bytes after the last chunk of a body are a fault, and the body is requested again", async () => {
  const chunk = `${small.length.toString(16)}\r\n${small}\r\n0\r\n\r\n`;
  const answer = raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}rest`, pause(5), fin);
  const result = await fetched(answer, small);
  assert.deepEqual([result.body, result.requests], [small, 2]);
  assert.match(result.messages, /bytes came after the end of the response/);
});

for (const at of [0, 1, 11, 70_000, large.length - 1]) {
  test(`a reset after ${at} bytes of a large body is a fault`, async () => {
    const result = await fetched(broken.resetInBody(large, at), small);
    assert.equal(result.body, small);
    assert.equal(result.requests, 2);
  });
}

test("a body that ends with its connection is not `framed`, since nothing in it shows whether it was cut", async () => {
  await using api = await startApi(inTurn(broken.cutWithoutLength(small, 100), odd.closeDelimited(small), text(small)));
  using client = clientFor(api.url);
  const cut = await client.exchange("items").open();
  assert.deepEqual([await bodyText(cut.body), cut.framed], [small.slice(0, 100), false]);
  const whole = await client.exchange("items").open();
  assert.deepEqual([await bodyText(whole.body), whole.framed], [small, false]);
  assert.equal((await client.exchange("items").open()).framed, true);
});

for (const [name, answer] of Object.entries(odd)) {
  test(`an odd but whole body is read by one request: ${name}`, async () => {
    const { body, requests } = await fetched(answer(small), "[]");
    assert.equal(body, small);
    assert.equal(requests, 1);
  });
}

test("a dripping body is read while bytes come within the idle time-out", async () => {
  assert.deepEqual(await fetched(broken.dripping("[1,2,3]", 60), "[]"), { body: "[1,2,3]", requests: 1, messages: "" });
});

for (const terminator of [["0\r\n\r\n"], [..."0\r\n\r\n"].flatMap((byte) => [byte, pause(3)])]) {
  test(`a whole body is read although its connection is reset afterwards: the last chunk comes in ${terminator.length} steps`, async () => {
    // This is more than node-fetch's stream takes, but all of it is read from the socket at once.
    const part = "x".repeat(60_000);
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = `${part.length.toString(16)}\r\n${part}\r\n`;
    await using api = await startApi(() => raw(head, pause(20), chunk, ...terminator, reset));
    using client = clientFor(api.url);
    const exchange = client.exchange("items");
    const { body } = await exchange.open();
    await closed(api);
    assert.equal((await bodyText(body)).length, part.length);
    assert.equal(exchange.requests, 1);
  });
}

/** Waits until no connection is open, and the client has had a moment to notice it. */
async function closed(api: Api): Promise<void> {
  while (api.open() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setTimeout(resolve, 20));
}

test("a slow reader slows down the server", async () => {
  let sent = 0;
  function* endless() {
    for (; sent < 400; sent += 1) yield Buffer.alloc(1_000_000, 32);
  }
  await using api = await startApi(() => chunked(endless()));
  using client = clientFor(api.url);
  const { body } = await client.exchange("items").open();
  let seen = 0;
  for await (const chunk of body) {
    seen += chunk.length;
    if (seen > 2_000_000) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.ok(sent < 40, `${sent} MB were sent while 2 MB were read`);
});

test("a chunk stays unchanged while later ones arrive", async () => {
  for (const answer of [text(large), encoded("gzip", large)]) {
    await using api = await startApi(() => answer);
    using client = clientFor(api.url);
    const { body } = await client.exchange("items").open();
    assert.equal(await bodyText(body), large);
  }
});

for (const encoding of ["gzip", "deflate", "deflate-raw", "br"] as const) {
  for (const body of [small, large, ""]) {
    test(`${encoding}: ${body.length} bytes are decoded`, async () => {
      assert.equal((await fetched(encoded(encoding, body), "[]")).body, body);
    });
  }
  test(`${encoding}: a cut body is a fault`, async () => {
    const bytes = compress[encoding](large);
    const declared = encoding === "deflate-raw" ? "deflate" : encoding;
    const headers = { "content-encoding": declared };
    const result = await fetched(text(bytes.subarray(0, bytes.length - 20), { headers }), "[]");
    assert.deepEqual([result.body, result.requests], ["[]", 2]);
    assert.match(result.messages, /cannot be decoded/);
  });
}

for (const encoding of ["gzip", "deflate", "deflate-raw", "br"] as const) {
  const headers = { "content-encoding": encoding === "deflate-raw" ? "deflate" : encoding };
  const [first, second, padding] = [compress[encoding](small), compress[encoding](small), Buffer.alloc(3)];
  const bodies: readonly (readonly [name: string, bytes: Buffer, expected: string])[] = [
    ["two streams", Buffer.concat([first, second]), small + small],
    ["a stream with padding", Buffer.concat([first, padding]), small],
    [
      "two streams with padding between and after them",
      Buffer.concat([first, padding, second, padding]),
      small + small,
    ],
  ];
  for (const [name, bytes, expected] of bodies) {
    test(`${encoding}: a body of ${name} is decoded to the end, wherever it is cut`, async () => {
      assert.deepEqual(await fetched(text(bytes, { headers }), "[]"), { body: expected, requests: 1, messages: "" });
      for (const size of [1, first.length, first.length + 1]) {
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        assert.equal((await fetched(chunked(pieces, { headers }), "[]")).body, expected, `pieces of ${size}`);
      }
    });
  }
  test(`${encoding}: bytes after the end are a fault, even after padding`, async () => {
    const garbage = Buffer.from("\xff\xff\xffgarbage", "latin1");
    for (const bytes of [Buffer.concat([first, garbage]), Buffer.concat([first, padding, garbage])]) {
      for (const answer of [text(bytes, { headers }), chunked([first, bytes.subarray(first.length)], { headers })]) {
        const result = await fetched(answer, "[]");
        assert.deepEqual([result.body, result.requests], ["[]", 2]);
        assert.match(result.messages, /the compressed body cannot be decoded/);
      }
    }
  });
}

test("a body of many small compressed streams is read whole by a slow reader", async () => {
  const lines = Array.from({ length: 300 }, (_, index) => `{"id":${index},"text":"${"x".repeat(3000)}"}\n`);
  await using api = await startApi(() =>
    chunked(
      lines.map((line) => compress.br(line)),
      { headers: { "content-encoding": "br" } },
    ),
  );
  using client = clientFor(api.url);
  const { body } = await client.exchange("items").open();
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(Buffer.concat(chunks).toString(), lines.join(""));
});

test("compressed data that is cut by its Content-Length is reported with this cause", async () => {
  const bytes = compress.gzip(small);
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length - 5}\r\n\r\n`;
  const result = await fetched(raw(Buffer.concat([Buffer.from(head), bytes]), fin), "[]");
  assert.deepEqual([result.body, result.requests], ["[]", 2]);
  assert.match(result.messages, /longer than its Content-Length of \d+ bytes/);
});

test("an empty body declared as gzip is empty", async () => {
  const answer = raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n", fin);
  assert.deepEqual(await fetched(answer, "[]"), { body: "", requests: 1, messages: "" });
});

test("a gzip body that is declared as br is a fault", async () => {
  const lie = encoded("gzip", small, { declared: "br" });
  assert.equal((await fetched(lie, "[]")).requests, 2);
});

const refusals: readonly [headers: Record<string, string>, message: RegExp][] = [
  [{ "content-encoding": "zstd" }, /the Content-Encoding "zstd" is not supported/],
  [{ "content-encoding": "gzip, br" }, /the Content-Encoding "gzip, br" is not supported/],
  [{ "content-type": "application/json; charset=klingon" }, /GET http\S+: the charset "klingon" .* is unknown/],
];
for (const [headers, message] of refusals) {
  test(`${JSON.stringify(headers)} is a data error without a retry`, async () => {
    await using api = await startApi(() => text(small, { headers }));
    using client = clientFor(api.url);
    await assert.rejects(
      client.page("items"),
      (error) => error instanceof SpileError && error.kind === "data" && message.test(error.message),
    );
    assert.equal(api.log.length, 1);
  });
}

for (const word of ["identity", "none", "binary", "UTF-8", "aws-chunked", "identity, aws-chunked", ""]) {
  test(`Content-Encoding: ${word || "(empty)"} means no encoding`, async () => {
    assert.equal((await fetched(text(small, { headers: { "content-encoding": word } }), "[]")).body, small);
  });
}

test("Content-Encoding: aws-chunked, gzip means gzip", async () => {
  const answer = encoded("gzip", small, { declared: "aws-chunked, gzip" });
  assert.equal((await fetched(answer, "[]")).body, small);
});

const word = '{"a":"é€"}';
const utf16 = (mark: string) => Buffer.from(mark + word, "utf16le");
const charsets: readonly [type: string, bytes: Uint8Array, expected: string][] = [
  ["application/json", Buffer.from(`\ufeff${word}`), word],
  ["application/json", Buffer.from(`\ufeff\ufeff`), "\ufeff"],
  ["application/json; charset=UTF-8", Buffer.from(word), word],
  ['application/json; charset="utf-8"; x=y', Buffer.from(word), word],
  ["application/json; charset=ISO-8859-1", Buffer.from('{"é":"\u0080ÿ"}', "latin1"), '{"é":"\u0080ÿ"}'],
  ["application/json; charset=windows-1252", Buffer.from([0x22, 0x80, 0xe9, 0x9f, 0x81, 0x22]), '"€éŸ\u0081"'],
  ["application/json; charset=utf-16", utf16("\ufeff"), word],
  ["application/json; charset=utf-16", utf16("\ufeff").swap16(), word],
  ["application/json; charset=utf-16le", utf16(""), word],
  ["application/json; charset=utf-16be", utf16("").swap16(), word],
  ["application/json; charset=utf-16le", Buffer.from('"\u{1f600}"', "utf16le"), '"\u{1f600}"'],
  ["application/json; charset=utf-16le", Buffer.from('"\ufffd"', "utf16le"), '"\ufffd"'],
  ["application/json; charset=ISO-8859-2", Buffer.from([0x22, 0xe6, 0xb9, 0x22]), '"ćš"'],
  ["application/json; charset=windows-1250", Buffer.from([0x22, 0x9a, 0xe8, 0x22]), '"šč"'],
  ["application/json; charset=KOI8-R", Buffer.from([0x22, 0xd0, 0xd2, 0x22]), '"пр"'],
  ["application/json; charset=Shift_JIS", Buffer.from([0x22, 0x93, 0xfa, 0x22]), '"日"'],
  ["application/json", utf16("\ufeff").swap16(), word],
  ["application/json", utf16(""), word],
  ["application/json", utf16("").swap16(), word],
  ["text/csv; charset=ISO-8859-2", Buffer.from([0x50, 0x4b, 0xe6, 0x0a, 0xb9]), "PK\u0107\n\u0161"],
  ["application/json", Buffer.from("1"), "1"],
];
for (const [type, bytes, expected] of charsets) {
  test(`${type}: ${Buffer.from(bytes).toString("hex").slice(0, 16)}... is ${expected}`, async () => {
    const options = { headers: { "content-type": type } };
    assert.equal((await fetched(text(bytes, options), "[]")).body, expected);
    const bytewise = [...bytes].map((byte) => Uint8Array.of(byte));
    assert.equal((await fetched(chunked(bytewise, options), "[]")).body, expected);
  });
}

/** Bytes that are invalid in their charset become a byte that is invalid in UTF-8, so that they are noticed like any other invalid byte. */
const meaningless: readonly [charset: string, bytes: Uint8Array, expected: readonly (string | number)[]][] = [
  ["utf-16le", Buffer.from('"\ud83d"', "utf16le"), ['"', 0xff, '"']],
  ["utf-16le", Buffer.from('"\ude00\ud83d\ud83d\ude00"', "utf16le"), ['"', 0xff, 0xff, "\u{1f600}", '"']],
  ["utf-16be", Buffer.from('"\ud83d"', "utf16le").swap16(), ['"', 0xff, '"']],
  ["utf-16le", Buffer.from([0x31, 0, 0x32]), ["1", 0xff]],
  ["utf-16le", Buffer.from([0x31, 0, 0x3d, 0xd8]), ["1", 0xff]],
  ["euc-jp", Buffer.from([0x22, 0xff, 0x22]), ['"', 0xff, '"']],
];
for (const [charset, bytes, expected] of meaningless) {
  test(`${charset}: ${Buffer.from(bytes).toString("hex")} has invalid bytes`, async () => {
    const headers = { "content-type": `application/json; charset=${charset}` };
    const bytewise = [...bytes].map((byte) => Uint8Array.of(byte));
    const pieces = expected.map((piece) => (typeof piece === "number" ? Buffer.of(piece) : Buffer.from(piece)));
    for (const answer of [text(bytes, { headers }), chunked(bytewise, { headers })]) {
      await using api = await startApi(() => answer);
      using client = clientFor(api.url);
      const chunks: Buffer[] = [];
      for await (const chunk of (await client.exchange("items").open()).body) chunks.push(chunk);
      assert.deepEqual(Buffer.concat(chunks), Buffer.concat(pieces));
    }
  });
}

test("endless compressed blocks without data count as a stalled body", async () => {
  // An empty stored block that is not the last one, as a flush writes it.
  const block = Buffer.from("000000ffff", "hex");
  function* endless() {
    yield Buffer.from("1f8b0800000000000003", "hex");
    for (let count = 0; count < 1e6; count += 1) yield Buffer.concat(Array.from({ length: 1000 }, () => block));
  }
  const answer = (): Answer => chunked(endless(), { headers: { "content-encoding": "gzip" } });
  await using api = await startApi(inTurn(answer, () => []));
  using client = clientFor(api.url, { timeouts: { idle: 1 } });
  assert.equal(await client.page("items"), "[]");
  assert.match(client.messages("retry").join("|"), /^[^|]*no byte of the body came within 1 s[^|]*$/);
});

test("the size limit counts the decoded bytes", async () => {
  await using api = await startApi(() => encoded("gzip", "[".repeat(1000)));
  using enough = clientFor(api.url, { maxResponseBytes: 1000 });
  assert.equal((await enough.page("items")).length, 1000);
  using less = clientFor(api.url, { maxResponseBytes: 999 });
  await assert.rejects(
    less.page("items"),
    (error) => error instanceof SpileError && error.kind === "data" && /limit of 999 bytes/.test(error.message),
  );
});

test("lenientParser accepts responses that break HTTP, and without it, the error recommends this option", async () => {
  for (const rest of [
    "Broken: x\u0001y\r\nContent-Length: 3\r\n\r\n[1]",
    "Broken: 1\nContent-Length: 3\n\n[1]",
    "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n[1]\r\n0\r\n\r\n",
  ]) {
    await using api = await startApi(() => raw(`HTTP/1.1 200 OK\r\n${rest}`, fin));
    using lenient = clientFor(api.url, { lenientParser: true });
    assert.equal(await lenient.page("items"), "[1]");
    using strict = clientFor(api.url);
    await assert.rejects(strict.page("items"), /is not HTTP: .*"lenientParser": true in api.http/);
  }
});

test("connections are kept alive and reused", async () => {
  await using api = await startApi(() => ({ ok: true }));
  using client = clientFor(api.url);
  for (let page = 0; page < 20; page += 1) await client.page(`items?page=${page}`);
  assert.equal(api.connections(), 1);
});

test("a connection that closes after each answer causes no fault", async () => {
  await using api = await startApi(() => odd.closedAfterAnswer(small));
  using client = clientFor(api.url, { retry: { maxRetries: 0 } });
  for (let page = 0; page < 50; page += 1) assert.equal(await client.page(`items?page=${page}`), small);
  assert.deepEqual(client.messages("retry"), []);
});

test("a request whose kept-alive connection is reset without an answer is silently repeated once", async () => {
  await using api = await startApi(inTurn(text("1"), raw(reset), text("2"), raw(reset), raw(reset)));
  using client = clientFor(api.url, { retry: { maxRetries: 0 } });
  assert.equal(await client.page("a"), "1");
  assert.equal(await client.page("b", { method: "POST" }), "2");
  await assert.rejects(client.page("c"), /connection was reset/);
  assert.deepEqual(api.targets(), ["/a", "/b", "/b", "/c", "/c"]);
});

test("an abort ends a stalled body, a missing answer and a wait at once, with the reason of the abort", async () => {
  for (const answer of [broken.stalledInBody(small), broken.stalledBeforeHeaders()]) {
    await using api = await startApi(() => answer);
    using client = clientFor(api.url);
    const reason = new Error("stop");
    const page = client.page("items");
    await api.received(1);
    setTimeout(() => client.abort.abort(reason), 20);
    await assert.rejects(page, reason);
  }
  await using api = await startApi(() => text("", { status: 503 }));
  using client = clientFor(api.url, { backoff: () => 60_000 });
  const page = client.page("items");
  await api.received(1);
  client.abort.abort(new Error("stop"));
  await assert.rejects(page, /^Error: stop$/);
});
