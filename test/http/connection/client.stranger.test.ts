import assert from "node:assert/strict";
import http, { type RequestOptions } from "node:http";
import { test } from "node:test";
import { json, startApi } from "../../helpers/api.ts";
import { spile, temporaryFolder } from "../../helpers/cli.ts";
import { clientFor } from "../client.ts";

/* Tests of other code in the process that has replaced functions of Node. */

/** Runs `work` while `replace` is `http.request`. */
async function whileReplaced<T>(replace: typeof http.request, work: () => Promise<T>): Promise<T> {
  const original = http.request;
  http.request = replace;
  try {
    return await work();
  } finally {
    http.request = original;
  }
}

test("an agent of other code sends the request completely and only once", async () => {
  const original = http.request;
  const agent = new http.Agent({ keepAlive: true });
  let made = 0;
  const replaced = ((url: string, options: RequestOptions) => {
    made += 1;
    return original(url, { ...options, agent });
  }) as typeof http.request;
  await using api = await startApi((request) => json({ body: request.body, x: request.headers["x-one"] }));
  using client = clientFor(api.url);
  await whileReplaced(replaced, async () => {
    const headers = [["X-One", "1"]] as const;
    for (const parts of [{ headers }, { headers, method: "POST" as const, params: [{ name: "a", value: "b" }] }]) {
      const body = await client.page("items", parts as never);
      assert.deepEqual(JSON.parse(body), { body: parts.method === undefined ? "" : '{"a":"b"}', x: "1" });
    }
  });
  assert.deepEqual([api.log.length, made, api.connections()], [2, 2, 1]);
  assert.equal(await client.page("items").then((body) => JSON.parse(body).body), "");
  // The open connection of the agent would keep the process alive.
  agent.destroy();
});

test("a request without an answer ends by its time-out, whichever agent sent it", async () => {
  const original = http.request;
  const silent = new http.Agent();
  Object.assign(silent, { addRequest: () => undefined });
  const replaced = ((url: string, options: RequestOptions) =>
    original(url, { ...options, agent: silent })) as typeof http.request;
  await using api = await startApi(() => []);
  using client = clientFor(api.url, { retry: { maxRetries: 0 }, timeouts: { connect: 0.1, request: 0.1 } });
  await whileReplaced(replaced, () => assert.rejects(client.page("items"), /no (connection|response) within 0.1 s/));
  assert.equal(api.log.length, 0);
});

test("an error of other code while the request is created is not a fault of the network, and is not retried", async () => {
  let calls = 0;
  const replaced = (() => {
    calls += 1;
    throw new TypeError("other code is broken");
  }) as typeof http.request;
  await using api = await startApi(() => []);
  using client = clientFor(api.url);
  await whileReplaced(replaced, () => assert.rejects(client.page("items"), new TypeError("other code is broken")));
  assert.deepEqual([calls, client.messages("retry")], [1, []]);
});

test("the command works after a bootstrap that replaces agents", async () => {
  await using folder = await temporaryFolder();
  const bootstrap = `const http = require("node:http"); const { request } = http; const agent = new http.Agent();
    http.request = (url, options, ...rest) => request(url, { ...options, agent }, ...rest);`;
  await using api = await startApi(() => [{ id: 1 }]);
  const stdin = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "items" }] } });
  const env = { NODE_OPTIONS: `--require ${await folder.write("bootstrap.cjs", bootstrap)}` };
  const end = await spile(["-"], { stdin, env });
  assert.deepEqual([end.code, end.stdout], [0, '{"id":1}\n'], end.stderr);
});
