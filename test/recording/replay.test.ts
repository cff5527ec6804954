import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { SpileError } from "../../src/core/errors.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Archive } from "../../src/recording/har.ts";
import { replayOf } from "../../src/recording/replay.ts";
import { broken, empty, encoded, json, startApi, text } from "../helpers/api.ts";
import { type Finished, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { cpuTime } from "../helpers/cpu-time.ts";
import { runHere } from "../helpers/run.ts";

/** Runs a configuration against an API and records it, then replays it without the API. */
async function recordAndReplay(
  configuration: (url: string) => unknown,
  handler: Parameters<typeof startApi>[0],
  options: { readonly words?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<{ live: Finished; replayed: Finished; archive: Archive; har: string }> {
  await using folder = await temporaryFolder();
  const har = `${folder.path}/api.har`;
  const { words = [], env = {} } = options;
  let file: string;
  let live: Finished;
  {
    await using api = await startApi(handler);
    file = await folder.write("config.json", configuration(api.url));
    live = await spileHere([file, "--record", har, ...words], { env });
  }
  const replayed = await spileHere([file, "--replay", har, ...words], { env });
  const recorded = await readFile(har, "utf8");
  return { live, replayed, archive: JSON.parse(recorded), har: recorded };
}

const users = Array.from({ length: 5 }, (_, id) => ({ id, name: `u${id}`, n: "1.10" }));

test("a run that has two logins at one address, and rules of jobs, is replayed", async () => {
  const login = (user: string) => ({
    type: "login",
    loginRequest: { endpoint: "login", method: "POST", params: { user } },
    apiRequest: { headers: { "X-Token": "token" } },
  });
  const empty = JSON.parse('{ "when": { "status": 404 }, "then": "empty" }');
  const { live, replayed } = await recordAndReplay(
    (url) => ({
      api: { baseUrl: url, authentication: login("ada"), authentications: { bob: login("bob") } },
      config: {
        jobs: [
          { endpoint: "a" },
          { endpoint: "b", authentication: "bob", rateLimit: "1/s" },
          { endpoint: "gone", authentication: "bob", responses: [empty] },
          { endpoint: "c", authentication: false },
        ],
      },
    }),
    ({ path, headers, body }) => {
      if (path === "/login") return { token: `token-of-${JSON.parse(body).user}` };
      return path === "/gone"
        ? json({}, { status: 404 })
        : [{ path, token: headers["x-token"] === undefined ? "none" : "some" }];
    },
  );
  assert.deepEqual([live.code, replayed.code], [0, 0], live.stderr + replayed.stderr);
  assert.equal(replayed.stdout, live.stdout);
  assert.match(live.stdout, /"\/b","token":"some"\}\n\{"path":"\/c","token":"none"\}\n$/);
});

test("a run with a login, expressions of time, retries, redirects and encodings is replayed without a network", async () => {
  let tries = 0;
  const { live, replayed, archive, har } = await recordAndReplay(
    (url) => ({
      api: {
        baseUrl: url,
        authentication: {
          type: "login",
          loginRequest: { endpoint: "login", method: "POST", params: { user: "me", password: { attr: "#password" } } },
          apiRequest: {
            headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "token" }] } },
            query: { pin: "pin" },
          },
        },
        pagination: { method: "offset", limit: 2 },
      },
      config: {
        "#password": "hunter2-hunter2",
        jobs: [
          {
            endpoint: "users",
            dataField: "data",
            params: { since: { time: "currentStart" }, at: { function: "date", args: ["Y-m-d H:i:s"] } },
          },
          { endpoint: "moved", params: { sign: { function: "md5", args: [{ attr: "#password" }] } } },
          { endpoint: "search", method: "POST", params: { secret: { attr: "#password" } } },
        ],
      },
    }),
    {
      "POST /login": () => json({ token: "granted-token-1", pin: 987654321 }),
      "/users": ({ params }) => {
        tries += 1;
        if (tries === 2) return empty(503, { "retry-after": "1" });
        const offset = Number(params.get("offset"));
        const data = users.slice(offset, offset + 2);
        return encoded("gzip", JSON.stringify({ pin: 987654321, data }));
      },
      "/moved": () => empty(302, { location: "/there" }),
      "/there": () => [{ id: "granted-token-1", secret: "hunter2-hunter2" }],
      "POST /search": () => ({ items: [{ id: 1 }] }),
    },
  );
  assert.equal(live.code, 0, live.stderr);
  // Masked bodies are shorter.
  const withoutBytes = (stderr: string) => stderr.replace(/\d+ B/g, "");
  assert.deepEqual([replayed.code, withoutBytes(replayed.stderr)], [0, withoutBytes(live.stderr)]);
  const masked = live.stdout.replaceAll("granted-token-1", "***").replaceAll("hunter2-hunter2", "***");
  assert.equal(replayed.stdout, masked);
  assert.doesNotMatch(har, /hunter2|granted-token|987654321/);
  const { version, creator, entries } = archive.log;
  assert.deepEqual([version, creator.name, entries.length], ["1.2", "spile", 8]);
  assert.deepEqual(
    entries.map(({ request, response }) => [request.method, new URL(request.url).pathname, response.status]),
    [
      ["POST", "/login", 200],
      ["GET", "/users", 200],
      ["GET", "/users", 503],
      ["GET", "/users", 200],
      ["GET", "/users", 200],
      ["GET", "/moved", 302],
      ["GET", "/there", 200],
      ["POST", "/search", 200],
    ],
  );
  assert.equal(
    JSON.parse(entries[1]?.response.content.text ?? "").pin,
    "***",
    "JSON stays valid although a number in it is masked",
  );
  const authorization = entries[1]?.request.headers.find(({ name }) => name === "Authorization");
  assert.equal(authorization?.value, "***");
  assert.deepEqual(
    entries[1]?.request.queryString.find(({ name }) => name === "limit"),
    { name: "limit", value: "2" },
  );
});

