import assert from "node:assert/strict";
import { test } from "node:test";
import { JsonVolume } from "../../src/extract/json-volume.ts";
import { startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

const values: readonly unknown[] = [
  { a: 1, "b c": [true, null, " two  words "], 'q"\\': '\\" \t " {} ' },
  [],
  "  ",
  [[[{ "\\": "\\\\" }]]],
  { é: "č \n" },
];

test("white space counts in texts but not between tokens, wherever the chunks are cut", () => {
  for (const value of values) {
    const compact = Buffer.byteLength(JSON.stringify(value));
    for (const indent of [undefined, 1, "\t", "   "]) {
      const bytes = Buffer.from(JSON.stringify(value, undefined, indent).replaceAll("\n", "\r\n"));
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const volume = new JsonVolume();
        volume.add(bytes.subarray(0, cut));
        volume.add(bytes.subarray(cut));
        assert.equal(volume.bytes, compact);
      }
    }
  }
});

test("forceStop.volume counts the bytes of compact JSON, however a page is formatted", async () => {
  for (const indent of [0, 2, 8]) {
    await using api = await startApi(({ params }) => {
      const offset = Number(params.get("offset"));
      return text(JSON.stringify({ users: [{ id: offset }, { id: offset + 1 }] }, undefined, indent));
    });
    // {"users":[{"id":0},{"id":1}]} has 29 bytes, and so has each page of ids with one digit.
    const pagination = { method: "offset", limit: 2, forceStop: { volume: 58 } };
    const { result } = await runHere({
      api: { baseUrl: api.url, pagination },
      config: { jobs: [{ endpoint: "users" }] },
    });
    assert.equal(result.jobs[0]?.pages, 3, `indented by ${indent}`);
    assert.match(result.jobs[0]?.reason ?? "", /after 87 bytes by forceStop\.volume/);
  }
});
