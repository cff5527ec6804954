import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../../helpers/answers.ts";
import { json, startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

const query = Array.from({ length: 2000 }, (_, number) => `parameter${number}=value`).join("&");

test("a message contains the beginning of a very long address, and no secret", async () => {
  const rule = JSON.parse('{"when": {"path": "code"}, "then": "fail"}');
  const answers: readonly (readonly [answer: unknown, job?: object])[] = [
    [json({}, { status: 404 })],
    [json({}, { status: 503 })],
    [text("no JSON")],
    [text("<!doctype html>", { headers: { "content-type": "text/html" } })],
    [json({ code: 1 }), { responses: [rule] }],
    [json({ code: 1 }), { steps: [{ name: "s", endpoint: `s?${query}`, failWhen: { path: "code" } }] }],
    [json({ next: `/x?${query}` })],
    [json({ next: `/x?${query}` }), { dataField: "." }],
  ];
  for (const [answer, job] of answers) {
    await using api = await startApi(() => answer);
    const secret = "0123456789abcdef";
    const endpoint = `a?${query}&token=${secret}`;
    const { events, result } = await runHere({
      api: { baseUrl: api.url, retryConfig: { maxRetries: 1 } },
      config: { "#token": secret, jobs: [{ endpoint, dataType: "a", ...job }] },
    });
    const messages = events.map(({ message }) => message);
    for (const message of [...messages, ...result.jobs.map(({ reason }) => reason)]) {
      assert.ok(message.length < 3000, `${message.length}: ${message.slice(0, 200)} ... ${message.slice(-200)}`);
      assert.ok(!message.includes(secret.slice(0, 8)));
    }
    if (result.failure !== undefined)
      assert.match(result.failure.message, /parameter0=value.*\.\.\. \([0-9]+ characters\)/);
  }
});