test("a replay needs values for secret settings, but not those of the recorded run", async () => {
  await using folder = await temporaryFolder();
  const har = `${folder.path}/api.har`;
  const configuration = (url: string) => ({
    api: { baseUrl: url, authentication: { type: "basic" } },
    config: {
      username: "me",
      "#password": { env: "PASSWORD" },
      jobs: [{ endpoint: "x", params: { key: { attr: "#password" } } }],
    },
  });
  await using api = await startApi(() => [{ id: 1 }]);
  const file = await folder.write("config.json", configuration(api.url));
  const live = await spileHere([file, "--record", har], { env: { PASSWORD: "first & secret" } });
  assert.equal(live.code, 0, live.stderr);
  const replayed = await spileHere([file, "--replay", har], { env: { PASSWORD: "another one" } });
  assert.deepEqual([replayed.code, replayed.stdout, api.log.length], [0, '{"id":1}\n', 1], replayed.stderr);
  assert.doesNotMatch(await readFile(har, "utf8"), /first|Zmlyc3Q|bWU6Zmly/);
});

test("a request that is not in the recording is not sent, and the error (69) names the nearest one", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(({ params }) => [{ id: params.get("a") }]);
  const har = `${folder.path}/api.har`;
  const configuration = (...jobs: object[]) => ({ api: { baseUrl: api.url }, config: { jobs } });
  const one = await folder.write(
    "one.json",
    configuration({ endpoint: "items", params: { a: 1 } }, { endpoint: "other" }),
  );
  assert.equal((await spileHere([one, "--record", har])).code, 0);
  const wrong = await folder.write("two.json", configuration({ endpoint: "items", params: { a: 2 } }));
  const missing = await spileHere([wrong, "--replay", har]);
  assert.deepEqual([missing.code, missing.stdout], [69, ""]);
  assert.match(
    missing.stderr,
    /error items page 1: GET \S+\/items\?a=2: \S+api\.har does not contain this request; the most similar recorded request is GET \S+\/items\?a=1\n/,
  );
  const twice = await folder.write("three.json", {
    ...configuration({ endpoint: "items", params: { a: 1 } }),
    iterations: [{}, {}],
  });
  const again = await spileHere([twice, "--replay", har]);
  assert.deepEqual([again.code, again.stdout], [69, '{"id":"1"}\n']);
  assert.match(again.stderr, /contains this request once, but the run sends it again/);
  assert.equal(api.log.length, 2);
});

test("equal requests are answered in the order of the recording", async () => {
  let calls = 0;
  const { live, replayed } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "x" }] }, iterations: [{}, {}, {}] }),
    () => {
      calls += 1;
      return [{ call: calls }];
    },
  );
  assert.equal(live.stdout, '{"call":1}\n{"call":2}\n{"call":3}\n');
  assert.equal(replayed.stdout, live.stdout);
});

