import assert from "node:assert/strict";
import { test } from "node:test";
import { watchKey } from "../../src/core/runs/page.ts";
import { DataFault, type DocumentOptions, DocumentReader, IncompleteDocument } from "../../src/extract/document.ts";
import { type Outcome, readPieces } from "./oracle.ts";

type Options = Partial<DocumentOptions>;

/** Reads a text in one piece and byte by byte; both must give the same result. */
function read(text: string | Buffer, dataField: readonly string[] | undefined, options: Options = {}): Outcome {
  const bytes = Buffer.from(text);
  const outcome = readPieces([bytes], { dataField, ...options });
  assert.deepEqual(
    readPieces(
      [...bytes].map((byte) => Buffer.from([byte])),
      { dataField, ...options },
    ),
    outcome,
  );
  return outcome;
}

function fault(text: string, dataField: readonly string[] | undefined, options: Options = {}): DataFault {
  try {
    readPieces([Buffer.from(text)], { dataField, ...options });
  } catch (error) {
    assert.ok(error instanceof DataFault, String(error));
    assert.equal(error.exitCode, 65);
    return error;
  }
  assert.fail(`no fault in ${text}`);
}

test("the path of detected records is that of their array", () => {
  assert.deepEqual(read('[{"a":1}]', undefined).summary.dataPath, []);
  assert.deepEqual(read('{"":[{"a":1}]}', undefined).summary.dataPath, [""]);
  assert.deepEqual(read('{"items":[{"a":1}]}', undefined).summary.dataPath, ["items"]);
});

test("the data field may be a list, one record or nothing", () => {
  const response =
    '{"object":{"a":1},"number":5,"null":null,"none":[],"no":false,"zero":0,"blank":"","text":"x","yes":true,"empty":{},"list":[{"a":1},{"b":2}],"deep":[{},{"items":[{"z":1}]}]}';
  const rows: [string, string, boolean][] = [
    ["object", '{"a":1}\n', true],
    ["number", "5\n", true],
    ["text", '"x"\n', true],
    ["yes", "true\n", true],
    ["empty", "{}\n", true],
    ["null", "", true],
    ["none", "", true],
    ["no", "", true],
    ["zero", "", true],
    ["blank", "", true],
    ["nope", "", false],
    ["list", '{"a":1}\n{"b":2}\n', true],
    ["list.1", '{"b":2}\n', true],
    ["deep.1.items", '{"z":1}\n', true],
    ["deep.0.items", "", false],
    ["number.x", "", false],
  ];
  for (const [path, lines, found] of rows) {
    const outcome = read(response, path.split("."));
    assert.equal(outcome.lines, lines, path);
    assert.equal(outcome.summary.found, found, path);
    assert.equal(outcome.summary.bytes, response.length);
  }
  assert.equal(read(response, []).lines, `${response}\n`);
  assert.equal(read("[1,[2]]", []).lines, "1\n[2]\n");
  for (const zero of ["0", "-0", "0.00", "0e5", "-0.0E-1"]) assert.equal(read(`{"a":${zero}}`, ["a"]).lines, "", zero);
  for (const other of ["1", "0.01", "-1", '"0"', '" "'])
    assert.equal(read(`{"a":${other}}`, ["a"]).lines, `${other}\n`);
});

test("a body is empty if it has only white space", () => {
  for (const text of ["", " ", "\n\t\r "]) {
    const { summary } = read(text, undefined);
    assert.equal(summary.empty, true);
    assert.equal(summary.found, false);
  }
  assert.equal(read("[]", undefined).summary.empty, false);
});

test("auto-detection takes the only list, and requires dataField if there are several or none", () => {
  assert.equal(read('{"a":1,"b":[1],"c":{"d":[2]}}', undefined).lines, "1\n");
  assert.equal(read("[1,[2]]", undefined).lines, "1\n[2]\n");
  assert.equal(read("null", undefined).summary.found, false);
  assert.equal(read('{"c":{"d":[{}]}}', undefined).summary.elsewhere, "c.d");
  assert.match(fault('{"a":[1],"b":[],"c":[2]}', undefined).message, /"a", "b", "c": "dataField" must/);
  for (const scalar of ["5", '"x"', "true", "-1.5e3"])
    assert.match(fault(scalar, undefined).message, /"dataField": "\."/);
});

