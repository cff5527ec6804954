import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { createGzip, gzipSync } from "node:zlib";
import {
  type Answer,
  chunked,
  type Handler,
  json,
  pause,
  type Routes,
  raw,
  redirect,
  startApi,
  text,
} from "../helpers/api.ts";
import { spile, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

/*
 * Tests of harmful answers (contract C-7.6). Each run ends with its exit code, with a clear message if it fails, and the process
 * stays small. Bodies of more than a few MB are created while they are sent, and most of these never end by themselves.
 */
/** Peak of memory in MB that no command may reach. */
const bound = 200;
/** Milliseconds for the largest of these answers on a busy machine. */
const timeout = 600_000;
const tellPeak = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS));',
)}`;
const telling = { NODE_OPTIONS: `--import ${tellPeak}` };

interface Attack {
  readonly handler: Handler | Routes;
  readonly options?: readonly string[];
  readonly api?: object;
  readonly job?: object;
  readonly code: number;
  /** Pattern for the errors or warnings. */
  readonly says?: RegExp;
  readonly lines?: number;
  /** True if the response is small and does not affect memory. The command then runs in this process. */
  readonly small?: true;
}

async function attack(
  name: string,
  { handler, options = [], api: more, job, code, says, lines = 0, small }: Attack,
): Promise<void> {
  await using api = await startApi(handler);
  const configuration = {
    api: { baseUrl: api.url, retryConfig: { maxRetries: 0 }, ...more },
    config: { jobs: [{ endpoint: "items", ...job }] },
  };
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", configuration);
  const ended = await (small ? spileHere([file, ...options]) : spile([file, ...options], { env: telling, timeout }));
  const errors = ended.stderr.replace(/peak \d+\n$/, "");
  assert.equal(ended.code, code, `${name}: ${errors.slice(0, 2000)}`);
  if (says !== undefined) assert.match(errors, says, name);
  assertPrintable(name, errors);
  for (const line of errors.split("\n")) assert.ok(line.length < 3000, `${name}: a line of ${line.length} characters`);
  assert.equal(ended.stdout.match(/\n/g)?.length ?? 0, lines, name);
  if (small) return;
  const peak = Number(/peak (\d+)/.exec(ended.stderr)?.[1]) / 1000;
  assert.ok(peak < bound, `${name}: ${peak} MB`);
}

/** Asserts that an output contains nothing with an effect on a terminal: neither C0 nor C1 nor changes of the writing direction. */
function assertPrintable(name: string, output: string): void {
  const found = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/.exec(output);
  assert.equal(found, null, `${name}: ${JSON.stringify(output.slice(found?.index))}`);
}

const megabyte = 2 ** 20;

/** Sends `first`, then the piece again and again, up to 4 GiB, which nobody should read. */
function endless(first: string, piece: string, options: Parameters<typeof chunked>[1] = {}): Answer {
  const block = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  return chunked(
    (function* () {
      yield first;
      for (let sent = 0; sent < 2 ** 32; sent += block.length) yield block;
    })(),
    options,
  );
}

/** Yields `count` pieces made from their numbers, about 64 KiB at a time. */
function* pieces(count: number, piece: (index: number) => string): Generator<string> {
  let block = "";
  for (let index = 0; index < count; index += 1) {
    block += piece(index);
    if (block.length < 65_536) continue;
    yield block;
    block = "";
  }
  yield block;
}

function* around<T>(before: T, inner: Iterable<T>, after: T): Generator<T> {
  yield before;
  yield* inner;
  yield after;
}

const records = { dataField: "items" };

test("endless nesting is refused in constant memory", async () => {
  const deep = /nests deeper than 1024 levels; --max-depth/;
  await attack("arrays", { handler: () => endless("", "["), code: 65, says: deep });
  await attack("objects beside the records", {
    handler: () => endless('{"a":', '{"a":'),
    job: records,
    code: 65,
    says: deep,
  });
  await attack("within a record", {
    handler: () => endless('{"items":[{"a":', '[{"a":'),
    job: records,
    code: 65,
    says: deep,
  });
  await attack("--max-depth", {
    handler: () => endless("", "["),
    options: ["--max-depth", "5000"],
    code: 65,
    says: /deeper than 5000 levels/,
  });
});

test("an endless record or value is refused in constant memory", async () => {
  const long = /record is longer than 4194304 bytes; --max-record-bytes/;
  const options = ["--max-record-bytes", "4M"];
  await attack("a string in a record", { handler: () => endless('[{"a":"', "x"), options, code: 65, says: long });
  await attack("escapes in a record", { handler: () => endless('[{"a":"', "\\u0000"), options, code: 65, says: long });
  await attack("a key in a record", { handler: () => endless('[{"', "x"), options, code: 65, says: long });
  await attack("a number in a record", { handler: () => endless("[1", "0"), options, code: 65, says: long });
  await attack("members of a record", { handler: () => endless('[{"a":1', ',"a":1'), options, code: 65, says: long });
  await attack("a record that is the response", {
    handler: () => endless('{"a":"', "x"),
    job: { dataField: "." },
    options,
    code: 65,
    says: long,
  });
  await attack("a record in a list of an element", {
    handler: () => endless('{"items":[{"list":[{"a":"', "x"),
    job: { dataField: { path: "items", each: ["list", "*"] } },
    options,
    code: 65,
    says: /element 1 of "list" of element 1 of "items" is longer than 4194304 bytes; --max-record-bytes/,
  });
  await attack("a key beside the records", {
    handler: () => endless('{"', "x"),
    job: records,
    code: 65,
    says: /1048576 bytes/,
  });
  await attack("an address of the next page", {
    handler: () => endless('{"next":"', "x"),
    api: { pagination: { method: "response.url", urlKey: "next" } },
    job: records,
    code: 65,
    says: /1048576 bytes/,
  });
  const response = ["--max-response-bytes", "4M"];
  const limited = /longer than the limit of 4194304 bytes \(--max-response-bytes\)/;
  for (const [name, answer] of Object.entries({
    "a string beside the records": () => endless('{"a":"', "x"),
    "a number beside the records": () => endless('{"a":1', "0"),
    "fields of the root": () => endless('{"a":1', ',"a":1'),
    "white space before the document": () => endless("", " \n"),
    "white space after the document": () => endless('{"items":[]}', " "),
  })) {
    await attack(name, { handler: answer, job: records, options: response, code: 65, says: limited });
  }
});

test("a million fields or lists before the records take constant memory", async () => {
  const fields = (count: number) => () =>
    chunked(
      around(
        "{",
        pieces(count, (index) => `"key ${index}":${index},`),
        '"items":[1,2]}',
      ),
    );
  await attack("fields", { handler: fields(1_000_000), code: 0, lines: 2 });
  await attack("fields beside the data field", { handler: fields(100_000), job: records, code: 0, lines: 2 });
  const arrays = (count: number) => () =>
    chunked(
      around(
        "{",
        pieces(count, (index) => `"array ${index}":[],`),
        '"items":[1]}',
      ),
    );
  const says = /arrays at its root.*"dataField" must say/;
  await attack("arrays", { handler: arrays(100_000), code: 65, says });
  await attack("arrays beside the data field", { handler: arrays(1_000_000), job: records, code: 0, lines: 1 });
});

test("bodies that grow when they are decoded are refused", async () => {
  const bomb = (piece: string): Answer => {
    const gzip = createGzip();
    const block = Buffer.from(piece.repeat(megabyte));
    const plain = Readable.from(
      (function* () {
        for (let sent = 0; sent < 400; sent += 1) yield block;
      })(),
    );
    return chunked(plain.pipe(gzip), { headers: { "content-encoding": "gzip" } });
  };
  const options = ["--max-response-bytes", "100M"];
  await attack("zeros", {
    handler: () => bomb("\0"),
    options,
    code: 65,
    says: /not JSON: unexpected byte 0x00 at byte 0/,
  });
  await attack("white space", { handler: () => bomb(" "), options, code: 65, says: /--max-response-bytes/ });
  const login = { type: "login", loginRequest: { endpoint: "login" }, apiRequest: { headers: { X: "token" } } };
  await attack("a login", {
    handler: { "/login": () => bomb(" ") },
    api: { authentication: login },
    code: 77,
    says: /longer than 1 MiB/,
  });
  await attack("an error", {
    handler: () =>
      text(gzipSync(Buffer.alloc(64 * megabyte)), { status: 403, headers: { "content-encoding": "gzip" } }),
    code: 69,
    says: /answered 403/,
  });
});

test("limits of the user end endless pages", async () => {
  let page = 0;
  const next = (): number => {
    page += 1;
    return page;
  };
  const empty = () => ({ items: [], next: `/items?page=${next()}` });
  const paging = { pagination: { method: "response.url", urlKey: "next" } };
  await attack("empty, within --max-time", {
    handler: empty,
    api: paging,
    options: ["--max-time", "2s"],
    code: 75,
    says: /--max-time of 2 s/,
  });
  await attack("empty, within --max-pages", {
    small: true,
    handler: empty,
    api: paging,
    options: ["--max-pages", "20"],
    code: 0,
    says: /limited: 0 records, 20 pages/,
  });
  await attack("empty, within forceStop", {
    small: true,
    handler: empty,
    api: { pagination: { ...paging.pagination, forceStop: { pages: 20 } } },
    code: 0,
    says: /limited: 0 records, 20 pages/,
  });
  await attack("redirects", {
    small: true,
    handler: ({ target }) => redirect(`${target}0`),
    code: 69,
    says: /the 11th redirect in a row; at most 10 are followed/,
  });
});

test("--max-time ends answers that take for ever", async () => {
  const options = ["--max-time", "1500ms"];
  const drip = (head: string, piece: string): Answer =>
    raw(head, ...Array.from({ length: 500 }, () => [piece, pause(100)]).flat());
  const says = /--max-time of 1\.5 s/;
  const login = { type: "login", loginRequest: { endpoint: "login" }, apiRequest: { headers: { X: "token" } } };
  const ok = "HTTP/1.1 200 OK\r\n";
  const body = "Content-Type: application/json\r\nContent-Length: 99999\r\n\r\n";
  await attack("a body", { handler: () => drip(`${ok}${body}[`, " "), options, code: 75, says });
  await attack("a login's body", {
    handler: () => drip(ok + body, " "),
    api: { authentication: login },
    options,
    code: 75,
    says,
  });
  await attack("headers", { handler: () => drip(ok, "X: 1\r\n"), options, code: 75, says });
  await attack("interim answers", {
    handler: () => drip("", "HTTP/1.1 103 X\r\nLink: x\r\n\r\n"),
    options,
    code: 75,
    says,
  });
  await attack("an error's body", {
    handler: () => drip(`HTTP/1.1 403 X\r\n${body}`, "no "),
    options: ["--max-time", "30s"],
    code: 69,
    says: /answered 403/,
  });
});

test("endless headers and too long answers of a login are refused", async () => {
  const says = /headers are too long/;
  const line = `X-Long: ${"x".repeat(8000)}\r\n`;
  await attack("one long header", {
    small: true,
    handler: () => raw(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(200_000)}`),
    code: 75,
    says,
  });
  await attack("many headers", {
    small: true,
    handler: () => raw("HTTP/1.1 200 OK\r\n", ...Array.from({ length: 2000 }, () => line)),
    code: 75,
    says,
  });
  const interim = Array.from({ length: 20_000 }, () => `HTTP/1.1 103 Early Hints\r\n${line}\r\n`);
  await attack("interim answers", {
    handler: () => raw(...interim, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"),
    code: 0,
  });
  const login = { type: "login", loginRequest: { endpoint: "login" }, apiRequest: { headers: { X: "token" } } };
  for (const [name, answer] of Object.entries({
    text: () => endless('{"token":"', "x"),
    depth: () => text("[".repeat(megabyte - 1)),
    "a token that nests deep": () => text(`{"token":${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}}`),
    "a list": () => text(`[${"1,".repeat(400_000)}1]`),
  })) {
    await attack(`a login's answer: ${name}`, {
      handler: { "/login": answer },
      api: { authentication: login },
      code: 77,
    });
  }
  await attack("a token that fills the headers", {
    handler: { "/login": () => ({ token: "x".repeat(500_000) }), "/items": () => [1] },
    api: { authentication: login },
    code: 0,
    lines: 1,
  });
});

