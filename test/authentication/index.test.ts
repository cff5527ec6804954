import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthenticator } from "../../src/authentication/index.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { Value } from "../../src/core/values/value.ts";
import type { Authentication, OauthCredentials } from "../../src/generated/configuration.ts";
import { authorized, headersOf, never, queryText, request, start, world } from "./environment.ts";

async function configurationError(
  type: Authentication,
  options: Parameters<typeof world>[0] = {},
): Promise<SpileError> {
  const error = await createAuthenticator(type, world(options).environment).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SpileError, `no error of ours: ${String(error)}`);
  assert.equal(error.kind, "configuration");
  return error;
}

describe("no authentication", () => {
  it("without an authentication type, there is no authenticator", async () => {
    assert.equal(await createAuthenticator(undefined, world().environment), undefined);
  });
});

describe("basic", () => {
  const rows: [settings: Record<string, Value>, credentials: string][] = [
    [{ "#username": "joe", "#password": "se cret" }, "joe:se cret"],
    [{ username: "joe", password: "p" }, "joe:p"],
    [{ username: "joe", "#username": "other", "#password": "p" }, "joe:p"],
    [{ username: "", "#username": "other", "#password": "p" }, "other:p"],
    [{ username: "Žofie", "#password": "ü:x" }, "Žofie:ü:x"],
    [{ username: 12, "#password": 34 }, "12:34"],
    [{ username: "key", "#password": "" }, "key:"],
    [{ username: "", "#password": "token" }, ":token"],
  ];
  for (const [settings, credentials] of rows) {
    it(`${JSON.stringify(settings)} gives the credentials ${credentials}, which replace an older header and are masked`, async () => {
      const { environment, secrets } = world({ settings });
      const before = { ...request(), headers: new Map([["authorization", ["authorization", "old"] as const]]) };
      const { headers } = await authorized(await createAuthenticator({ type: "basic" }, environment), before);
      const encoded = Buffer.from(credentials).toString("base64");
      assert.deepEqual(headersOf({ headers }), { Authorization: `Basic ${encoded}` });
      assert.equal(secrets.mask(`Authorization: Basic ${encoded}`), "Authorization: Basic ***");
    });
  }

  it("a missing name or password is a configuration error that says which is missing", async () => {
    assert.match((await configurationError({ type: "basic" })).message, /"#username" or "username"/);
    const noPassword = await configurationError({ type: "basic" }, { settings: { username: "joe" } });
    assert.match(noPassword.message, /"#password" or "password"/);
  });

  it("a refused login by Basic is not renewed: the same credentials would be refused again", async () => {
    const { environment } = world({ settings: { username: "joe", password: "p" } });
    const authenticator = await createAuthenticator({ type: "basic" }, environment);
    assert.equal((await authenticator?.authorize(request(), never))?.refused, undefined);
  });
});

