import assert from "node:assert/strict";
import { test } from "node:test";
import { inTurn, startApi, text } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

type Options = Parameters<typeof runHere>[1];

/** Runs one job with answers that have these bodies, in turn. */
async function runOver(bodies: readonly string[], job: object, api: object = {}, options: Options = {}) {
  await using server = await startApi(inTurn(...bodies.map((body) => text(body))));
  const configuration = { api: { baseUrl: server.url, ...api }, config: { jobs: [{ endpoint: "x", ...job }] } };
  const { output, result, events } = await runHere(configuration, options);
  return {
    lines: output.split("\n").slice(0, -1),
    result,
    job: result.jobs[0],
    warnings: events.filter(({ event }) => event === "warning").map(({ message }) => message),
    targets: server.targets(),
  };
}

const orders = { path: "orders", each: ["items", "*"] };

test("elements of lists in lists are the records, unchanged and in order", async () => {
  const body =
    '{"orders":[{"id":1, "items":[{"n": 9007199254740993},7]},{"id":2,"items":[]},{"id":3,"items":null},{"id":4},' +
    '{"items":[[1.10, 2]]}]}';
  const { lines, job, warnings } = await runOver([body], { dataField: orders });
  assert.deepEqual(lines, ['{"n":9007199254740993}', "7", "[1.10,2]"]);
  assert.deepEqual([job?.verdict, job?.records, warnings], ["complete", 3, []]);
});

test("stars and names may alternate in any order", async () => {
  const rows: readonly (readonly [each: readonly string[], body: string, lines: readonly string[]])[] = [
    [["*"], '{"a":[[1,2],[],[3]]}', ["1", "2", "3"]],
    [["*", "*"], '{"a":[[[1],[2]],[[3]]]}', ["1", "2", "3"]],
    [
      ["b.c", "*", "d", "0", "*", "e"],
      '{"a":[{"b.c":[{"d":[[{"e":1},{"e":2}]]},{"d":[[{"e":null}]]}]}]}',
      ["1", "2", "null"],
    ],
    [["b", "*"], '{"a":{"b":[1,2]}}', ["1", "2"]],
    [["b"], '{"a":[{"b":1},{"b":{"c":2}}]}', ["1", '{"c":2}']],
  ];
  for (const [each, body, lines] of rows) {
    const outcome = await runOver([body], { dataField: { path: "a", each } });
    assert.deepEqual([outcome.lines, outcome.job?.verdict], [lines, "complete"], JSON.stringify(each));
  }
});

test("a number or a literal is a record, but in place of a list, null, 0 and false mean no records", async () => {
  const { lines, job } = await runOver(['{"a":[null,[1],0,[2],false]}'], { dataField: { path: "a", each: ["*"] } });
  assert.deepEqual([lines, job?.verdict], [["1", "2"], "complete"]);
  assert.deepEqual((await runOver(['{"a":[5,true,6]}'], { dataField: { path: "a", each: "." } })).lines, [
    "5",
    "true",
    "6",
  ]);
});

/** Numbered records, separated by commas: a text of more than 8 MiB. */
const manyItems = Array.from({ length: 9_000 }, (_, id) => `{"id": ${id}, "text": "${"x".repeat(1000)}"}`).join(",");

test("an element of more than 8 MiB gives all its records, and paging reads values beside and inside the list of records", async () => {
  const bodies = [`{"n": {"after": "t1"}, "items": [${manyItems}], "n": {"after": "t2"}}`, '{"n": {}, "items": [7]}'];
  const pagination = { method: "response.param", responseParam: { lastRecord: "n.after" }, queryParam: "after" };
  const dataField = { path: ".", each: ["items", "*"] };
  const expected = [
    ...manyItems
      .replaceAll(": ", ":")
      .replaceAll(", ", ",")
      .split(/(?<=}),/),
    "7",
  ];
  const beside = await runOver(bodies, { dataField }, { pagination });
  assert.deepEqual([beside.targets, beside.job?.verdict], [["/x", "/x?after=t2"], "complete"]);
  assert.deepEqual(beside.lines, expected);
  const watched = { method: "response.param", responseParam: "n.after", queryParam: "after" };
  const read = await runOver(bodies, { dataField }, { pagination: watched });
  assert.deepEqual([read.targets, read.lines.length], [["/x", "/x?after=t2"], expected.length]);
  // If paging reads a value inside the list, the whole element is kept in memory.
  const within = { method: "response.param", responseParam: { lastRecord: "items.8999.id" }, queryParam: "after" };
  const held = await runOver(bodies, { dataField }, { pagination: within });
  assert.deepEqual([held.targets, held.lines], [["/x", "/x?after=8999"], expected]);
});

