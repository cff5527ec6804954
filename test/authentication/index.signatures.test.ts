import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { createAuthenticator } from "../../src/authentication/index.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { Authorized } from "../../src/core/requests/authenticator.ts";
import { type WireRequest, withHeaders } from "../../src/core/requests/request.ts";
import type { Authentication, AwsCredentials, OauthCredentials } from "../../src/generated/configuration.ts";
import { headersOf, never, request, type WorldOptions, world } from "./environment.ts";

async function signing(
  type: Authentication,
  options: WorldOptions,
): Promise<Authorized & { sign: (wire: WireRequest) => WireRequest }> {
  const authenticator = await createAuthenticator(type, world(options).environment);
  const authorized = await authenticator?.authorize(request(), never);
  assert.ok(authorized?.sign);
  return { ...authorized, sign: authorized.sign };
}

function wire(
  url: string,
  more: Partial<Omit<WireRequest, "headers">> & { headers?: Record<string, string> } = {},
): WireRequest {
  return {
    method: "GET",
    url,
    body: undefined,
    ...more,
    headers: withHeaders(new Map(), Object.entries(more.headers ?? {})),
  };
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };

describe("oauth10", () => {
  // The example that Twitter publishes in "Creating a signature".
  const oauth: OauthCredentials = {
    "#data": JSON.stringify({
      oauth_token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
      oauth_token_secret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
    }),
    appKey: "xvz1evFS4wEEPTGEFPHBog",
    "#appSecret": "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
  };
  const nonce = "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg";
  const now = 1_318_622_958_000;

  async function fieldsFor(of: WireRequest): Promise<Record<string, string>> {
    const { sign } = await signing({ type: "oauth10" }, { extra: { oauth, nonce: () => nonce }, now });
    return fieldsOf(headersOf(sign(of)).Authorization ?? "");
  }

  function fieldsOf(header: string): Record<string, string> {
    assert.match(header, /^OAuth /);
    return Object.fromEntries(
      [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, decodeURIComponent(value)]),
    );
  }

  it("query and form are signed as in the example of Twitter", async () => {
    const fields = await fieldsFor(
      wire("https://api.twitter.com/1/statuses/update.json?include_entities=true", {
        method: "POST",
        headers: form,
        body: "status=Hello%20Ladies%20%2B%20Gentlemen%2C%20a%20signed%20OAuth%20request%21",
      }),
    );
    assert.deepEqual(fields, {
      oauth_consumer_key: "xvz1evFS4wEEPTGEFPHBog",
      oauth_nonce: nonce,
      oauth_signature: "tnnArxj06cWHq44gCs1OSKk/jLY=",
      oauth_signature_method: "HMAC-SHA1",
      oauth_timestamp: "1318622958",
      oauth_token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
      oauth_version: "1.0",
    });
  });

  /** Computes the signature as in RFC 5849, 3.4, step by step, from decoded parameters. */
  function expected(method: string, url: string, parameters: [name: string, value: string][]): string {
    const encode = (text: string): string =>
      [...Buffer.from(text)]
        .map((byte) => {
          const character = String.fromCharCode(byte);
          return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
        })
        .join("");
    const all: [string, string][] = [
      ...parameters,
      ["oauth_consumer_key", "xvz1evFS4wEEPTGEFPHBog"],
      ["oauth_nonce", nonce],
      ["oauth_signature_method", "HMAC-SHA1"],
      ["oauth_timestamp", "1318622958"],
      ["oauth_token", "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"],
      ["oauth_version", "1.0"],
    ];
    const sorted = all.map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
    const base = [method, encode(url), encode(sorted.join("&"))].join("&");
    return createHmac("sha1", "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw&LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE")
      .update(base)
      .digest("base64");
  }

  const rows: [name: string, of: WireRequest, url: string, parameters: [string, string][]][] = [
    ["no query", wire("http://api.test:8080/a"), "http://api.test:8080/a", []],
    [
      "repeated, bare, bracketed and encoded names; + is a space",
      wire("http://api.test/a%20b?z=1&a=2&a=10&flag&f%5Bx%5D=1&q=a+b%2Bc%20d&e=%C5%BD!*'()"),
      "http://api.test/a%20b",
      [
        ["z", "1"],
        ["a", "2"],
        ["a", "10"],
        ["flag", ""],
        ["f[x]", "1"],
        ["q", "a b+c d"],
        ["e", "Ž!*'()"],
      ],
    ],
    ["a broken escape", wire("http://api.test/?a=100%"), "http://api.test/", [["a", "100%"]]],
    [
      "a name that every object has",
      wire("http://api.test/?constructor=1"),
      "http://api.test/",
      [["constructor", "1"]],
    ],
    ["the default port", wire("https://API.test:443/x"), "https://api.test/x", []],
    [
      "a form and a query with the same name",
      wire("http://api.test/x?a=1", { method: "POST", headers: form, body: "a=2&b=%26" }),
      "http://api.test/x",
      [
        ["a", "1"],
        ["a", "2"],
        ["b", "&"],
      ],
    ],
    [
      "a JSON body, which is not signed",
      wire("http://api.test/x", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"a":1}' }),
      "http://api.test/x",
      [],
    ],
  ];
  for (const [name, of, url, parameters] of rows) {
    it(`the signature follows RFC 5849: ${name}`, async () => {
      assert.equal((await fieldsFor(of)).oauth_signature, expected(of.method, url, parameters));
    });
  }

  it("each signature has a new nonce and replaces an old Authorization; other headers stay", async () => {
    const { sign, request: unsignedRequest } = await signing(
      { type: "oauth10" },
      { extra: { oauth: { ...oauth, appKey: 1234 } } },
    );
    assert.deepEqual(unsignedRequest(), request());
    const before = wire("http://api.test/x?b=1&a=2", { headers: { authorization: "old", "X-Mode": "dev" } });
    const first = sign(before);
    const second = sign(first);
    assert.deepEqual({ ...first, headers: 0 }, { ...before, headers: 0 });
    assert.deepEqual(Object.keys(headersOf(second)), ["Authorization", "X-Mode"]);
    const [one, two] = [first, second].map((signed) => fieldsOf(headersOf(signed).Authorization ?? ""));
    assert.equal(one?.oauth_consumer_key, "1234");
    assert.match(one?.oauth_nonce ?? "", /^[0-9a-f]{32}$/);
    assert.notEqual(one?.oauth_nonce, two?.oauth_nonce);
  });

  it("a missing token is a configuration error that names it and shows no secret", async () => {
    for (const [data, message] of [
      [undefined, /"#data"/],
      ["s3cret", /"#data" must be the text of a JSON document/],
      ['{"oauth_token":"s3cret"}', /needs "oauth_token_secret" in "#data"/],
    ] as const) {
      const environment = world({ extra: { oauth: data === undefined ? {} : { "#data": data } } }).environment;
      await assert.rejects(createAuthenticator({ type: "oauth10" }, environment), (error) => {
        assert.ok(error instanceof SpileError && error.kind === "configuration");
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    }
  });
});

describe("AWS signature version 4", () => {
  // Credentials, date and signatures of the test suite that AWS publishes (aws-sig-v4-test-suite).
  const aws: AwsCredentials = {
    accessKeyId: "AKIDEXAMPLE",
    "#secretKey": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    serviceName: "service",
    regionName: "us-east-1",
  };
  const signedBy = (credentials: AwsCredentials): Authentication => ({ type: "aws.signature", credentials });
  const now = Date.UTC(2015, 7, 30, 12, 36, 0);
  const host = "https://example.amazonaws.com";

  const vectors: [name: string, of: WireRequest, signature: string, signed?: string][] = [
    ["get-vanilla", wire(`${host}/`), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "post-vanilla",
      wire(`${host}/`, { method: "POST" }),
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "get-vanilla-query-order-key-case",
      wire(`${host}/?Param2=value2&Param1=value1`),
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "get-vanilla-query-order-value",
      wire(`${host}/?Param1=value2&Param1=value1`),
      "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694",
    ],
    [
      "get-vanilla-utf8-query",
      wire(`${host}/?\u1234=bar`),
      "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04",
    ],
    [
      "get-unreserved",
      wire(`${host}/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`),
      "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
    ],
    ["get-slashes", wire(`${host}//example//`), "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"],
    [
      "post-x-www-form-urlencoded",
      wire(`${host}/`, { method: "POST", headers: form, body: "Param1=value1" }),
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
      "content-type;host;x-amz-date",
    ],
  ];
  for (const [name, of, signature, signed = "host;x-amz-date"] of vectors) {
    it(`the signature is that of the published vector ${name}`, async () => {
      const { sign } = await signing(signedBy(aws), { now });
      const headers = headersOf(sign(of));
      assert.equal(headers["X-Amz-Date"], "20150830T123600Z");
      assert.equal(
        headers.Authorization,
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
          `SignedHeaders=${signed}, Signature=${signature}`,
      );
    });
  }

  /** Computes the signature that the server expects, over a canonical request that is written out here. */
  function expected(
    path: string,
    query: string,
    headers: string,
    names: string,
    hash: string,
    service = "service",
  ): string {
    const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
    const keyed = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
    const canonical = ["GET", path, query, headers, names, hash].join("\n");
    const scope = `20150830/us-east-1/${service}/aws4_request`;
    const key = scope.split("/").reduce<string | Buffer>(keyed, `AWS4${aws["#secretKey"]}`);
    return keyed(key, ["AWS4-HMAC-SHA256", "20150830T123600Z", scope, digest(canonical)].join("\n")).toString("hex");
  }
  const nothing = createHash("sha256").update("").digest("hex");
  const plain = "host:example.amazonaws.com\nx-amz-date:20150830T123600Z\n";

  const rows: [name: string, target: string, path: string, query: string][] = [
    ["a path, which is encoded once more", "/a%20b/%C5%BE%2Fx/100%25", "/a%2520b/%25C5%25BE%252Fx/100%2525", ""],
    [
      "a query, which is not encoded again",
      "/?q=a%20b%2Bc%2F%C5%BE&filter%5Btags%5D%5B0%5D=x%3Dy",
      "/",
      "filter%5Btags%5D%5B0%5D=x%3Dy&q=a%20b%2Bc%2F%C5%BE",
    ],
    ["unencoded brackets and bars", "/x?a[0]=1|2", "/x", "a%5B0%5D=1%7C2"],
    ["needless escapes beside unencoded characters", "/%41/x?a=|%7E", "/%2541/x", "a=%7C~"],
    ["names without a value", "/x?flag&acl=", "/x", "acl=&flag="],
    ["repeated values, sorted by their bytes", "/x?a=9&a=10&A=1", "/x", "A=1&a=10&a=9"],
    ["a broken escape", "/x?a=100%", "/x", "a=100%25"],
  ];
  for (const [name, target, path, query] of rows) {
    it(`an encoded address is sent unchanged and signed by the rules of AWS: ${name}`, async () => {
      const { sign } = await signing(signedBy(aws), { now });
      const before = wire(host + target);
      const after = sign(before);
      assert.equal(after.url, before.url);
      const signature = /Signature=(\w+)/.exec(headersOf(after).Authorization ?? "")?.[1];
      assert.equal(signature, expected(path, query, plain, "host;x-amz-date", nothing));
    });
  }

  it("for S3, the path is encoded once, and a header has the hash of the body", async () => {
    const { sign } = await signing(signedBy({ ...aws, serviceName: "s3" }), { now });
    const headers = headersOf(sign(wire(`${host}/a%20b`)));
    assert.equal(headers["X-Amz-Content-Sha256"], nothing);
    const text = `host:example.amazonaws.com\nx-amz-content-sha256:${nothing}\nx-amz-date:20150830T123600Z\n`;
    const signature = expected("/a%20b", "", text, "host;x-amz-content-sha256;x-amz-date", nothing, "s3");
    assert.match(headers.Authorization ?? "", new RegExp(`Signature=${signature}$`));
  });

  it("for S3, an address with an invalid escape is a configuration error", async () => {
    const { sign } = await signing(signedBy({ ...aws, serviceName: "s3" }), { now });
    assert.throws(
      () => sign(wire(`${host}/%ff`)),
      (error) => error instanceof SpileError && error.kind === "configuration",
    );
  });

  it("a redirected request is signed for the new host and the present time", async () => {
    const here = world({ now });
    const authentication = signedBy({ ...aws, serviceName: "testService", regionName: "testRegion" });
    const authenticator = await createAuthenticator(authentication, here.environment);
    const { sign } = (await authenticator?.authorize(request(), never)) ?? {};
    const first = sign?.(wire("http://127.0.0.1:8080/a", { headers: { "X-Mode": "dev", Authorization: "old" } }));
    here.pass(60_000);
    const second = headersOf(sign?.({ ...(first ?? wire(host)), url: "http://127.0.0.1:8081/b" }) ?? wire(host));
    assert.equal(second["X-Amz-Date"], "20150830T123700Z");
    assert.match(second.Authorization ?? "", /Credential=AKIDEXAMPLE\/20150830\/testRegion\/testService\/aws4_request/);
    assert.notEqual(second.Authorization, headersOf(first ?? wire(host)).Authorization);
    assert.equal(second["X-Mode"], "dev");
    assert.equal("host" in second, false);
  });

  it("the secret key is masked", async () => {
    const here = world();
    await createAuthenticator(signedBy(aws), here.environment);
    assert.equal(here.secrets.mask(`key ${aws["#secretKey"]}`), "key ***");
  });
});
