import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "../helpers/api.ts";
import { spileHere } from "../helpers/command.ts";
import { messagesOf } from "./run.ts";

/* Tests of wrong values for each field of login and paging: each gives one clear line with its place, exit code 78, and no request. */

const login = (fields: Readonly<Record<string, unknown>>) => ({
  authentication: { type: "login", loginRequest: { endpoint: "login" }, ...fields },
});
const paging = (fields: Readonly<Record<string, unknown>>) => ({
  pagination: { method: "offset", limit: 2, ...fields },
});
const job = (fields: Readonly<Record<string, unknown>>) => ({ jobs: [{ endpoint: "items", ...fields }] });
const fine = job({});
const scroller = { method: "offset", limit: 2 };

const rows: readonly [says: RegExp, api: unknown, config: unknown][] = [
  [/\/: "api" is missing/, undefined, fine],
  [/\/api: must be an object/, [], fine],
  [/\/: "config" is missing/, {}, undefined],
  [/\/config: "jobs" is missing/, {}, {}],
  [/\/config\/jobs: must be a list/, {}, { jobs: "items" }],
  [/\/config\/jobs\/0: must be/, {}, { jobs: ["items"] }],
  [/\/config\/jobs\/0: "endpoint" is missing/, {}, { jobs: [{}] }],
  [/\/config\/jobs\/0\/endpoint: must be/, {}, job({ endpoint: 7 })],
  [/\/config\/jobs\/0\/method: must be.*GET.*POST.*FORM/, {}, job({ method: "PUT" })],
  [/\/config\/jobs\/0\/params: must be/, {}, job({ params: "a=b" })],
  [/\/config\/jobs\/0\/dataField: "path" is missing/, {}, job({ dataField: {} })],
  [/\/config\/jobs\/0\/dataField: must be/, {}, job({ dataField: 5 })],
  [/\/config\/jobs\/0\/dataType: must be/, {}, job({ dataType: {} })],
  [/\/config\/jobs\/0: unknown field "dataTyp", did you mean "dataType"/, {}, job({ dataTyp: "x" })],
  [/\/config\/jobs\/0\/params\/a.*"nobody"/, {}, job({ params: { a: { attr: "nobody" } } })],
  [/\/api\/http\/defaultOptions\/headers: must be/, { http: { defaultOptions: { headers: "x" } } }, fine],
  [/\/api\/http\/defaultOptions\/params: must be/, { http: { defaultOptions: { params: 1 } } }, fine],
  [/\/api\/authentication: "type" is missing/, { authentication: { loginRequest: { endpoint: "x" } } }, fine],
  [/\/api\/authentication\/type: .*"logn", did you mean "login"/, login({ type: "logn" }), fine],
  [/\/api\/authentication: "loginRequest" is missing/, { authentication: { type: "login" } }, fine],
  [/\/api\/authentication\/loginRequest: must be/, login({ loginRequest: "login" }), fine],
  [/\/api\/authentication\/loginRequest: "endpoint" is missing/, login({ loginRequest: {} }), fine],
  [/\/loginRequest\/endpoint: must be/, login({ loginRequest: { endpoint: 5 } }), fine],
  [/\/loginRequest\/method: must be/, login({ loginRequest: { endpoint: "x", method: "PUT" } }), fine],
  [/\/loginRequest\/params: must be/, login({ loginRequest: { endpoint: "x", params: "a=b" } }), fine],
  [/\/loginRequest\/headers: must be/, login({ loginRequest: { endpoint: "x", headers: "a" } }), fine],
  [
    /\/loginRequest\/params\/a.*nobody/,
    login({ loginRequest: { endpoint: "x", params: { a: { attr: "nobody" } } } }),
    fine,
  ],
  [
    /\/loginRequest\/headers\/a.*"sha2".*"sha1"/,
    login({ loginRequest: { endpoint: "x", headers: { a: { function: "sha2", args: ["x"] } } } }),
    fine,
  ],
  [/\/api\/authentication\/format: must be "json" or "text"/, login({ format: "xml" }), fine],
  [/\/apiRequest: must be/, login({ apiRequest: "token" }), fine],
  [/\/apiRequest\/headers: must be/, login({ apiRequest: { headers: "token" } }), fine],
  [/\/apiRequest\/query: must be/, login({ apiRequest: { query: ["token"] } }), fine],
  [/\/apiRequest\/query\/a/, login({ apiRequest: { query: { a: { function: "concat", args: "x" } } } }), fine],
  [/\/api\/authentication\/expires: /, login({ expires: { relative: true } }), fine],
  [/\/api\/authentication\/expires: /, login({ expires: "soon" }), fine],
  [/\/api\/pagination: "method" is missing/, { pagination: { limit: 2 } }, fine],
  [/\/api\/pagination\/method: .*"offst", did you mean "offset"/, paging({ method: "offst" }), fine],
  [/\/api\/pagination: "limit" is missing/, { pagination: { method: "offset" } }, fine],
  [/\/api\/pagination\/limitParam: must be/, paging({ limitParam: 5 }), fine],
  [/\/api\/pagination\/offsetParam: must be/, paging({ offsetParam: [] }), fine],
  [/\/config\/jobs\/0\/params\/offset: .*"ten"/, paging({ offsetFromJob: true }), job({ params: { offset: "ten" } })],
  [/\/config\/jobs\/0\/params\/offset: .*-1/, paging({ offsetFromJob: true }), job({ params: { offset: -1 } })],
  [/\/api\/pagination\/offsetParam: "p".*"limitParam"/, paging({ limitParam: "p", offsetParam: "p" }), fine],
  [/\/api\/pagination\/limitStop\/count: must be/, paging({ limitStop: { count: 0 } }), fine],
  [/\/config\/jobs\/0\/params\/limit: .*"all"/, paging({ method: "pagenum" }), job({ params: { limit: "all" } })],
  [/\/api\/pagination: "scrollers" is missing/, { pagination: { method: "multiple" } }, fine],
  [
    /\/api\/pagination\/scrollers\/a\/limit: /,
    { pagination: { method: "multiple", scrollers: { a: { ...scroller, limit: 0 } } } },
    job({ scroller: "a" }),
  ],
  [
    /\/config\/jobs\/0\/scroller: .*"b".*"a"/,
    { pagination: { method: "multiple", scrollers: { a: scroller } } },
    job({ scroller: "b" }),
  ],
];

for (const [says, api, config] of rows) {
  test(`${says.source.replaceAll("\\", "")} for ${JSON.stringify({ api, config })}`, async () => {
    await using server = await startApi(() => []);
    const whole = typeof api === "object" && !Array.isArray(api) ? { baseUrl: server.url, ...api } : api;
    const end = await spileHere(["-"], { stdin: JSON.stringify({ api: whole, config }) });
    assert.deepEqual([end.code, end.stdout, server.targets()], [78, "", []], end.stderr);
    const errors = messagesOf(end, "error");
    assert.equal(errors.length, 1, end.stderr);
    assert.match(errors[0] ?? "", says);
  });
}