test("two lists with one name are an error in an element of more than 8 MiB, and in a smaller element, the last one counts", async () => {
  const twice = await runOver([`{"orders": [{"items": [${manyItems}], "items": [1]}]}`], { dataField: orders });
  assert.match(
    twice.result.failure?.message ?? "",
    /element 1 of "orders", which is longer than 8388608 bytes, has the key "items" twice: it is unclear which records are meant/,
  );
  const small = await runOver(['{"orders": [{"items": [1, 2], "items": [3]}]}'], { dataField: orders });
  assert.deepEqual(small.lines, ["3"]);
});

test("the greatest size of a record applies to an innermost element, whatever the size of the element around it", async () => {
  const options = { maxRecordBytes: 2000 };
  for (const items of [`${'{"id":1},'.repeat(1000)}2`, manyItems]) {
    const { result } = await runOver([`{"orders":[{"items":[${items}]}]}`], { dataField: orders }, {}, options);
    assert.equal(result.failure, undefined);
    const longer = await runOver(
      [`{"orders":[{"items":[${items},"${"y".repeat(2000)}"]}]}`],
      { dataField: orders },
      {},
      options,
    );
    assert.match(
      longer.result.failure?.message ?? "",
      /element \d+ of "items" of element 1 of "orders" is longer than 2000 bytes; --max-record-bytes allows more/,
    );
  }
});

test("the values of a map may contain lists, and each record gets the key of its value", async () => {
  const dataField = { path: "days", values: true, key: "day", each: ["rates", "*"] };
  const body = '{"days":{"mon":{"rates":[{"v":1},{"v":2}]},"tue":{"rates":[]},"wed":{"rates":[3]}}}';
  const expected = ['{"v":1,"day":"mon"}', '{"v":2,"day":"mon"}', '{"data":3,"day":"wed"}'];
  assert.deepEqual((await runOver([body], { dataField })).lines, expected);
  const lined = await runOver([`${body}\n${body}\n`], { dataField, format: "ndjson" });
  assert.deepEqual(lined.lines, [...expected, ...expected]);
});

test("paging counts the outer elements, also on a page without records, and lastRecord reads the last of them", async () => {
  const page = (...ids: readonly number[]) =>
    JSON.stringify({ total: 5, orders: ids.map((id) => ({ id, items: id % 2 === 1 ? [] : [id * 10, id * 10 + 1] })) });
  const offset = await runOver(
    [page(1, 3), page(5, 7), page(2)],
    { dataField: orders },
    { pagination: { method: "offset", limit: 2 } },
  );
  assert.deepEqual(offset.targets, ["/x?limit=2&offset=0", "/x?limit=2&offset=2", "/x?limit=2&offset=4"]);
  assert.deepEqual([offset.lines, offset.job?.verdict], [["20", "21"], "complete"]);
  const pagination = { method: "response.param", responseParam: { lastRecord: "id" }, queryParam: "after" };
  const last = await runOver([page(2, 1), page(4, 3), '{"orders":[]}'], { dataField: orders }, { pagination });
  assert.deepEqual(last.targets, ["/x", "/x?after=1", "/x?after=3"]);
  assert.deepEqual(last.lines, ["20", "21", "40", "41"]);
});