test("a data field that occurs twice is a fault", () => {
  for (const text of ['{"a":[1],"a":[2]}', '{"a":null,"a":[2]}', '{"a":[],"\\u0061":5}']) {
    assert.match(fault(text, ["a"]).message, /twice/, text);
  }
  assert.match(fault('{"a":{"b":[1]},"a":{}}', ["a", "b"]).message, /twice/);
  assert.match(fault('{"a":[1],"a":1}', undefined).message, /twice/);
  assert.equal(read('{"a":{},"a":{"b":[1]}}', ["a", "b"]).lines, "1\n");
  assert.equal(read('{"x":1,"x":2,"a":[1]}', ["a"]).lines, "1\n");
});

test("numbers, keys and escapes are written unchanged", () => {
  const record = '{"b":13911860366432393,"a":1.10,"a":1e400,"n":-0,"t":"\\u00e9\\/\\ud800","é":"😀 \u2028"}';
  assert.equal(read(`{"items":[ ${record.replaceAll(",", " ,\n\t")} ]}`, ["items"]).lines, `${record}\n`);
});

test("watched values are found before, after and within the records", () => {
  const response = '{"total":"25","items":[{"id":1},{"id":22,"o":{}}],"next":null,"meta":{"a":[],"n":1.10,"b":true}}';
  const rows: [string, unknown][] = [
    ["total", { type: "string", text: "25", empty: false }],
    ["next", { type: "null", text: "null", empty: false }],
    ["meta", { type: "object", text: '{"a":[],"n":1.10,"b":true}', empty: false }],
    ["meta.a", { type: "array", text: "[]", empty: true }],
    ["meta.n", { type: "number", text: "1.10", empty: false }],
    ["meta.b", { type: "boolean", text: "true", empty: false }],
    ["items", { type: "array", text: "", empty: false }],
    ["items.1.id", { type: "number", text: "22", empty: false }],
    ["items.1.o", { type: "object", text: "{}", empty: true }],
    ["items.2.id", undefined],
    ["meta.x", undefined],
  ];
  const watch = rows.map(([path]) => path.split("."));
  const { watched } = read(response, ["items"], { watch }).summary;
  for (const [path, value] of rows) assert.deepEqual(watched.get(watchKey(path.split("."))), value, path);
  const whole = read(response, [], { watch }).summary.watched;
  const list = { type: "array", text: '[{"id":1},{"id":22,"o":{}}]', empty: false };
  for (const [path, value] of rows) {
    const watchedValue = whole.get(watchKey(path.split(".")));
    assert.deepEqual(watchedValue, path === "items" ? list : value, `${path}, one record`);
  }
  const empty = read('{"items":[]}', undefined, { watch: [["items"]] }).summary.watched;
  assert.deepEqual(empty.get(watchKey(["items"])), { type: "array", text: "", empty: true });
});

test("if a watched key occurs twice, the last one counts", () => {
  const watch = [["m", "total"]];
  const gone = read('{"m":{"total":1},"m":{},"items":[]}', ["items"], { watch });
  assert.equal(gone.summary.watched.size, 0);
  const last = read('{"m":{"total":1},"items":[],"m":{"total":2,"total":3}}', ["items"], { watch });
  assert.equal(last.summary.watched.get(watchKey(["m", "total"]))?.text, "3");
});

test("evidence of more is found on the path to the records, and in the usual objects beside that path, two levels deep", () => {
  const response =
    '{"total":9,"x":{"total":1},"data":{"count":"7","items":[{"total":3}],"_links":{"next":{"href":"/2", "total":4}},"links":{"next":""}},"meta":{"hasMore":true,"pagination":{"total":1,"info":{"total":2}},"deep":{"total":3}},"Next-Page":[ "a" ],"error":{"a" : 1},"page":{"error":1}}';
  const evidence = read(response, ["data", "items"], { evidence: true }).summary.evidence;
  assert.deepEqual(
    evidence.map(({ path, value }) => [path.join("."), value.text]),
    [
      ["total", "9"],
      ["data.count", "7"],
      ["data._links.next", '{"href":"/2", "total":4}'],
      ["data.links.next", ""],
      ["meta.hasMore", "true"],
      ["meta.pagination.total", "1"],
      ["Next-Page", '[ "a" ]'],
      ["error", '{"a" : 1}'],
    ],
  );
  assert.deepEqual(read(response, ["data", "items"], { evidence: false }).summary.evidence, []);
  const detected = read('{"items":[1],"paging":{"total":5}}', undefined, { evidence: true }).summary.evidence;
  assert.deepEqual(
    detected.map(({ path }) => path),
    [["paging", "total"]],
  );
});

