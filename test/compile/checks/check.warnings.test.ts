import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfiguration } from "../../../src/compile/read.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";

interface Given {
  readonly api?: object;
  readonly config?: object;
}

function warningsOf({ api = {}, config = {} }: Given): string[] {
  const text = JSON.stringify({
    api: { baseUrl: "http://127.0.0.1:1/", ...api },
    config: { jobs: [{ endpoint: "x" }], ...config },
  });
  const secrets = new Secrets();
  const options = { name: "test", set: new Map(), environment: {}, strict: false, secrets };
  return readConfiguration(text, options).warnings.map(({ pointer, message }) => `${pointer}: ${message}`);
}

/** Returns the text `${NAME}` for a name. A linter would take it for a forgotten template if a plain string contained it. */
const variable = (name: string): string => `$\{${name}}`;

const token = { method: "response.param", responseParam: "next", queryParam: "cursor" };

test("a warning names a body that only the first request sends, if paging follows addresses", () => {
  const params = { a: 1 };
  for (const method of ["response.url", "link"]) {
    const warnings = (job: object, pagination: object = { method }): string =>
      warningsOf({ api: { pagination }, config: { jobs: [{ endpoint: "x", ...job }] } }).join();
    for (const posted of ["POST", "FORM"]) {
      assert.match(
        warnings({ method: posted, params }),
        /^\/config\/jobs\/0\/params: "a" is sent with the first request only/,
      );
    }
    assert.equal(warnings({ params }), "");
    assert.equal(warnings({ method: "POST" }), "");
    assert.equal(warnings({ method: "POST", params }, { method, includeParams: true }), "");
  }
});

test("a warning names parameters that only the first request sends", () => {
  const jobs = [{ endpoint: "x", params: { status: "open", since: 1 } }];
  const expected =
    /^\/config\/jobs\/0\/params: "status", "since" are sent with the first request only; "includeParams": true/;
  const [warning = "", ...others] = warningsOf({ api: { pagination: token }, config: { jobs } });
  assert.match(warning, expected);
  assert.deepEqual(others, []);
  const scrollers = { tokens: token, pages: { method: "pagenum" } };
  const several = { pagination: { method: "multiple", scrollers } };
  assert.match(warningsOf({ api: several, config: { jobs: [{ ...jobs[0], scroller: "tokens" }] } }).join(), expected);
  const child = { endpoint: "y/{id}", placeholders: { id: "id" }, params: { a: 1 } };
  assert.match(
    warningsOf({ api: { pagination: token }, config: { jobs: [{ endpoint: "x", children: [child] }] } }).join(),
    /^\/config\/jobs\/0\/children\/0\/params: "a" is sent/,
  );
  const fine = [
    { api: { pagination: { ...token, includeParams: true } }, config: { jobs } },
    { api: { pagination: { ...token, scrollRequest: { endpoint: "scroll" } } }, config: { jobs } },
    { api: { pagination: token }, config: { jobs: [{ endpoint: "x?status=open", params: { cursor: "a" } }] } },
    { api: { pagination: { method: "offset", limit: 2 } }, config: { jobs } },
    { api: { pagination: { method: "response.url" } }, config: { jobs } },
    { api: several, config: { jobs: [{ ...jobs[0], scroller: "pages" }] } },
  ];
  for (const given of fine) assert.deepEqual(warningsOf(given), [], JSON.stringify(given));
});

