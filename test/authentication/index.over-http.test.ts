import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthenticator } from "../../src/authentication/index.ts";
import { SpileError } from "../../src/core/errors.ts";
import type { QueryItem } from "../../src/core/requests/request.ts";
import type { RunEvent } from "../../src/core/runs/event.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import type { Value } from "../../src/core/values/value.ts";
import { evaluate } from "../../src/expression/evaluate.ts";
import type { Authentication } from "../../src/generated/configuration.ts";
import { createConnections } from "../../src/http/connection/connections.ts";
import { createSession } from "../../src/http/exchange/session.ts";
import { buildRequest, serialize } from "../../src/http/requests/request.ts";
import { type Handler, json, type Received, type Routes, redirect, startApi, text } from "../helpers/api.ts";

/** Creates a client with authentication and http, without paging, for a real server. It does for each page what a run does. */
async function client(
  routes: Routes,
  authentication: Authentication | undefined,
  options: { settings?: Record<string, Value>; maxRetries?: number } = {},
) {
  const api = await startApi(routes);
  const secrets = new Secrets();
  const events: RunEvent[] = [];
  const { signal } = new AbortController();
  const connections = createConnections({ secrets });
  const session = createSession({
    connections,
    secrets,
    emit: (event) => events.push(event),
    signal,
    trusted: [api.url],
    retry: { maxRetries: options.maxRetries ?? 3 },
    backoff: () => 1,
  });
  const settings = new Map(Object.entries(options.settings ?? {}));
  for (const [name, value] of settings) if (name.startsWith("#")) secrets.add(String(value));
  const time = { currentStart: 0, previousStart: 0 };
  const baseUrl = new URL(`${api.url}/`);
  const authenticator = await createAuthenticator(authentication, {
    settings,
    evaluate: (value, contexts = {}) => evaluate(value, { settings, secrets, time, contexts }),
    build: (parts) => buildRequest(parts, { baseUrl, secrets }),
    send: session.send,
    serialize,
    secrets,
    emit: (event) => events.push(event),
    now: Date.now,
  });
  const get = async (endpoint: string, query: readonly QueryItem[] = []): Promise<string> => {
    const built = buildRequest({ method: "GET", endpoint, params: [], headers: [] }, { baseUrl });
    const exchange = session.exchange({ ...built, query: [...built.query, ...query] }, { signal, authenticator });
    const answer = await exchange.open();
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return {
    api,
    secrets,
    events,
    get,
    async [Symbol.asyncDispose]() {
      connections.close();
      await api.close();
    },
  };
}

const bearer = { headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "token" }] } } };
const login: Authentication = {
  type: "login",
  loginRequest: { endpoint: "login", method: "POST" },
  apiRequest: bearer,
};

/** Creates logins that return token-1, token-2, ...; only the newest one is valid. */
function rotating(options: { readonly revoked?: (request: Received, nth: number) => boolean } = {}): {
  routes: Routes;
  logins(): number;
} {
  let logins = 0;
  let served = 0;
  const items: Handler = (request) => {
    served += 1;
    // A client that would send requests for ever ends here.
    if (served > 50) return json({ error: "enough" }, { status: 400 });
    const good = request.headers.authorization === `Bearer token-${logins}` && !options.revoked?.(request, served);
    return good ? [{ id: 1 }] : json({ error: "token" }, { status: 401 });
  };
  return {
    routes: {
      "/login": () => {
        logins += 1;
        return { token: `token-${logins}` };
      },
      "/items": items,
    },
    logins: () => logins,
  };
}

const targets = (received: readonly Received[]): string[] =>
  received.map(({ method, target }) => `${method} ${target}`);

