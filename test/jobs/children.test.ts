import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobPlan } from "../../src/compile/plan.ts";
import { fixedInFlight } from "../../src/pipeline/in-flight.ts";
import type { JobRun } from "../../src/pipeline/job-run.ts";
import { Frontier } from "../../src/pipeline/source/frontier.ts";
import { dataset, json, raw, startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";
import { extractAll } from "./extraction.ts";

const byId = { id: "id" };

test("a page's records come first, then the records of each child job, then the next page", async () => {
  await using api = await startApi({
    "/users": dataset([1, 2, 3].map((id) => ({ id }))),
    "*": ({ path }) => ({ items: [{ at: path }] }),
  });
  const jobs = [
    {
      endpoint: "users",
      dataField: "items",
      children: ["orders", "notes"].map((name) => ({
        endpoint: `users/{id}/${name}`,
        placeholders: byId,
        scroller: "none",
        dataField: "items",
      })),
    },
  ];
  const pagination = {
    method: "multiple",
    scrollers: { default: { method: "offset", limit: 2 }, none: { method: "none" } },
  };
  for (const concurrency of [1, 4]) {
    const { lines, result } = await extractAll(
      { api: { baseUrl: api.url, pagination }, config: { jobs } },
      { concurrency },
    );
    assert.equal(result.exitCode, 0);
    assert.deepEqual(lines, [
      '{"id":1}',
      '{"id":2}',
      '{"at":"/users/1/orders","parent_id":1}',
      '{"at":"/users/2/orders","parent_id":2}',
      '{"at":"/users/1/notes","parent_id":1}',
      '{"at":"/users/2/notes","parent_id":2}',
      '{"id":3}',
      '{"at":"/users/3/orders","parent_id":3}',
      '{"at":"/users/3/notes","parent_id":3}',
    ]);
  }
});

test("children of one page are requested in parallel, and written in order", async () => {
  await using api = await startApi({
    "/users": () => [1, 2, 3].map((id) => ({ id })),
    "*": async ({ path }) => {
      // No child is answered before the list and all three children were requested.
      await api.received(4);
      return [{ path }];
    },
  });
  const jobs = [{ endpoint: "users", children: [{ endpoint: "user/{id}", placeholders: byId }] }];
  const { lines } = await extractAll({ api: { baseUrl: api.url }, config: { jobs } }, { concurrency: 3 });
  assert.deepEqual(
    lines.slice(3),
    [1, 2, 3].map((id) => `{"path":"/user/${id}","parent_id":${id}}`),
  );
});

test("placeholders are read from higher levels, inherited, and replaced by the job's own", async () => {
  await using api = await startApi({
    "/orgs": () => [{ id: "o", name: "acme" }],
    "/orgs/o/teams": () => [{ id: "t", lead: { id: 7 } }],
    "*": () => [{}],
  });
  const leaf = {
    endpoint: "x/{2:org}/{id}/{team}/{lead}",
    placeholders: { "2:org": "name", id: "lead.id", team: "id", lead: "lead.id" },
  };
  const teams = { endpoint: "orgs/{id}/teams", placeholders: byId, children: [leaf] };
  const { lines, result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "orgs", children: [teams] }] },
  });
  assert.equal(result.exitCode, 0);
  assert.equal(api.targets().at(-1), "/x/acme/7/t/7");
  // If several placeholders have one path, the last one gives the column.
  assert.equal(lines.at(-1), '{"parent_lead.id":7,"parent_name":"acme","parent_id":"t"}');
});

test("lists make one request for each combination of their values, with the last list changing fastest", async () => {
  await using api = await startApi({
    "/matrix": () => [
      { rows: ["a", "b"], columns: [1, 2] },
      { rows: [], columns: [3] },
    ],
    "*": () => [],
  });
  const child = { endpoint: "cell/{row}/{column}", placeholders: { row: "rows", column: "columns" } };
  const { result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "matrix", children: [child] }] },
  });
  assert.equal(result.exitCode, 0);
  assert.deepEqual(api.targets().slice(1), ["/cell/a/1", "/cell/a/2", "/cell/b/1", "/cell/b/2"]);
});

