import assert from "node:assert/strict";
import { test } from "node:test";
import { broken, inTurn, startApi, text } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

interface Outcome {
  readonly lines: readonly string[];
  readonly exitCode: number;
  readonly failure: string | undefined;
  readonly reason: string | undefined;
  readonly warnings: readonly string[];
}

type Options = Parameters<typeof runHere>[1];

async function outcomeOf(configuration: unknown, options: Options = {}): Promise<Outcome> {
  const { output, result, events } = await runHere(configuration, options);
  return {
    lines: output.split("\n").slice(0, -1),
    exitCode: result.exitCode,
    failure: result.failure?.message,
    reason: result.jobs[0]?.reason,
    warnings: events.filter(({ event }) => event === "warning").map(({ message }) => message),
  };
}

/** Runs one job with answers that have these bodies, in turn. */
async function runOver(
  bodies: readonly string[],
  job: object,
  more: object = {},
  options: Options = {},
): Promise<Outcome> {
  await using api = await startApi(inTurn(...bodies.map((body) => text(body))));
  const { config, ...apiOwn } = more as { readonly config?: object };
  return await outcomeOf(
    { api: { baseUrl: api.url, ...apiOwn }, config: { ...config, jobs: [{ endpoint: "x", ...job }] } },
    options,
  );
}

test("the key becomes a column after the value's members and before user data, with a suffix if its name is taken", async () => {
  const body =
    '{"query":{"pages":{"12":{"title":"A", "id":9007199254740993},"\\u002d1":{"page":"own"},"s":"text","n":null}}}';
  const { lines, exitCode } = await runOver([body], {
    dataField: { path: "query.pages", values: true, key: "page" },
    userData: { run: 1 },
  });
  assert.equal(exitCode, 0);
  assert.deepEqual(lines, [
    '{"title":"A","id":9007199254740993,"page":"12","run":1}',
    '{"page":"own","page_u0":"\\u002d1","run":1}',
    '{"data":"text","page":"s","run":1}',
    '{"data":null,"page":"n","run":1}',
  ]);
});

test("a list or an empty value is accepted in place of a map, and any other value is a data error", async () => {
  const rows: readonly (readonly [at: string, lines: readonly string[], exitCode: number])[] = [
    ['{"b":{"x":1},"a":2,"b":3}', ['{"x":1,"k":"b"}', '{"data":2,"k":"a"}', '{"data":3,"k":"b"}'], 0],
    ["{}", [], 0],
    ["[]", [], 0],
    ["null", [], 0],
    ["false", [], 0],
    ['""', [], 0],
    // PHP writes a map with the keys 0, 1, 2 in this form.
    ['[{"x":1},7]', ['{"x":1,"k":"0"}', '{"data":7,"k":"1"}'], 0],
    ['"no such page"', [], 65],
    ["17", [], 65],
    ["true", [], 65],
  ];
  for (const [at, lines, exitCode] of rows) {
    const dataField = { path: "a.b", values: true, key: "k" };
    const outcome = await runOver([`{"a":{"b":${at}}}`], { dataField });
    assert.deepEqual([outcome.lines, outcome.exitCode], [lines, exitCode], at);
    if (exitCode !== 0) assert.match(outcome.failure ?? "", /"a\.b" is a (string|number|boolean); with "values"/);
  }
  const root = await runOver(['{"a":{"x":1},"b":[2]}'], { dataField: { path: ".", values: true } });
  assert.deepEqual(root.lines, ['{"x":1}', "[2]"]);
});

test("paging counts the values of a map, and pages with equal values but other keys are different", async () => {
  const page = (from: number) => `{"items":{"k${from}":{"v":1},"k${from + 1}":{"v":1}}}`;
  const pagination = { method: "offset", limit: 2 };
  const dataField = { path: "items", values: true };
  const plain = await runOver([page(1), page(3), '{"items":[]}'], { dataField }, { pagination });
  assert.deepEqual([plain.lines.length, plain.exitCode], [4, 0]);
  const short = await runOver([page(1), '{"items":{"k3":{"v":1}}}'], { dataField }, { pagination });
  assert.deepEqual([short.lines.length, short.exitCode], [3, 0]);
  const repeated = await runOver([page(1), page(1)], { dataField }, { pagination });
  assert.equal(repeated.lines.length, 2);
  assert.match(repeated.reason ?? "", /page 2 repeats the 2 records/);
});