describe("query", () => {
  for (const type of ["query", "url.query"] as const) {
    it(`${type}: a configured parameter replaces the request's parameters of the same name, and new parameters follow`, async () => {
      const { environment } = world({ settings: { "#k": "key" } });
      const authenticator = await createAuthenticator(
        { type, query: { b: "auth", key: { attr: "#k" }, again: { query: "a" } } },
        environment,
      );
      const result = await authorized(authenticator, request("http://api.test/x?b=1&a=q%20w&b=2&c=3"));
      assert.equal(queryText(result), "b=auth&a=q w&c=3&key=key&again=q w");
    });
  }

  it("the error of an expression that reads a missing parameter names both parameters", async () => {
    const { environment } = world();
    const authenticator = await createAuthenticator({ type: "query", query: { sig: { query: "zz" } } }, environment);
    await assert.rejects(authorized(authenticator), (error) => {
      assert.ok(error instanceof SpileError && error.kind === "configuration");
      assert.equal(error.pointer, "/api/authentication/query/sig");
      return error.message.includes('{"query": "zz"}');
    });
  });

  it("expressions read the request in its final form, with its query encoded as in forms", async () => {
    const { environment } = world();
    const names = ["url", "path", "queryString", "method", "hostname", "port", "resource"];
    const authenticator = await createAuthenticator(
      { type: "query", query: Object.fromEntries(names.map((name) => [name, { request: name }])) },
      environment,
    );
    const from = request("https://api.test/a%20b/x?q=1%202~", "FORM", [{ name: "n", value: 5 }]);
    const { query } = await authorized(authenticator, from);
    assert.deepEqual(
      Object.fromEntries(
        query.flatMap((item) => ("value" in item && item.name.length > 1 ? [[item.name, item.value]] : [])),
      ),
      {
        url: "https://api.test/a%20b/x?q=1+2%7E&n=5",
        path: "/a%20b/x",
        queryString: "q=1+2%7E&n=5",
        method: "POST",
        hostname: "api.test",
        port: 443,
        resource: "/a%20b/x?q=1+2%7E&n=5",
      },
    );
  });

  it("a repeated parameter is read as a list, a parameter without a value as empty text, and a port as given", async () => {
    const contexts: unknown[] = [];
    const { environment } = world({
      extra: {
        evaluate: (value, given) => {
          contexts.push(given);
          return value;
        },
      },
    });
    const authenticator = await createAuthenticator({ type: "query", query: { k: "key" } }, environment);
    await authorized(authenticator, request("http://api.test:8080/?a=1&b&a=2%2B3&__proto__=x"));
    const [first] = contexts as [{ query: object; request: { port: number } }];
    assert.deepEqual(Object.entries(first.query), [
      ["a", ["1", "2+3"]],
      ["b", ""],
      ["__proto__", "x"],
    ]);
    assert.equal(first.request.port, 8080);
  });

  it("a parameter that the configuration contains as plain text is masked", async () => {
    const { environment, secrets } = world();
    await createAuthenticator({ type: "query", query: { apikey: "2267709" } }, environment);
    assert.equal(secrets.mask("/x?apikey=2267709"), "/x?apikey=***");
  });

  it("a query authentication without parameters is a configuration error", async () => {
    assert.match((await configurationError({ type: "query" })).message, /"query" needs "query"/);
  });
});

describe("oauth20", () => {
  const oauth: OauthCredentials = { "#data": "SomeToken-1", appKey: "client", "#appSecret": "client-secret" };
  const bearer = { Authorization: { function: "concat", args: ["Bearer ", { authorization: "data" }] } };

  it("expressions read the token, the client and the request, and secrets are masked", async () => {
    const { environment, secrets } = world({ extra: { oauth } });
    const authenticator = await createAuthenticator(
      {
        type: "oauth20",
        headers: bearer,
        query: { cid: { authorization: "clientId" }, m: { request: "method" }, a: "new" },
      },
      environment,
    );
    const result = await authorized(authenticator, request("http://api.test/x?a=1&b=2"));
    assert.deepEqual(headersOf(result), { Authorization: "Bearer SomeToken-1" });
    assert.equal(queryText(result), "a=new&b=2&cid=client&m=GET");
    assert.equal(secrets.mask("SomeToken-1 client-secret client"), "*** *** client");
  });

  it("even a short token is masked", async () => {
    const { environment, secrets } = world({ extra: { oauth: { "#data": "tok-1" } } });
    await createAuthenticator({ type: "oauth20" }, environment);
    assert.equal(secrets.mask("the token tok-1"), "the token ***");
  });

  it("with format json, expressions read a document, the time and a new nonce for each request", async () => {
    const { environment, secrets } = world({
      extra: {
        oauth: { ...oauth, "#data": '{"access_token":"acc-token","mac":{"key":"mac-secret"},"id":13911860366432393}' },
      },
    });
    const path = (name: string): Value => ({ authorization: name });
    const authenticator = await createAuthenticator(
      {
        type: "oauth20",
        format: "json",
        headers: {
          "X-All": {
            function: "implode",
            args: [" ", ["data.access_token", "data.mac.key", "data.id", "timestamp"].map(path)],
          },
          "X-Nonce": path("nonce"),
        },
      },
      environment,
    );
    const first = headersOf(await authorized(authenticator));
    const second = headersOf(await authorized(authenticator));
    assert.equal(first["X-All"], `acc-token mac-secret 13911860366432393 ${Math.floor(start / 1000)}`);
    assert.match(first["X-Nonce"] ?? "", /^[0-9a-f]{16}$/);
    assert.notEqual(first["X-Nonce"], second["X-Nonce"]);
    assert.equal(secrets.mask("acc-token mac-secret"), "*** ***");
  });

  it("missing credentials, and data that is not JSON, are configuration errors", async () => {
    assert.match((await configurationError({ type: "oauth20" })).message, /"oauth20" needs authorization.*"#data"/);
    const broken = await configurationError({ type: "oauth20", format: "json" }, { extra: { oauth } });
    assert.equal(broken.pointer, "/authorization/oauth_api/credentials/#data");
    assert.doesNotMatch(broken.message, /SomeToken/);
  });

  it("a header that cannot be sent is an error that names it", async () => {
    const { environment } = world({ extra: { oauth } });
    const authenticator = await createAuthenticator({ type: "oauth20", headers: { "X-A": { b: 1 } } }, environment);
    await assert.rejects(authorized(authenticator), /header "X-A"/);
  });
});