test("a function gets the value unencoded, and its result is inserted unchanged", async () => {
  await using api = await startApi({ "/users": () => [{ id: "a/b c", ids: [1, 2] }], "*": () => [{}] });
  const value = { placeholder: "value" };
  const child = {
    endpoint: "x/{hash}/{both}/{twice}",
    placeholders: {
      hash: { path: "id", function: "md5", args: [value] },
      both: { path: "ids", function: "implode", args: [",", value] },
      twice: { path: "id", function: "urlencode", args: [value] },
    },
  };
  const { lines, result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "users", children: [child] }] },
  });
  assert.equal(result.failure, undefined);
  assert.equal(api.targets()[1], "/x/de8fd7c21390bd5357235d996f7b2409/1,2/a%2Fb+c");
  assert.equal(lines[1], '{"parent_id":"a%2Fb+c","parent_ids":"1,2"}');
});

test("ids beyond 2^53 and decimals are the same in the address and in the column", async () => {
  await using api = await startApi({
    "/users": () => text('[{"id":13911860366432393,"rate":1.10}]'),
    "*": () => [{}],
  });
  const child = { endpoint: "u/{id}/{rate}", placeholders: { id: "id", rate: "rate" } };
  const { lines } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "users", children: [child] }] },
  });
  assert.equal(api.targets()[1], "/u/13911860366432393/1.10");
  assert.equal(lines[1], '{"parent_id":13911860366432393,"parent_rate":1.10}');
});

test("values are encoded for path or query, and placeholders in them are not filled", async () => {
  await using api = await startApi({ "/users": () => [{ id: "a?b#c&d=é/{name}", name: "n" }], "*": () => [{}] });
  const child = { endpoint: "u/{id}/{name}?q={id}&fixed=%41", placeholders: { id: "id", name: "name" } };
  const { result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "users", children: [child] }] },
  });
  assert.equal(result.exitCode, 0);
  const encoded = "a%3Fb%23c%26d%3D%C3%A9/%7Bname%7D";
  assert.equal(api.targets()[1], `/u/${encoded}/n?q=${encoded}&fixed=%41`);
});

test("the recursion filter reads records after the response filter, and children read its columns", async () => {
  await using api = await startApi({
    "/users": () => [
      { id: 1, kind: "a", tags: { x: [1, 2] } },
      { id: 2, kind: "b", tags: { x: [] } },
      { id: 3, kind: "a", tags: { x: [3] } },
    ],
    "*": () => [{}],
  });
  const jobs = [
    {
      endpoint: "users",
      responseFilter: "tags/x",
      responseFilterDelimiter: "/",
      children: [
        {
          endpoint: "u/{id}?tags={tags}",
          placeholders: { id: "id", tags: "tags.x" },
          recursionFilter: "kind==a&tags.x!=[3]",
        },
      ],
    },
  ];
  const { lines } = await extractAll({ api: { baseUrl: api.url }, config: { jobs } });
  assert.deepEqual(api.targets().slice(1), ["/u/1?tags=%5B1%2C2%5D"]);
  assert.deepEqual(lines, [
    '{"id":1,"kind":"a","tags":{"x":"[1,2]"}}',
    '{"id":2,"kind":"b","tags":{"x":[]}}',
    '{"id":3,"kind":"a","tags":{"x":"[3]"}}',
    '{"parent_id":1,"parent_tags.x":"[1,2]"}',
  ]);
});

test("a child reads a parent record that is not an object by the name `data`, or as a whole", async () => {
  await using api = await startApi({ "/names": () => ["ada", 42], "*": () => ["child"] });
  const child = (path: string) => ({ endpoint: `${path === "." ? "whole" : path}/{n}`, placeholders: { n: path } });
  const { lines, result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "names", children: [child("."), child("data")] }] },
  });
  assert.equal(result.exitCode, 0);
  assert.deepEqual(api.targets().slice(1), ["/whole/ada", "/whole/42", "/data/ada", "/data/42"]);
  assert.deepEqual(lines, [
    '"ada"',
    "42",
    '{"data":"child","parent_.":"ada"}',
    '{"data":"child","parent_.":42}',
    '{"data":"child","parent_data":"ada"}',
    '{"data":"child","parent_data":42}',
  ]);
});

test("a path that begins with `parent` is itself the name of its column, and a name that is taken gets a suffix", async () => {
  await using api = await startApi({
    "/users": () => [{ id: 1, parent_key: "k" }],
    "*": () => [{ parent_id: "own" }],
  });
  const child = { endpoint: "u/{id}/{key}", placeholders: { id: "id", key: "parent_key" } };
  const { lines } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "users", children: [child] }] },
  });
  assert.equal(lines[1], '{"parent_id":"own","parent_id_u0":1,"parent_key":"k"}');
});