test("mappings, the filter and child jobs use a map's values and keys", async () => {
  await using api = await startApi({
    "/teams": () => ({ red: { id: 1, of: { a: 1 } }, blue: { id: 2, of: [] } }),
    "/teams/red": () => ["r"],
    "/teams/blue": () => ["b"],
  });
  const job = {
    endpoint: "teams",
    dataField: { path: ".", values: true, key: "name" },
    responseFilter: "of",
    children: [{ endpoint: "teams/{team}", dataField: ".", placeholders: { team: "name" }, dataType: "members" }],
  };
  const plain = await outcomeOf({ api: { baseUrl: api.url }, config: { jobs: [job] } });
  assert.deepEqual(plain.lines, [
    '{"id":1,"of":"{\\"a\\":1}","name":"red"}',
    '{"id":2,"of":[],"name":"blue"}',
    '{"data":"r","parent_name":"red"}',
    '{"data":"b","parent_name":"blue"}',
  ]);
  const mappings = {
    teams: {
      id: { mapping: { destination: "id", primaryKey: true } },
      name: { type: "user", mapping: { destination: "team" } },
    },
  };
  const { children: _, ...alone } = job;
  const mapped = await outcomeOf({ api: { baseUrl: api.url }, config: { jobs: [alone], mappings } });
  assert.deepEqual(mapped.lines, ['{"id":1,"team":"red"}', '{"id":2,"team":"blue"}']);
});

test("with `each`, only the record inside an element is written, while lastRecord and paging use the whole element", async () => {
  const edge = (id: string) => `{"cursor":"c${id}", "node":{"id":${id},"x":1.10}}`;
  await using api = await startApi(({ params }) => {
    const pages: Record<string, string> = {
      "": `${edge("1")},${edge("9007199254740993")}`,
      c9007199254740993: edge("3"),
    };
    return text(`{"data":{"users":{"edges":[${pages[params.get("after") ?? ""] ?? ""}]}}}`);
  });
  const outcome = await outcomeOf({
    api: {
      baseUrl: api.url,
      pagination: { method: "response.param", responseParam: { lastRecord: "cursor" }, queryParam: "after" },
    },
    config: { jobs: [{ endpoint: "x", dataField: { path: "data.users.edges", each: "node" } }] },
  });
  assert.deepEqual(outcome.lines, ['{"id":1,"x":1.10}', '{"id":9007199254740993,"x":1.10}', '{"id":3,"x":1.10}']);
  assert.deepEqual(api.targets(), ["/x", "/x?after=c9007199254740993", "/x?after=c3"]);
  assert.equal(outcome.exitCode, 0, outcome.reason);
});

test("an element without the record is a data error that gives the element's number, and lines before it are written only without a hold", async () => {
  const dataField = { path: "rows", each: "doc.v" };
  const body = '{"rows":[{"doc":{"v":1}},{"doc":{"v":null}},{"doc":{"w":1}},{"doc":{"v":4}}]}';
  const held = await runOver([body], { dataField });
  assert.deepEqual([held.lines, held.exitCode], [[], 65]);
  assert.match(held.failure ?? "", /http:\/\/127.*: element 3 of "rows" has nothing at "doc\.v"/);
  const flowing = await runOver([body], { dataField }, {}, { hold: 0 });
  assert.deepEqual([flowing.lines, flowing.exitCode], [["1", "null"], 65]);
  // A value that is not a list is one element.
  assert.deepEqual((await runOver(['{"rows":{"doc":{"v":[1, 2]}}}'], { dataField })).lines, ["[1,2]"]);
});

