import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "../src/index.ts";
import { readOptions } from "../src/library-options.ts";

const configuration = { api: { baseUrl: "http://127.0.0.1:9/" }, config: { jobs: [{ endpoint: "a" }] } };

test("the library takes quantities as numbers, or as texts in the command's form", () => {
  const texts = { maxTime: "2h", maxWait: "90s", hold: "64M", rate: "120/m", concurrency: "4", maxRecords: "0" };
  const read = { maxTime: 7_200_000, maxWait: 90_000, hold: 67_108_864, rate: 2, concurrency: 4, maxRecords: 0 };
  assert.deepEqual(readOptions(texts), read);
  assert.deepEqual(readOptions(read), read);
  assert.deepEqual(readOptions({ concurrency: "auto" }), { concurrency: "auto" });
  assert.deepEqual(readOptions({ strict: undefined }), {});
});

test("an invalid option is refused at once, by an error that names the option but not its value", () => {
  const rows: readonly (readonly [options: object, message: RegExp])[] = [
    [{ maxTime: "2 hours" }, /^the option maxTime must be a number of milliseconds, or a duration such as/],
    [{ maxTime: -1 }, /maxTime must be/],
    [{ maxTime: Number.NaN }, /maxTime must be/],
    [{ rate: 0 }, /^the option rate must be a number of requests a second, or a rate such as/],
    [{ concurrency: 0 }, /^the option concurrency must be a whole number from 1 to 1000, or auto$/],
    [{ concurrency: 1.5 }, /concurrency must be/],
    [{ strict: "yes" }, /^the option strict must be true or false$/],
    [{ jobs: "users" }, /^the option jobs must be a list of one text or more, none of them empty$/],
    [{ jobs: [] }, /jobs must be/],
    [{ jobs: ["a", ""] }, /jobs must be/],
    [{ onEvent: 1 }, /^the option onEvent must be a function$/],
    [{ set: null }, /^the option set must be an object$/],
    [{ headers: { "a b": "c" } }, /^the option headers must be an object of valid names and values of headers$/],
    [{ headers: { a: "x\ny" } }, /headers must be/],
    [{ headers: { a: 1 } }, /headers must be/],
    [{ agent: {} }, /^the option agent must be a function$/],
    [{ signal: {} }, /^the option signal must be an AbortSignal$/],
    [
      { state: { load: () => "" } },
      /^the option state must be the path of a file, or an object with the functions load/,
    ],
    [{ state: "" }, /state must be/],
    [
      { state: { load: () => "", save: () => 0 }, stateOut: "x" },
      /^the option stateOut needs the option state to be the path of a file$/,
    ],
    [{ resume: true }, /^the option resume needs the option state/],
    [{ record: "a.har" }, /^the option record must be true or false$/],
    [{ replay: "a.har" }, /^the option replay must be an object$/],
    [{ record: true, replay: {} }, /^the options record and replay exclude each other$/],
    [{ report: 1 }, /^the option report must be a text$/],
    [{ maxTim: 5 }, /^there is no option "maxTim": did you mean maxTime\?$/],
    [{ backoff: () => 1 }, /^there is no option "backoff"/],
  ];
  for (const [options, message] of rows) {
    assert.throws(() => extract(configuration, options), { code: "ERR_USAGE", message }, JSON.stringify(options));
  }
});
