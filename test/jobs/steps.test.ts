import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Api, fin, type Handler, inTurn, json, raw, startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

const read = (step: string, path: string): object => ({ step, path });
const concat = (...args: unknown[]): object => ({ function: "concat", args });

const create = { name: "create", endpoint: "exports", method: "POST", params: { object: "users" } };
const poll = {
  name: "poll",
  endpoint: concat("exports/", read("create", "id")),
  until: { path: "status", is: "done" },
  failWhen: { path: "status", is: ["failed", "cancelled"] },
  message: "error",
};

/** A job whose records are in the files that an export lists. */
const exportJob = { endpoint: read("poll", "files"), dataType: "users", format: "ndjson", steps: [create, poll] };

/** Starts an API that creates exports. Each is ready after a number of requests for its state. */
async function startExports(
  files: (api: Api) => unknown,
  { questions = 2, more = {} }: { questions?: number; more?: Record<string, Handler> } = {},
): Promise<Api> {
  let asked = 0;
  const api: Api = await startApi({
    "POST /exports": () => json({ id: "e-1", status: "queued" }, { status: 202 }),
    "/exports/e-1": () => {
      asked += 1;
      return asked > questions ? { status: "done", files: files(api) } : { status: "running" };
    },
    "/a": () => text('{"id":1}\n{"id":2}\n'),
    "/b": () => text('{"id":3}\n'),
    ...more,
  });
  return api;
}

const configurationOf = (api: Api, job: object = exportJob, more: object = {}): object => ({
  api: { baseUrl: api.url, ...more },
  config: { jobs: [job] },
});

test("an export is requested, polled and fetched, file by file", async () => {
  await using api = await startExports(() => ["a", "/b"]);
  const { output, result, events } = await runHere(configurationOf(api));
  assert.deepEqual(
    api.log.map(({ method, target }) => `${method} ${target}`),
    ["POST /exports", "GET /exports/e-1", "GET /exports/e-1", "GET /exports/e-1", "GET /a", "GET /b"],
  );
  assert.equal(api.log[0]?.body, '{"object":"users"}');
  assert.equal(output, '{"id":1}\n{"id":2}\n{"id":3}\n');
  const [job] = result.jobs;
  assert.equal(job?.verdict, "complete");
  assert.equal(job?.requests, 6);
  assert.equal(job?.pages, 2);
  const waits = events.filter(({ event }) => event === "wait");
  assert.deepEqual(
    waits.map(({ step, waitMs }) => [step, waitMs]),
    [
      ["poll", 5000],
      ["poll", 7500],
    ],
  );
  assert.match(waits[0]?.message ?? "", /^step "poll": not done yet \("status" is "running"\), asked again in 5.0 s$/);
  assert.deepEqual(
    events.filter(({ event }) => event === "step").map(({ step, status }) => [step, status]),
    [
      ["create", 202],
      ["poll", 200],
    ],
  );
});

test("a failed export is a refusal with the API's message", async () => {
  await using api = await startExports(() => [], {
    more: { "/exports/e-1": () => ({ status: "failed", error: "quota\nexceeded" }) },
  });
  const { result, output } = await runHere(configurationOf(api));
  assert.equal(result.exitCode, 69);
  assert.match(
    result.failure?.message ?? "",
    /^step "poll": GET http:\S+\/exports\/e-1: answered 200: quota\\x0aexceeded$/,
  );
  assert.equal(result.failure?.step, "poll");
  assert.equal(result.failure?.page, undefined);
  assert.equal(result.jobs[0]?.verdict, "failed");
  assert.equal(output, "");
});

test("an export that disappears is a refusal, by its status or by a condition", async () => {
  const gone = { "/exports/e-1": () => json({ error: "no such export" }, { status: 404 }) };
  await using api = await startExports(() => [], { more: gone });
  const plain = await runHere(configurationOf(api));
  assert.equal(plain.result.exitCode, 69);
  assert.match(plain.result.failure?.message ?? "", /^step "poll": GET \S+: answered 404 Not Found.*no such export/);
  const named = { ...poll, failWhen: { status: [404, 410] } };
  const refusal = await runHere(configurationOf(api, { ...exportJob, steps: [create, named] }));
  assert.equal(refusal.result.exitCode, 69);
  assert.match(refusal.result.failure?.message ?? "", /^step "poll": \S+ \S+: answered 404: no such export$/);
});

