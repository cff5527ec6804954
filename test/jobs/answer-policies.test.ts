import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../helpers/answers.ts";
import { json, startApi } from "../helpers/api.ts";
import { records, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

/** Starts an API that answers each path with the status in it (`/404/...`), and `/200` with a record. */
function startStatuses(body: object = {}) {
  return startApi(({ path }) => {
    const status = Number(path.split("/")[1]);
    return json(status === 200 ? [{ id: 1 }] : body, { status });
  });
}

interface Case {
  readonly api?: object;
  readonly job: object;
  readonly ends: string | number;
}

const when = (status: number | object, then: string, more = {}) => ({
  when: typeof status === "number" ? { status } : status,
  then,
  ...more,
});

const cases: Readonly<Record<string, Case>> = {
  "a job's rules come before the global ones": {
    api: { http: { responses: [when(404, "fail")] } },
    job: { endpoint: "404", responses: [when(404, "empty")] },
    ends: "complete",
  },
  "a job's rules leave other answers to the global ones": {
    api: { http: { responses: [when(404, "empty")] } },
    job: { endpoint: "404", responses: [when(410, "empty")] },
    ends: "complete",
  },
  "a job's ignoreErrors replaces the global list": {
    api: { http: { ignoreErrors: [404] } },
    job: { endpoint: "404", ignoreErrors: [410] },
    ends: 69,
  },
  "an empty ignoreErrors tolerates nothing": {
    api: { http: { ignoreErrors: [404] } },
    job: { endpoint: "404", ignoreErrors: [] },
    ends: 69,
  },
  "a job's ignoreErrors comes before a global rule": {
    api: { http: { responses: [when(404, "fail")] } },
    job: { endpoint: "404", dataField: ".", ignoreErrors: [404] },
    ends: "complete",
  },
  "a job's rule comes before its ignoreErrors": {
    job: { endpoint: "404", responses: [when(404, "fail")], ignoreErrors: [404] },
    ends: 69,
  },
  "a global rule comes before the global ignoreErrors": {
    api: { http: { ignoreErrors: [404], responses: [when(404, "fail")] } },
    job: { endpoint: "404", responses: [when(410, "empty")] },
    ends: 69,
  },
  "a global rule applies to statuses that a job's ignoreErrors does not list": {
    api: { http: { responses: [when(410, "empty")] } },
    job: { endpoint: "410", ignoreErrors: [404] },
    ends: "complete",
  },
};

for (const [name, { api: own = {}, job, ends }] of Object.entries(cases)) {
  test(name, async () => {
    await using api = await startStatuses();
    const { result } = await runHere({ api: { baseUrl: api.url, ...own }, config: { jobs: [job] } });
    assert.equal(typeof ends === "number" ? result.exitCode : result.jobs[0]?.verdict, ends, result.jobs[0]?.reason);
  });
}

test("children inherit rules and ignoreErrors, the nearest level decides, and other jobs are not affected", async () => {
  await using api = await startStatuses();
  const child = (endpoint: string, more = {}) => ({
    endpoint,
    dataType: endpoint,
    placeholders: { id: "id" },
    ...more,
  });
  const outcome = async (children: readonly object[], more: object = {}) => {
    const jobs = [{ endpoint: "200", ...more, children }, { endpoint: "404/tags" }];
    const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs } }, { keepGoing: true });
    return result.jobs.map(({ verdict }) => verdict);
  };
  const rules = { responses: [when(404, "empty")] };
  assert.deepEqual(await outcome([child("404/{id}")], rules), ["complete", "complete", "failed"]);
  assert.deepEqual(await outcome([child("404/{id}", { responses: [when(404, "fail")] })], rules), [
    "complete",
    "failed",
    "failed",
  ]);
  const tolerated = await outcome(
    [child("404/{id}", { dataField: "." }), child("410/{id}", { ignoreErrors: [410], dataField: "." })],
    {
      ignoreErrors: [404],
    },
  );
  assert.deepEqual(tolerated, ["complete", "complete", "complete", "failed"]);
  // The child's list replaces the parent's, so the child does not tolerate a 404.
  const replaced = await outcome([child("404/{id}", { ignoreErrors: [410] })], { ignoreErrors: [404] });
  assert.deepEqual(replaced, ["complete", "failed", "failed"]);
});