test("a rule takes precedence over the fault of an element without a record", async () => {
  const body = '{"errors":[{"message":"not allowed"}],"data":{"edges":[null]}}';
  const rule = JSON.parse('{"when":{"path":"errors"},"then":"fail","message":"errors.0.message"}');
  const job = { dataField: { path: "data.edges", each: "node" } };
  const { exitCode, failure } = await runOver([body], job, { http: { responses: [rule] } });
  assert.equal(exitCode, 69);
  assert.match(failure ?? "", /not allowed/);
});

test("values of a map, and records in each of them, are read from documents and from lines", async () => {
  const dataField = { path: "m", values: true, key: "k", each: "doc" };
  const line = '{"m":{"a":{"doc":{"x":1}},"b":{"doc":2}}}';
  const lines = ['{"x":1,"k":"a"}', '{"data":2,"k":"b"}'];
  assert.deepEqual((await runOver([line], { dataField })).lines, lines);
  const twice = await runOver([`${line}\n${line}\n{"m":[]}\n{"m":null}\n{}\n`], { dataField, format: "ndjson" });
  assert.deepEqual([twice.lines, twice.exitCode], [[...lines, ...lines], 0]);
  const whole = await runOver(['{"doc":1}\n{"doc":[2]}\n'], {
    dataField: { path: ".", each: "doc" },
    format: "ndjson",
  });
  assert.deepEqual(whole.lines, ["1", "[2]"]);
});

test("after an answer breaks off, its written lines and their keys are compared with the next answer", async () => {
  const member = (index: number) => `"k${index}":{"v":"${"x".repeat(2000)}"}`;
  const body = (first: number) => `{"m":{${Array.from({ length: 400 }, (_, index) => member(first + index)).join()}}}`;
  const job = { endpoint: "x", dataField: { path: "m", values: true, key: "k" } };
  const over = async (again: string): Promise<Outcome> => {
    await using api = await startApi(inTurn(broken.cutWithoutTerminator(body(0), 400_000), text(again)));
    return await outcomeOf({ api: { baseUrl: api.url }, config: { jobs: [job] } }, { hold: 0 });
  };
  const same = await over(body(0));
  assert.deepEqual([same.lines.length, new Set(same.lines).size, same.exitCode], [400, 400, 0]);
  const other = await over(body(1));
  assert.equal(other.exitCode, 65);
  assert.match(other.failure ?? "", /began with other records/);
});

test("a later page without the data field is suspect if it is itself a list of objects", async () => {
  const paging = { pagination: { method: "response.url", urlKey: "next" } };
  const first = '{"items":[{"id":1}],"next":"x?page=2"}';
  const changed = await runOver([first, '[{"id":2}]'], { dataField: "items" }, paging);
  assert.match(changed.reason ?? "", /dataField "items" is not in the response, but "\." contains objects/);
  for (const end of ["{}", "[]", '{"facets":[{"name":"a"}]}']) {
    const ended = await runOver([first, end], { dataField: "items" }, paging);
    assert.doesNotMatch(ended.reason ?? "", /contains objects/, end);
  }
});

test("check describes the records, and refuses a key without a map", async () => {
  const check = async (dataField: object) => {
    const configuration = { api: { baseUrl: "http://127.0.0.1/" }, config: { jobs: [{ endpoint: "x", dataField }] } };
    return spileHere(["check", "-"], { stdin: JSON.stringify(configuration) });
  };
  const map = await check({ path: "query.pages", values: true, key: "page", each: "doc" });
  assert.equal(map.code, 0, map.stderr);
  const description = map.stdout + map.stderr;
  assert.match(description, /a record is "doc" of each value of "query\.pages", with its key in "page"/);
  const wrong = await check({ path: "query.pages", key: "page" });
  assert.equal(wrong.code, 78);
  assert.match(wrong.stderr, /\/config\/jobs\/0\/dataField\/key: .*"values": true/);
});