test("an export that is never ready is a temporary failure at its time limit", async () => {
  await using api = await startExports(() => [], { questions: 1e9 });
  const steps = [create, { ...poll, every: "1 minute", timeout: "3m" }];
  const { result } = await runHere(configurationOf(api, { ...exportJob, steps }));
  assert.equal(result.exitCode, 75);
  assert.match(
    result.failure?.message ?? "",
    /^step "poll": GET \S+: not done after 180 s \("status" is "running"\); a longer "timeout" waits longer$/,
  );
  const polls = api.targets().filter((target) => target === "/exports/e-1").length;
  // Waits are 60 s, and the last one is the remaining time.
  assert.ok(polls >= 4 && polls <= 5, String(polls));
});

test("a download on another origin gets no credentials, and its signature is not shown", async () => {
  await using files = await startApi(() => text(gzipSync("id,name\n007,Ann\n")));
  const signed = `${files.url}/part-1.csv.gz?X-Amz-Expires=900&X-Amz-Signature=0123456789abcdef%2F`;
  await using api = await startExports(() => [signed]);
  const job = { ...exportJob, format: "csv", headers: { "X-Team": "red" } };
  const { output, events, result } = await runHere({
    api: {
      baseUrl: api.url,
      authentication: { type: "basic" },
      http: { headers: { "X-Key": "k" }, defaultOptions: { params: { v: 2 }, method: "POST" } },
    },
    config: { username: "u", "#password": "secret-1", jobs: [job], debug: true },
  });
  assert.equal(output, '{"id":"007","name":"Ann"}\n');
  const [download] = files.log;
  assert.equal(download?.method, "GET");
  assert.equal(download?.target, signed.slice(files.url.length));
  for (const name of ["authorization", "x-key", "x-team", "cookie"]) assert.equal(download?.headers[name], undefined);
  for (const { headers } of api.log) assert.match(headers.authorization ?? "", /^Basic /);
  assert.equal(result.jobs[0]?.verdict, "complete");
  const log = JSON.stringify([events, result]);
  assert.ok(!log.includes("0123456789abcdef"), log);
  assert.match(log, /X-Amz-Signature=\*\*\*/);
  // There is no warning, since this is normal, and no advice that would send credentials to the storage.
  assert.deepEqual(
    events.filter(({ level }) => level === "warning"),
    [],
  );
});

test("a refused download on another origin comes with advice, and a next page on a third origin is a warning", async () => {
  await using other = await startApi(() => ({ items: [{ id: 2 }] }));
  await using files = await startApi((request) =>
    request.path === "/a" ? { items: [{ id: 1 }], next: `${other.url}/b` } : json({ error: "denied" }, { status: 403 }),
  );
  await using refusing = await startExports(() => [`${files.url}/gone`]);
  const { result } = await runHere(configurationOf(refusing));
  assert.equal(result.exitCode, 69);
  const hint = `\\(a signed address may have expired; if ${files.url} is the API's own and needs credentials, list it in api.allowedOrigins\\)`;
  assert.match(result.failure?.message ?? "", new RegExp(`answered 403 Forbidden ${hint}: .*denied`));
  await using api = await startExports(() => [`${files.url}/a`]);
  const paged = await runHere({
    api: { baseUrl: api.url, pagination: { method: "response.url", urlKey: "next" } },
    config: { jobs: [{ ...exportJob, format: "json", dataField: { path: "items" } }] },
  });
  const warnings = paged.events.filter(({ level }) => level === "warning").map(({ message }) => message);
  assert.deepEqual(warnings, [
    `${other.url} is not a trusted origin: no configured headers, credentials, cookies or secrets are sent there (api.allowedOrigins)`,
  ]);
});