test("the reason of a child's end counts the runs that a rule or ignoreErrors ended", async () => {
  await using api = await startApi(({ path }) => {
    if (path === "/parents") return [1, 2, 3].map((id) => ({ id }));
    return path === "/2/list" ? [{ row: 1 }] : json({}, { status: 404 });
  });
  const reason = async (rules: object) => {
    const child = { endpoint: "{id}/list", dataType: "list", placeholders: { id: "id" }, dataField: ".", ...rules };
    const jobs = [{ endpoint: "parents", children: [child] }];
    const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs } });
    return result.jobs[1]?.reason ?? "";
  };
  assert.match(
    await reason({ responses: [when(404, "empty")] }),
    /^2 of 3 runs ended because the API answered 404, which /,
  );
  assert.match(
    await reason({ ignoreErrors: [404] }),
    /^2 of 3 runs ended with status 404, which ignoreErrors tolerates/,
  );
});

test("a job's retryConfig is merged with the global one, member by member, also in their old forms", async () => {
  let asked = 0;
  await using api = await startApi(() => {
    asked += 1;
    return json({}, { status: 409, headers: { "X-Wait": "7000", "Retry-After": "7000" } });
  });
  const outcome = async (global: object, retryConfig: object) => {
    asked = 0;
    const jobs = [{ endpoint: "a", retryConfig }];
    const { result } = await runHere({ api: { baseUrl: api.url, retryConfig: global }, config: { jobs } });
    return `${result.exitCode} ${asked} ${/would be ([0-9]+) s/.exec(result.failure?.message ?? "")?.[1] ?? ""}`.trim();
  };
  const none = { http: { retryHeader: "X-None" } };
  assert.equal(await outcome({ maxRetries: 2, ...none }, {}), "69 1");
  assert.equal(await outcome({ maxRetries: 2, ...none }, { http: { codes: [409] } }), "75 3");
  assert.equal(await outcome({ http: { ...none.http, codes: [409] } }, { maxRetries: 1 }), "75 2");
  assert.equal(await outcome({ maxRetries: 2, http: { ...none.http, codes: [409] } }, { http: { codes: [] } }), "69 1");
  assert.equal(await outcome({ maxRetries: 2, ...none }, { httpCodes: [409], headerName: "X-Wait" }), "75 1 7000");
  assert.equal(
    await outcome({ maxRetries: 2, headerName: "X-None" }, { http: { codes: ["409"], maxRetries: 0 } }),
    "75 1",
  );
});

test("a job's rule examines bodies of status 200 in that job only", async () => {
  await using api = await startApi(() => ({ error: "none today", items: [] }));
  const job = { dataField: "items", evidence: false };
  const rule = when({ status: 200, path: "error" }, "fail", { message: "error" });
  const jobs = [
    { endpoint: "a", ...job, responses: [rule] },
    { endpoint: "b", ...job },
  ];
  const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs } }, { keepGoing: true });
  assert.deepEqual(
    result.jobs.map(({ verdict }) => verdict),
    ["failed", "complete"],
  );
  assert.match(result.failure?.message ?? "", /answered 200: none today/);
});

