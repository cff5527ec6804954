import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changed, faultsOf, oauth, read, warningsOf } from "../../config/reading.ts";

const job = "/config/jobs/0";
const minimal = { api: { baseUrl: "https://api.example.com" }, config: { jobs: [{ endpoint: "users" }] } };
const child = `${job}/children`;
const entry = "/config/mappings/users/id";

/** Faults beyond the schema: changes to the minimal configuration, and the lines that they cause. */
const cases: readonly (readonly [changes: Record<string, unknown>, line: string])[] = [
  [
    { "/api/http": { headers: { "X-A": "snow ☃" } } },
    '/api/http/headers/X-A: cannot be the value of a header: "☃" is not in Latin-1',
  ],
  [
    { "/api/http": { defaultOptions: { headers: { "X-A": "a\nb" } } } },
    "/api/http/defaultOptions/headers/X-A: cannot be the value of a header: it holds a line break",
  ],
  [
    { [`${job}/headers`]: { "X-A": { b: 1 } } },
    "/config/jobs/0/headers/X-A: cannot be the value of a header: an object is neither text nor an expression",
  ],
  [
    { [`${job}/headers`]: { "X-A": ["a", ["b"]] } },
    "/config/jobs/0/headers/X-A: cannot be the value of a header: an element of the list is neither text nor an expression",
  ],
  [{ [`${job}/headers`]: { "X A": "a" } }, '/config/jobs/0/headers/X A: "X A" cannot be the name of a header'],
  [
    { "/config/http": { headers: { "X-A": "a\u0000" } } },
    "/config/http/headers/X-A: cannot be the value of a header: it holds a control character",
  ],
  [
    { "/api/http": { requiredHeaders: ["X-Key"] } },
    '/config/http/headers: the header "X-Key" is missing; "requiredHeaders" requires it',
  ],
  [
    { "/api/authentication": { type: "basic" }, "/config/username": "u" },
    '/config: authentication "basic" needs the setting "#password" (or "password")',
  ],
  [
    { "/api/authentication": { type: "oauth10" } },
    '/authorization: authentication "oauth10" needs "oauth_api.credentials" here',
  ],
  [
    { "/api/allowedOrigins": ["files.example.com"] },
    '/api/allowedOrigins/0: must be an origin such as "https://files.example.com", not "files.example.com"',
  ],
  [
    { "/sshProxy": { host: "h" } },
    '/sshProxy: spile does not open SSH tunnels: open one with "ssh -L" and point "baseUrl" at it',
  ],
  [
    {
      "/aws": {
        signature: { credentials: { accessKeyId: "a", "#secretKey": "k", serviceName: "s", regionName: "r" } },
      },
      "/api/authentication": { type: "query", query: { key: "k" } },
    },
    '/aws/signature: cannot be combined with "api.authentication" of the type "query": remove one of the two',
  ],
  [{ "/aws": { signature: {} } }, '/aws/signature: "credentials" is missing: an object'],
  [
    { "/api/baseUrl": { function: "concat", args: ["no", "thing"] } },
    '/api/baseUrl: must be an address with http or https, not "nothing"',
  ],
  [
    { [`${job}/endpoint`]: "file:///etc/passwd" },
    '/config/jobs/0/endpoint: must be a path or an address with http or https, not "file:///etc/passwd"',
  ],
  [
    { [child]: [{ endpoint: "u/{2:id}", placeholders: { "2:id": "id" } }] },
    "/config/jobs/0/children/0/placeholders/2:id: looks 2 levels up, but the job has one parent",
  ],
  ...(
    [
      ['{"when": {}, "then": "fail"}', "must be an object with status, header or path, not an empty object", "/when"],
      ['{"when": {"is": 1, "status": 200}, "then": "fail"}', '"is" needs "header" or "path"', "/when"],
      ['{"when": {"header": "A", "path": "b"}, "then": "fail"}', '"header" cannot be combined with "path"', "/when"],
      [
        '{"when": {"path": "b", "matches": "("}, "then": "fail"}',
        '"matches" is not a regular expression that runs in linear time: missing closing ): `(` (lookaround, backreferences and repeats above 1000 are not possible)',
        "/when",
      ],
      ['{"when": {"path": "b"}, "then": "retry", "message": "m"}', 'is only allowed with "then": "fail"', "/message"],
      ['{"when": {"path": "b"}, "then": "fail", "after": "m"}', 'is only allowed with "then": "retry"', "/after"],
      [
        '{"when": {"path": "b"}, "then": "fail", "message": {"lastRecord": "m"}}',
        '"lastRecord" works in paging only: use "path" or "header"',
        "/message",
      ],
    ] as const
  ).map(([rule, fault, at]): [Record<string, unknown>, string] => [
    { "/api/http": { responses: [JSON.parse(rule)] } },
    `/api/http/responses/0${at}: ${fault}`,
  ]),
  [
    { "/api/pagination": { method: "cursor", idKey: "id", param: "p", limitStop: {} } },
    '/api/pagination/limitStop: needs either "field" or "count", not both',
  ],
  [
    { "/api/pagination": { method: "cursor", idKey: "id", param: "p", limitStop: { field: "a", count: 1 } } },
    '/api/pagination/limitStop: needs either "field" or "count", not both',
  ],
  [
    { "/api/pagination": { method: "cursor", idKey: "id", param: "p", limitStop: { count: 0 } } },
    "/api/pagination/limitStop/count: must be an integer of at least 1, not 0",
  ],
  [
    { "/api/pagination": { method: "offset", limit: 1, limitParam: {} } },
    '/api/pagination/limitParam: needs exactly one of "path", "query", "endpoint", "header"',
  ],
  [
    { "/api/pagination": { method: "cursor", idKey: "id", param: { path: "a", header: "A" } } },
    '/api/pagination/param: needs exactly one of "path", "query", "endpoint", "header"',
  ],
  [
    { "/api/pagination": { method: "response.url", urlKey: { path: "a", lastRecord: "b" } } },
    '/api/pagination/urlKey: needs exactly one of "path", "header", "lastRecord"',
  ],
  [
    { "/api/pagination": { method: "pagenum", nextPageFlag: { field: { lastRecord: "a" }, stopOn: true } } },
    '/api/pagination/nextPageFlag/field: needs exactly one of "path" and "header"',
  ],
  [
    { "/api/pagination": { method: "multiple", scrollers: { a: {} }, limitStop: { field: {} } } },
    '/api/pagination/limitStop/field: needs exactly one of "path" and "header"',
  ],
  [
    { "/api/pagination": { method: "response.param", responseParam: { header: "A", delimiter: "/" } } },
    '/api/pagination/responseParam/delimiter: separates the names of a path; it has no effect with "header"',
  ],
  [
    { "/api/pagination": { method: "pagenum", pageParam: { header: "X A" } } },
    '/api/pagination/pageParam/header: "X A" cannot be the name of a header',
  ],
  [
    {
      "/api/pagination": {
        method: "pagenum",
        limitParam: { path: "page.x" },
        pageParam: { path: "page/x", delimiter: "/" },
      },
    },
    '/api/pagination/pageParam: "page[x]" is also the name of "limitParam": give one of them another name',
  ],
  [
    {
      "/api/pagination": { method: "offset", limit: 1, limitParam: { path: "page.size" } },
      [`${job}/params`]: { page: { size: "many" } },
    },
    '/config/jobs/0/params/page/size: as the page size of the job it must be an integer of at least 1, not "many"',
  ],
  [
    { "/api/pagination": { method: "multiple", scrollers: { pages: {} } }, [`${job}/scroller`]: "page" },
    '/config/jobs/0/scroller: unknown scroller "page" (did you mean "pages"?); the scrollers are "pages"',
  ],
  [
    { [entry]: {} },
    '/config/mappings/users/id: "mapping" is missing: it must be an object with "destination", the name of the column',
  ],
  [
    { [entry]: { type: "table", tableMapping: {} } },
    '/config/mappings/users/id: "destination" is missing: it must be the name of the dataset',
  ],
  [
    { [entry]: { type: "table", destination: "d" } },
    '/config/mappings/users/id: "tableMapping" is missing or empty: it must map the columns of the dataset',
  ],
  [
    { [entry]: { type: "colum", mapping: { destination: "d" } } },
    '/config/mappings/users/id/type: must be "column", "user" or "table", not "colum"',
  ],
  [
    { "/api/http": { ignoreErrors: [404, 99] } },
    "/api/http/ignoreErrors/1: must be an HTTP status (100 to 599), not 99",
  ],
  [
    { "/api/http": { rateLimit: "fast" } },
    '/api/http/rateLimit: must be requests a second (5), a rate such as "5/s" or "300/m", a list of rates, or an object with `rate`, `remaining`, `reset` and `headers`, not "fast"',
  ],
  [
    { "/api/http": { rateLimit: ["5/s", "x"] } },
    '/api/http/rateLimit/1: must be requests a second (5), or a rate such as "5/s" or "300/m", not "x"',
  ],
  [
    { "/api/http": { rateLimit: { rate: [] } } },
    '/api/http/rateLimit/rate: must be requests a second (5), a rate such as "5/s" or "300/m", or a list of rates, not an empty list',
  ],
  [{ "/api/http": { rateLimit: { remaining: "X-Left" } } }, '/api/http/rateLimit/remaining: needs "reset" beside it'],
  [
    { "/api/http": { rateLimit: { remaining: "X-Left", reset: "X Reset" } } },
    '/api/http/rateLimit/reset: "X Reset" cannot be the name of a header',
  ],
  [
    { "/api/http": { lists: "commas" } },
    '/api/http/lists: must be "indices", "brackets", "repeat" or "comma", not "commas"',
  ],
  [{ "/config/jobs/0/booleans": 1 }, '/config/jobs/0/booleans: must be "numbers" or "words", not 1'],
  [
    { "/api/http": { connectTimeout: -1 } },
    "/api/http/connectTimeout: must be a number of seconds from 0 to 2000000 (23 days), not -1",
  ],
  [
    { "/api/retryConfig": { maxRetries: "many" } },
    '/api/retryConfig/maxRetries: must be an integer of at least 0, not "many"',
  ],
];