test("an offset job is suspect if its API counts the inner records, and not if it counts the outer ones", async () => {
  const records = Array.from({ length: 17 }, (_, id) => ({ id }));
  const groups = (some: readonly object[]): unknown => ({
    orders: some.length === 0 ? [] : [{ items: some.slice(0, 2) }, { items: some.slice(2) }],
  });
  const inner = (offset: number): unknown => groups(records.slice(offset, offset + 5));
  const outer = (offset: number): unknown => groups(records.slice(offset * 3, offset * 3 + 6));
  for (const [page, verdict] of [
    [inner, "suspect"],
    [outer, "complete"],
  ] as const) {
    await using api = await startApi(({ params }) => page(Number(params.get("offset"))));
    const configuration = {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: "unknown" } },
      config: { jobs: [{ endpoint: "x", dataField: orders }] },
    };
    const { result } = await runHere(configuration);
    const [job] = result.jobs;
    assert.equal(job?.verdict, verdict, job?.reason);
    if (page === outer) continue;
    assert.match(
      job?.reason ?? "",
      /page 2 begins with records of the page before it: the API counts the records of the inner/,
    );
    const unique = await runHere(configuration, { unique: "id" });
    assert.deepEqual([unique.result.jobs[0]?.records, unique.result.jobs[0]?.verdict], [17, "complete"]);
  }
});

test("an offset job whose API counts the inner records is suspect even with 13,000 records on a page", async () => {
  const inner = (offset: number): unknown => ({
    orders: Array.from({ length: 130 }, (_, group) => ({
      items: Array.from({ length: 100 }, (_, index) => ({ id: offset + group * 100 + index })),
    })),
  });
  await using api = await startApi(({ params }) => {
    const offset = Number(params.get("offset"));
    return offset > 130 ? { orders: [] } : inner(offset);
  });
  const { result } = await runHere({
    api: { baseUrl: api.url, pagination: { method: "offset", limit: "unknown" } },
    config: { jobs: [{ endpoint: "x", dataField: orders }] },
  });
  assert.match(result.jobs[0]?.reason ?? "", /page 2 begins with records of the page before it/);
});

test("a short page is suspect if it has exactly as many inner records as requested, unless the API says that it is the last", async () => {
  const page = (counts: readonly number[], beside: object = {}): string =>
    JSON.stringify({
      ...beside,
      orders: counts.map((count, id) => ({ items: Array.from({ length: count }, (_, n) => [id, n]) })),
    });
  const rows: readonly (readonly [page: string, verdict: string, job?: object])[] = [
    [page([2, 3]), "suspect"],
    [page([2, 3]), "complete", { evidence: false }],
    [page([2, 3], { total: 2 }), "complete"],
    [page([2, 3], { has_more: false }), "complete"],
    [page([2, 2]), "complete"],
    [page([2, 4]), "complete"],
    [page([5]), "suspect"],
  ];
  for (const method of ["offset", "pagenum"]) {
    for (const [body, verdict, job] of rows) {
      const pagination = { method, limit: 5 };
      const { lines, job: outcome } = await runOver([body], { dataField: orders, ...job }, { pagination });
      assert.equal(outcome?.verdict, verdict, `${method} ${body}: ${outcome?.reason}`);
      assert.equal(outcome?.records, lines.length);
      if (verdict === "complete") continue;
      assert.match(
        outcome?.reason ?? "",
        /fewer than the requested 5: its elements hold 5 records in lists, exactly the page size, .*"limit": "unknown" continues until an empty page$/,
      );
    }
    const unknown = { method, limit: "unknown" };
    const { job } = await runOver([page([2, 3]), page([])], { dataField: orders }, { pagination: unknown });
    assert.deepEqual([job?.verdict, job?.records], ["complete", 5]);
    // After a probe, a page of one element whose list is as long as the page size is suspect, too.
    const probed = { method, limit: 5, probeEnd: true };
    const second = JSON.stringify({ orders: [{ items: [6, 7, 8, 9, 10] }] });
    const later = await runOver([page([2, 3]), second], { dataField: orders }, { pagination: probed });
    assert.deepEqual([later.job?.verdict, later.job?.records], ["suspect", 10]);
    // A full page whose elements have one record each does not show what the API counts; any other full page does.
    const ones = page([1, 1, 1, 1, 1]);
    const afterFull: readonly (readonly [pages: readonly string[], verdict: string])[] = [
      [[ones, second], "suspect"],
      [[ones, ones.replaceAll("[0,", "[9,"), second], "suspect"],
      [[ones, page([2, 2])], "complete"],
      [[ones, page([2, 3], { total: 7 })], "complete"],
      [[ones, page([2, 3], { has_more: false })], "complete"],
      [[page([1, 1, 1, 1, 2]), second], "complete"],
      [[page([1, 1, 1, 0, 1]), second], "complete"],
      [[ones, page([1, 1, 1, 3, 1]).replaceAll("[0,", "[9,"), second], "complete"],
    ];
    for (const [pages, verdict] of afterFull) {
      const { job } = await runOver(pages, { dataField: orders }, { pagination: { method, limit: 5 } });
      assert.equal(job?.verdict, verdict, `${method} ${pages.join()}: ${job?.reason}`);
    }
  }
});