describe("oauth20.login", () => {
  const oauth: OauthCredentials = {
    "#data": '{"status":"ok","refresh_token":"1234abcd5678efgh"}',
    appKey: "someId",
    "#appSecret": "clientSecret",
  };
  const type: Authentication = {
    type: "oauth20.login",
    loginRequest: {
      endpoint: "token",
      method: "FORM",
      params: {
        client_id: { consumer: "client_id" },
        client_secret: { consumer: "client_secret" },
        refresh_token: { user: "refresh_token" },
        grant_type: "refresh_token",
        region: { attr: "region" },
      },
      headers: { "X-Refresh-Token": { user: "refresh_token" } },
    },
    apiRequest: { headers: { "X-Access-Token": { response: "credentials.access_token" } } },
    expires: 10,
  };

  it("expressions read the consumer and the user, and an expired login is renewed", async () => {
    const { environment, sent, pass, secrets } = world({
      answer: (_request, nth) => `{"credentials":{"access_token":"access-${nth}"}}`,
      settings: { region: "eu" },
      extra: { oauth },
    });
    const authenticator = await createAuthenticator(type, environment);
    assert.deepEqual(headersOf(await authorized(authenticator)), { "X-Access-Token": "access-1" });
    assert.deepEqual(
      sent[0]?.body?.map(({ name, value }) => [name, value]),
      [
        ["client_id", "someId"],
        ["client_secret", "clientSecret"],
        ["refresh_token", "1234abcd5678efgh"],
        ["grant_type", "refresh_token"],
        ["region", "eu"],
      ],
    );
    assert.deepEqual(headersOf(sent[0] ?? request()), { "X-Refresh-Token": "1234abcd5678efgh" });
    assert.equal(secrets.mask("1234abcd5678efgh clientSecret access-1 ok"), "*** *** *** ok");
    assert.equal(secrets.mask("/x?status=ok"), "/x?status=ok");
    pass(10_000);
    assert.deepEqual(headersOf(await authorized(authenticator)), { "X-Access-Token": "access-2" });
  });

  it('"#data" is required and must be an object', async () => {
    assert.match((await configurationError(type)).message, /needs authorization/);
    const text = await configurationError(type, { extra: { oauth: { ...oauth, "#data": '"text"' } } });
    assert.match(text.message, /"#data" must be the text of a JSON object/);
  });

  it('"#data" may be an object instead of JSON text', async () => {
    const { environment, sent } = world({
      answer: '{"credentials":{"access_token":"a"}}',
      settings: { region: "eu" },
      extra: { oauth: { ...oauth, "#data": { refresh_token: "written-out" } } },
    });
    await authorized(await createAuthenticator(type, environment));
    assert.deepEqual(headersOf(sent[0] ?? request()), { "X-Refresh-Token": "written-out" });
  });
});
