import assert from "node:assert/strict";
import { test } from "node:test";
import { draftConfiguration, withQueryAsParams } from "../../src/authoring/configuration-draft.ts";
import { credentialPlaces } from "../../src/authoring/credential-places.ts";
import { jsonWithComments } from "../../src/authoring/jsonc.ts";
import { readRequestText } from "../../src/authoring/sources.ts";
import { isObject } from "../../src/core/values/value.ts";
import { startApi } from "../helpers/api.ts";
import { cpuTime } from "../helpers/cpu-time.ts";
import { runHere } from "../helpers/run.ts";

const json = "-H 'Content-Type: application/json' -d";

/** Commands for an address that `URL` stands for, and the target, the body or the header that each one sends. */
const commands: readonly (readonly [command: string, sent: { target?: string; body?: string; referer?: string }])[] = [
  ["curl 'URL/a?api_key=s3cr3tA&x=1&api_key=s3cr3tB'", { target: "/a?api_key=s3cr3tA&api_key=s3cr3tB&x=1" }],
  ["curl 'URL/a?api_key=s3cr3t%20A&api%5Fkey=s3cr3tB'", { target: "/a?api_key=s3cr3t%20A&api_key=s3cr3tB" }],
  ["curl -g 'URL/a?token[]=s3cr3tA&token[]=s3cr3tB'", { target: "/a?token%5B%5D=s3cr3tA&token%5B%5D=s3cr3tB" }],
  ["curl 'URL/a;token=s3cr3tA/b;jsessionid=s3cr3tB'", { target: "/a;token=s3cr3tA/b;jsessionid=s3cr3tB" }],
  ["curl 'URL/a?to=https%3A%2F%2Fb%2F%3Fsig%3Ds3cr3t'", { target: "/a?to=https%3A%2F%2Fb%2F%3Fsig%3Ds3cr3t" }],
  ["curl 'URL/a?to=https%3A%2F%2Fb%2F%3Fsig%3Ds3cr3t' -d x=1", { target: "/a?to=https%3A%2F%2Fb%2F%3Fsig%3Ds3cr3t" }],
  ["curl 'URL/a?to=http://me:s3cr3tA@b/?sig=s3cr3tB'", { target: "/a?to=http://me:s3cr3tA@b/?sig=s3cr3tB" }],
  ["curl 'URL/a?x=1;token=s3cr3t'", { target: "/a?x=1;token=s3cr3t" }],
  [`curl -g 'URL/a?q={"token":"s3cr3t"}'`, { target: "/a?q=%7B%22token%22%3A%22s3cr3t%22%7D" }],
  ["curl 'URL/a#token=s3cr3t'", { target: "/a" }],
  ["curl URL/a -e 'https://me:s3cr3tA@b/?token=s3cr3tB'", { referer: "https://me:s3cr3tA@b/?token=s3cr3tB" }],
  ["curl URL/a -d 'password=s3cr3tA&password=s3cr3tB'", { body: "password=s3cr3tA&password=s3cr3tB" }],
  [`curl URL/a ${json} '{"api_key":["s3cr3tA",{"x":"s3cr3tB"}]}'`, { body: '{"api_key":["s3cr3tA",{"x":"s3cr3tB"}]}' }],
  [`curl URL/a ${json} '{"password":7370001,"n":1}'`, { body: '{"password":7370001,"n":1}' }],
  [`curl URL/a ${json} '{"pwd":{"x":7370001.50}}'`, { body: '{"pwd":{"x":7370001.50}}' }],
  [`curl URL/a ${json} '{"key":737000190071992547409931}'`, { body: '{"key":737000190071992547409931}' }],
  [`curl URL/a ${json} '{"tokens":["s3cr3t"],"token":true}'`, { body: '{"tokens":["s3cr3t"],"token":true}' }],
  [
    `curl URL/a ${json} '{"query":"{ a(pwd: \\"s3cr3t\\", key: \\"b\\") { id } }"}'`,
    { body: '{"query":"{ a(pwd: \\"s3cr3t\\", key: \\"b\\") { id } }"}' },
  ],
  [
    `curl URL/a ${json} '{"query":"# a\\nquery { a(pwd: \\"s3cr3t\\\\\\"s3cr3t\\") { id } }"}'`,
    { body: '{"query":"# a\\nquery { a(pwd: \\"s3cr3t\\\\\\"s3cr3t\\") { id } }"}' },
  ],
  [`curl URL/a ${json} '{"s":"{1:id}/b?token=s3cr3t"}'`, { body: '{"s":"{1:id}/b?token=s3cr3t"}' }],
  [
    `curl URL/a ${json} '{"s":"{\\"pwd\\":\\"?sig=s3cr3tA\\",\\"to\\":\\"b?sig=s3cr3tB\\"}"}'`,
    { body: '{"s":"{\\"pwd\\":\\"?sig=s3cr3tA\\",\\"to\\":\\"b?sig=s3cr3tB\\"}"}' },
  ],
  [`curl URL/a ${json} '{"s":"{\\"pwd\\":[7370001]}"}'`, { body: '{"s":"{\\"pwd\\":[7370001]}"}' }],
];