for (const format of ["csv", "tsv", "ndjson"]) {
  test(`a rule reads JSON in an error answer although the job's format is ${format}`, async () => {
    const pages: Readonly<Record<string, string>> = {
      csv: "id\n1\n2\n",
      ndjson: '{"id":"1"}\n{"id":"2"}\n',
      tsv: "id\n1\n2\n",
    };
    for (const body of ['{"code":"GONE"}', '{\n  "code": "GONE"\n}\n', '{"code":\n"GONE"}']) {
      await using api = await startApi(({ params }) =>
        params.get("page") === "1" ? text(pages[format] ?? "") : text(body, { status: 404 }),
      );
      const pagination = { method: "pagenum", limit: 2, firstPageParams: true };
      const job = {
        endpoint: "a",
        format,
        responses: [when({ status: 404, path: "code", is: "GONE" }, "empty")],
      };
      const { result, output } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs: [job] } });
      const [ended] = result.jobs;
      assert.deepEqual([ended?.verdict, output], ["complete", '{"id":"1"}\n{"id":"2"}\n'], ended?.reason);
    }
  });
}

for (const format of ["csv", "tsv", "ndjson"]) {
  test(`a rule reads a JSON object that an answer of status 200 contains instead of ${format}`, async () => {
    const table = format === "ndjson" ? '{"id":"1"}\n{"id":"2"}\n' : "id\n1\n2\n";
    const bodies = [
      '{"code":"GONE","why":{"text":"no more"}}',
      '{\n  "code": "GONE",\n  "why": {"text": "no more"}\n}\n',
    ];
    for (const body of bodies) {
      for (const [meaning, expected] of [
        ["empty", "complete"],
        ["fail", /: answered 200: no more$/],
        ["retry", "complete"],
      ] as const) {
        let asked = 0;
        await using api = await startApi(({ params }) => {
          asked += 1;
          if (params.get("page") === "1") return text(table);
          return meaning === "retry" && asked > 2 ? text("") : text(body);
        });
        const rule = when({ path: "code", is: "GONE" }, meaning, meaning === "fail" ? { message: "why.text" } : {});
        const job = { endpoint: "a", format, responses: [rule] };
        const pagination = { method: "pagenum", limit: 2, firstPageParams: true };
        const { result, output } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs: [job] } });
        const [ended] = result.jobs;
        assert.equal(output, '{"id":"1"}\n{"id":"2"}\n');
        if (typeof expected === "string") assert.equal(ended?.verdict, expected, ended?.reason);
        else assert.match(result.failure?.message ?? "", expected);
        assert.equal(asked, meaning === "retry" ? 3 : 2);
      }
    }
  });
}

for (const [type, compression] of [
  ["csv", "gzip"],
  ["csv", "zip"],
  ["tsv", "gzip"],
  ["ndjson", "gzip"],
  ["json", "zip"],
] as const) {
  test(`a rule reads a JSON object that is not compressed as configured: ${type} in ${compression}`, async () => {
    const body = '{"code":"GONE","why":{"text":"no more"}}';
    const meanings = [
      [when({ path: "code", is: "GONE" }, "empty"), 0, /^$/],
      [when({ path: "code", is: "GONE" }, "fail", { message: "why.text" }), 69, /: answered 200: no more$/],
      [when({ path: "code", is: "LATER" }, "empty"), 65, /is not a (gzip|zip): the body begins with "\{.*no more.*\}"/],
    ] as const;
    for (const [rule, exitCode, message] of meanings) {
      await using api = await startApi(() => text(body, { headers: { "content-type": "application/octet-stream" } }));
      const job = { endpoint: "a", format: { type, compression }, responses: [rule] };
      const { result, output } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
      assert.deepEqual([output, result.exitCode], ["", exitCode]);
      assert.match(result.failure?.message ?? "", message);
    }
  });
}