test("parallel pages, failures of a run and faults of the network are replayed", async () => {
  const side = await recordAndReplay(
    (url) => ({
      api: { baseUrl: url, pagination: { method: "offset", limit: 1 } },
      config: { jobs: [{ endpoint: "users", dataField: "data" }] },
    }),
    ({ params }) => ({ data: users.slice(Number(params.get("offset")), Number(params.get("offset")) + 1) }),
    { words: ["--concurrency", "3"] },
  );
  assert.equal(side.live.code, 0, side.live.stderr);
  assert.equal(side.replayed.stdout, side.live.stdout);
  const refused = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] } }),
    { "/a": () => [{ id: 1 }], "/b": () => json({ error: "no" }, { status: 403 }) },
  );
  assert.deepEqual([refused.live.code, refused.live.stdout], [69, '{"id":1}\n']);
  assert.deepEqual(refused.replayed, refused.live);
  const down = await recordAndReplay(
    () => ({
      api: { baseUrl: "http://127.0.0.1:1/", retryConfig: { maxRetries: 1 } },
      config: { jobs: [{ endpoint: "a" }] },
    }),
    () => [],
  );
  assert.equal(down.live.code, 75);
  assert.match(down.live.stderr, /the connection was refused/);
  assert.deepEqual([down.replayed.code, down.archive.log.entries[0]?.response._error?.code], [75, "ECONNREFUSED"]);
  assert.match(down.replayed.stderr, /the connection was refused/);
});

test("a body that ended with its connection ends in the same way in a replay", async () => {
  let calls = 0;
  const { live, replayed } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "x" }] } }),
    () => {
      calls += 1;
      return calls === 1 ? broken.cutWithoutLength('[{"id":1},{"id":2}]') : [{ id: 1 }, { id: 2 }];
    },
  );
  assert.equal(live.stdout, '{"id":1}\n{"id":2}\n', live.stderr);
  assert.match(live.stderr, /1 retry/);
  assert.deepEqual(replayed, live);
});

test("a reset after a body without a length is replayed", async () => {
  const answer = broken.resetWithoutLength('{"id":1}\n', undefined, "Content-Type: application/x-ndjson\r\n");
  const { live, replayed } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "x" }] } }),
    () => answer,
  );
  assert.match(live.stderr, /suspect: .*twice in the same way/);
  assert.deepEqual(replayed, live);
});

test("a body beyond --record-body is cut and marked, and its replay is an error", async () => {
  const long = users.map((user) => ({ ...user, text: "x".repeat(1000) }));
  const { live, replayed, archive } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "x" }] } }),
    () => encoded("br", JSON.stringify(long)),
    { words: ["--record-body", "2K"] },
  );
  assert.equal(live.code, 0, live.stderr);
  const { content } = archive.log.entries[0]?.response ?? assert.fail();
  assert.deepEqual([content._truncated, content.text?.length, content.size], [true, 2048, JSON.stringify(long).length]);
  assert.match(content.comment ?? "", /the first 2048 of \d+ bytes/);
  assert.deepEqual([replayed.code, replayed.stdout], [69, ""]);
  assert.match(replayed.stderr, /has only the beginning of this answer; record it with a greater --record-body/);
});

test("a body that is not UTF-8, and a compressed one, give the same lines in a replay", async () => {
  const latin = Buffer.from('[{"name":"caf\u00e9"}]', "latin1");
  const { live, replayed } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "latin" }, { endpoint: "plain" }] } }),
    {
      "/latin": () => text(latin, { headers: { "content-type": "application/json; charset=ISO-8859-1" } }),
      "/plain": () => text(gzipSync('[{"id":2}]'), { headers: { "content-encoding": "gzip" } }),
    },
  );
  assert.deepEqual([live.code, live.stdout], [0, '{"name":"café"}\n{"id":2}\n'], live.stderr);
  assert.deepEqual(replayed, live);
});

test("no part of a body that is longer than the memory for it is recorded, but the run writes all the records", async () => {
  const rows = Array.from({ length: 160_000 }, (_, id) => ({ id, name: "x".repeat(100) }));
  const { live, replayed, archive } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url }, config: { jobs: [{ endpoint: "plain" }, { endpoint: "packed" }] } }),
    ({ path }) => (path === "/packed" ? encoded("gzip", JSON.stringify(rows)) : rows),
  );
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  assert.equal(live.code, 0, live.stderr);
  assert.ok(live.stdout === lines + lines, "the lines are those of the answers");
  assert.equal(live.stderr.match(/nothing of its body is recorded/g)?.length, 1, live.stderr);
  for (const { response } of archive.log.entries) {
    const { comment, ...content } = response.content;
    assert.match(comment ?? "", /^the answer is longer than 16777216 bytes/);
    assert.deepEqual(content, { size: -1, mimeType: "application/json", text: "", _truncated: true });
  }
  assert.equal(replayed.code, 69);
  assert.equal(replayed.stdout, "");
  assert.match(replayed.stderr, /GET .*\/plain: .* has nothing of the body of this answer; record it with a greater/);
});

