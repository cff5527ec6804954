import assert from "node:assert/strict";
import { test } from "node:test";
import { createExchangeMemory } from "../../../../src/authoring/explore/trials/exchange-memory.ts";
import type { WireRequest } from "../../../../src/core/requests/request.ts";

test("a request with the same parameters in another order is not sent again, and tokens that differ after 16 digits are different", async () => {
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