test("pages of one outer element are different if their inner records differ", async () => {
  const page = (...ids: readonly number[]) => JSON.stringify({ orders: [{ id: 1, items: ids.map((id) => ({ id })) }] });
  const pagination = { method: "pagenum" };
  const bodies = [page(1, 2), page(3, 4), '{"orders":[]}'];
  const { lines, job } = await runOver(bodies, { dataField: orders }, { pagination });
  assert.deepEqual([lines.length, job?.verdict], [4, "complete"]);
  const again = await runOver([page(1, 2), page(1, 2)], { dataField: orders }, { pagination });
  assert.deepEqual([again.lines.length, again.job?.verdict], [2, "suspect"]);
});

test("increments, --unique and child jobs use the inner records", async () => {
  await using api = await startApi({
    "/orders": () => ({
      total: 2,
      orders: [
        {
          items: [
            { id: 1, t: 5 },
            { id: 2, t: 7 },
          ],
        },
        { items: [{ id: 2, t: 9 }] },
      ],
    }),
    "*": ({ path }) => [{ path }],
  });
  const job = {
    endpoint: "orders",
    dataField: orders,
    incremental: { path: "t", type: "number" },
    children: [{ endpoint: "items/{id}", placeholders: { id: "id" }, dataType: "details" }],
  };
  const configuration = { api: { baseUrl: api.url }, config: { jobs: [job] } };
  const { output, result } = await runHere(configuration, { unique: "id" });
  assert.equal(output.split("\n").filter((line) => line.includes('"t"')).length, 2);
  assert.deepEqual(api.targets(), ["/orders", "/items/1", "/items/2"]);
  assert.deepEqual([result.jobs[0]?.verdict, result.jobs[0]?.records], ["complete", 2]);
});

test("another value where a list must be, or a missing value, is a data error that names the element", async () => {
  const rows: readonly (readonly [body: string, each: readonly string[], message: RegExp])[] = [
    ['[{"items":[1]},{"items":{"a":1}}]', ["items", "*"], /element 2 of "\." has an object at "items"/],
    ['[{"items":"error: timeout"}]', ["items", "*"], /element 1 of "\." has a string at "items"/],
    [
      '[{"items":[{"v":1},{"w":1}]}]',
      ["items", "*", "v"],
      /element 2 of "items" of element 1 of "\." has nothing at "v"/,
    ],
  ];
  for (const [body, each, message] of rows) {
    const { result, lines } = await runOver([body], { dataField: { path: ".", each } });
    assert.deepEqual([result.exitCode, lines], [65, []], body);
    assert.match(result.failure?.message ?? "", message);
  }
});