test("the text of evidence is kept up to 4,096 characters and that of watched values whole, wherever the body is cut", () => {
  const long = JSON.stringify({ a: "x".repeat(5000) });
  const response = `{"items":[1],"next" : [ {"rel":"next"} , [ ] ],"continue":${long},"token":{"a":[1, 2]},"error":null}`;
  for (const size of [1, 2, 3, 7, 64, 100_000]) {
    const reader = new DocumentReader({
      dataField: ["items"],
      watch: [["token"], ["continue"]],
      evidence: true,
      lines: () => {},
    });
    for (let at = 0; at < response.length; at += size) reader.write(Buffer.from(response.slice(at, at + size)));
    const { evidence, watched, beginning } = reader.end();
    const texts = new Map(evidence.map(({ path, value }) => [path.join("."), value]));
    assert.deepEqual(texts.get("next"), { type: "array", text: '[ {"rel":"next"} , [ ] ]', empty: false });
    assert.equal(texts.get("continue")?.text, long.slice(0, 4096));
    assert.equal(watched.get(watchKey(["continue"]))?.text, long);
    assert.deepEqual(watched.get(watchKey(["token"])), { type: "object", text: '{"a":[1, 2]}', empty: false });
    assert.equal(beginning, response.slice(0, 4096));
  }
});

test("a list named errors at the root is taken for the records only if dataField names it", () => {
  for (const both of ['{"errors":[],"items":[1,2]}', '{"items":[1],"errors":[{"message":"x"}]}']) {
    assert.throws(() => read(both, undefined), /arrays at its root/);
  }
  const { records, found, elsewhere } = read('{"errors":[{"message":"x"}]}', undefined).summary;
  assert.deepEqual([records, found, elsewhere], [0, false, undefined]);
  assert.equal(read('{"errors":[{"message":"x"}]}', ["data"]).summary.elsewhere, undefined);
  assert.equal(read('{"errors":[{"message":"x"}]}', ["errors"]).summary.records, 1);
});

test("a record that is not an element of a list is reported with the only list of objects in it", () => {
  const within = (body: string): [boolean, string | undefined] => {
    const { single, listWithin } = read(body, ["hits"]).summary;
    return [single, listWithin];
  };
  assert.deepEqual(within('{"hits":{"total":3,"hits":[{"a":1},{"a":2}]}}'), [true, "hits"]);
  assert.deepEqual(within('{"hits":{"a":[{},{}],"b":[{},{}]}}'), [true, undefined]);
  assert.deepEqual(within('{"hits":{"a":[{}],"b":[1,2],"c":[{},1]}}'), [true, undefined]);
  assert.deepEqual(within('{"hits":[{"hits":[{},{}]}]}'), [false, undefined]);
  assert.deepEqual(within('{"hits":null}'), [false, undefined]);
});

test("if the data field is missing, another list of objects is reported", () => {
  assert.equal(read('{"result":{"rows":[{"a":1}]}}', ["items"]).summary.elsewhere, "result.rows");
  assert.equal(read('{"tags":["x"],"rows":[1,{}]}', ["items"]).summary.elsewhere, "rows");
  assert.equal(read('[{"a":1}]', ["items"]).summary.elsewhere, ".");
  assert.equal(read('{"rows":[{}],"items":[]}', ["items"]).summary.elsewhere, undefined);
  assert.equal(read('{"tags":["x"]}', ["items"]).summary.elsewhere, undefined);
});

