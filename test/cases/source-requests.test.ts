import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { linesOf, records, startApi, text } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { configurationFor, messagesOf, run } from "./run.ts";

/*
 * Tests of data requests (contract C-3, C-7): sections, jobs, merging, and the parts of a response that are used.
 */

const login = (apiRequest: Record<string, unknown>) => ({
  type: "login",
  loginRequest: { endpoint: "login" },
  apiRequest,
});

/** Returns the request for the first page of one job, with a login that answers `{"token":"t","second":"s"}`. */
async function dataRequest(given: Parameters<typeof run>[1]) {
  await using api = await startApi({ "/login": () => ({ token: "t", second: "s" }), "*": () => [] });
  const end = await run(api, given);
  assert.equal(end.code, 0, end.stderr);
  const data = api.log.find(({ path }) => path !== "/login");
  const headers = (data?.rawHeaders ?? []).filter(([name]) => /^x-/i.test(name));
  return { target: data?.target, headers: Object.fromEntries(headers), data };
}

describe("merging of headers (contract C-3.5, C-3.8)", () => {
  test("default headers are sent, unless the job or apiRequest has a header of the same name, whatever its case", async () => {
    const { headers } = await dataRequest({
      api: {
        http: { defaultOptions: { headers: { "X-A": "default", "X-B": "default", "X-C": "default" } } },
        authentication: login({ headers: { "x-b": "token", "X-D": { response: "second" } } }),
      },
      job: { headers: { "X-C": "job", "X-D": "job" } },
    });
    assert.deepEqual(headers, { "X-A": "default", "x-b": "t", "X-C": "job", "X-D": "s" });
  });
});

describe("merging of query parameters (contract C-3.3, C-3.8)", () => {
  const http = { defaultOptions: { params: { a: "default", b: "default" } } };
  for (const [name, given, expected] of [
    ["defaults alone", { api: { http } }, "/items?a=default&b=default"],
    [
      "a parameter of the job replaces the default in its place",
      { api: { http }, job: { params: { a: "job", c: "job" } } },
      "/items?a=job&b=default&c=job",
    ],
    [
      "a parameter of the login with a new name is added at the end",
      { api: { http, authentication: login({ query: { t: "token" } }) } },
      "/items?a=default&b=default&t=t",
    ],
    [
      "a name that the job and the login have is sent as a list with both values",
      { api: { http, authentication: login({ query: { c: "token", t: "second" } }) }, job: { params: { c: "job" } } },
      "/items?a=default&b=default&t=s&c%5B0%5D=job&c%5B1%5D=t",
    ],
    [
      "two equal values of one name are sent as a list, too",
      { api: { authentication: login({ query: { c: "token" } }) }, job: { params: { c: "t" } } },
      "/items?c%5B0%5D=t&c%5B1%5D=t",
    ],
    [
      "a default and a parameter of the login with one name are sent as a list",
      { api: { http, authentication: login({ query: { a: "token" } }) } },
      "/items?b=default&a%5B0%5D=default&a%5B1%5D=t",
    ],
    [
      "parameters of the endpoint's query and of the login with one name are sent as a list",
      { api: { authentication: login({ query: { c: "token" } }) }, job: { endpoint: "items?c=1&d=2" } },
      "/items?d=2&c%5B0%5D=1&c%5B1%5D=t",
    ],
    [
      "a paging parameter and a parameter of the login with one name are sent as a list",
      { api: { authentication: login({ query: { limit: "token" } }), pagination: { method: "offset", limit: 2 } } },
      "/items?offset=0&limit%5B0%5D=2&limit%5B1%5D=t",
    ],
    [
      "the query of a login is sent in the address of a POST",
      { api: { authentication: login({ query: { c: "token" } }) }, job: { method: "POST", params: { c: "job" } } },
      "/items?c=t",
    ],
  ] as const) {
    test(name, async () => {
      const { target } = await dataRequest(given);
      assert.equal(target, expected);
    });
  }
});

