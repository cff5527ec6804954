import assert from "node:assert/strict";
import { test } from "node:test";
import { type Received, startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

const ten = Array.from({ length: 10 }, (_, index) => ({ id: index + 1 }));

/** Runs a job. Returns its requests as `METHOD target body`, its lines and its result. */
async function sent(job: object, api: object = {}, answer: (request: Received) => unknown = () => []) {
  await using server = await startApi(answer);
  const configuration = {
    api: { baseUrl: server.url, ...api },
    config: { "#key": "k-1", jobs: [{ endpoint: "x", ...job }] },
  };
  const { result, output } = await runHere(configuration);
  const requests = server.log.map(({ method, target, body }) => `${method} ${target} ${body}`.trim());
  return { requests, output, job: result.jobs[0], failure: result.failure };
}

test("the query is part of the address with every method", async () => {
  const rows: readonly (readonly [job: object, request: string])[] = [
    [
      { method: "POST", params: { a: 1 }, query: { page_size: 20, f: { x: [true] } } },
      'POST /x?page_size=20&f%5Bx%5D%5B0%5D=1 {"a":1}',
    ],
    [{ method: "FORM", params: { a: 1 }, query: { b: "ä" } }, "POST /x?b=%C3%A4 a=1"],
    [{ method: "POST", endpoint: "x?v=2&b=0", query: { b: 1, c: null } }, "POST /x?v=2&b=1 {}"],
    [{ endpoint: "x?v=2", params: { a: 1, b: 2 }, query: { c: 3, a: 4 } }, "GET /x?v=2&d=0&a=4&b=2&c=3"],
    [{ method: "POST", query: { k: { attr: "#key" } }, lists: "comma" }, 'POST /x?k=k-1 {"d":0}'],
  ];
  for (const [job, request] of rows) {
    const defaults =
      request.includes("d=0") || request.includes('"d"') ? { http: { defaultOptions: { params: { d: 0 } } } } : {};
    assert.deepEqual((await sent(job, defaults)).requests, [request]);
  }
});

test("a login's query is merged with the query of a POST, not with its body", async () => {
  const authentication = {
    type: "login",
    loginRequest: { endpoint: "login" },
    apiRequest: { query: { key: "token", other: "token" } },
  };
  const job = { method: "POST", params: { other: 1 }, query: { key: "a" } };
  const { requests } = await sent(job, { authentication }, ({ path }) => (path === "/login" ? { token: "t" } : []));
  assert.equal(requests[1], 'POST /x?other=t&key%5B0%5D=a&key%5B1%5D=t {"other":1}');
});

test("a POST may be paged in its query, and a page size in the job's own query counts", async () => {
  const pagination = { method: "pagenum", limit: 5, pageParam: { query: "page" }, limitParam: { query: "page_size" } };
  const answer = ({ params, body }: Received) => {
    assert.equal(body, '{"status":["PAID"]}');
    const size = Number(params.get("page_size"));
    const start = (Number(params.get("page")) - 1) * size;
    return { total_items: 10, items: ten.slice(start, start + size) };
  };
  const job = { method: "POST", params: { status: ["PAID"] }, dataField: "items" };
  const plain = await sent(job, { pagination }, answer);
  assert.deepEqual(
    plain.requests.map((request) => request.split(" ")[1]),
    ["/x?page=1&page_size=5", "/x?page=2&page_size=5", "/x?page=3&page_size=5"],
  );
  assert.deepEqual([plain.job?.verdict, plain.job?.records], ["complete", 10]);
  const own = await sent({ ...job, query: { page_size: 4, total_required: "true" } }, { pagination }, answer);
  assert.equal(own.requests[2]?.split(" ")[1], "/x?page_size=4&total_required=true&page=3");
  assert.deepEqual([own.job?.verdict, own.job?.records, own.requests.length], ["complete", 10, 3]);
  // A page size in the body does not count as one in the query.
  const body = await sent({ ...job, params: { status: ["PAID"], page_size: 3 } }, { pagination }, ({ params }) => ({
    items: ten.slice(0, params.get("page") === "1" ? 5 : 0),
  }));
  assert.equal(body.requests[0], 'POST /x?page=1&page_size=5 {"status":["PAID"],"page_size":3}');
});

test("paging in the query works for offsets, tokens, nested names and a GET", async () => {
  const offset = {
    method: "offset",
    limit: 5,
    offsetFromJob: true,
    offsetParam: { query: "o" },
    limitParam: { query: "p.n" },
  };
  const form = await sent({ method: "FORM", params: { o: 7 }, query: { o: 2 } }, { pagination: offset }, () =>
    ten.slice(0, 3),
  );
  assert.deepEqual(form.requests, ["POST /x?o=2&p%5Bn%5D=5 o=7"]);
  const get = await sent({ params: { o: 7 } }, { pagination: offset }, () => ten.slice(0, 3));
  assert.deepEqual(get.requests, ["GET /x?o=7&p%5Bn%5D=5"]);
  const token = {
    method: "response.param",
    responseParam: "next",
    queryParam: { query: "cursor" },
    includeParams: true,
  };
  const pages: Record<string, unknown> = { "": { data: [1], next: "a b" }, "a b": { data: [2] } };
  const cursor = await sent(
    { method: "POST", params: { q: 1 }, query: { v: 2 }, dataField: "data" },
    { pagination: token },
    ({ params }) => pages[params.get("cursor") ?? ""],
  );
  assert.deepEqual(cursor.requests, ['POST /x?v=2 {"q":1}', 'POST /x?v=2&cursor=a%20b {"q":1}']);
});

test("includeParams adds the job's query to next addresses, and the job's body stays a body", async () => {
  const pages: Record<string, unknown> = { "": { data: [1], next: "/x?page=2" }, "2": { data: [2] } };
  const answer = ({ params }: Received) => pages[params.get("page") ?? ""];
  const job = { method: "POST", params: { q: 1 }, query: { v: 2 }, dataField: "data" };
  const url = { method: "response.url", urlKey: "next", includeParams: true };
  assert.deepEqual((await sent(job, { pagination: url }, answer)).requests, [
    'POST /x?v=2 {"q":1}',
    'POST /x?page=2&v=2 {"q":1}',
  ]);
  const scroll = {
    method: "response.param",
    responseParam: "next",
    queryParam: "at",
    includeParams: true,
    scrollRequest: { endpoint: "more" },
  };
  const scrolled = await sent(job, { pagination: scroll }, ({ path }) =>
    path === "/x" ? { data: [1], next: "t" } : { data: [] },
  );
  assert.equal(scrolled.requests[1], 'POST /more?v=2 {"q":1,"at":"t"}');
});

test("the query may read placeholders, windows and steps", async () => {
  await using api = await startApi(({ path }) =>
    path === "/users" ? [{ id: 7 }] : path === "/export" ? { job: "j" } : [],
  );
  const notes = {
    endpoint: "notes",
    method: "POST",
    placeholders: { id: "id" },
    query: { user: { placeholder: "id" } },
  };
  const jobs = [
    { endpoint: "users", children: [notes] },
    {
      endpoint: "days",
      method: "POST",
      windows: { from: 0, to: 10, step: "5 seconds" },
      query: { from: { window: "from" } },
    },
    {
      endpoint: "got",
      method: "POST",
      steps: [{ name: "s", endpoint: "export" }],
      query: { id: { step: "s", path: "job" } },
    },
  ];
  const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.deepEqual(api.targets(), ["/users", "/notes?user=7", "/days?from=0", "/days?from=5", "/export", "/got?id=j"]);
});

test("check finds faults in the query, and plan shows the query", async () => {
  const pagination = { method: "pagenum", limit: 5, limitParam: { query: "n" }, pageParam: { query: "p" } };
  const make = (query: object, api: object = { pagination }) =>
    JSON.stringify({
      api: { baseUrl: "http://127.0.0.1/", ...api },
      config: { jobs: [{ endpoint: "x", method: "POST", query }] },
    });
  const rows: readonly (readonly [string, RegExp])[] = [
    [make({ n: "2.5" }), /\/config\/jobs\/0\/query\/n: .*integer of at least 1/],
    [make({ a: { attr: "missing" } }), /\/config\/jobs\/0\/query\/a.*missing/],
    [
      make({}, { pagination: { ...pagination, pageParam: { query: "n" } } }),
      /\/api\/pagination\/pageParam: "n in the query" is also the name of "limitParam": give one of them another name/,
    ],
    [
      make({}, { pagination: { ...pagination, pageParam: { query: "n", path: "n" } } }),
      /needs exactly one of "path", "query", "endpoint", "header"/,
    ],
  ];
  for (const [stdin, message] of rows) {
    const { code, stderr } = await spileHere(["check", "-"], { stdin });
    assert.equal(code, 78, stderr);
    assert.match(stderr, message);
  }
  const plan = await spileHere(["plan", "-"], { stdin: make({ a: 1 }) });
  assert.match(plan.stdout, /"url":"http:\/\/127\.0\.0\.1\/x\?a=1&p=1&n=5"/);
});
