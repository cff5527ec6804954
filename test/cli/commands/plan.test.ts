import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../../helpers/api.ts";
import { records, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

interface Planned {
  readonly request: string;
  readonly job?: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly paging?: string;
  readonly children?: readonly string[];
  readonly iteration?: number;
}

async function plan(configuration: unknown, ...words: string[]) {
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", configuration);
  const done = await spileHere(["plan", file, ...words]);
  return { ...done, requests: records(done.stdout) as Planned[] };
}

const login = {
  type: "login",
  loginRequest: { endpoint: "login", method: "POST", params: { user: "me", password: { attr: "#password" } } },
  apiRequest: {
    headers: {
      Authorization: { function: "concat", args: ["Bearer ", { response: "token" }] },
      "X-Digest": { function: "md5", args: [{ response: "token" }] },
      "X-Prefixed": { function: "concat", args: ["v1-", { response: "token" }] },
    },
    query: { session: "session.id" },
  },
};

const config = {
  "#password": "pass word/42",
  jobs: [
    { endpoint: "users", dataType: "users", children: [{ endpoint: "users/{id}", placeholders: { id: "id" } }] },
    { endpoint: "search", method: "POST", params: { q: "x", p: { attr: "#password" } } },
    { endpoint: "form", method: "FORM", params: { p: { attr: "#password" } }, headers: { "X-Api-Key": "plain" } },
  ],
};
const pagination = { method: "offset", limit: 50 };

test("plan prints the login and the first page of each job, and sends nothing", async () => {
  await using api = await startApi(() => assert.fail("a request came"));
  const { code, stderr, requests } = await plan({
    api: { baseUrl: api.url, pagination, authentication: login },
    config,
  });
  assert.deepEqual([code, stderr, api.connections()], [0, "", 0]);
  assert.deepEqual(
    requests.map(({ request, job, method, url, body }) => [request, job, method, url.replace(api.url, ""), body]),
    [
      ["login", undefined, "POST", "/login", '{"user":"me","password":"***"}'],
      ["page", "users", "GET", "/users?limit=50&offset=0&session=***", undefined],
      ["page", "search", "POST", "/search?session=***", '{"q":"x","p":"***","limit":50,"offset":0}'],
      ["page", "form", "POST", "/form?session=***", "p=***&limit=50&offset=0"],
    ],
  );
  const { headers, paging, children } = requests[1] ?? assert.fail();
  assert.deepEqual(
    [headers.Authorization, headers["X-Digest"], headers["X-Prefixed"], headers.Accept],
    ["Bearer ***", "***", "v1-***", "application/json"],
  );
  assert.match(String(paging), /offset paging, 50 a page \(limit, offset\)/);
  assert.deepEqual(children, ["users/{id}"]);
  assert.equal(requests[3]?.headers["X-Api-Key"], "***", "a literal under the name of a credential");
});

test("--job, --set and iterations apply to a plan", async () => {
  const api = { baseUrl: "http://127.0.0.1:1/{v}/", pagination, authentication: login };
  const { requests } = await plan(
    {
      api: { ...api, baseUrl: "http://127.0.0.1:1/v1/" },
      config: {
        ...config,
        who: "file",
        jobs: [...config.jobs, { endpoint: "who", params: { name: { attr: "who" }, q: { attr: "#password" } } }],
      },
      iterations: [{ who: "one" }, { who: "two" }],
    },
    "--job",
    "who",
    "--set",
    "#password=other/secret",
  );
  assert.deepEqual(
    requests.map(({ iteration, request, url }) => [iteration, request, new URL(url).search]),
    [
      [1, "login", ""],
      [1, "page", "?name=one&q=***&limit=50&offset=0&session=***"],
      [2, "login", ""],
      [2, "page", "?name=two&q=***&limit=50&offset=0&session=***"],
    ],
  );
});

test("--send-login sends only the login, and masks its answer", async () => {
  await using api = await startApi({
    "POST /login": () => ({ token: "granted-token-1", session: { id: "granted-session-2" } }),
  });
  const { code, stdout, requests } = await plan(
    { api: { baseUrl: api.url, pagination, authentication: login }, config },
    "--send-login",
  );
  assert.deepEqual([code, api.targets()], [0, ["/login"]]);
  assert.deepEqual(
    requests.map(({ request }) => request),
    ["login", "page", "page", "page"],
  );
  assert.equal(requests[1]?.headers["X-Prefixed"], "***");
  assert.doesNotMatch(stdout, /granted/);
  await using refusing = await startApi({});
  const refused = await plan({ api: { baseUrl: refusing.url, authentication: login }, config }, "--send-login");
  assert.equal(refused.code, 77);
  assert.deepEqual([refused.requests.length, refusing.targets()], [1, ["/login"]]);
});

test("credentials that need no login are in the plan, masked", async () => {
  const jobs = [{ endpoint: "x" }];
  const cases = [
    [{ type: "basic" }, /"Authorization":"Basic \*\*\*"/],
    [{ type: "query", query: { key: { attr: "#password" } } }, /\/x\?key=\*\*\*"/],
    [
      {
        type: "aws.signature",
        credentials: { accessKeyId: "AKID", "#secretKey": "aws-secret", serviceName: "s3", regionName: "eu" },
      },
      /"X-Amz-Date":"\d+T\d+Z".*"Authorization":"AWS4-HMAC-SHA256 \*\*\*"/,
    ],
  ] as const;
  for (const [authentication, shown] of cases) {
    const { code, stdout, stderr } = await plan({
      api: { baseUrl: "http://127.0.0.1:1/", authentication },
      config: { username: "me", "#password": "pass word/42", jobs },
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, shown);
    assert.doesNotMatch(stdout, /pass.word|aws-secret|Signature/);
  }
});

test("plan shows no credentials for an untrusted origin, and reports faults with the exit codes of a run", async () => {
  const elsewhere = { endpoint: "{url}", placeholders: {} };
  const { requests } = await plan({
    api: { baseUrl: "http://127.0.0.1:1/", authentication: { type: "basic" } },
    config: { username: "me", "#password": "pw", jobs: [{ endpoint: "//127.0.0.2:1/x" }] },
  });
  assert.equal(requests[0]?.headers.Authorization, undefined);
  const { code, stdout } = await plan({
    api: { baseUrl: "http://127.0.0.1:1/" },
    config: { jobs: [elsewhere, { endpointt: 1 }] },
  });
  assert.deepEqual([code, stdout], [78, ""]);
  assert.equal((await spileHere(["plan"])).code, 64);
  assert.equal((await spileHere(["check", "x.json", "--send-login"])).code, 64);
});

test("--page shows a later request, with marked examples for values of answers", async () => {
  const scrollers = {
    offset: { method: "offset", limit: 50 },
    pages: { method: "pagenum" },
    address: { method: "response.url", urlKey: "next" },
    token: {
      method: "response.param",
      responseParam: "token",
      queryParam: "after",
      includeParams: true,
      nextPageFlag: { field: "more", stopOn: false, ifNotSet: true },
    },
    ids: { method: "cursor", idKey: "id", param: "since" },
    limited: { method: "offset", limit: 50, limitStop: { count: 60 } },
  };
  const names = Object.keys(scrollers);
  const configuration = {
    api: { baseUrl: "http://127.0.0.1:1/v1/", pagination: { method: "multiple", scrollers } },
    config: {
      jobs: [...names.map((scroller) => ({ endpoint: scroller, scroller, params: { a: 1 } })), { endpoint: "none" }],
    },
  };
  const planned = async (page: string) => {
    const { code, stdout, stderr, requests } = await plan(configuration, "--page", page);
    assert.equal(code, 0, stderr);
    const shown = requests.map(({ url }) => url.replace("http://127.0.0.1:1/v1/", ""));
    return { shown, stdout, notes: stderr.split("\n").filter((line) => line.startsWith("info")) };
  };
  const second = await planned("2");
  assert.deepEqual(second.shown, [
    "offset?a=1&limit=50&offset=50",
    "pages?a=1&page=2",
    "INVENTED",
    "token?a=1&after=INVENTED",
    "ids?a=1&since=1000",
    "limited?a=1&limit=50&offset=50",
  ]);
  assert.deepEqual(second.notes, ["info none: there is no page 2: no paging"]);
  const [first = "", , third = ""] = second.stdout.split("\n");
  assert.deepEqual(
    [JSON.parse(first).page, JSON.parse(first).assuming, JSON.parse(third).assuming],
    [2, "every page before it is full", "INVENTED and 1000 stand in for values from the response before it"],
  );
  const later = await planned("3");
  assert.deepEqual(later.shown.slice(0, 2), ["offset?a=1&limit=50&offset=100", "pages?a=1&page=3"]);
  const ids = later.stdout.split("\n").find((line) => line.includes("since=2000")) ?? "";
  assert.match(JSON.parse(ids).assuming, /^INVENTED and 2000 stand in/);
  assert.equal(later.notes.length, 2, '"limited" has ended, and "none" has no pages');
});

test("values of headers and parameters with names of credentials are masked, but tokens of paging are not", async () => {
  const headers = { "X-Session": "abc", "X-Jwt": "abc", "X-Pwd": "abc" };
  const params = { token: "abc", page_token: "abc" };
  const { stdout, requests } = await plan({
    api: { baseUrl: "http://127.0.0.1:1/" },
    config: { jobs: [{ endpoint: "users?api_key=abc", headers, params }] },
  });
  const [request] = requests;
  assert.equal(request?.url, "http://127.0.0.1:1/users?api_key=***&token=***&page_token=abc");
  assert.equal(request?.job, "users?api_key=***");
  for (const name of Object.keys(headers)) assert.equal(request?.headers[name], "***");
  assert.equal(stdout.match(/abc/g)?.length, 1, stdout);
});
