import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../src/core/redact.ts";
import { createAgents } from "../../src/http/agents.ts";
import { type RawResponse, send } from "../../src/http/client.ts";
import { text } from "../helpers/answers.ts";
import { startApi } from "../helpers/api.ts";

/** The response to one request, read to its end. */
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

test("a message is whole where as many bytes were read as it promised, whatever Node says of its end", async () => {
  await using api = await startApi(() => text('{"id":1}'));
  const { response, bytes } = await wholeResponse(api.url);
  assert.deepEqual([response.length, bytes, response.fault(bytes)], [8, 8, undefined]);
  assert.match(response.fault(bytes - 1)?.message ?? "", /ended early, after 7 bytes of 8/);
});
