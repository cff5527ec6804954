import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { createAgents } from "../../../src/http/connection/agents.ts";
import { type RawResponse, send } from "../../../src/http/connection/client.ts";
import { broken, fin, inTurn, raw, text } from "../../helpers/answers.ts";
import { startApi } from "../../helpers/api.ts";
import { clientFor } from "../client.ts";

/** Returns the response to one request, after reading it to its end. */
async function wholeResponse(url: string): Promise<{ readonly response: RawResponse; readonly bytes: number }> {
  const agents = createAgents({}, new Secrets(), {});
  const response = await send(
    { method: "GET", url, headers: new Map(), body: undefined },
    {
      agents,
      timeouts: { connect: 5000, request: 5000, idle: 5000 },
      lenientParser: false,
      signal: new AbortController().signal,
    },
  );
  let bytes = 0;
  for await (const chunk of response.stream) bytes += (chunk as Buffer).length;
  response.done();
  agents.close();
  return { response, bytes };
}

test("a body is whole if as many bytes as its Content-Length says were read, and ended early if fewer were", async () => {
  await using api = await startApi(() => text('{"id":1}'));
  const { response, bytes } = await wholeResponse(api.url);
  assert.deepEqual([response.length, bytes, response.fault(bytes)], [8, 8, undefined]);
  assert.match(response.fault(bytes - 1)?.message ?? "", /ended early, after 7 bytes of 8/);
});

test("a second round of parallel requests reuses the connections of the first", async () => {
  let whole: Promise<void> | undefined;
  await using api = await startApi(async () => {
    await whole;
    return 1;
  });
  using client = clientFor(api.url);
  for (const count of [6, 12]) {
    whole = api.received(count);
    await Promise.all(Array.from({ length: 6 }, () => client.page("x")));
    assert.equal(api.connections(), 6);
  }
});

test("if the server has closed all kept connections, a request silently gets a new one", async () => {
  let whole: Promise<void> | undefined;
  await using api = await startApi(async ({ connection }) => {
    if (api.log.filter((request) => request.connection === connection).length > 1) return raw(fin);
    await whole;
    return 1;
  });
  using client = clientFor(api.url, { retry: { maxRetries: 0 } });
  whole = api.received(6);
  await Promise.all(Array.from({ length: 6 }, () => client.page("x")));
  assert.equal(api.connections(), 6);
  assert.equal(await client.page("x"), "1");
  assert.equal(api.connections(), 7);
});

test("a late answer is a failure, and its request is not silently sent again on a new connection", async () => {
  await using api = await startApi(inTurn(text("1"), broken.stalledBeforeHeaders()));
  const agents = createAgents({}, new Secrets(), {});
  const wire = { method: "GET", url: api.url, headers: new Map(), body: undefined } as const;
  const { signal } = new AbortController();
  const sent = (request: number) =>
    send(wire, { agents, timeouts: { connect: 0, request, idle: 0 }, lenientParser: false, signal });
  const first = await sent(0);
  for await (const chunk of first.stream) assert.equal(String(chunk), "1");
  first.done();
  await assert.rejects(sent(200), /no response within 0.2 s/);
  agents.close();
  await api.received(2);
  assert.deepEqual([api.log.length, api.connections()], [2, 1]);
});
