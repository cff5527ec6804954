import assert from "node:assert/strict";
import { test } from "node:test";
import { isObject } from "../../../src/core/values/value.ts";
import { startApi } from "../../helpers/api.ts";
import { runWritten, write } from "../writing.ts";
import { apis } from "./apis.ts";

for (const { name, handler, request, method, all, says, writes, ends, requests = 13 } of apis) {
  test(`init explores an API: ${name}`, async () => {
    let url = "";
    await using api = await startApi(handler(() => url));
    url = api.url;
    const [path = "", ...options] = request.split(" ");
    const writing = await write(`curl '${url}${path}' ${options.join(" ")}`);
    const findings = writing.findings.join("\n");
    assert.ok(api.log.length <= requests, `${api.log.length} requests`);
    assert.equal(
      isObject(writing.pagination) ? writing.pagination.method : undefined,
      method,
      `${findings}\n${writing.text}`,
    );
    if (says !== undefined) assert.match(findings, says);
    if (writes !== undefined) assert.match(writing.text, writes);
    const { result, output } = await runWritten(writing);
    const lines = output.split("\n").slice(0, -1);
    if (all !== undefined) {
      assert.deepEqual(
        lines,
        all.map((record) => JSON.stringify(record)),
        `${findings}\n${writing.text}`,
      );
      assert.equal(result.jobs[0]?.verdict, ends ?? "complete", `${result.jobs[0]?.reason}\n${writing.text}`);
      return;
    }
    // If not all records came, or nothing proves that all came, the run says so, too.
    assert.equal(
      result.failure === undefined ? result.jobs[0]?.verdict : "failed",
      ends ?? "suspect",
      `${result.jobs[0]?.reason}\n${findings}\n${writing.text}`,
    );
  });
}