test("a body that is not JSON is reported at once, with the place and its beginning", () => {
  const html = fault("<!doctype html><title>Sign in</title>\u0007", ["items"]);
  assert.equal(html.offset, 0);
  assert.match(
    html.message,
    /unexpected "<" at byte 0; the body begins with "<!doctype html><title>Sign in<\/title>\\x07"/,
  );
  const reader = new DocumentReader({ dataField: undefined, watch: [], evidence: false, lines: () => {} });
  assert.throws(() => reader.write(Buffer.from(" <")), DataFault);
  const rows: [string, number][] = [
    ['{"items":[1,]}', 12],
    ['{"items":[1 2]}', 12],
    ['{"items":["\u0001"]}', 11],
    ['{"items":[01]}', 11],
    ['{"items":[1]} x', 14],
    ['{"items":[1]}{"items":[2]}', 13],
    ['{"x":"\u0001","items":[]}', 6],
    ['{"x":[nul],"items":[]}', 9],
  ];
  for (const [text, offset] of rows) {
    const broken = fault(text, ["items"]);
    assert.equal(broken.offset, offset, `${text}: ${broken.message}`);
    assert.ok(!(broken instanceof IncompleteDocument));
  }
});

test("a document that ends too early is an incomplete document", () => {
  for (const text of ["{", '{"items":[{"a":1}', '{"items":[1],"x":tr', '["a', "[1", "-", '"x', '{"items":[1]']) {
    assert.ok(fault(text, ["items"]) instanceof IncompleteDocument, text);
    assert.ok(fault(text, []) instanceof IncompleteDocument, text);
    assert.ok(fault(text, undefined) instanceof IncompleteDocument, text);
  }
});

test("bytes that are not UTF-8 become U+FFFD", () => {
  const bytes = Buffer.concat([Buffer.from('{"items":["a'), Buffer.from([0xff]), Buffer.from('","é"]}')]);
  const { lines, summary } = read(bytes, ["items"]);
  assert.equal(lines, '"a\ufffd"\n"é"\n');
  assert.equal(summary.invalidUtf8, true);
  assert.equal(read('["é😀"]', undefined).summary.invalidUtf8, false);
});

test("a response beyond a limit is refused, and the error states the limit, with its option if it has one", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.equal(read(deep(5), undefined, { maxDepth: 5 }).summary.records, 1);
  assert.match(fault(deep(6), undefined, { maxDepth: 5 }).message, /5 levels; --max-depth/);
  for (const [inside, dataField] of [
    [deep(3), ["a", "b"]],
    [deep(3), ["x"]],
    [deep(3), ["a"]],
  ] as const) {
    const text = `{"a":{"b":${inside}}}`;
    assert.equal(read(text, dataField, { maxDepth: 5 }).summary.empty, false, text);
    assert.match(fault(text, dataField, { maxDepth: 4 }).message, /4 levels; --max-depth/, text);
  }
  const objects = `${'{"a":'.repeat(6)}1${"}".repeat(6)}`;
  assert.match(fault(objects, ["a", "a", "a", "a", "a", "a"], { maxDepth: 5 }).message, /--max-depth/);
  assert.equal(read('["12345678"]', undefined, { maxRecordBytes: 10 }).lines, '"12345678"\n');
  assert.match(fault('["123456789"]', undefined, { maxRecordBytes: 10 }).message, /10 bytes; --max-record-bytes/);
  assert.match(fault('{"a":"1234567890', ["a"], { maxRecordBytes: 10 }).message, /--max-record-bytes/);
  assert.equal(read(`{"a":[],"${"k".repeat(9)}":1}`, ["a"], { maxStringBytes: 10 }).summary.found, true);
  assert.match(fault(`{"a":[],"${"k".repeat(20)}":1}`, ["a"], { maxStringBytes: 10 }).message, /longer than 10 bytes/);
  const watched = `{"w":"${"v".repeat(20)}","a":[]}`;
  assert.match(fault(watched, ["a"], { maxStringBytes: 10, watch: [["w"]] }).message, /longer than 10 bytes/);
  assert.equal(
    read(watched, ["a"], { maxStringBytes: 10 }).summary.found,
    true,
    "a value that nothing watches may be longer",
  );
});