test("a rule's path matches no table, no broken JSON, and no line of NDJSON unless the Content-Type names JSON", async () => {
  for (const [format, body] of [
    ["csv", "code\nGONE\n"],
    ["ndjson", '{"code":"GONE"}\n{"code":"GONE"}\n'],
  ] as const) {
    await using api = await startApi(() => text(body));
    const job = { endpoint: "a", format, responses: [when({ path: "code" }, "fail")] };
    const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
    assert.deepEqual([result.exitCode, result.records], [0, format === "csv" ? 1 : 2]);
  }
  // A lone line of NDJSON is a record unless the Content-Type names JSON.
  for (const [type, exitCode] of [
    ["application/x-ndjson", 0],
    ["text/plain", 0],
    ["application/problem+json; charset=utf-8", 69],
  ] as const) {
    await using api = await startApi(() => text('{"code":"GONE"}\n', { headers: { "content-type": type } }));
    const job = { endpoint: "a", format: "ndjson", responses: [when({ path: "code" }, "fail")] };
    const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
    assert.equal(result.exitCode, exitCode, type);
  }
  await using api = await startApi(() => text('{"code": GONE}\nx,y\n'));
  const job = { endpoint: "a", format: "csv", responses: [when({ path: "code" }, "empty")] };
  const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
  assert.equal(result.exitCode, 65);
});

test("the message about a job's rule names the rule's place, and the wait is read from the job's retryHeader", async () => {
  let asked = 0;
  await using api = await startApi(() => {
    asked += 1;
    return asked === 1 ? json({ busy: true }, { headers: { "X-Wait": "5000" } }) : json([{ id: 1 }]);
  });
  const job = {
    endpoint: "a",
    responses: [when({ path: "busy" }, "retry")],
    retryConfig: { http: { retryHeader: "X-Wait" } },
  };
  const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [job] } });
  assert.match(
    result.failure?.message ?? "",
    /which \/config\/jobs\/0\/responses\/0 treats as a reason to repeat the request; the wait .* 5000 s/,
  );
});

test("the policies of a job apply to its steps", async () => {
  await using api = await startApi(({ path }) => (path === "/make" ? json({}, { status: 409 }) : [{ id: 1 }]));
  const step = { name: "make", endpoint: "make" };
  const outcome = async (job: object, http = {}) => {
    const jobs = [{ endpoint: "rows", steps: [step], ...job }];
    const { result, output } = await runHere({ api: { baseUrl: api.url, http }, config: { jobs } });
    return [result.exitCode, result.jobs[0]?.verdict, records(output).length];
  };
  assert.deepEqual(await outcome({}), [69, "failed", 0]);
  assert.deepEqual(await outcome({ responses: [when(409, "empty")] }), [0, "complete", 0]);
  assert.deepEqual(await outcome({ ignoreErrors: [409] }), [0, "complete", 1]);
  assert.deepEqual(await outcome({ retryConfig: { maxRetries: 1, http: { codes: [409] } } }), [75, "failed", 0]);
});

test("check reports faults and hints about a job's rules, and describes them", async () => {
  await using folder = await temporaryFolder();
  const checked = async (job: object) => {
    const configuration = {
      api: { baseUrl: "https://api.example.com/" },
      config: { jobs: [{ endpoint: "a", ...job }] },
    };
    return await spileHere(["check", await folder.write("config.json", configuration)]);
  };
  const login = await checked({ responses: [when(401, "login")] });
  assert.match(login.stderr, /\/config\/jobs\/0\/responses\/0\/then: "login" needs an authentication that logs in/);
  const pattern = await checked({ responses: [when({ path: "a", matches: "(" }, "fail")] });
  assert.match(pattern.stderr, /\/config\/jobs\/0\/responses\/0\/when: "matches" is no/);
  assert.match(
    (await checked({ ignoreErrors: [9] })).stderr,
    /\/config\/jobs\/0\/ignoreErrors\/0: must be an HTTP status/,
  );
  const hinted = await checked({ responses: [when({ path: "error" }, "fail")] });
  assert.match(hinted.stderr, /\/config\/jobs\/0\/responses\/0\/when: also matches a 429 or 503/);
  assert.doesNotMatch(
    (await checked({ responses: [when({ path: "error" }, "fail")], retryConfig: { maxRetries: 0 } })).stderr,
    /also matches/,
  );
  const words = await checked({ responses: [when(404, "empty")], ignoreErrors: [410], retryConfig: { maxRetries: 3 } });
  assert.match(words.stdout, /1 rule for answers \(empty\); tolerates 410; at most 3 retries a page/);
});
