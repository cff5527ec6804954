import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, inTurn, raw, startApi, text } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

/** Returns a 404 whose body ends with its connection. */
const unframed = (body: string): Answer =>
  raw("HTTP/1.1 404 X\r\nConnection: close\r\n\r\n", body, { act: (socket) => void socket.end() });

async function extracted(...answers: readonly Answer[]) {
  await using api = await startApi(inTurn(...answers));
  const configuration = {
    api: { baseUrl: api.url, http: { ignoreErrors: [404] } },
    config: { jobs: [{ endpoint: "x", dataField: "." }] },
  };
  const { output, events } = await runHere(configuration);
  const warnings = events.filter(({ event }) => event === "warning").map(({ message }) => message);
  return { output, requests: api.log.length, warnings: warnings.join("\n") };
}

const whole: readonly [body: string, output: string][] = [
  ['{"error": [1]}', '{"error":[1]}\n'],
  ["no such thing", '{"errorData":"no such thing"}\n'],
  ['a "quoted"\n\\ é\u0001', '{"errorData":"a \\"quoted\\"\\n\\\\ é\\u0001"}\n'],
  ["[error] no such thing", '{"errorData":"[error] no such thing"}\n'],
  ["{no} such", '{"errorData":"{no} such"}\n'],
  ['{"a": 1} trailing', '{"errorData":"{\\"a\\": 1} trailing"}\n'],
];
for (const [body, output] of whole) {
  test(`a tolerated answer that ends with its connection is whole: ${JSON.stringify(body)}`, async () => {
    const result = await extracted(unframed(body));
    assert.deepEqual([result.output, result.requests], [output, 1]);
  });
}

for (const cut of ['{"error": [1', '{"error"', "[", '{"error": "no s', '{"error": "\\u00', '[{"a": tru', " {"]) {
  test(`a tolerated answer that is cut after ${JSON.stringify(cut)} is requested again`, async () => {
    const result = await extracted(unframed(cut), unframed('{"error": [1]}'));
    assert.deepEqual([result.output, result.requests], ['{"error":[1]}\n', 2]);
  });
}

test("a tolerated answer that looks cut is taken as text if its Content-Length shows that it is whole", async () => {
  const result = await extracted(text('{"error": [1', { status: 404 }));
  assert.deepEqual([result.output, result.requests], ['{"errorData":"{\\"error\\": [1"}\n', 1]);
});

for (const [before, after] of [
  ["", ""],
  ['{"error": "', '"}'],
] as const) {
  test(`bytes that are not UTF-8 in a tolerated answer are reported: ${before}?${after}`, async () => {
    const body = Buffer.concat([Buffer.from(`${before}a`), Buffer.of(0xff), Buffer.from(`b${after}`)]);
    const { output, warnings } = await extracted(text(body, { status: 404 }));
    assert.match(output, /"a\ufffdb"/);
    assert.match(warnings, /bytes that are not UTF-8/);
  });
}