describe("the request of a job", () => {
  test("the request has the job's method, endpoint and parameters, with expressions evaluated", async () => {
    const { data } = await dataRequest({
      config: {
        "#key": "k3y-of-ada",
        since: "2031-01-01",
        jobs: [
          {
            endpoint: "v1/orders",
            method: "GET",
            params: { since: { attr: "since" }, sign: { function: "sha1", args: [{ attr: "#key" }] }, list: [1, "b"] },
            dataType: "orders",
          },
        ],
      },
    });
    assert.equal(data?.method, "GET");
    assert.equal(
      data?.target,
      "/v1/orders?since=2031-01-01&sign=8ae8b61fbc2090b08fe2dcd6800c909c005651a7&list%5B0%5D=1&list%5B1%5D=b",
    );
  });

  for (const [dataField, body] of [
    ["data.0.rows", '{"data":[{"rows":[{"id":1}]},{"rows":[{"id":2}]}]}'],
    [{ path: "v1.0|rows", delimiter: "|" }, '{"v1.0":{"rows":[{"id":1}]},"rows":[{"id":2}]}'],
    [{ path: "v1.rows" }, '{"v1":{"rows":[{"id":1}]},"rows":[{"id":2}]}'],
    [undefined, '{"meta":{"ids":[2,3]},"rows":[{"id":1}]}'],
    [undefined, '[{"id":1}]'],
    [".", '{"id":1}'],
  ] as const) {
    test(`records are found by dataField ${JSON.stringify(dataField)} in ${body}`, async () => {
      await using api = await startApi(() => text(body));
      const end = await run(api, { job: dataField === undefined ? {} : { dataField }, args: ["--strict"] });
      assert.deepEqual([end.code, end.stdout], [0, '{"id":1}\n'], end.stderr);
    });
  }

  test("the dataset is named by dataType, else by the endpoint", async () => {
    await using api = await startApi(() => records(1));
    const jobs = [{ endpoint: "users", dataType: "people" }, { endpoint: "v1/orders" }];
    const end = await run(api, { config: { jobs }, args: ["--tag"] });
    const tagged = ["people", "v1/orders"].map((dataType) => ({ dataType, record: records(1)[0] }));
    assert.deepEqual([end.code, end.stdout], [0, linesOf(tagged)]);
  });
});

describe("the sections of the configuration", () => {
  test("`parameters` may surround the sections, and fields of Keboola's output are accepted without a warning", async () => {
    await using api = await startApi(() => records(1));
    const given = {
      config: { outputBucket: "b", incrementalOutput: true, debug: false, jobs: [{ endpoint: "items" }] },
    };
    const stdin = JSON.stringify({ parameters: configurationFor(api.url, given) });
    const end = await spileHere(["-", "--strict"], { stdin });
    assert.deepEqual([end.code, end.stdout, messagesOf(end, "warning")], [0, linesOf(records(1)), []]);
  });
});

describe("messages", () => {
  test("config.debug logs method, path and query of every request, masked", async () => {
    await using api = await startApi({ "/login": () => ({ token: "t0ken-1" }), "*": () => [{ id: 1 }] });
    const authentication = {
      type: "login",
      loginRequest: { endpoint: "login", method: "POST" },
      apiRequest: { query: { token: "token" } },
    };
    const config = { debug: true, jobs: [{ endpoint: "items", params: { a: "b c" } }, { endpoint: "orders" }] };
    const end = await run(api, { api: { authentication }, config });
    const logged = end.stderr.split("\n").filter((line) => line.startsWith("debug "));
    assert.equal(logged.length, 3, end.stderr);
    for (const [index, part] of ["POST /login", "GET /items?a=b%20c&token=***", "GET /orders?token=***"].entries()) {
      assert.ok(logged[index]?.includes(part), logged[index]);
    }
    const quiet = await run(api, { api: { authentication }, config: { ...config, debug: false } });
    assert.doesNotMatch(quiet.stderr, /^debug /m);
  });

  test("an empty data field ends the job with a warning", async () => {
    await using api = await startApi(({ params }) => ({ rows: params.get("offset") === "0" ? records(2) : [] }));
    const end = await run(api, { api: { pagination: { method: "offset", limit: 2 } }, job: { dataField: "rows" } });
    assert.deepEqual([end.code, end.stdout], [0, linesOf(records(2))]);
    assert.deepEqual(messagesOf(end, "warning"), [
      'items page 2: dataField "rows" contains no data, as is usual on the last page',
    ]);
  });
});
