import assert from "node:assert/strict";
import { test } from "node:test";
import { createExchangeMemory } from "../../../../src/authoring/explore/trials/exchange-memory.ts";
import type { WireRequest } from "../../../../src/core/requests/request.ts";

test("no request is sent twice, and tokens that differ beyond 16 digits make different requests", async () => {
  const memory = createExchangeMemory(10, { signal: new AbortController().signal });
  const sent: string[] = [];
  const send = async (body: string): Promise<void> => {
    const request: WireRequest = { method: "POST", url: "http://127.0.0.1/search", headers: new Map(), body };
    await memory.transport(request, async () => {
      sent.push(body);
      return { status: 200, headers: [], body: Buffer.from("[]") };
    });
  };
  const bodies = ['{"size":7,"after":9007199254740992}', '{"size":7,"after":9007199254740993}', "size=7&after=x"];
  for (const body of [...bodies, '{"after":9007199254740992,"size":7}', "after=x&size=7"]) await send(body);
  assert.deepEqual(sent, bodies);
});