test("a misspelt list is a warning, and makes the job suspect if the elements have another list of objects", async () => {
  const body = '{"orders":[{"id":1,"itmes":[{"n":1},{"n":2}]},{"id":2}]}';
  const wrong = await runOver([body], { dataField: orders });
  assert.deepEqual(wrong.warnings, ['no element of "orders" has a list at "items"']);
  assert.equal(wrong.job?.verdict, "suspect");
  assert.match(
    wrong.job?.reason ?? "",
    /no element of "orders" has a list at "items", but "itmes" there contains objects/,
  );
  for (const elements of [
    '{"id":1},{"id":2,"itmes":[{"n":1},{"n":2}]}',
    '{"id":1,"itmes":[{"n":1}]},{"id":2,"itmes":[]}',
    '{"id":1,"itmes":[{"n":1},{"n":2}],"taxes":[{"t":1},{"t":2}]}',
  ]) {
    const { job } = await runOver([`{"orders":[${elements}]}`], { dataField: orders });
    assert.equal(job?.verdict, "suspect", elements);
    assert.match(job?.reason ?? "", /but "itmes" there contains objects/);
  }
  const absent = await runOver(['{"orders":[{"id":1,"tags":["new"],"notes":[]}]}'], { dataField: orders });
  assert.deepEqual([absent.job?.verdict, absent.warnings.length], ["complete", 1]);
});

test("an `each` that leads to a list causes one warning, which names the form for the elements of the list", async () => {
  const body = '{"data":[{"items":[{"n":1},{"n":2}]},{"items":[]}]}';
  const dataField = { path: "data", each: "items" };
  const { lines, warnings } = await runOver(
    [body, body],
    { dataField },
    { pagination: { method: "pagenum", forceStop: { pages: 2 } } },
  );
  assert.deepEqual(lines, ['[{"n":1},{"n":2}]', "[]"]);
  assert.equal(warnings.filter((warning) => warning.includes('"each": ["items", "*"]')).length, 1, warnings.join("\n"));
});

test("check describes the records, warns about a * in a path, and refuses an invalid `each`", async () => {
  const check = (dataField: object) => {
    const configuration = { api: { baseUrl: "http://127.0.0.1/" }, config: { jobs: [{ endpoint: "x", dataField }] } };
    return spileHere(["check", "-"], { stdin: JSON.stringify(configuration) });
  };
  const good = await check({ path: "orders", each: ["lines", "*", "item"] });
  assert.match(good.stdout, /a record is "item" of each element of "lines" of each element of "orders"/);
  const stars: readonly (readonly [dataField: unknown, remedy: string])[] = [
    ["orders.*.lines", '{"path": "orders", "each": ["lines"]}'],
    ["orders.*.lines.*", '{"path": "orders", "each": ["lines", "*"]}'],
    ["orders.*", 'without it, the elements of the list at "orders" are the records'],
    ["*", 'without it, the elements of the list at "." are the records'],
    [{ path: "orders", each: "lines.*" }, '{"path": "orders", "each": ["lines", "*"]}'],
    [{ path: "o/r", delimiter: "/", each: "lines/*/item" }, '{"path": "o.r", "each": ["lines", "*", "item"]}'],
  ];
  for (const [dataField, remedy] of stars) {
    const configuration = { api: { baseUrl: "http://127.0.0.1/" }, config: { jobs: [{ endpoint: "x", dataField }] } };
    const { stderr } = await spileHere(["check", "-"], { stdin: JSON.stringify(configuration) });
    assert.ok(stderr.includes(`"*" is read as the name of a member; ${remedy}`), stderr);
  }
  for (const each of [[], [""], [1], 3]) {
    const bad = await check({ path: "orders", each });
    assert.equal(bad.code, 78, JSON.stringify(each));
    assert.match(bad.stderr, /\/config\/jobs\/0\/dataField\/each/);
  }
  const number = await check({ path: "orders", each: [0, "id"] });
  assert.match(number.stderr, /each\/0: must be the name of a member, an index such as `"0"`, or `\*`, not 0/);
});