test("an origin in allowedOrigins gets the credentials", async () => {
  await using files = await startApi(() => text('{"id":1}\n'));
  await using api = await startExports(() => `${files.url}/a`);
  await runHere({
    api: { baseUrl: api.url, allowedOrigins: [files.url], authentication: { type: "basic" } },
    config: { username: "u", "#password": "p-secret", jobs: [exportJob] },
  });
  assert.match(files.log[0]?.headers.authorization ?? "", /^Basic /);
});

test("a secret that the API echoes in an address is not sent to another origin", async () => {
  await using files = await startApi(() => text('{"id":1}\n'));
  await using api = await startExports(() => `${files.url}/a?token=top-secret-9&signature=abcdefgh1`);
  const { events } = await runHere({
    api: { baseUrl: api.url },
    config: { "#key": "top-secret-9", jobs: [exportJob] },
  });
  assert.equal(files.log[0]?.target, "/a?signature=abcdefgh1");
  assert.ok(
    events.some(({ level, message }) => level === "warning" && message.startsWith(`${files.url} is not a trusted`)),
  );
});

test("an expired address is a refusal, and the lines before it are written", async () => {
  const expired = { "/b": () => json({ error: "expired" }, { status: 403 }) };
  await using api = await startExports(() => ["a", "b"], { more: expired });
  const { output, result } = await runHere(configurationOf(api));
  assert.equal(output, '{"id":1}\n{"id":2}\n');
  assert.equal(result.exitCode, 69);
  assert.match(result.failure?.message ?? "", /answered 403/);
});

test("without files, there are no records, and an address that is missing, null or not text is a data error", async () => {
  await using none = await startExports(() => []);
  const { result, output } = await runHere(configurationOf(none));
  assert.equal(output, "");
  assert.equal(result.exitCode, 0);
  assert.equal(result.jobs[0]?.reason, "the steps gave no address");
  for (const [files, message] of [
    [undefined, /^the answer to step "poll" has nothing at "files"$/],
    [null, /^the answer to step "poll" has null at "files"$/],
    ["", /evaluates to an empty text/],
    [["a", null], /element 2 of 2 evaluates to null/],
    [{ a: 1 }, /evaluates to an object/],
    ["ftp://x/y", /only http and https/],
  ] as const) {
    await using api = await startExports(() => files);
    const failed = await runHere(configurationOf(api));
    assert.equal(failed.result.exitCode, 65, String(message));
    assert.match(failed.result.failure?.message ?? "", message);
  }
});

test("steps read each other's answers and headers wherever expressions are allowed", async () => {
  await using api = await startApi({
    "/token": () => json({ data: { token: "tok-12345678" } }, { headers: { "X-Shard": "s7" } }),
    "POST /query": () => json({ id: 13911860366432393n.toString() }),
    "/s7/result": () => [{ n: 1 }],
  });
  const { output } = await runHere(
    configurationOf(api, {
      endpoint: concat({ step: "token", header: "x-shard" }, "/result"),
      params: { q: read("query", "id"), plain: { step: 5 } },
      headers: { Authorization: concat("Bearer ", read("token", "data.token")) },
      userData: { query: read("query", "id") },
      steps: [
        { name: "token", endpoint: "token" },
        { name: "query", endpoint: "query", method: "POST", params: { token: read("token", "data.token") } },
      ],
    }),
  );
  assert.equal(api.log[1]?.body, '{"token":"tok-12345678"}');
  assert.equal(api.log[2]?.target, "/s7/result?q=13911860366432393&plain%5Bstep%5D=5");
  assert.equal(api.log[2]?.headers.authorization, "Bearer tok-12345678");
  assert.equal(output, '{"n":1,"query":"13911860366432393"}\n');
});

