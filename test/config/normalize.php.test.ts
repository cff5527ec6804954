import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readAsPhp } from "../../src/config/php-forms.ts";
import { exactNumber } from "../../src/core/values/value.ts";
import { changed, faultsOf, read, warningsOf } from "./reading.ts";

const job = "/config/jobs/0";
const minimal = {
  api: { baseUrl: "https://api.example.com/", pagination: { method: "offset", limit: 2 } },
  config: { jobs: [{ endpoint: "users" }] },
};

describe("numbers and texts instead of true and false count as in PHP", () => {
  const truths: readonly (readonly [value: unknown, truth: boolean])[] = [
    [0, false],
    ["0", false],
    [1, true],
    [-1, true],
    ["true", true],
    ["false", true],
    ["0.0", true],
    [" ", true],
  ];
  for (const [value, truth] of truths) {
    it(`${JSON.stringify(value)} counts as ${truth}`, () => {
      const { configuration, iterations } = read(
        changed({ "/config/debug": value, "/api/pagination/firstPageParams": value }, minimal),
      );
      assert.equal(iterations[0]?.config.debug, truth);
      assert.equal((configuration.api.pagination as { firstPageParams?: boolean }).firstPageParams, truth);
    });
  }
  it("a zero with decimal places counts as false", () => {
    const document = { api: {}, config: { debug: exactNumber("0.00") } };
    assert.deepEqual(readAsPhp(document).document, { api: {}, config: { debug: false } });
  });
});

describe("null and empty text mean that an optional field is absent", () => {
  const at: readonly string[] = [
    `${job}/params`,
    `${job}/method`,
    `${job}/dataType`,
    `${job}/id`,
    `${job}/children`,
    `${job}/scroller`,
    `${job}/recursionFilter`,
    `${job}/userData`,
    "/api/pagination/offsetParam",
    "/api/pagination/forceStop",
    "/api/http",
    "/api/retryConfig",
    "/config/mappings",
    "/iterations",
  ];
  for (const field of at) {
    for (const value of [null, ""]) {
      it(`${field}: ${JSON.stringify(value)} means absent`, () => {
        assert.deepEqual(read(changed({ [field]: value }, minimal)), read(minimal));
      });
    }
  }
  for (const value of [null, ""]) {
    it(`${JSON.stringify(value)} as the format of a login's answer means absent`, () => {
      const authentication = { type: "login", loginRequest: { endpoint: "login" } };
      const without = changed({ "/api/authentication": authentication }, minimal);
      assert.deepEqual(read(changed({ "/api/authentication/format": value }, without)), read(without));
    });
  }
  it("null in a required field is refused", () => {
    assert.deepEqual(faultsOf(changed({ "/api/pagination/limit": null }, minimal)), [
      '/api/pagination/limit: must be an integer of at least 1, or "unknown", not null',
    ]);
  });
  it("null and empty text in a setting and in a parameter are kept", () => {
    const { iterations } = read(
      changed({ "/config/note": "", "/config/outputBucket": "", [`${job}/params`]: { q: "", r: null } }, minimal),
    );
    assert.equal(iterations[0]?.settings.get("note"), "");
    assert.equal(iterations[0]?.settings.get("outputBucket"), "");
    assert.deepEqual(iterations[0]?.config.jobs[0]?.params, { q: "", r: null });
  });
});

describe("a field that has no effect in Generic Extractor has none here either, and causes a warning", () => {
  for (const value of [true, "10", 5]) {
    it(`forceStop: ${JSON.stringify(value)} has no effect`, () => {
      assert.deepEqual(warningsOf(changed({ "/api/pagination/forceStop": value }, minimal)), [
        '/api/pagination/forceStop: has no effect: it is not an object with "pages", "time" or "volume"',
      ]);
    });
  }
  it("placeholders of a job without a parent have no effect", () => {
    assert.deepEqual(warningsOf(changed({ [`${job}/placeholders`]: { "2:id": "id" } }, minimal)), [
      "/config/jobs/0/placeholders: have no effect: only a child job has a parent to take values from",
    ]);
  });
});

it("a negative lifetime of a login is accepted", () => {
  const authentication = { type: "login", loginRequest: { endpoint: "login" }, expires: -5 };
  assert.deepEqual(faultsOf(changed({ "/api/authentication": authentication }, minimal)), []);
});