test("a warning names a value of a job that paging overwrites", () => {
  const pages = { method: "pagenum", limit: 10 };
  const offset = { method: "offset", limit: 10 };
  const table: readonly (readonly [pagination: object, job: object, expected: RegExp])[] = [
    [
      pages,
      { params: { page: 7 } },
      /^\/config\/jobs\/0\/params\/page: is overwritten: paging sends 1 here; "firstPage" in/,
    ],
    [{ ...pages, firstPage: 0 }, { params: { page: 1 } }, /params\/page: is overwritten: paging sends 0 here/],
    [
      { ...pages, pageParam: { header: "X-Page" } },
      { headers: { "x-page": "7" } },
      /^\/config\/jobs\/0\/headers\/x-page: is over/,
    ],
    [
      { ...pages, pageParam: { path: "paging.number" } },
      { method: "POST", params: { paging: { number: 3 } } },
      /^\/config\/jobs\/0\/params\/paging\/number: is overwritten/,
    ],
    [
      { ...pages, pageParam: { query: "page" } },
      { method: "POST", query: { page: 2 } },
      /^\/config\/jobs\/0\/query\/page: is/,
    ],
    [
      pages,
      { endpoint: "x?page=7" },
      /^\/config\/jobs\/0\/endpoint: "page" in the query is overwritten: paging sends 1 there/,
    ],
    [
      pages,
      { endpoint: "x?limit=50" },
      /endpoint: "limit" in the query is overwritten: paging sends 10 there; in "params" it is/,
    ],
    [offset, { endpoint: "x?limit=50" }, /endpoint: "limit" in the query is overwritten/],
    [offset, { params: { offset: 20 } }, /params\/offset: is overwritten: paging sends 0 here; "offsetFromJob": true/],
    [
      { ...offset, offsetFromJob: true },
      { endpoint: "x?offset=20" },
      /endpoint: "offset" in the query is overwritten.*in "params" it/,
    ],
  ];
  for (const [pagination, job, expected] of table) {
    const warnings = warningsOf({ api: { pagination }, config: { jobs: [{ endpoint: "x", ...job }] } });
    assert.equal(warnings.length, 1, JSON.stringify([pagination, job, warnings]));
    assert.match(warnings[0] ?? "", expected);
  }
  const fine: readonly (readonly [pagination: object, job: object])[] = [
    [pages, { params: { page: 1, limit: 50 } }],
    [pages, { endpoint: "x?page=1&limit=10" }],
    [pages, { method: "POST", endpoint: "x?page=7" }],
    [{ ...pages, firstPageParams: false }, { params: { page: 7 } }],
    [{ ...offset, offsetFromJob: true }, { params: { offset: 20 } }],
    [offset, { params: { offset: "0" } }],
    [{ ...offset, limit: "unknown" }, { params: { limit: 50 } }],
    [{ method: "cursor", idKey: "id", param: "since_id" }, { params: { since_id: 5 } }],
    [{ ...token, includeParams: true }, { params: { cursor: "*" } }],
  ];
  for (const [pagination, job] of fine) {
    assert.deepEqual(
      warningsOf({ api: { pagination }, config: { jobs: [{ endpoint: "x", ...job }] } }),
      [],
      JSON.stringify(job),
    );
  }
});

