import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { WireRequest } from "../../../src/core/requests/request.ts";
import type { Transport, WholeResponse } from "../../../src/core/requests/transport.ts";
import { broken, json, startApi, text } from "../../helpers/api.ts";
import { spile, temporaryFolder } from "../../helpers/cli.ts";
import { runHere } from "../../helpers/run.ts";

const configuration = (url: string) => ({
  api: { baseUrl: url, pagination: { method: "offset", limit: 2 } },
  config: { jobs: [{ endpoint: "users" }] },
});

test("a transport sees every request and its whole response, and the run reads the response that the transport returns", async () => {
  await using api = await startApi(({ params }) =>
    json(params.get("offset") === "0" ? [{ id: 1 }, { id: 2 }] : [{ id: 3 }]),
  );
  const seen: [WireRequest, WholeResponse][] = [];
  const transport: Transport = async (request, send) => {
    const response = await send();
    seen.push([request, response]);
    return response;
  };
  const { output, result } = await runHere(configuration(api.url), { transport });
  assert.equal(output, '{"id":1}\n{"id":2}\n{"id":3}\n');
  assert.equal(result.exitCode, 0);
  assert.deepEqual(
    seen.map(([request]) => request.url),
    api.targets().map((target) => `${api.url}${target}`),
  );
  assert.deepEqual(
    seen.map(([, response]) => response.body.toString()),
    ['[{"id":1},{"id":2}]', '[{"id":3}]'],
  );
  assert.ok(seen.every(([, { headers }]) => headers.some(([name]) => name.toLowerCase() === "content-type")));
});

test("a transport may answer by itself in any encoding, and then nothing is sent", async () => {
  await using api = await startApi(() => json([]));
  const body = gzipSync('[{"id": 1.10}]');
  const transport: Transport = async () => ({ status: 200, headers: [["Content-Encoding", "gzip"]], body });
  const { output } = await runHere(configuration(api.url), { transport });
  assert.equal(output, '{"id":1.10}\n');
  assert.deepEqual(api.targets(), []);
});

test("an error's body that cannot be decoded does not crash a process that records", async () => {
  await using folder = await temporaryFolder();
  for (const header of [{ "content-encoding": "unknown" }, { "content-type": "text/plain; charset=unknown" }]) {
    await using api = await startApi(() => text("no such page", { status: 404, headers: header }));
    const file = await folder.write("config.json", configuration(api.url));
    const { code, stderr } = await spile([file, "--record", "recorded.har"], { cwd: folder.path });
    assert.equal(code, 69, stderr);
  }
});

for (const [fault, answer] of Object.entries({
  "breaks off": () => broken.cutInBody('[{"id":1}]'),
  "ends with the connection, before its document does": () => broken.cutWithoutLength('[{"id":1}]'),
  stalls: () => broken.stalledInBody('[{"id":1}]'),
  "is reset": () => broken.resetInBody('[{"id":1}]'),
  "is longer than its Content-Length": () => broken.lengthTooSmallInOnePacket('[{"id":1}]'),
})) {
  test(`with a transport, a body that ${fault} is a fault as without one, and is requested again`, async () => {
    let asked = 0;
    await using api = await startApi(() => {
      asked += 1;
      return asked === 1 ? answer() : json([{ id: 1 }]);
    });
    const { api: settings, config } = configuration(api.url);
    const patient = { api: { ...settings, http: { idleTimeout: 1 } }, config };
    const { output, result } = await runHere(patient, { transport: (_request, send) => send() });
    assert.equal(output, '{"id":1}\n');
    assert.deepEqual([result.exitCode, asked], [0, 2]);
  });
}

test("with a transport, a body that breaks off is reported with the part that arrived", async () => {
  await using api = await startApi(() => broken.cutInBody('[{"id":1}]'));
  const { api: settings, config } = configuration(api.url);
  const hasty = { api: { ...settings, retryConfig: { maxRetries: 0 } }, config };
  const { result } = await runHere(hasty, { transport: (_request, send) => send() });
  assert.match(result.failure?.message ?? "", /the body ended early, after 5 bytes of 10/);
});

test("with a transport, a response of more than maxResponseBytes is a data error as without one", async () => {
  await using api = await startApi(() => json([{ id: "x".repeat(2000) }]));
  const { result } = await runHere(configuration(api.url), {
    transport: (_request, send) => send(),
    maxResponseBytes: 1000,
  });
  assert.equal(result.exitCode, 65);
  assert.match(result.failure?.message ?? "", /longer than 1000 bytes/);
});
