import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthenticator } from "../../src/authentication/index.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { Value } from "../../src/core/values/value.ts";
import type { LoginAuthentication } from "../../src/generated/configuration.ts";
import { authorized, headersOf, never, queryText, request, type WorldOptions, world } from "./environment.ts";

const token = { headers: { "X-Token": { response: "token" } } };

function authentication(more: Partial<LoginAuthentication> = {}): LoginAuthentication {
  return { type: "login", loginRequest: { endpoint: "login" }, apiRequest: token, ...more };
}

async function createLogin(more: Partial<LoginAuthentication>, options: WorldOptions = {}) {
  const here = world({ answer: '{"token":"t0ken-value"}', ...options });
  const authenticator = await createAuthenticator(authentication(more), here.environment);
  assert.ok(authenticator);
  return { ...here, authenticator };
}

/** Returns the error with which the first request fails. */
async function failure(more: Partial<LoginAuthentication>, options: WorldOptions): Promise<SpileError> {
  const { authenticator } = await createLogin(more, options);
  const error = await authenticator.authorize(request(), never).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SpileError, `no error of ours: ${String(error)}`);
  return error;
}

describe("the login request", () => {
  it("the login request has the configured method, parameters and headers, with expressions evaluated", async () => {
    const { authenticator, sent } = await createLogin(
      {
        loginRequest: {
          endpoint: "auth/login?keep=1",
          method: "FORM",
          params: { user: { attr: "#user" }, attr: "a parameter of that name", deep: { list: [{ attr: "#user" }] } },
          headers: { "X-Login": { function: "concat", args: [{ attr: "#user" }, ":", "x"] } },
        },
      },
      { settings: { "#user": "joe" } },
    );
    await authorized(authenticator);
    const [first = request()] = sent;
    assert.equal(sent.length, 1);
    assert.deepEqual(headersOf(first), { "X-Login": "joe:x" });
    assert.deepEqual(
      { ...first, headers: undefined },
      {
        method: "FORM",
        url: "http://api.test/auth/login",
        query: [{ name: "keep", raw: "keep=1" }],
        body: [
          { name: "user", value: "joe" },
          { name: "attr", value: "a parameter of that name" },
          { name: "deep", value: { list: ["joe"] } },
        ],
        headers: undefined,
        style: { lists: "indices", booleans: "numbers" },
      },
    );
  });

  it("the login request is a GET by default, and is sent once, before the first data request", async () => {
    const { authenticator, sent } = await createLogin({});
    assert.equal(sent.length, 0);
    await authorized(authenticator);
    await authorized(authenticator);
    assert.deepEqual(
      sent.map(({ method }) => method),
      ["GET"],
    );
  });

  it("passwords that the configuration contains as plain text are masked", async () => {
    const { authenticator, secrets } = await createLogin({
      loginRequest: { endpoint: "login", params: { password: "TopSecret", grant_type: "client_credentials" } },
    });
    await authorized(authenticator);
    assert.equal(secrets.mask("a=TopSecret&b=client_credentials"), "a=***&b=client_credentials");
  });

  for (const kind of ["authentication", "temporary", "refused"] as const) {
    it(`the error keeps the kind of the failed request: ${kind}`, async () => {
      const cause = new SpileError(kind, "http://api.test/login answered 403");
      const error = await failure({}, { answer: () => Promise.reject(cause) });
      assert.equal(error.kind, kind);
      assert.equal(error.message, "the login failed: http://api.test/login answered 403");
      assert.equal(error.cause, cause);
      assert.equal(error.pointer, "/api/authentication/loginRequest");
    });
  }

  it("a bug is thrown unchanged", async () => {
    const { authenticator } = await createLogin({}, { answer: () => Promise.reject(new TypeError("a bug")) });
    await assert.rejects(authenticator.authorize(request(), never), new TypeError("a bug"));
  });

  it("a failed login is tried again for the next request", async () => {
    const { authenticator } = await createLogin(
      {},
      {
        answer: (_request, nth) =>
          nth === 1 ? Promise.reject(new SpileError("temporary", "gone")) : '{"token":"second"}',
      },
    );
    await assert.rejects(authenticator.authorize(request(), never));
    assert.deepEqual(headersOf(await authorized(authenticator)), { "X-Token": "second" });
  });
});