describe("faults beyond the schema", () => {
  for (const [changes, line] of cases) {
    it(`${JSON.stringify(changes)} has the fault ${line}`, () => {
      assert.deepEqual(faultsOf(changed(changes, minimal)), [line]);
    });
  }

  it("oauth10 needs a JSON object as its data, and oauth20 accepts any text", () => {
    const at = "/authorization/oauth_api/credentials/#data";
    assert.deepEqual(faultsOf(changed({ [at]: "bare-token" }, oauth)), [`${at}: must be a JSON object as text`]);
    const oauth20 = { "/api/authentication": { type: "oauth20" }, [at]: "bare-token" };
    assert.deepEqual(faultsOf(changed(oauth20, oauth)), []);
  });

  it("unknown functions and settings are reported with their pointer", () => {
    const places: readonly (readonly [at: string, value: unknown])[] = [
      ["/api/baseUrl", { attr: "nope" }],
      ["/api/http/headers/X-A", { attr: "nope" }],
      ["/api/http/defaultOptions/params/a", [{ attr: "nope" }]],
      ["/api/authentication/loginRequest/params/a", { b: { attr: "nope" } }],
      ["/api/authentication/loginRequest/headers/X-A", { attr: "nope" }],
      ["/api/authentication/apiRequest/headers/X-A", { attr: "nope" }],
      ["/api/authentication/apiRequest/query/a", { attr: "nope" }],
      ["/config/http/headers/X-A", { attr: "nope" }],
      ["/config/userData", { a: { attr: "nope" } }],
      [`${job}/params/a`, { function: "concat", args: ["x", { attr: "nope" }] }],
      [`${job}/headers`, { "X-A": { attr: "nope" } }],
      [`${job}/userData`, { a: { attr: "nope" } }],
      [`${job}/params/a`, { function: "conct", args: [] }],
    ];
    for (const [at, value] of places) {
      const lines = faultsOf(changed({ [at]: value }));
      assert.equal(lines.length, 1, `${at}: ${lines.join("\n")}`);
      assert.ok(lines[0]?.startsWith(at), lines[0]);
      assert.match(lines[0] ?? "", /unknown (setting "nope"|function "conct")/);
    }
  });

  it("in a parameter, an object that reads the context of a login is plain data", () => {
    assert.deepEqual(
      faultsOf(changed({ [`${job}/params/a`]: { response: "x" }, [`${job}/params/b`]: { user: 5 } })),
      [],
    );
  });
});