test("a greater --record-body keeps a body that is longer than usual, and a body that breaks off is repeated in the replay, too", async () => {
  const rows = Array.from({ length: 160_000 }, (_, id) => ({ id, name: "x".repeat(100) }));
  const body = JSON.stringify(rows);
  let tries = 0;
  const { live, replayed } = await recordAndReplay(
    (url) => ({ api: { baseUrl: url, http: { maxRetries: 1 } }, config: { jobs: [{ endpoint: "plain" }] } }),
    () => {
      tries += 1;
      return tries === 1 ? broken.cutInBody(body, body.length - 10) : text(body);
    },
    { words: ["--record-body", "30M"] },
  );
  assert.deepEqual([live.code, replayed.code], [0, 0], live.stderr + replayed.stderr);
  assert.equal(live.stdout.length, body.length - 1);
  assert.ok(live.stdout === replayed.stdout, "the replay gives the same lines");
});

test("the recording of a browser can be replayed", async () => {
  await using folder = await temporaryFolder();
  const entry = {
    startedDateTime: "2024-03-10T00:00:00.000Z",
    request: { method: "GET", url: "https://api.example.com/v1/x?day=2024-03-10", headers: [] },
    response: {
      status: 200,
      headers: [
        { name: ":status", value: "200" },
        { name: "content-encoding", value: "br" },
      ],
      content: { size: 10, mimeType: "application/json", text: '[{"id":1}]' },
    },
  };
  const har = await folder.write("browser.har", { log: { version: "1.2", entries: [entry] } });
  const params = { day: { function: "date", args: ["Y-m-d"] } };
  const configuration = {
    api: { baseUrl: "https://api.example.com/v1/" },
    config: { jobs: [{ endpoint: "x", params }] },
  };
  const { code, stdout, stderr } = await spileHere(["-", "--replay", har], { stdin: JSON.stringify(configuration) });
  assert.deepEqual([code, stdout], [0, '{"id":1}\n'], stderr);
});

test("a file that is not a recording ends with 78, and one that cannot be written with 74", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("c.json", {
    api: { baseUrl: "http://127.0.0.1:1/" },
    config: { jobs: [{ endpoint: "x" }] },
  });
  const other = await folder.write("other.har", { log: {} });
  await writeFile(`${folder.path}/broken.har`, "{");
  for (const name of ["/nowhere/x.har", other, `${folder.path}/broken.har`]) {
    const { code, stdout, stderr } = await spileHere([file, "--replay", name]);
    assert.deepEqual([code, stdout], [78, ""], name);
    assert.match(stderr, /^error cannot replay /);
  }
  assert.equal((await spileHere([file, "--record", "/nowhere/x.har"])).code, 74);
  assert.equal((await spileHere([file, "--record", "a", "--replay", "b"])).code, 64);
});

test("a signal ends a replay of many answers", async () => {
  const paths = Array.from({ length: 200 }, (_, index) => `e${index}`);
  const entries = paths.map((path) => ({
    startedDateTime: "2026-01-01T00:00:00.000Z",
    request: { method: "GET", url: `http://127.0.0.1:1/${path}` },
    response: { status: 200, headers: [], content: { text: "[1]" } },
  }));
  const { transport } = replayOf({ log: { entries } }, "r.har", new Secrets());
  const controller = new AbortController();
  let requests = 0;
  const { result } = await runHere(
    { api: { baseUrl: "http://127.0.0.1:1/" }, config: { jobs: paths.map((endpoint) => ({ endpoint })) } },
    {
      transport(wire, send) {
        requests += 1;
        if (requests === 1) setImmediate(() => controller.abort(new SpileError("terminated", "stopped by SIGTERM")));
        return transport(wire, send);
      },
      waits: false,
      signal: controller.signal,
    },
  );
  assert.equal(result.failure?.message, "stopped by SIGTERM");
  assert.ok(requests < paths.length, `${requests} requests`);
});

test("a recording of a hundred thousand equal requests is opened in linear time", () => {
  const response = { status: 200, headers: [], content: { text: "[]" } };
  const request = { method: "GET", url: "http://127.0.0.1/x?a=1" };
  const entries = Array.from({ length: 100_000 }, () => ({
    startedDateTime: "2024-01-01T00:00:00Z",
    request,
    response,
  }));
  const began = cpuTime();
  replayOf({ log: { entries } }, "r.har", new Secrets());
  assert.ok(cpuTime() - began < 5000, `${cpuTime() - began} ms`);
});