describe("login over HTTP", () => {
  it("parameters and headers of a login are merged as in the example of Generic Extractor, byte by byte", async () => {
    await using here = await client(
      {
        "/login": () => ({ authorization: { token: 987654, secretKey: "a1b2c3", accountId: "abc" } }),
        "/users": () => [],
      },
      {
        type: "login",
        loginRequest: { endpoint: "login", method: "POST", params: { username: "JohnDoe", password: "TopSecret" } },
        apiRequest: {
          query: {
            apiToken: { response: "authorization.token" },
            secretKey: "authorization.secretKey",
            customerId: { response: "authorization.accountId" },
          },
          headers: { "X-Account-Id": "authorization.accountId" },
        },
      },
    );
    await here.get("users?debug=1", [
      { name: "orderBy", value: "userName" },
      { name: "secretKey", value: "none" },
      { name: "customerId", value: 234 },
    ]);
    assert.deepEqual(targets(here.api.log), [
      "POST /login",
      "GET /users?debug=1&orderBy=userName&apiToken=987654&secretKey%5B0%5D=none&secretKey%5B1%5D=a1b2c3&customerId%5B0%5D=234&customerId%5B1%5D=abc",
    ]);
    assert.equal(here.api.log[0]?.body, '{"username":"JohnDoe","password":"TopSecret"}');
    assert.equal(here.api.log[0]?.headers["content-type"], "application/json");
    assert.equal(here.api.log[1]?.headers["x-account-id"], "abc");
  });

  it("a token that is revoked during the run causes one login, and the same page is requested again", async () => {
    const { routes, logins } = rotating({ revoked: (_request, nth) => nth === 2 });
    await using here = await client(routes, login);
    assert.equal(await here.get("items"), '[{"id":1}]');
    assert.equal(await here.get("items?page=2"), '[{"id":1}]');
    assert.deepEqual(targets(here.api.log), [
      "POST /login",
      "GET /items",
      "GET /items?page=2",
      "POST /login",
      "GET /items?page=2",
    ]);
    assert.equal(logins(), 2);
  });

  it("two responses of 401 in a row are an authentication error", async () => {
    const { routes, logins } = rotating({ revoked: () => true });
    await using here = await client(routes, login);
    await assert.rejects(here.get("items"), (error) => error instanceof SpileError && error.exitCode === 77);
    assert.equal(logins(), 2);
    assert.equal(here.api.log.length, 4);
  });

  it("five parallel requests share one login, and one renewal if a login revokes older tokens", async () => {
    const { routes, logins } = rotating({ revoked: ({ headers }) => headers.authorization === "Bearer token-1" });
    await using here = await client(routes, login);
    const all = await Promise.all([1, 2, 3, 4, 5].map((page) => here.get(`items?page=${page}`)));
    assert.deepEqual(new Set(all), new Set(['[{"id":1}]']));
    assert.equal(logins(), 2);
    assert.equal(here.api.log.length, 12);
  });

  it("each attempt is authorised anew: with expires 0, a retry logs in first", async () => {
    let tries = 0;
    const { routes, logins } = rotating();
    await using here = await client(
      {
        ...routes,
        "/items": (request) => {
          tries += 1;
          return tries === 1 ? json({}, { status: 503 }) : routes["/items"]?.(request);
        },
      },
      { ...login, expires: 0 },
    );
    await here.get("items");
    assert.equal(logins(), 2);
    assert.deepEqual(
      here.api.log.filter(({ path }) => path === "/items").map(({ headers }) => headers.authorization),
      ["Bearer token-1", "Bearer token-2"],
    );
  });

  it("a login that gives no token ends with 77, and no data request is sent", async () => {
    await using here = await client({ "/login": () => ({ error: "bad password" }) }, login);
    await assert.rejects(here.get("items"), (error) => {
      assert.ok(error instanceof SpileError);
      assert.equal(error.exitCode, 77);
      return error.message.includes('nothing at "token"');
    });
    assert.deepEqual(targets(here.api.log), ["POST /login"]);
  });

  it("the error about a page of HTML names the page's status, type and final address", async () => {
    await using here = await client(
      {
        "/login": () => redirect("/signin?next=secret-place"),
        "/signin": () => text("<html>sign in</html>", { headers: { "content-type": "text/html" } }),
      },
      login,
    );
    await assert.rejects(here.get("items"), (error) => {
      assert.ok(error instanceof SpileError);
      assert.equal(error.exitCode, 77);
      assert.match(error.message, /\/signin answered with status 200, content type text\/html/);
      return !error.message.includes("secret-place");
    });
  });

  for (const [status, exitCode] of [
    [403, 77],
    [401, 77],
    [404, 77],
    [503, 75],
  ] as const) {
    it(`a login answered with ${status} ends with ${exitCode}, and no data request is sent`, async () => {
      await using here = await client({ "/login": () => json({ error: "no" }, { status }) }, login);
      await assert.rejects(here.get("items"), (error) => {
        assert.ok(error instanceof SpileError);
        assert.equal(error.exitCode, exitCode);
        assert.match(error.message, new RegExp(`^the login failed: POST .*/login: answered ${status}`));
        return true;
      });
      assert.ok(here.api.log.every(({ path }) => path === "/login"));
    });
  }

  it("events and errors show no secret", async () => {
    const password = "p%w&é/long";
    const { routes } = rotating({ revoked: () => true });
    await using here = await client(
      routes,
      {
        type: "login",
        loginRequest: { endpoint: "login", params: { pw: { attr: "#password" } } },
        apiRequest: { query: { "subscription-key": "token" } },
      },
      { settings: { "#password": password } },
    );
    const error: unknown = await here.get("items").catch((reason: unknown) => reason);
    const output = JSON.stringify([...here.events, (error as Error).message]);
    assert.match(output, /subscription-key=\*\*\*/);
    for (const form of [password, encodeURIComponent(password), "token-1", "token-2"])
      assert.ok(!output.includes(form), form);
    assert.ok(here.events.some(({ event }) => event === "login"));
  });
});

describe("signatures over HTTP", () => {
  it("AWS: a redirected request is signed again for its new address", async () => {
    const credentials = {
      accessKeyId: "key",
      "#secretKey": "secret",
      serviceName: "testService",
      regionName: "testRegion",
    };
    await using here = await client(
      { "/items": () => redirect("/items/?moved=1", 307), "/items/": () => [] },
      { type: "aws.signature", credentials },
    );
    await here.get("items");
    const [first, second] = here.api.log;
    const form =
      /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/testRegion\/testService\/aws4_request, SignedHeaders=host;x-amz-date, Signature=[0-9a-f]{64}$/;
    assert.match(first?.headers.authorization ?? "", form);
    assert.match(second?.headers.authorization ?? "", form);
    assert.notEqual(first?.headers.authorization, second?.headers.authorization);
  });
});
