import assert from "node:assert/strict";
import { test } from "node:test";
import { powershellWords } from "../../../src/authoring/curl/powershell-words.ts";

test("a command for PowerShell of many megabytes is refused with 64", () => {
  for (const quote of ["'", '"']) {
    const text = `curl.exe -d ${quote}${"x".repeat(12_000_000)}${quote} http://127.0.0.1/`;
    assert.throws(() => powershellWords(text), { kind: "usage", message: /more than 1000000 characters/ });
    const allowed = powershellWords(`curl.exe -d ${quote}${"x".repeat(900_000)}${quote}`);
    assert.deepEqual(
      allowed.map((word) => word.length),
      [8, 2, 900_000],
    );
  }
});
