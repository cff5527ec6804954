import assert from "node:assert/strict";
import { test } from "node:test";
import { describeAddress } from "../../src/authoring/address.ts";
import { describeBody } from "../../src/authoring/body.ts";
import {
  addressSpellingNotes,
  datasetName,
  draftConfiguration,
  withQueryAsParams,
} from "../../src/authoring/configuration-draft.ts";
import { jsonWithComments } from "../../src/authoring/jsonc.ts";
import type { RequestDescription } from "../../src/authoring/request-description.ts";
import { variablePrefix } from "../../src/authoring/variable-names.ts";
import { loadDocument } from "../../src/config/load.ts";
import { isObject, type Value, valueText } from "../../src/core/values/value.ts";
import { isCredential } from "../../src/knowledge/credentials.ts";
import { json, startApi } from "../helpers/api.ts";
import { cpuTime } from "../helpers/cpu-time.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";

const draft = (description: Partial<RequestDescription> & { readonly address: string }) =>
  draftConfiguration({ method: "GET", params: [], headers: [], ...description }, {}).configuration;

/** Returns the address that a configuration requests, as a server gets it. */
async function requestedTarget(path: string, asParams: boolean): Promise<string | undefined> {
  await using api = await startApi(() => json([]));
  const description = describeAddress(`${api.url}${path}`);
  await runHere(JSON.parse(valueText(draft(asParams ? withQueryAsParams(description) : description))));
  return api.targets()[0];
}

test("an address is requested unchanged, and with its query in `params`, the parameters are equal", async () => {
  for (const path of [
    "/",
    "/users",
    "/users/",
    "/a/b/users?x=1",
    "/v1/users:list?pageSize=2",
    "/a//b?c",
    "//double/x",
    "/a/%2F%20b?q=%41%20b+c",
    "/x?a=1&a=2&b=3",
    "/x?a[]=1&a[]=2",
    "/x?filter[status]=open",
    "/x?empty=&none&=odd",
    "/x?q=%ff",
    "/a/../b/./c",
    "/v1:beta",
  ]) {
    const direct = new URL(path, "http://127.0.0.1");
    const wanted = path.startsWith("//") ? path : direct.pathname + direct.search;
    assert.equal(await requestedTarget(path, false), wanted, path);
    const taken = new URL((await requestedTarget(path, true)) ?? "", "http://127.0.0.1:1");
    assert.deepEqual([...taken.searchParams].sort(), [...direct.searchParams].sort(), path);
  }
});

test("names of credentials are distinguished from similar names", () => {
  for (const name of [
    "Authorization",
    "X-Api-Key",
    "apikey",
    "access_token",
    "api_key",
    "key",
    "client_secret",
    "Cookie",
    "sig",
    "X-Auth-User",
    "PRIVATE-TOKEN",
    "subscription-key",
    "sessionId",
    "pwd",
    "x-functions-key",
    "jsessionid",
    "PHPSESSID",
  ]) {
    assert.ok(isCredential(name), name);
  }
  for (const name of [
    "author",
    "page_token",
    "nextPageToken",
    "continuationToken",
    "sort_key",
    "monkey",
    "keyword",
    "Accept",
    "assigned",
    "sync_token",
    "design",
    "limit",
  ]) {
    assert.ok(!isCredential(name), name);
  }
});

test("the address determines the prefix of variables and the name of the dataset", () => {
  const prefixes = {
    "https://api.example.com/": "EXAMPLE",
    "https://example.co.uk": "EXAMPLE",
    "https://api.example.com.au/": "EXAMPLE",
    "https://api.box.com/2.0/": "BOX",
    "https://api.ifs.eu/": "IFS",
    "https://t.co/": "T",
    "http://127.0.0.1:1/": "API",
    "http://localhost": "API",
    "https://api.1password.eu/": "API_1PASSWORD",
    "http://[::1]/": "API",
  };
  for (const [address, prefix] of Object.entries(prefixes)) assert.equal(variablePrefix(address), prefix, address);
  const names = {
    "/v1/users": "users",
    "/users/": "users",
    "/users.json": "users",
    "/users/42": "users",
    "/api/users.list": "users",
    "/v1.0/users": "users",
    "/me/v2.1": "me",
    "/v2": undefined,
    "/": undefined,
  };
  for (const [path, name] of Object.entries(names)) assert.equal(datasetName(`https://x${path}`), name, path);
  assert.equal(datasetName("https://x/?rest_route=/wp/v2/posts&per_page=5"), "posts");
});