describe("the login's answer", () => {
  const data = { headers: { "X-Token": "data" } };
  const documents: [name: string, format: "json" | "text", body: string, header: string][] = [
    ["a plain text with format text", "text", "a1b2c3d435f6", "a1b2c3d435f6"],
    ["JSON with format text", "text", '{"a":1}', '{"a":1}'],
    ["a text with white space around it", "text", " tok en\n", "tok en"],
    ["an empty text", "text", "", ""],
    ["a JSON string", "json", '"s\\u00e9same"', "sésame"],
    ["a JSON number", "json", "13911860366432393.10", "13911860366432393.10"],
    ["true", "json", "true", "1"],
    ["an object with the member data", "json", '{"data":"x"}', "x"],
  ];
  for (const [name, format, body, header] of documents) {
    it(`${name} is read as ${JSON.stringify(header)}: ${JSON.stringify(body)}`, async () => {
      const { authenticator } = await createLogin({ format, apiRequest: data }, { answer: body });
      assert.deepEqual(headersOf(await authorized(authenticator)), { "X-Token": header });
    });
  }

  const faults: [name: string, answer: NonNullable<WorldOptions["answer"]>, message: RegExp][] = [
    ["a list", '[{"token":"s3cret"}]', /status 200, content type application\/json and a JSON list; a JSON object/],
    ["null", "null", /and the value null; a JSON object is needed/],
    ["an empty body", "", /and an empty body/],
    ["white space only", " \n", /and an empty body/],
    [
      "an HTML page",
      { body: "<html>s3cret", contentType: "text/html; charset=utf-8" },
      /content type text\/html; charset=utf-8 and a body that is not JSON/,
    ],
    ["broken JSON", '{"token":"s3cret"', /a body that is not JSON; a plain text needs "format": "text"/],
    ["JSON that nests too deep", "[".repeat(200_000), /a body that is not JSON/],
    ["no content type", { body: "x", contentType: undefined }, /no content type/],
    ["an error status", { status: 403, body: '{"token":"s3cret"}' }, /answered with status 403/],
    ["control characters in its content type", { body: "x", contentType: "a\u001bb" }, /content type a\\x1bb/],
  ];
  for (const [name, answer, message] of faults) {
    it(`an answer with ${name} is an authentication error that does not show the body`, async () => {
      const error = await failure({}, { answer });
      assert.equal(error.kind, "authentication");
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /s3cret/);
    });
  }

  it("the error names the final address without its query", async () => {
    const error = await failure({}, { answer: { url: "http://api.test/signin?password=x", body: "<html>" } });
    assert.match(error.message, /the login at http:\/\/api\.test\/signin answered/);
  });
});

