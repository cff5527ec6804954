import assert from "node:assert/strict";
import { test } from "node:test";
import { maskedBody, maskedText } from "../../src/recording/masked-body.ts";
import { createRandom } from "../helpers/random.ts";

const mask = (text: string): string => text.replaceAll("1234567", "***").replaceAll("secret", "***");

test("a masked number in JSON becomes a text, and texts keep their beginnings and ends", () => {
  const table = [
    ['{"a":1234567}', '{"a":"***"}'],
    ['{"a": -1234567.5e3 }', '{"a": "***" }'],
    ["[1234567,1234567]", '["***","***"]'],
    ['{"a":"my secret, 1234567"}', '{"a":"my ***, ***"}'],
    ['{"a\\"secret":12}', '{"a\\"***":12}'],
    ['{"a":12}', '{"a":12}'],
    ["plain secret 1234567", "plain *** ***"],
    ["", ""],
  ] as const;
  for (const [text, expected] of table) {
    assert.equal(maskedText(text, mask), expected);
    if (text.startsWith("{") || text.startsWith("[")) JSON.parse(maskedText(text, mask));
  }
});

test("masked JSON is still JSON, without the secrets", () => {
  const random = createRandom(7);
  const scalars = [1234567, 71234567, 1.1234567, "secret", 'a "secret" \\ 1234567', "é", null, true, 12];
  const value = (depth: number): unknown => {
    const kind = depth > 3 ? 0 : random.below(3);
    if (kind === 0) return scalars[random.below(scalars.length)];
    if (kind === 1) return Array.from({ length: random.below(4) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: random.below(4) }, (_, index) => [`secret${index}`, value(depth + 1)]),
    );
  };
  for (let round = 0; round < 500; round += 1) {
    const text = JSON.stringify({ value: value(0) });
    const masked = maskedText(text, mask);
    JSON.parse(masked);
    assert.doesNotMatch(masked, /secret|1234567/);
  }
});

test("a body is cut after the masking, between two characters", () => {
  const body = Buffer.from("ab secret é!");
  assert.deepEqual(maskedBody(body, mask, 5), { text: "ab **", truncated: true });
  assert.deepEqual(maskedBody(body, mask, 8), { text: "ab *** ", truncated: true }, "half a character is left out");
  assert.deepEqual(maskedBody(body, mask, 10), { text: "ab *** é!", truncated: false });
  const latin = Buffer.from("caf\u00e9 secret", "latin1");
  const kept = maskedBody(latin, mask, 100);
  assert.equal(Buffer.from(kept.text, "base64").toString("latin1"), "caf\u00e9 ***");
  assert.equal(kept.encoding, "base64");
});

test("masking takes time linear in the length of a text", {
  timeout: 60_000,
}, () => {
  const length = 400_000;
  const texts = [
    `[1234567,${"x".repeat(length)}`,
    `["1234567 ${'\\"'.repeat(length)}\\`,
    `[1234567${'"'.repeat(length)}`,
  ];
  for (const text of texts) assert.match(maskedText(text, mask), /^\[.{0,2}\*\*\*/);
  const { truncated } = maskedBody(Buffer.from(`${"\ufffd".repeat(length)}x`), mask, 3 * length);
  assert.equal(truncated, true);
});

test("a long text of JSON with millions of escapes is masked", () => {
  const long = `"${"x\\n".repeat(4_000_000)}"`;
  assert.equal(maskedText(`[${long},1234567]`, mask), `[${long},"***"]`);
});