test("invalid UTF-8 and control characters are read or refused without harm to a terminal", async () => {
  const bad = Buffer.concat([Buffer.from('[{"a":"'), Buffer.alloc(megabyte, 0xff), Buffer.from('"}]')]);
  await attack("invalid UTF-8", {
    handler: () => text(bad),
    code: 0,
    lines: 1,
    says: /not UTF-8; they became U\+FFFD/,
  });
  await attack("invalid UTF-8 and --strict", {
    handler: () => text(bad),
    options: ["--strict"],
    code: 65,
    says: /not UTF-8/,
  });
  const controls = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066\r\n\u0000\u007f\u2028error fake: line";
  const latin1 = "\u009b31m\u0085\u0090";
  const log = ["-v", "--debug"];
  await attack("an error's body", {
    small: true,
    handler: () => text(controls, { status: 403 }),
    options: log,
    code: 69,
    says: /\\x1b\]0;owned/,
  });
  await attack("no JSON", { small: true, handler: () => text(controls), options: log, code: 65, says: /\\x1b/ });
  await attack("names of arrays", {
    small: true,
    handler: () => ({ [controls]: [1], [`${controls}2`]: [] }),
    options: log,
    code: 65,
    says: /arrays/,
  });
  await attack("a place elsewhere", {
    small: true,
    handler: () => ({ [controls]: [{}] }),
    job: records,
    options: log,
    code: 0,
    says: /contains objects/,
  });
  await attack("an address", {
    small: true,
    handler: () => ({ items: [1], next: `gopher:${controls}` }),
    api: { pagination: { method: "response.url", urlKey: "next" } },
    options: log,
    code: 65,
    lines: 1,
  });
  for (const header of ["Content-Type", "Content-Encoding", "Location", "Retry-After", "X", "Set-Cookie"]) {
    const head = `HTTP/1.1 ${header === "Location" ? 302 : 200} ${latin1}\r\n${header}: x/y; charset=${latin1}\r\n`;
    const bytes = Buffer.from(`${head}Content-Length: 2\r\n\r\n[]`, "latin1");
    const code = { "Content-Type": 65, "Content-Encoding": 65, Location: 69 }[header] ?? 0;
    if (header !== "Location") await attack(header, { small: true, handler: () => raw(bytes), options: log, code });
    else
      await attack(header, {
        small: true,
        handler: ({ path }) => (path === "/items" ? raw(bytes) : json({}, { status: 404 })),
        options: log,
        code,
      });
  }
  const forbidden = Buffer.from(`HTTP/1.1 200 OK\r\nX: \u001b[31m\r\nContent-Length: 2\r\n\r\n[]`, "latin1");
  await attack("an escape in a header", {
    small: true,
    handler: () => raw(forbidden),
    options: log,
    code: 75,
    says: /not HTTP/,
  });
});

test("thirty thousand jobs fit in a heap of 50 MB", async () => {
  await using api = await startApi(() => []);
  await using folder = await temporaryFolder();
  const jobs = Array.from({ length: 30_000 }, (_, index) => ({
    endpoint: `items/${index}`,
    dataType: `type ${index}`,
  }));
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config: { jobs } });
  // The configuration is the user's own, so memory may grow with it. A heap of 50 MB must be enough for 30,000 jobs.
  const env = { NODE_OPTIONS: `--import ${tellPeak} --max-old-space-size=50` };
  // All jobs are checked, and one is run.
  const { code, stderr } = await spile([file, "--job", "type 29999"], { env });
  assert.equal(code, 0, stderr.slice(0, 1000));
  const peak = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1000;
  assert.ok(peak < bound, `${peak} MB`);
  assert.deepEqual(api.targets(), ["/items/29999"]);
});