test("numbers keep their digits, and a value at the place of a credential is a secret", async () => {
  await using api = await startApi({
    "/token": () => text('{"token":"tok-12345678","n":1.10}'),
    "/data": () => text("[]"),
  });
  const { events } = await runHere({
    api: { baseUrl: api.url },
    config: {
      debug: true,
      jobs: [
        {
          endpoint: "data",
          params: { n: read("token", "n"), t: read("token", "token") },
          headers: { "X-Token": read("token", "token") },
          steps: [{ name: "token", endpoint: "token" }],
        },
      ],
    },
  });
  assert.equal(api.log[1]?.target, "/data?n=1.10&t=tok-12345678");
  assert.ok(!JSON.stringify(events).includes("tok-12345678"));
});

test("each parent's record has its own export, and parallel exports keep their order", async () => {
  const reports: Record<string, number> = {};
  const handlers: Record<string, Handler> = { "/accounts": () => [{ id: "x" }, { id: "y" }, { id: "z" }] };
  for (const id of ["x", "y", "z"]) {
    handlers[`POST /accounts/${id}/reports`] = () => ({ report: `r-${id}` });
    handlers[`/reports/r-${id}`] = () => {
      reports[id] = (reports[id] ?? 0) + 1;
      return reports[id] > (id === "x" ? 4 : 1)
        ? { state: "ok", urls: [`files/${id}-1`, `files/${id}-2`] }
        : { state: "busy" };
    };
    for (const part of [1, 2]) handlers[`/files/${id}-${part}`] = () => [{ of: id, part }];
  }
  const child = {
    endpoint: read("wait", "urls"),
    dataType: "rows",
    placeholders: { account: "id" },
    steps: [
      { name: "order", endpoint: "accounts/{account}/reports", method: "POST" },
      { name: "wait", endpoint: concat("reports/", read("order", "report")), until: { path: "state", is: "ok" } },
    ],
  };
  await using api = await startApi(handlers);
  for (const concurrency of [1, 4]) {
    for (const id of Object.keys(reports)) delete reports[id];
    const { output, result } = await runHere(configurationOf(api, { endpoint: "accounts", children: [child] }), {
      concurrency,
    });
    assert.equal(result.exitCode, 0, result.failure?.message);
    const rows = output
      .trim()
      .split("\n")
      .slice(3)
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      rows.map(({ of, part, parent_id }) => [of, part, parent_id]),
      ["x", "y", "z"].flatMap((id) => [1, 2].map((part) => [id, part, id])),
    );
  }
});

test("global rules apply to steps: retry, fail, or end the job", async () => {
  let busy = 0;
  await using api = await startApi({
    "/start": () => {
      busy += 1;
      return busy < 3 ? { code: "busy" } : { code: "ok" };
    },
    "/nothing": () => json({ error: "no data" }, { status: 404 }),
    "/broken": () => ({ errors: [{ message: "bad query" }] }),
    "/data": () => [{ id: 1 }],
  });
  const rule = (then: string, when: object, more = {}): object => ({ when, then, ...more });
  const responses = [
    rule("retry", { path: "code", is: "busy" }),
    rule("empty", { status: 404 }),
    rule("fail", { path: "errors" }, { message: "errors.0.message" }),
  ];
  const job = (endpoint: string): object => ({ endpoint: "data", steps: [{ name: "first", endpoint }] });
  const more = { http: { responses } };
  const good = await runHere(configurationOf(api, job("start"), more));
  assert.equal(good.output, '{"id":1}\n');
  assert.equal(good.result.jobs[0]?.retries, 2);
  const none = await runHere(configurationOf(api, job("nothing"), more));
  assert.equal(none.output, "");
  assert.equal(none.result.jobs[0]?.verdict, "complete");
  assert.match(none.result.jobs[0]?.reason ?? "", /^answered 404, which \/api\/http\/responses\/1 treats as the end/);
  const failed = await runHere(configurationOf(api, job("broken"), more));
  assert.equal(failed.result.exitCode, 69);
  assert.match(failed.result.failure?.message ?? "", /^step "first": GET \S+: answered 200: bad query$/);
});