test("a warning names text that looks like a variable or a placeholder but is sent unchanged", () => {
  const table = [
    [{ endpoint: "users/{id}" }, /^\/config\/jobs\/0\/endpoint: "\{id\}" is sent as it is written: only a child job/],
    [
      { endpoint: `users/${variable("ID")}` },
      /^\/config\/jobs\/0\/endpoint: "\$\{ID\}" is sent as it is written: a variable/,
    ],
    [{ endpoint: "x", params: { a: [variable("T")] } }, /^\/config\/jobs\/0\/params\/a\/0: "\$\{T\}" .*"env": "T"/],
    [{ endpoint: "x", headers: { A: `Bearer ${variable("T")}` } }, /^\/config\/jobs\/0\/headers\/A: "\$\{T\}"/],
    [
      { endpoint: "x", params: { id: { placeholder: "id" } } },
      /^\/config\/jobs\/0\/params\/id: \{"placeholder": \.\.\.\} is sent/,
    ],
    [{ endpoint: "x", params: { at: { window: "from" } } }, /params\/at: \{"window": .* the job needs "windows"$/],
    [{ endpoint: "x", params: { at: { incremental: "from" } } }, /params\/at: .* the job needs "incremental"$/],
  ] as const;
  for (const [job, expected] of table) {
    const warnings = warningsOf({ config: { jobs: [job] } });
    assert.equal(warnings.length, 1, JSON.stringify(job));
    assert.match(warnings[0] ?? "", expected);
  }
  const fine = [
    { endpoint: 'x?filter={"a":1}' },
    { endpoint: "x", params: { cost: "$5", query: "{ users { id } }", template: "{{id}}" } },
    { endpoint: "x", children: [{ endpoint: "y/{id}", placeholders: { id: "id" } }] },
  ];
  for (const job of fine) assert.deepEqual(warningsOf({ config: { jobs: [job] } }), [], JSON.stringify(job));
});

test("a warning names texts of apiRequest that are not paths", () => {
  const authentication = (headers: object) => ({
    authentication: { type: "login", loginRequest: { endpoint: "login" }, apiRequest: { headers } },
  });
  const [warning = "", ...others] = warningsOf({
    api: authentication({ "Content-Type": "application/json", T: "a.token" }),
  });
  assert.equal(
    warning,
    '/api/authentication/apiRequest/headers/Content-Type: "application/json" is read as a path into the login\'s answer; write a literal text as {"function": "concat", "args": ["application/json"]}',
  );
  assert.deepEqual(others, []);
  const concat = { function: "concat", args: ["Bearer ", { response: "token" }] };
  assert.deepEqual(warningsOf({ api: authentication({ Authorization: concat, "X-T": "access_token" }) }), []);
});

test("a warning names an increment that no request, step or window reads", () => {
  const incremental = { path: "at", initial: "2024-01-01T00:00:00Z" };
  const from = { incremental: "from" };
  const unread =
    /^\/config\/jobs\/0\/incremental: no request reads it: put \{"incremental": "from"\} in "params", for example, or drop older records with "filter": true$/;
  assert.match(warningsOf({ config: { jobs: [{ endpoint: "x", incremental }] } }).join(), unread);
  const windows = { from: "2024-01-01", to: "2024-01-02", step: "1 day" };
  const edge = { window: "from" };
  for (const job of [
    { endpoint: "x", params: { from } },
    { endpoint: "x", headers: { "X-From": from } },
    { endpoint: { function: "concat", args: ["x/", from] } },
    { endpoint: { step: "order", path: "url" }, steps: [{ name: "order", endpoint: "exports", params: { from } }] },
    { endpoint: "x", params: { edge }, windows: { ...windows, from } },
    { endpoint: "x", params: { edge }, windows: { ...windows, to: from } },
  ]) {
    assert.deepEqual(warningsOf({ config: { jobs: [{ ...job, incremental }] } }), [], JSON.stringify(job));
  }
});

test("a warning names windows that no endpoint, header, parameter or step reads", () => {
  const windows = { from: "2024-01-01", to: "2024-01-02", step: "1 day" };
  const from = { window: "from" };
  assert.match(
    warningsOf({ config: { jobs: [{ endpoint: "x", windows }] } }).join(),
    /^\/config\/jobs\/0\/windows: no request reads the window/,
  );
  for (const job of [
    { endpoint: "x", params: { a: [{ from }] } },
    { endpoint: "x", params: { to: { window: "to" } } },
    { endpoint: "x", headers: { "X-From": from } },
    { endpoint: { function: "concat", args: ["x/", from] } },
    { endpoint: { step: "order", path: "url" }, steps: [{ name: "order", endpoint: "exports", params: { from } }] },
  ]) {
    assert.deepEqual(warningsOf({ config: { jobs: [{ ...job, windows }] } }), [], JSON.stringify(job));
  }
  const unit = { ...windows, unit: "day" };
  assert.match(
    warningsOf({ config: { jobs: [{ endpoint: "x", params: { from }, windows: unit }] } }).join(),
    /^\/config\/jobs\/0\/windows\/unit: has no effect without "bounds": "closed"$/,
  );
  const lost = { ...windows, timeZone: "Europe/Atlantis" };
  assert.throws(
    () => warningsOf({ config: { jobs: [{ endpoint: "x", params: { from }, windows: lost }] } }),
    /\/windows\/timeZone: found "Europe\/Atlantis", which is not an IANA time zone/,
  );
  const closed = { ...unit, bounds: "closed" };
  assert.deepEqual(warningsOf({ config: { jobs: [{ endpoint: "x", params: { from }, windows: closed }] } }), []);
});

test("a warning names a path that splits a name at its dot", () => {
  const url = { method: "response.url", urlKey: "@odata.nextLink" };
  assert.match(
    warningsOf({ api: { pagination: url } }).join(),
    /^\/api\/pagination\/urlKey: "@odata\.nextLink" is read as the member "nextLink" of "@odata"; with "delimiter": "\/"/,
  );
  assert.deepEqual(warningsOf({ api: { pagination: { ...url, delimiter: "/" } } }), []);
  const counted = { method: "offset", limit: 2, limitStop: { field: "@odata.count" } };
  assert.match(
    warningsOf({ api: { pagination: counted } }).join(),
    /^\/api\/pagination\/limitStop\/field: "@odata\.count"/,
  );
});

test("a warning names a mapping of a dataset that no job has, and a setting with `files` instead of `file`", () => {
  const jobs = [
    { endpoint: "users", children: [{ endpoint: "users/{id}/tags", dataType: "tags", placeholders: { id: "id" } }] },
  ];
  const column = { id: { mapping: { destination: "id" } } };
  const mappings = { user: { id: { type: "table" } }, users: column, tags: column };
  assert.deepEqual(warningsOf({ config: { jobs, mappings } }), [
    '/config/mappings/user: no job has this dataset, so the mapping has no effect, did you mean "users"?',
  ]);
  assert.deepEqual(
    warningsOf({ config: { jobs: [{ endpoint: "x" }], key: { files: "a.pem" }, names: { files: 1, more: 2 } } }),
    ['/config/key: {"files": ...} is plain data here; did you mean {"file": ...}?'],
  );
});