test("a written configuration contains no credentials, and a run sends them unchanged", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  for (const [command, sent] of commands) {
    const { description } = readRequestText(command.replace("URL", api.url), {}, () => "");
    const { configuration, credentials } = draftConfiguration(withQueryAsParams(description), {});
    const text = jsonWithComments(configuration);
    assert.doesNotMatch(text, /s3cr3t|7370001/, command);
    const variables = Object.fromEntries(credentials.map(({ variable, value }) => [variable, value]));
    assert.doesNotMatch(Object.values(variables).join(), /true/, command);
    await runHere(configuration, { variables });
    const received = api.log.at(-1);
    const wire = { target: received?.target, body: received?.body, referer: received?.headers.referer };
    assert.deepEqual({ ...wire, ...sent }, wire);
  }
});

test("a credential does not get the shell variable of another credential", () => {
  const command = 'curl http://127.0.0.1/ -H "X-Token: a" -H "Authorization: Bearer $API_TOKEN"';
  const { description } = readRequestText(command, { API_TOKEN: "b" }, () => "");
  const { credentials } = draftConfiguration(description, {});
  const variables = credentials.map(({ variable, value }) => [variable, value]);
  assert.deepEqual(variables, [
    ["API_TOKEN_2", "a"],
    ["API_TOKEN", "b"],
  ]);
});

test("an expression under the name of a credential stays as it is, without the credentials in its texts", () => {
  const md5 = { function: "md5", args: [{ function: "concat", args: ["a-", { attr: "name" }] }] };
  const address = { function: "concat", args: ["https://a/?token=s3cr3t&n=", { attr: "name" }] };
  const params = [
    { name: "token", value: md5 },
    { name: "to", value: address },
  ];
  const { config } = draftConfiguration(
    { method: "POST", address: "https://b/", params, headers: [] },
    {},
  ).configuration;
  const { jobs } = isObject(config) ? config : {};
  assert.deepEqual(Array.isArray(jobs) && isObject(jobs[0]) ? jobs[0].params : undefined, {
    token: md5,
    to: { ...address, args: ["https://a/?token=", { attr: "#token" }, "&n=", { attr: "name" }] },
  });
});

test("a text is no credential because a label in JSON ends with the name of one", () => {
  const text = '{"label":"Token: ","x":"a"}';
  assert.deepEqual(credentialPlaces(text), []);
});

test("JSON in a text that is nested thousands of levels deep is refused", () => {
  assert.throws(() => credentialPlaces("[".repeat(100_000)), /^SpileError: a value is nested too deeply to be read$/);
});

test("thousands of tokens in a list become settings within seconds", () => {
  const tokens = Array.from({ length: 3000 }, (_, index) => `s3cr3t-${index}`);
  const began = cpuTime();
  const { credentials } = draftConfiguration(
    { method: "POST", address: "https://b/", params: [{ name: "tokens", value: tokens }], headers: [] },
    {},
  );
  assert.equal(new Set(credentials.map(({ variable }) => variable)).size, 3000);
  // This takes a second; comparing each name with all credentials would take 40 seconds.
  assert.ok(cpuTime() - began < 10_000);
});