describe("jobs", () => {
  const jobs = (list: unknown) => changed({ "/config/jobs": list }, minimal);

  it("an identical job runs once, with a warning", () => {
    const document = jobs([{ endpoint: "a" }, { endpoint: "b" }, { endpoint: "a" }]);
    assert.deepEqual(
      read(document).iterations[0]?.config.jobs.map(({ endpoint }) => endpoint),
      ["a", "b"],
    );
    assert.deepEqual(warningsOf(document), ["/config/jobs/2: is the same as /config/jobs/0, and runs once"]);
  });

  it("if two jobs have the same id, only the later one runs, at the place of the first", () => {
    const document = jobs({ x: { id: "1", endpoint: "a" }, y: { endpoint: "b" }, z: { id: "1", endpoint: "c" } });
    assert.deepEqual(
      read(document).iterations[0]?.config.jobs.map(({ endpoint }) => endpoint),
      ["c", "b"],
    );
    assert.deepEqual(warningsOf(document), ["/config/jobs/z: has the same id as /config/jobs/x and replaces it"]);
  });

  it("a placeholder without an entry is a warning, unless a parent job has the entry", () => {
    const document = jobs([
      {
        endpoint: "a",
        children: [{ endpoint: "a/{x}/{y}", placeholders: { x: "id" }, children: [{ endpoint: "b/{x}" }] }],
      },
    ]);
    assert.deepEqual(warningsOf(document), [
      '/config/jobs/0/children/0/endpoint: "{y}" has no entry in "placeholders": it is sent as it is written',
    ]);
  });
});