test("an answer that is not JSON is a data error, unless `until` reads only its status or a header", async () => {
  let asked = 0;
  await using api = await startApi({
    "/page": () => text("<html>", { headers: { "content-type": "text/html" } }),
    "/result": () => {
      asked += 1;
      return asked < 3 ? text("wait", { status: 202 }) : text('{"id":1}\n');
    },
    "/empty": () => json(undefined, { status: 204 }),
  });
  const wrong = await runHere(configurationOf(api, { endpoint: "result", steps: [{ name: "s", endpoint: "page" }] }));
  assert.equal(wrong.result.exitCode, 65);
  assert.match(
    wrong.result.failure?.message ?? "",
    /^step "s": GET \S+: answered 200, content type text\/html, with a body/,
  );
  const steps = [{ name: "s", endpoint: "result", until: { status: 200 } }];
  const good = await runHere(configurationOf(api, { endpoint: "result", format: "ndjson", steps }));
  assert.equal(good.output, '{"id":1}\n');
  assert.equal(asked, 4);
});

test("a long wait that the API requests is obeyed", async () => {
  let asked = 0;
  await using api = await startApi({
    "/state": () => {
      asked += 1;
      return json({ done: asked > 1 }, { headers: { "Retry-After": "90" } });
    },
    "/data": () => [],
  });
  const steps = [{ name: "s", endpoint: "state", until: { path: "done" } }];
  const { events } = await runHere(configurationOf(api, { endpoint: "data", steps }));
  assert.deepEqual(
    events.filter(({ event }) => event === "wait").map(({ waitMs }) => waitMs),
    [90_000],
  );
});

test("each iteration runs its own steps", async () => {
  await using api = await startApi({
    "/steps": ({ params }) => ({ name: params.get("of") }),
    "*": ({ path }) => [{ path }],
  });
  const steps = [{ name: "s", endpoint: "steps", params: { of: { attr: "of" } } }];
  const { output } = await runHere({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: read("s", "name"), steps }] },
    iterations: [{ of: "one" }, { of: "two" }],
  });
  assert.equal(output, '{"path":"/one"}\n{"path":"/two"}\n');
});

test("a step whose answer breaks off is repeated, and an answer that is too long is a data error", async () => {
  const answer = JSON.stringify({ url: "a" });
  await using api = await startApi({
    "/cut": inTurn(
      raw(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n${answer}`, fin),
      raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${answer.slice(0, 5)}`, fin),
      json({ error: "busy" }, { status: 503 }),
      json({ url: "a" }),
    ),
    "/long": () => text(`"${"x".repeat(17 * 1024 * 1024)}"`),
    "/a": () => [{ id: 1 }],
  });
  // An answer with an error status matches only conditions that name its status (contract C-18.2).
  const failWhen = { path: "error" };
  const job = (endpoint: string): object => ({
    endpoint: read("s", "url"),
    steps: [{ name: "s", endpoint, failWhen }],
  });
  const { output, result } = await runHere(configurationOf(api, job("cut")));
  assert.equal(output, '{"id":1}\n');
  assert.equal(result.jobs[0]?.retries, 3);
  const long = await runHere(configurationOf(api, job("long")));
  assert.equal(long.result.exitCode, 65);
  assert.match(long.result.failure?.message ?? "", /^step "s": the answer is longer than 16777216 bytes/);
});

test("a 401 to a step causes a new login, and a second one is an authentication error", async () => {
  let refused = 0;
  await using api = await startApi({
    "POST /login": () => ({ token: "token-1234" }),
    "/s": () => {
      refused += 1;
      return refused === 1 || refused > 2 ? json({}, { status: 401 }) : { url: "a" };
    },
    "/a": () => [{ id: 1 }],
  });
  const authentication = {
    type: "login",
    loginRequest: { endpoint: "login", method: "POST" },
    apiRequest: { headers: { "X-Token": "token" } },
  };
  const job = { endpoint: read("s", "url"), steps: [{ name: "s", endpoint: "s" }] };
  const good = await runHere(configurationOf(api, job, { authentication }));
  assert.equal(good.output, '{"id":1}\n');
  assert.equal(good.result.jobs[0]?.logins, 2);
  const bad = await runHere(configurationOf(api, job, { authentication }));
  assert.equal(bad.result.exitCode, 77);
  assert.equal(bad.result.failure?.step, "s");
});