test("a record that outgrows the scanner's memory is accepted up to the limit, to the byte", () => {
  const record = `"${"x".repeat(700_000)}"`;
  const text = `[${record}]`;
  // In two pieces: the first exceeds the memory, the second exceeds the limit, and may or may not end the record.
  for (const cut of [600_000, 650_000, text.length - 1]) {
    const pieces = [text.slice(0, cut), text.slice(cut)].map((piece) => Buffer.from(piece));
    const taken: Buffer[] = [];
    const readerFor = (maxRecordBytes: number) =>
      new DocumentReader({
        dataField: [],
        watch: [],
        evidence: false,
        maxRecordBytes,
        lines: (bytes) => taken.push(bytes),
      });
    const reader = readerFor(record.length);
    for (const piece of pieces) reader.write(piece);
    assert.equal(reader.end().records, 1);
    assert.equal(Buffer.concat(taken).toString(), `${record}\n`);
    const strict = readerFor(record.length - 1);
    assert.throws(
      () => {
        for (const piece of pieces) strict.write(piece);
      },
      new RegExp(`longer than ${record.length - 1} bytes`),
      `cut at ${cut}`,
    );
  }
});

test("lines come in portions, each in its own buffer, and a long record comes whole", () => {
  const record = JSON.stringify({ text: "x".repeat(1000) });
  const text = `{"items":[${Array(500).fill(record).join(",\n ")}]}`;
  const sizes: number[] = [];
  const kept: Buffer[] = [];
  const lines = (bytes: Buffer) => {
    sizes.push(bytes.length);
    kept.push(bytes);
  };
  const reader = new DocumentReader({ dataField: ["items"], watch: [], evidence: false, lines });
  for (let at = 0; at < text.length; at += 7000) reader.write(Buffer.from(text.slice(at, at + 7000)));
  assert.equal(reader.end().records, 500);
  assert.equal(Buffer.concat(kept).toString(), `${record}\n`.repeat(500));
  assert.ok(
    sizes.slice(0, -1).every((size) => size >= 196_608 && size < 210_000),
    String(sizes),
  );

  const long = JSON.stringify({ text: "é".repeat(1_500_000), more: [1] });
  const { lines: whole } = readPieces([Buffer.from(`[1,${long}, 2,${long}]`)], { dataField: undefined });
  assert.equal(whole, `1\n${long}\n2\n${long}\n`);
});

test("flush emits the lines that are whole", () => {
  const seen: string[] = [];
  const lines = (bytes: Buffer) => seen.push(bytes.toString());
  const reader = new DocumentReader({ dataField: [], watch: [], evidence: false, lines });
  reader.write(Buffer.from('[1,{"a":2},"x'));
  assert.deepEqual(seen, []);
  reader.flush();
  assert.deepEqual(seen, ['1\n{"a":2}\n']);
  reader.write(Buffer.from('y"]'));
  reader.end();
  assert.deepEqual(seen, ['1\n{"a":2}\n', '"xy"\n']);
});

test("parallel readers do not affect each other, even if one fails", () => {
  const outputs = ["", "", ""];
  const readers = outputs.map(
    (_, index) =>
      new DocumentReader({
        dataField: [],
        watch: [],
        evidence: false,
        lines(bytes) {
          outputs[index] += bytes.toString();
        },
      }),
  );
  for (const part of ['[{"a":', "1}", ",2"]) for (const reader of readers) reader.write(Buffer.from(part));
  assert.throws(() => readers[2]?.write(Buffer.from("}")), DataFault);
  for (const reader of readers.slice(0, 2)) reader.write(Buffer.from(",3]"));
  for (const reader of readers.slice(0, 2)) reader.end();
  // Records that were complete before the fault are written; the 2 might have continued.
  assert.deepEqual(outputs, ['{"a":1}\n2\n3\n', '{"a":1}\n2\n3\n', '{"a":1}\n']);
  assert.equal(read("[7]", undefined).lines, "7\n");
});

test("large values that nothing reads are skipped and are no evidence", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `"k${index}":{"v":[${index}],"t":"${"y".repeat(50)}"}`);
  const text = `{"index":{${many.join(",")}},"items":[1],"rest":[${Array(50_000).fill("{}").join()}]}`;
  const pieces: Buffer[] = [];
  for (let at = 0; at < text.length; at += 65_536) pieces.push(Buffer.from(text.slice(at, at + 65_536)));
  const { lines, summary } = readPieces(pieces, { dataField: ["items"], evidence: true });
  assert.equal(lines, "1\n");
  assert.deepEqual(summary.evidence, []);
});