it("a job's scroller is ignored with a warning if the pagination is not of the method multiple", () => {
  const picked = { [`${job}/scroller`]: "pages" };
  assert.deepEqual(warningsOf(changed(picked, minimal)), [
    '/config/jobs/0/scroller: is ignored: only pagination of the method "multiple" has scrollers to pick from',
  ]);
  const pagination = { method: "multiple", scrollers: { pages: { method: "pagenum" } } };
  assert.deepEqual(warningsOf(changed({ ...picked, "/api/pagination": pagination }, minimal)), []);
});

describe("a faulty value does not change the pointers of the values beside it", () => {
  const unknown = { endpoint: "a", params: { list: [[1], [{ attr: "x" }]] } };
  const line = (at: string) => `${at}/params/list/1/0/attr: unknown setting "x"; "config" has no such name`;

  it("within a list of jobs and the lists in it", () => {
    assert.deepEqual(faultsOf(changed({ "/config/jobs": [5, unknown] }, minimal)), [
      "/config/jobs/0: must be an object, not 5",
      line("/config/jobs/1"),
    ]);
  });

  it("within an object of jobs", () => {
    assert.deepEqual(faultsOf(changed({ "/config/jobs": { first: 5, second: unknown } }, minimal)), [
      "/config/jobs/first: must be an object, not 5",
      line("/config/jobs/second"),
    ]);
  });

  it("within child jobs", () => {
    assert.deepEqual(faultsOf(changed({ [child]: [5, unknown] }, minimal)), [
      "/config/jobs/0/children/0: must be an object, not 5",
      line("/config/jobs/0/children/1"),
    ]);
  });

  it("within a list of texts", () => {
    const faults = faultsOf(
      changed({ "/api/allowedOrigins": [5, "files"], "/api/http": { requiredHeaders: [5] } }, minimal),
    );
    assert.deepEqual(faults, [
      "/api/http/requiredHeaders/0: must be the name of a header, not 5",
      '/api/allowedOrigins/0: must be an origin such as "https://files.example.com", not 5',
      '/api/allowedOrigins/1: must be an origin such as "https://files.example.com", not "files"',
    ]);
  });
});

describe("headers that cannot be sent are reported before the first request", () => {
  const broken = { function: "concat", args: [{ attr: "line" }, "\n"] };
  it("a header of the login that reads a setting of one iteration is reported", () => {
    const document = {
      api: {
        baseUrl: "https://api.example.com/",
        authentication: { type: "login", loginRequest: { endpoint: "login", headers: { "X-Line": broken } } },
      },
      config: { line: "a", jobs: [{ endpoint: "a" }] },
      iterations: [{ line: "fine" }, { line: "b\rc" }],
    };
    assert.deepEqual(faultsOf(document), [
      "/api/authentication/loginRequest/headers/X-Line: cannot be the value of a header: it holds a line break",
    ]);
  });
  it("two faults of one job are both reported", () => {
    const headers = { "X-A": { function: "concat", args: ["a\u0001b", "c"] }, "X-B": "ü – ü" };
    const document = { api: { baseUrl: "https://api.example.com/" }, config: { jobs: [{ endpoint: "a", headers }] } };
    assert.deepEqual(faultsOf(document), [
      "/config/jobs/0/headers/X-A: cannot be the value of a header: it holds a control character",
      '/config/jobs/0/headers/X-B: cannot be the value of a header: "–" is not in Latin-1',
    ]);
  });
});