describe("values of the login's answer in requests", () => {
  const answer = JSON.stringify({ token: "abc", auth: [{ id: 1 }, { é: { id: 13 } }], flag: false, none: null, "": 7 });
  const rows: [name: string, value: Value, header: string, parameter?: Value][] = [
    ["a path as plain text", "auth.1.é.id", "13", 13],
    ["a path in a response expression", { response: "token" }, "abc"],
    ["functions", { function: "concat", args: ["Bearer ", { response: "token" }] }, "Bearer abc"],
    [
      "nested functions with settings",
      { function: "sha1", args: [{ function: "concat", args: [{ attr: "user" }, ":", { response: "token" }] }] },
      "3b856509f5270dd70b3cd5c16f4e6d566714f011",
    ],
    ["a single setting", { attr: "user" }, "joe"],
    ["false, which is empty in a header,", { response: "flag" }, "", false],
    ["a number", 5, "5", 5],
    [
      "ifempty with a missing value",
      { function: "ifempty", args: [{ response: "missing" }, { response: "token" }] },
      "abc",
    ],
  ];
  for (const [name, value, header, parameter = header] of rows) {
    it(`${name}: ${JSON.stringify(value)} is evaluated`, async () => {
      const { authenticator } = await createLogin(
        { apiRequest: { headers: { "X-Value": value }, query: { value } } },
        { answer, settings: { user: "joe" } },
      );
      const result = await authorized(authenticator);
      assert.deepEqual(headersOf(result), { "X-Value": header });
      assert.deepEqual(result.query, [{ name: "value", value: parameter }]);
    });
  }

  const missing: [name: string, value: Value, what: string][] = [
    ["a missing path", "nope", 'nothing at "nope"'],
    ["a missing path in depth", { response: "auth.2.id" }, 'nothing at "auth.2.id"'],
    ["null", { response: "none" }, 'null at "none"'],
    ["an object", { response: "auth.0" }, 'an object at "auth.0"'],
    ["a list", "auth", 'a list at "auth"'],
    ["the whole answer", "", 'an object at ""'],
    ["a property that every object has", "constructor", 'nothing at "constructor"'],
    [
      "a missing path inside a function",
      { function: "concat", args: ["Bearer ", { response: "x" }] },
      'nothing at "x"',
    ],
    ["null inside a function", { function: "concat", args: [[{ response: "none" }]] }, 'null at "none"'],
  ];
  for (const [name, value, what] of missing) {
    it(`${name} is an authentication error that names the place and the path: ${JSON.stringify(value)}`, async () => {
      for (const [apiRequest, place, at] of [
        [{ headers: { "X-Value": value } }, 'header "X-Value"', "headers/X-Value"],
        [{ query: { value } }, 'query parameter "value"', "query/value"],
      ] as const) {
        const error = await failure({ apiRequest }, { answer });
        assert.equal(error.kind, "authentication");
        assert.equal(error.pointer, `/api/authentication/apiRequest/${at}`);
        assert.equal(error.message, `the login's answer has ${what}, which the ${place} needs`);
      }
    });
  }

  it("a text that is not a path is refused with advice on how to write a literal", async () => {
    const apiRequest = { headers: { "Content-Type": "application/json" } };
    const error = await failure({ apiRequest }, { answer });
    assert.equal(
      error.message,
      'the login\'s answer has nothing at "application/json", which the header "Content-Type" needs; write a literal text as {"function": "concat", "args": ["application/json"]}',
    );
  });

  it("an object that is no expression is refused for a query parameter, which the error names", async () => {
    const error = await failure({ apiRequest: { query: { q: { a: 1 } } } }, { answer });
    assert.match(error.message, /query parameter "q" evaluates to a list or an object/);
  });

  it("a value of the answer that a function does not accept is an authentication error", async () => {
    const value = { function: "strtotime", args: [{ response: "token" }] };
    const error = await failure({ apiRequest: { query: { value } } }, { answer });
    assert.equal(error.kind, "authentication");
    assert.equal(error.pointer, "/api/authentication/apiRequest/query/value");
  });

  it("a value with a line break is refused for a header, and is not shown", async () => {
    const error = await failure({}, { answer: '{"token":"a\\r\\nX-Evil: s3cret"}' });
    assert.equal(error.kind, "authentication");
    assert.match(error.message, /header "X-Token"/);
    assert.doesNotMatch(error.message, /s3cret/);
  });

  it("an answer without the token fails the request, and reports no login", async () => {
    const { authenticator, events } = await createLogin({}, { answer: '{"error":"bad password"}' });
    await assert.rejects(authenticator.authorize(request(), never), /"token"/);
    assert.deepEqual(events, []);
  });

  it("headers of the login replace those of the request whatever the case of their letters; other headers stay", async () => {
    const { authenticator } = await createLogin({});
    const result = await authorized(authenticator, {
      ...request(),
      headers: new Map([
        ["x-token", ["x-TOKEN", "old"]],
        ["x-mode", ["X-Mode", "dev"]],
      ]),
    });
    assert.deepEqual(headersOf(result), { "X-Token": "t0ken-value", "X-Mode": "dev" });
  });

  it("without apiRequest, the login is sent, and nothing is added to requests", async () => {
    const here = world();
    const { apiRequest: _, ...bare } = authentication();
    const authenticator = await createAuthenticator(bare, here.environment);
    assert.deepEqual(await authorized(authenticator), request());
    assert.equal(here.sent.length, 1);
  });

  it("a value of the login's answer is masked after the login, also as part of another value", async () => {
    const apiRequest = { headers: { Authorization: { function: "concat", args: ["Key ", { response: "token" }] } } };
    const { authenticator, secrets } = await createLogin({ apiRequest });
    await authorized(authenticator);
    assert.equal(secrets.mask("the server says t0ken-value is bad"), "the server says *** is bad");
    assert.equal(secrets.mask("Authorization: Key t0ken-value"), "Authorization: ***");
  });

  it("a setting that the login adds does not become a secret", async () => {
    const { authenticator, secrets } = await createLogin(
      { apiRequest: { headers: { "X-Version": { attr: "version" } } } },
      { settings: { version: "2026-01" } },
    );
    await authorized(authenticator);
    assert.equal(secrets.mask("version 2026-01"), "version 2026-01");
  });

  it("a small number is no secret, so page numbers stay readable", async () => {
    const { authenticator, secrets } = await createLogin(
      { apiRequest: { query: { account: "id" } } },
      { answer: '{"id":2}' },
    );
    await authorized(authenticator);
    assert.equal(secrets.mask("/items?page=2"), "/items?page=2");
  });

  it("expressions of apiRequest are evaluated anew for every request", async () => {
    let count = 0;
    const { authenticator } = await createLogin(
      { apiRequest: { query: { n: { attr: "n" } } } },
      {
        extra: {
          evaluate: () => {
            count += 1;
            return String(count);
          },
        },
      },
    );
    const first = queryText(await authorized(authenticator));
    assert.notEqual(queryText(await authorized(authenticator)), first);
  });
});

