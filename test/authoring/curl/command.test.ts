import assert from "node:assert/strict";
import { test } from "node:test";
import { readCurlCommand } from "../../../src/authoring/curl/command.ts";
import { shellWords } from "../../../src/authoring/curl/shell-words.ts";
import type { RequestDescription } from "../../../src/authoring/request-description.ts";
import { SpileError } from "../../../src/core/errors.ts";
import type { Value } from "../../../src/core/values/value.ts";

const files: Readonly<Record<string, string>> = {
  "body.json": '{"a":\n1}\n',
  "ca.pem": "PEM",
  "me.pem": "CERT",
  "me.key": "KEY",
  text: "x y&z",
};

function read(text: string) {
  const { words } = shellWords(text, {});
  return readCurlCommand(words, (path) => {
    const content = files[path];
    if (content === undefined) throw new SpileError("usage", `cannot read ${path}`);
    return content;
  });
}

function describe(text: string): Partial<RequestDescription> {
  const { description } = read(text);
  return Object.fromEntries(
    Object.entries(description).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

const address = "https://api.example.com/users";
const params = (object: Readonly<Record<string, Value>>) =>
  Object.entries(object).map(([name, value]) => ({ name, value }));

test("curl's options, in all their spellings, become a description of the request", () => {
  const table: [string, Partial<RequestDescription>][] = [
    [`${address}`, { method: "GET", address }],
    [`--url ${address}#top`, { method: "GET", address }],
    ["api.example.com/users", { method: "GET", address: "http://api.example.com/users" }],
    [`-X GET -sSL ${address}`, { method: "GET", address }],
    [`-sSLH 'x-a: 1' ${address}`, { method: "GET", address, headers: [["x-a", "1"]] }],
    [
      `-H'x-a: 1' -H "x-b:2" -H 'x-c;' ${address}`,
      {
        method: "GET",
        address,
        headers: [
          ["x-a", "1"],
          ["x-b", "2"],
          ["x-c", ""],
        ],
      },
    ],
    [
      `-A me -e https://a.example/ ${address}`,
      {
        method: "GET",
        address,
        headers: [
          ["User-Agent", "me"],
          ["Referer", "https://a.example/"],
        ],
      },
    ],
    [`-A me -H 'User-Agent:' ${address}`, { method: "GET", address }],
    [`-b 'a=1; b=2' ${address}`, { method: "GET", address, headers: [["Cookie", "a=1; b=2"]] }],
    [`--oauth2-bearer abc ${address}`, { method: "GET", address, headers: [["Authorization", "Bearer abc"]] }],
    [`-u me:pa:ss ${address}`, { method: "GET", address, user: { name: "me", password: "pa:ss" } }],
    ["https://me:p%40ss@api.example.com/users", { method: "GET", address, user: { name: "me", password: "p@ss" } }],
    [
      `-ume:x -m 30 --connect-timeout 2.5 ${address}`,
      { method: "GET", address, user: { name: "me", password: "x" }, requestTimeout: 30, connectTimeout: 2.5 },
    ],
    [
      `-x http://proxy:3128 --cacert ca.pem --cert me.pem --key me.key ${address}`,
      {
        method: "GET",
        address,
        proxy: "http://proxy:3128",
        caCertificate: "PEM",
        clientCertificate: { files: ["me.pem", "me.key"], text: "CERT\nKEY" },
      },
    ],
    [
      `-G -d a=1 --data-urlencode 'q=x y&z' --data-urlencode =é ${address}?z=0`,
      { method: "GET", address: `${address}?z=0&a=1&q=x+y%26z&%C3%A9` },
    ],
    [
      `-G --data-urlencode text@text --data-urlencode @text ${address}`,
      { method: "GET", address: `${address}?text=x+y%26z&x+y%26z` },
    ],
    [`-d a=1 -d 'b=x+y%21' ${address}`, { method: "FORM", address, params: params({ a: "1", b: "x y!" }) }],
    [
      `-d 'a=1&b=2&a=3' ${address}`,
      { method: "FORM", address, params: params({ a: ["1", "3"], b: "2" }), lists: "repeat" },
    ],
    [`--url-query 'q=x y' --url-query +r=%20 ${address}?z=0`, { method: "GET", address: `${address}?z=0&q=x+y&r=%20` }],
    [`-g '${address}?ids={1,2}'`, { method: "GET", address: `${address}?ids={1,2}` }],
    [`-x proxy:3128 --no-compressed -Z ${address}`, { method: "GET", address, proxy: "http://proxy:3128" }],
    [`--json '{"a":1.10}' ${address}`, { method: "POST", address, headers: [["Accept", "application/json"]] }],
    [
      `--data @body.json -H 'content-type: application/json; charset=utf-8' ${address}`,
      { method: "POST", address, params: params({ a: 1 }) },
    ],
    [`-XPOST ${address}`, { method: "POST", address }],
    [
      `${address} -H 'Accept-Encoding: br' -H 'sec-fetch-mode: cors' -H 'Host: x' -H 'x-a: 1' --compressed`,
      { method: "GET", address, headers: [["x-a", "1"]] },
    ],
    [
      `--data-raw $'{"query":"it\\'s"}' -H 'content-type: application/json' '${address}'`,
      { method: "POST", address, params: params({ query: "it's" }) },
    ],
  ];
  for (const [text, expected] of table) {
    const { params: found, ...rest } = describe(text);
    const { params: wanted, ...others } = expected;
    assert.deepEqual(rest, others, text);
    if (wanted !== undefined) assert.deepEqual(found, wanted, text);
  }
  assert.equal(String(describe(`--json '{"a":1.10}' ${address}`).params?.[0]?.value), "1.10");
});

test("notes say what is left out of a command, and what is sent in another way", () => {
  assert.match(read(`-o out.json ${address}`).notes.join("\n"), /-o is left out: spile writes to stdout/);
  assert.match(read(`-H 'If-None-Match: "x"' ${address}`).notes.join("\n"), /If-None-Match is left out/);
  assert.match(read(`-X GET -d '{"a":1}' ${address}`).notes.join("\n"), /sent as a POST/);
  assert.deepEqual(read(`-s ${address}`).notes, []);
});

test("a command that spile cannot convert is refused with 64, and the message names the option or value", () => {
  for (const [text, pattern] of [
    [`--nonsense ${address}`, /--nonsense is unknown/],
    [`--request=GET ${address}`, /--request=\.\.\. is unknown to spile, did you mean --request/],
    [`--heder x ${address}`, /did you mean --header\?/],
    [`-t ${address}`, /-t is unknown/],
    [`--no-data ${address}`, /--no-data is unknown/],
    [`-x socks5://host:1080 ${address}`, /-x names a proxy that is not an http address/],
    [`--socks5 host ${address}`, /--socks5 is not supported/],
    [`-E me.pem:secret ${address}`, /-E has a passphrase/],
    [`-F a=@b ${address}`, /-F is not supported: .*multipart/],
    [`-k ${address}`, /-k is not supported: .*caCertificate/],
    [`-sk ${address}`, /-k is not supported/],
    [`-X DELETE ${address}`, /-X DELETE is not supported/],
    [`-I ${address}`, /-I is not supported/],
    [`-b cookies.txt ${address}`, /names a file of cookies/],
    [`-u me ${address}`, /-u has no password/],
    [`-d '[1]' -H 'content-type: application/json' ${address}`, /not an object/],
    [`-d '{' -H 'content-type: application/json' ${address}`, /is not JSON/],
    [`-d '<a/>' -H 'content-type: text/xml' ${address}`, /text\/xml cannot be sent/],
    [`${address} ${address}`, /several addresses/],
    [`'${address}?page=[1-9]'`, /several addresses of \[1-9\]/],
    [`'https://{a,b}.example.com/'`, /several addresses of \{a,b\}/],
    ["-s", /has no address/],
    [`ftp://x/`, /is not an http or https address/],
    [`-H`, /-H needs a value/],
    [`-H nonsense ${address}`, /not of the form 'Name: value'/],
    [`-d @missing ${address}`, /cannot read missing/],
    [`-m soon ${address}`, /--max-time needs a number/],
  ] as const) {
    assert.throws(
      () => read(text),
      (error: unknown) => error instanceof SpileError && error.exitCode === 64 && pattern.test(error.message),
      text,
    );
  }
});

test("escaped brackets and several cookies are sent as by curl, repeated headers are joined with a note, and a body that reads as an expression is refused", () => {
  assert.equal(describe(`'${address}?filter\\[kind\\]=oak&q=\\{a\\}'`).address, `${address}?filter[kind]=oak&q={a}`);
  assert.equal(describe(`-g '${address}?a\\[b\\]=1'`).address, `${address}?a\\[b\\]=1`);
  assert.deepEqual(describe(`-b a=1 -b 'b=2; c=3' ${address}`).headers, [["Cookie", "a=1; b=2; c=3"]]);
  const several = read(`-H 'X-A: 1' -H 'x-a: 2' ${address}`);
  assert.deepEqual(several.description.headers, [["x-a", "1, 2"]]);
  assert.match(several.notes.join("\n"), /header x-a are sent in one line/);
  for (const body of ['{"metric":{"function":"time"}}', '{"a":[{"attr":"b"}]}', '{"a":{"time":"currentStart"}}'])
    assert.throws(
      () => read(`-d '${body}' -H 'content-type: application/json' ${address}`),
      /would read as an expression/,
    );
});