test("a missing value, null or an object fails the run, and the error names the job, the placeholder and the path", async () => {
  for (const [record, what] of [
    ['{"x":1}', /has nothing at "owner\.id"/],
    ['{"owner":{"id":null}}', /has null at "owner\.id"/],
    ['{"owner":{"id":{}}}', /has an object or a list in a list at "owner\.id"/],
  ] as const) {
    await using api = await startApi({
      "/users": () => text(`[{"owner":{"id":1}},${record}]`),
      "*": () => [{}],
    });
    const child = { endpoint: "u/{o}", dataType: "owners", placeholders: { o: "owner.id" } };
    const { lines, result } = await extractAll({
      api: { baseUrl: api.url },
      config: { jobs: [{ endpoint: "users", dataType: "people", children: [child] }] },
    });
    assert.equal(result.exitCode, 65);
    assert.equal(result.failure?.job, "owners");
    assert.match(result.failure?.message ?? "", what);
    assert.match(result.failure?.message ?? "", /placeholder "o": a record of "people"/);
    // Everything before the fault is written.
    assert.deepEqual(lines, ['{"owner":{"id":1}}', record, '{"parent_owner.id":1}']);
  }
});

test("a value in a path cannot change the segments around it", async () => {
  const attempts = [
    ["users/{id}/x", ".."],
    ["users/{id}", "."],
    ["users/{id}/x", "a/../../b"],
    ["users/.{id}/x", "."],
    ["{id}/x", ".."],
    ["/{id}", "/evil.example/x"],
  ] as const;
  for (const [endpoint, id] of attempts) {
    await using api = await startApi({ "/list": () => [{ id }], "*": () => [{}] });
    const { result } = await extractAll({
      api: { baseUrl: api.url },
      config: { jobs: [{ endpoint: "list", children: [{ endpoint, placeholders: byId }] }] },
    });
    assert.equal(result.exitCode, 65, `${endpoint} with ${id}`);
    assert.match(result.failure?.message ?? "", /"id": the value ".*" would /);
    assert.equal(api.log.length, 1);
  }
});

test("a function's result in a path cannot change the segments around it, while the endpoint itself may have dot segments", async () => {
  await using api = await startApi({ "/v1/list": () => [{ id: "%2e%2E" }], "*": () => [{}] });
  const job = (endpoint: string, id: unknown) => ({
    api: { baseUrl: `${api.url}/v1/` },
    config: { jobs: [{ endpoint: "list", children: [{ endpoint, placeholders: { id } }] }] },
  });
  const escaped = await extractAll(
    job("u/{id}/x", { path: "id", function: "concat", args: [{ placeholder: "value" }] }),
  );
  assert.equal(escaped.result.exitCode, 65);
  const plain = await extractAll(job("../v2/{id}", "id"));
  assert.equal(plain.result.exitCode, 0);
  assert.equal(api.targets().at(-1), "/v2/%252e%252E");
});

test("a placeholder at the beginning of an endpoint may be an address, and other hosts get no credentials", async () => {
  await using foreign = await startApi({ "*": () => [{ from: "foreign" }] });
  await using api = await startApi({
    "/list": () => [{ next: `${api.url}/a/../own?x=1` }, { next: `${foreign.url}/data` }, { next: "rel/ative" }],
    "*": () => [{ from: "own" }],
  });
  const { lines, warnings, result } = await extractAll({
    api: { baseUrl: api.url, http: { headers: { "X-Key": { attr: "#key" } } } },
    config: {
      "#key": "secret-key",
      jobs: [{ endpoint: "list", children: [{ endpoint: "{url}", placeholders: { url: "next" } }] }],
    },
  });
  assert.equal(result.failure, undefined);
  assert.deepEqual(api.targets().slice(1), ["/own?x=1", "/rel/ative"]);
  assert.equal(api.log[1]?.headers["x-key"], "secret-key");
  assert.deepEqual(foreign.targets(), ["/data"]);
  assert.equal(foreign.log[0]?.headers["x-key"], undefined);
  assert.ok(
    warnings.some((text) => text.includes(foreign.url)),
    warnings.join("\n"),
  );
  assert.equal(lines.length, 6);
});

test("a value with another scheme is an encoded name, not an address", async () => {
  await using api = await startApi({ "/list": () => [{ next: "ftp://127.0.0.1/x" }] });
  const { result } = await extractAll({
    api: { baseUrl: api.url },
    config: {
      jobs: [{ endpoint: "list", children: [{ endpoint: "{url}", dataType: "files", placeholders: { url: "next" } }] }],
    },
  });
  assert.equal(api.log[1]?.target, "/ftp%3A//127.0.0.1/x");
  assert.equal(result.exitCode, 69);
  assert.equal(result.failure?.job, "files");
});