test("credentials at every place of the request become settings, one for each value", () => {
  const configuration = draft({
    method: "POST",
    address: "https://api.example.com/q?sig=s3cr3t-1&a=1",
    params: [
      { name: "token", value: "s3cr3t-2" },
      { name: "auth", value: { user: "me", password: "s3cr3t-3", deep: [{ apiKey: "s3cr3t-2" }] } },
    ],
    headers: [
      ["X-Token", "s3cr3t-2"],
      ["Cookie", "sid=s3cr3t-4"],
    ],
    user: { name: "s3cr3t-5", password: "" },
  });
  assert.doesNotMatch(valueText(configuration), /s3cr3t/);
  const { config } = configuration;
  const settings = Object.keys(isObject(config) ? config : {}).filter((name) => name !== "jobs");
  assert.deepEqual(settings, ["#apiKey", "#token", "#cookie", "#sig", "#auth", "#password"]);
});

test("a credential in the query stays there as a setting if HTTP Basic is the authentication", () => {
  const sig = { attr: "#sig" };
  for (const [method, params, query] of [
    ["GET", { a: "1", sig }, undefined],
    ["POST", { a: "1" }, { sig }],
  ] as const) {
    const { config } = draft({
      method,
      address: "https://api.example.com/q?sig=s3cr3t-1",
      params: [{ name: "a", value: "1" }],
      user: { name: "me", password: "s3cr3t-2" },
    });
    const { jobs } = isObject(config) ? config : {};
    const [job = {}] = Array.isArray(jobs) ? jobs : [];
    assert.deepEqual(isObject(job) ? [job.params, job.query] : [], [params, query]);
  }
});

test("formatted JSON has the same value, and each comment is above its member", () => {
  const text = jsonWithComments(
    { a: { b: [1, { c: null }] }, "x/y": 2 },
    new Map([
      ["/a/b", ["one", `two ${"long ".repeat(40)}`]],
      ["/x~1y", ["three"]],
    ]),
  );
  assert.match(text, /\n {4}\/\/ one\n {4}\/\/ two long .*\n(?: {4}\/\/ .*\n)+ {4}"b": /);
  assert.match(text, /\n {2}\/\/ three\n {2}"x\/y": 2\n/);
  assert.ok(text.split("\n").every((line) => line.length <= 100));
  const random = createRandom(7);
  for (let round = 0; round < 200; round += 1) {
    const value = randomValue(random, 4);
    assert.equal(valueText(loadDocument(jsonWithComments(value), "test")), valueText(value));
  }
});

test("a query and a form of 100,000 parameters are read and compared in linear time", () => {
  const query = Array.from({ length: 100_000 }, (_, index) => `p${index}=${index}`).join("&");
  const form = "a=1&".repeat(100_000);
  const began = cpuTime();
  const request = withQueryAsParams({ method: "GET", address: `http://127.0.0.1/x?${query}`, params: [], headers: [] });
  assert.equal(request.params.length, 100_000);
  assert.deepEqual(addressSpellingNotes(`/x?${query}&q=a+b`, request), [
    'sent with another percent-encoding: "q" of the query',
  ]);
  const [field] = describeBody(form, undefined).params;
  assert.ok(Array.isArray(field?.value) && field.value.length === 100_000);
  // This takes half a second; comparing each parameter with each other one would take a minute.
  assert.ok(cpuTime() - began < 10_000);
});

test("formatted JSON with thousands of comments takes linear time", () => {
  const jobs = Array.from({ length: 40_000 }, (_, index) => ({ endpoint: `items/${index}`, params: { page: 1 } }));
  const comments = new Map(jobs.map((_, index) => [`/jobs/${index}`, ["Its paging is not proven."]]));
  const began = cpuTime();
  const lines = jsonWithComments({ jobs }, comments).split("\n");
  assert.equal(lines.filter((line) => line === "    // Its paging is not proven.").length, 40_000);
  assert.ok(lines.includes('    { "endpoint": "items/39999", "params": { "page": 1 } }'));
  // This takes half a second; comparing each value with each comment would take half a minute.
  assert.ok(cpuTime() - began < 5000);
});

function randomValue(random: Random, depth: number): Value {
  const kind = random.between(0, depth === 0 ? 3 : 5);
  const count = random.between(0, 4);
  if (kind === 4) return Array.from({ length: count }, () => randomValue(random, depth - 1));
  if (kind < 4) return [null, true, 17, 'te"xt\n'][kind] ?? null;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}/~"`, randomValue(random, depth - 1)]));
}
