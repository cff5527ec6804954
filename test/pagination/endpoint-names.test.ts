import assert from "node:assert/strict";
import { test } from "node:test";
import { type Received, startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

const seven = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));

async function runJob(pagination: object, job: object, answer: (request: Received) => unknown, options: object = {}) {
  await using api = await startApi(answer);
  const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: [job] } };
  const { output, result, events } = await runHere(configuration, options);
  return {
    requests: api.log.map(({ method, target, body }) => `${method} ${target} ${body}`.trim()),
    lines: output.split("\n").length - 1,
    job: result.jobs[0],
    failure: result.failure,
    warnings: events.filter(({ event }) => event === "warning").map(({ message }) => message),
  };
}

const byPage = ({ path }: Received) => {
  const page = Number(/page\/(\d+)/.exec(path)?.[1]);
  return seven.slice((page - 1) * 3, page * 3);
};

test("the path may contain page number, offset and page size", async () => {
  const pagenum = { method: "pagenum", limit: 3, limitParam: false, pageParam: { endpoint: "page" } };
  for (const concurrency of [1, 4]) {
    const pages = await runJob(pagenum, { endpoint: "users/page/{page}/list", params: { a: 1 } }, byPage, {
      concurrency,
    });
    const wanted = [1, 2, 3].map((page) => `GET /users/page/${page}/list?a=1`);
    assert.deepEqual(pages.requests.sort().slice(0, 3), wanted);
    assert.deepEqual([pages.lines, pages.job?.verdict, pages.warnings], [7, "complete", []]);
  }
  const offset = { method: "offset", limit: 3, limitParam: { endpoint: "n" }, offsetParam: { endpoint: "from" } };
  const slice = ({ path }: Received) => {
    const [, from = 0, n = 0] = (/(\d+),(\d+)/.exec(path) ?? []).map(Number);
    return seven.slice(from, from + n);
  };
  const parts = await runJob(offset, { endpoint: "users({from},{n})", method: "POST" }, slice);
  assert.deepEqual(
    parts.requests,
    [0, 3, 6].map((from) => `POST /users(${from},3) {}`),
  );
});

test("the path may contain a token, percent-encoded, and without a token, the braces are removed", async () => {
  const pages: Record<string, unknown> = { "": { data: [1], next: "a/b?c#d e" }, "a%2Fb%3Fc%23d%20e": { data: [2] } };
  const answer = ({ path }: Received) => pages[path.replace(/^\/users\/?/, "")];
  const token = {
    method: "response.param",
    responseParam: "next",
    queryParam: { endpoint: "token" },
    includeParams: true,
  };
  const found = await runJob(token, { endpoint: "users/{token}", params: { v: 1 }, dataField: "data" }, answer);
  assert.deepEqual(found.requests, ["GET /users/?v=1", "GET /users/a%2Fb%3Fc%23d%20e?v=1"]);
  const query = await runJob(token, { endpoint: "users?at={token}&b=1", dataField: "data" }, ({ params }) =>
    params.get("at") === "" ? { data: [1], next: "x&y" } : { data: [] },
  );
  assert.deepEqual(query.requests, ["GET /users?at=&b=1", "GET /users?at=x%26y&b=1"]);
  const scroll = { ...token, scrollRequest: { endpoint: "scroll/{token}" } };
  const scrolled = await runJob(scroll, { endpoint: "users", dataField: "data" }, ({ path }) =>
    path === "/users" ? { data: [1], next: "t 1" } : { data: [2] },
  );
  assert.deepEqual(scrolled.requests, ["GET /users", "GET /scroll/t%201"]);
  const first = { method: "pagenum", pageParam: { endpoint: "page" }, firstPageParams: false };
  const without = await runJob(first, { endpoint: "users{page}" }, ({ path }) => (path === "/users" ? [1] : []));
  assert.deepEqual(without.requests, ["GET /users", "GET /users2"]);
});