describe("a login is reported by an event", () => {
  it("the login event contains the lifetime of the credentials, and its address has no query and no secrets", async () => {
    const { authenticator, events, secrets } = await createLogin({
      expires: 3600,
      loginRequest: { endpoint: "login/hidden-key?pw=x", method: "POST" },
    });
    secrets.add("hidden-key");
    await authorized(authenticator);
    assert.deepEqual(events, [
      {
        event: "login",
        level: "info",
        message: "logged in; the credentials expire in 3600 s",
        method: "POST",
        url: "http://api.test/login/***",
        status: 200,
      },
    ]);
  });
});

describe("client credentials", () => {
  const bearer = {
    headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "access_token" }] } },
  };
  const options: WorldOptions = {
    answer: '{"access_token":"granted-token","token_type":"bearer","expires_in":"1799"}',
    settings: { __CLIENT_ID: "the id", "#__CLIENT_SECRET": "the secret" },
  };

  it("the token request has Basic authorization", async () => {
    const { authenticator, sent } = await createLogin(
      {
        loginRequest: {
          endpoint: "https://login.test/oauth/token",
          method: "FORM",
          headers: {
            Authorization: {
              function: "concat",
              args: [
                "Basic ",
                {
                  function: "base64_encode",
                  args: [{ function: "concat", args: [{ attr: "__CLIENT_ID" }, ":", { attr: "#__CLIENT_SECRET" }] }],
                },
              ],
            },
          },
          params: { grant_type: "client_credentials", scope: "read" },
        },
        apiRequest: bearer,
        expires: { response: "expires_in", relative: true },
      },
      options,
    );
    assert.deepEqual(headersOf(await authorized(authenticator)), { Authorization: "Bearer granted-token" });
    assert.equal(sent[0]?.url, "https://login.test/oauth/token");
    assert.deepEqual(headersOf(sent[0] ?? request()), {
      Authorization: `Basic ${Buffer.from("the id:the secret").toString("base64")}`,
    });
  });

  it("the token request has id and secret in its form", async () => {
    const { authenticator, sent } = await createLogin(
      {
        loginRequest: {
          endpoint: "token",
          method: "FORM",
          params: {
            grant_type: "client_credentials",
            client_id: { attr: "__CLIENT_ID" },
            client_secret: { attr: "#__CLIENT_SECRET" },
          },
        },
        apiRequest: bearer,
      },
      options,
    );
    assert.deepEqual(headersOf(await authorized(authenticator)), { Authorization: "Bearer granted-token" });
    assert.deepEqual(sent[0]?.body, [
      { name: "grant_type", value: "client_credentials" },
      { name: "client_id", value: "the id" },
      { name: "client_secret", value: "the secret" },
    ]);
  });
});

describe("the tokens of thousands of logins", () => {
  it("the tokens of the latest logins are masked, and older ones are forgotten", async () => {
    const answer = (_: unknown, nth: number) => `{"token":"sap-${nth}-drip"}`;
    const { authenticator, secrets } = await createLogin({ expires: 0 }, { answer });
    for (let nth = 1; nth <= 4500; nth += 1) await authorized(authenticator);
    assert.equal(secrets.mask("sap-4500-drip sap-3000-drip"), "*** ***");
    assert.equal(secrets.holds("sap-1-drip"), false);
  });

  it("a token that is still used stays masked when thousands of other secrets are forgotten", async () => {
    const { authenticator, secrets } = await createLogin({});
    for (let nth = 1; nth <= 6000; nth += 1) {
      secrets.add(`signature-${nth}`, true);
      if (nth % 1000 === 0) await authorized(authenticator);
    }
    assert.equal(secrets.mask("t0ken-value"), "***");
  });
});