test("each run of a child pages from the start with the child's own scroller", async () => {
  const posts = dataset([{ p: 1 }, { p: 2 }, { p: 3 }]);
  await using api = await startApi({
    "/users": dataset([{ id: 1 }, { id: 2 }]),
    "*": (request) => {
      const { path, params } = request;
      if (path.endsWith("/posts")) return posts(request);
      const page = Number(params.get("page") ?? 1);
      return { items: [{ c: page }], next: page < 2 ? `${path}?page=${page + 1}` : null };
    },
  });
  const child = (name: string, scroller: string) => ({
    endpoint: `users/{id}/${name}`,
    dataField: "items",
    placeholders: byId,
    scroller,
  });
  const configuration = {
    api: {
      baseUrl: api.url,
      pagination: {
        method: "multiple",
        scrollers: {
          pages: { method: "offset", limit: 2 },
          links: { method: "response.url", urlKey: "next" },
        },
      },
    },
    config: {
      jobs: [
        {
          endpoint: "users",
          dataField: "items",
          scroller: "pages",
          children: [child("posts", "pages"), child("comments", "links")],
        },
      ],
    },
  };
  const expected = [
    ...[1, 2].flatMap((id) => [1, 2, 3].map((p) => `{"p":${p},"parent_id":${id}}`)),
    ...[1, 2].flatMap((id) => [1, 2].map((c) => `{"c":${c},"parent_id":${id}}`)),
  ];
  for (const concurrency of [1, 5]) {
    const { lines, result } = await extractAll(configuration, { concurrency });
    assert.equal(result.exitCode, 0);
    assert.deepEqual(lines, ['{"id":1}', '{"id":2}', ...expected]);
  }
});

test("the children of a page that breaks off are requested once", async () => {
  let asked = 0;
  await using api = await startApi({
    "/users": () => {
      asked += 1;
      const body = '[{"id":1},{"id":2}]';
      return asked > 1
        ? json([{ id: 1 }, { id: 2 }])
        : raw(`HTTP/1.1 200 OK\r\nContent-Length: 19\r\nConnection: close\r\n\r\n${body.slice(0, 12)}`, {
            act: (socket) => void socket.destroy(),
          });
    },
    "*": ({ path }) => [{ path }],
  });
  const jobs = [{ endpoint: "users", children: [{ endpoint: "u/{id}", placeholders: byId }] }];
  const { result } = await extractAll({ api: { baseUrl: api.url }, config: { jobs } });
  assert.equal(result.exitCode, 0);
  assert.deepEqual(api.targets(), ["/users", "/users", "/u/1", "/u/2"]);
});

test("the runs of a million parents are created only as they are needed", () => {
  const plan = { children: [], scroll: { ahead: () => undefined, same: Object.is } } as unknown as JobPlan;
  let made = 0;
  function* runs(): Generator<JobRun> {
    for (; made < 1_000_000; ) {
      made += 1;
      yield {
        plan,
        parents: [],
        index: 0,
        start: {} as never,
        pages: [],
        knownPosition: 0,
        settled: 0,
        partitions: [],
      };
    }
  }
  const frontier = new Frontier(fixedInFlight(4));
  frontier.push({ plan: {} as JobPlan, runs: runs() });
  for (let settled = 0; settled < 1000; settled += 1) {
    while (frontier.take() !== undefined);
    const { head } = frontier;
    assert.ok(head !== undefined);
    frontier.settle(head, { next: undefined, verdict: undefined, repeated: false, warnings: [] }, []);
    assert.ok(made <= settled + 6, `${made} runs made after ${settled + 1} pages`);
  }
});

test("user data of a child may read values of its parents", async () => {
  await using api = await startApi({
    "/p": () => [{ id: 7 }, { id: 8 }],
    "/c/7": () => [{ a: 1 }],
    "/c/8": () => [{ a: 2 }],
  });
  const userData = {
    of: { placeholder: "id" },
    text: { function: "concat", args: ["p-", { placeholder: "id" }] },
    plain: 1,
  };
  const child = { endpoint: "c/{id}", placeholders: { id: "id" }, userData };
  const jobs = [{ endpoint: "p", children: [child] }];
  const { output, events } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
  assert.equal(
    output,
    '{"id":7}\n{"id":8}\n{"a":1,"parent_id":7,"of":7,"text":"p-7","plain":1}\n{"a":2,"parent_id":8,"of":8,"text":"p-8","plain":1}\n',
  );
  assert.ok(events.every(({ level }) => level !== "warning"));
});
