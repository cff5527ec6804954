import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { substitute } from "../../../src/compile/jobs/endpoint.ts";

describe("a placeholder at the beginning of the endpoint may be an address", () => {
  const rows: readonly (readonly [value: string, endpoint: string])[] = [
    ["dir 13 100% #1?", "dir%2013%20100%25%20%231%3F/"],
    ["a/b", "a/b/"],
    ["mailto:x", "mailto%3Ax/"],
    ["https://files.example.com/a?b=c#d", "https://files.example.com/a?b=c#d/"],
    ["HTTP://files.example.com/a", "HTTP://files.example.com/a/"],
    ["/v2/a?b=c", "/v2/a?b=c/"],
  ];
  for (const [value, expected] of rows) {
    it(`${value} gives ${expected}`, () => {
      assert.equal(substitute("{d}/", [{ name: "d", path: "d", value, raw: undefined }]), expected);
    });
  }
});