test("a token that would change the path, or that is not a text, is a data error and is not sent", async () => {
  const token = { method: "response.param", responseParam: "next", queryParam: { endpoint: "t" } };
  for (const [next, message] of [
    ["..", /the value ".." for \{t\} would change the path/],
    [["a"], /the value for \{t\} in the endpoint is a list or an object/],
  ] as const) {
    const { requests, failure, lines } = await runJob(token, { endpoint: "a/{t}/b", dataField: "data" }, () => ({
      data: [1],
      next,
    }));
    assert.deepEqual([requests.length, failure?.kind, lines], [1, "data", 1]);
    assert.match(failure?.message ?? "", message);
  }
});

test("placeholders of a child work beside the braces of paging, and braces in a parent's value are text", async () => {
  await using api = await startApi(({ path }) =>
    path === "/users" ? [{ id: "{page}" }, { id: "!(spile:page)!" }] : [],
  );
  const child = { endpoint: "users/{id}/notes/{page}", placeholders: { id: "id" } };
  const pagination = {
    method: "multiple",
    scrollers: { pages: { method: "pagenum", pageParam: { endpoint: "page" } } },
  };
  const jobs = [{ endpoint: "users", children: [{ ...child, scroller: "pages" }] }];
  const { result, events } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.deepEqual(api.targets(), ["/users", "/users/%7Bpage%7D/notes/1", "/users/%21%28spile%3Apage%29%21/notes/1"]);
  assert.deepEqual(
    events
      .filter(({ event }) => event === "warning")
      .map(({ message }) => message)
      .filter((text) => text.includes("{page}")),
    [],
  );
});

test("check reports an endpoint without the braces and a placeholder with the same name, and plan shows the address", async () => {
  const make = (jobs: readonly object[], fields: object = {}) =>
    JSON.stringify({
      api: {
        baseUrl: "http://127.0.0.1/",
        pagination: { method: "pagenum", pageParam: { endpoint: "page" }, ...fields },
      },
      config: { jobs },
    });
  const child = { endpoint: "users/{page}", placeholders: { page: "id" } };
  const rows: readonly (readonly [string, RegExp])[] = [
    [make([{ endpoint: "users" }]), /\/config\/jobs\/0\/endpoint: the endpoint does not contain \{page\}/],
    [
      make([{ endpoint: ["users/{page}", "orders"] }]),
      /\/config\/jobs\/0\/endpoint: the endpoint does not contain \{page\}/,
    ],
    [
      make([{ endpoint: "users/{page}", children: [child] }]),
      /children\/0\/endpoint: \{page\} is the name of a placeholder/,
    ],
    [make([{ endpoint: "x/{page}" }], { pageParam: { endpoint: "a b" } }), /\/api\/pagination\/pageParam\/endpoint/],
    [
      make([{ endpoint: "x/{page}" }], { limit: 2, limitParam: { endpoint: "page" } }),
      /is also the name of "limitParam"/,
    ],
    [
      make([{ endpoint: "x/{page}" }], { pageParam: { endpoint: "page", query: "p" } }),
      /needs exactly one of "path", "query", "endpoint", "header"/,
    ],
  ];
  for (const [stdin, message] of rows) {
    const { code, stderr } = await spileHere(["check", "-"], { stdin });
    assert.equal(code, 78, stderr);
    assert.match(stderr, message);
  }
  const good = make([{ endpoint: "users/{page}" }]);
  const check = await spileHere(["check", "-", "--strict"], { stdin: good });
  assert.equal(check.code, 0, check.stderr);
  assert.match(check.stdout, /GET users\/\{page\}.*page numbers from 1 \(\{page\} in the endpoint\)/);
  const plan = await spileHere(["plan", "-", "--page", "3"], { stdin: good });
  assert.match(plan.stdout, /"url":"http:\/\/127\.0\.0\.1\/users\/3"/);
});
