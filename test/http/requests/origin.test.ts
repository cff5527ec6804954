import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorKind, SpileError } from "../../../src/core/errors.ts";
import type { Authenticator } from "../../../src/core/requests/authenticator.ts";
import { type Request, withHeaders } from "../../../src/core/requests/request.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { compileRule } from "../../../src/http/exchange/response-rules.ts";
import { requestForUntrusted, securedRequest } from "../../../src/http/requests/origin.ts";
import { empty, json, redirect, startApi, text } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";
import { bodyText, clientFor } from "../client.ts";

const failure = (kind: ErrorKind, message: RegExp) => (error: unknown) =>
  error instanceof SpileError && error.kind === kind && message.test(error.message);

const secret = "s3cret-token";

/** A header, a query parameter and a signature, which cover all types of authentication. */
const credentials: Authenticator = {
  preview: undefined,
  async authorize(request) {
    const headers = withHeaders(request.headers, [["X-ApiToken", secret]]);
    const sign = (wire: Parameters<NonNullable<Awaited<ReturnType<Authenticator["authorize"]>>["sign"]>>[0]) => ({
      ...wire,
      headers: withHeaders(wire.headers, [["X-Signature", `${secret} of ${new URL(wire.url).pathname}`]]),
    });
    return {
      request: () => ({ ...request, headers, query: [...request.query, { name: "key", value: secret }] }),
      sign,
    };
  },
};
const configured = {
  headers: [
    ["X-Configured", "yes"],
    ["Accept-Language", "cs"],
  ] as [string, string][],
};

function secretsOf(): Secrets {
  const secrets = new Secrets();
  secrets.add(secret);
  return secrets;
}

test("a redirect within the origin keeps headers and credentials, is signed again, and loses its fragment", async () => {
  await using api = await startApi({ "/items": () => redirect("/items/?page=1#top", 301), "/items/": () => 1 });
  using client = clientFor(api.url, { secrets: secretsOf() });
  const answer = await client.exchange("items", configured, { authenticator: credentials }).open();
  await bodyText(answer.body);
  assert.equal(answer.url, `${api.url}/items/?page=1`);
  const [first, second] = api.log;
  assert.deepEqual(
    [first?.headers["x-signature"], second?.headers["x-signature"]],
    [`${secret} of /items`, `${secret} of /items/`],
  );
  assert.deepEqual(
    [second?.target, second?.headers["x-apitoken"], second?.headers["x-configured"]],
    ["/items/?page=1", secret, "yes"],
  );
  assert.deepEqual(client.messages("warning"), []);
});

test("a redirect to an untrusted origin and back carries nothing secret, with one warning about that origin", async () => {
  await using other = await startApi((request) =>
    request.path === "/back" ? redirect(`${api.url}/end`) : redirect(`${other.url}/back?x=1`),
  );
  await using api = await startApi({
    "/items": () => redirect(`${other.url}/away?key=${secret}&y=2`),
    "/end": () => 1,
  });
  using client = clientFor(api.url, { secrets: secretsOf() });
  for (let page = 0; page < 2; page += 1) await client.page("items", configured, { authenticator: credentials });
  assert.deepEqual(other.targets().slice(0, 2), ["/away?y=2", "/back?x=1"]);
  const end = api.log.find((request) => request.path === "/end");
  for (const request of [...other.log, end]) {
    const names = request?.rawHeaders.map(([name]) => name.toLowerCase()).sort();
    assert.deepEqual(names, ["accept", "accept-encoding", "accept-language", "connection", "host", "user-agent"]);
  }
  const warnings = client.messages("warning");
  assert.equal(warnings.filter((message) => message.startsWith(other.url)).length, 1);
});

test("an address on an untrusted origin gets no credentials, no configured header and no parameter with a secret", async () => {
  await using api = await startApi(() => 1);
  await using other = await startApi(() => 1);
  using client = clientFor(api.url, { secrets: secretsOf() });
  const params = [
    { name: "key", value: secret },
    { name: "page", value: 2 },
  ];
  await client.page(`${other.url}/next?x=${secret}&z=1`, { ...configured, params }, { authenticator: credentials });
  await client.page(`${other.url}/next`, { method: "POST", params });
  const [get, post] = other.log;
  assert.deepEqual(
    [get?.target, get?.headers["x-apitoken"], get?.headers["x-configured"]],
    ["/next?z=1&page=2", undefined, undefined],
  );
  assert.equal(get?.headers["accept-language"], "cs");
  assert.equal(post?.body, '{"page":2}');
  assert.match(client.messages("warning").join("|"), new RegExp(`^${other.url} is not a trusted origin[^|]*$`));
  using allowed = clientFor(api.url, { secrets: secretsOf(), trusted: [api.url, `${other.url}/path`] });
  await allowed.page(`${other.url}/next`, configured, { authenticator: credentials });
  assert.equal(other.log.at(-1)?.headers["x-apitoken"], secret);
});

test("a 401 of an untrusted origin causes no login", async () => {
  const over = json({ code: 209 }, { status: 401 });
  await using other = await startApi(() => over);
  await using api = await startApi(() => redirect(other.url));
  const rule = JSON.parse('{ "when": { "path": "code", "is": [209] }, "then": "login" }');
  for (const rules of [[], [compileRule(rule, "", "Retry-After")]]) {
    using client = clientFor(api.url, { rules });
    let refused = 0;
    const authenticator: Authenticator = {
      authorize: async (request) => ({
        request: () => request,
        refused: () => {
          refused += 1;
          return true;
        },
      }),
      preview: undefined,
    };
    const asked = other.log.length;
    await assert.rejects(client.page("x", {}, { authenticator }), failure("authentication", /401|209/));
    assert.deepEqual([refused, other.log.length], [0, asked + 1]);
  }
});

test("a configured User-Agent or Accept with a secret goes only to trusted origins", async () => {
  await using other = await startApi(() => 1);
  await using api = await startApi(() => redirect(other.url));
  using client = clientFor(api.url, { secrets: secretsOf() });
  const headers: [string, string][] = [
    ["User-Agent", `agent/${secret}`],
    ["Accept", `application/json; key=${Buffer.from(secret).toString("base64")}`],
    ["Accept-Language", secret],
  ];
  await client.page("x", { headers });
  await client.page(other.url, { headers });
  assert.equal(api.log[0]?.headers["user-agent"], `agent/${secret}`);
  assert.equal(other.log.length, 2);
  for (const { headers: sent } of other.log) {
    assert.match(sent["user-agent"] ?? "", /^spile\/[\d.]+$/);
    assert.deepEqual([sent.accept, sent["accept-language"]], ["application/json", undefined]);
  }
});

test("the warning about a redirect back to the API says that an untrusted origin came in between", async () => {
  await using other = await startApi(() => redirect(`${api.url}/end`));
  await using api = await startApi({ "/x": () => redirect(other.url), "/end": () => 1 });
  using client = clientFor(api.url);
  await client.page("x");
  const [away, back] = client.messages("warning");
  assert.match(away ?? "", new RegExp(`^${other.url} is not a trusted origin: .*\\(api.allowedOrigins\\)$`));
  assert.match(back ?? "", new RegExp(`^a redirect leads back to ${api.url} by way of an origin that is not trusted`));
});

test("a redirect to a signed address is reported without advice to trust its origin", async () => {
  await using other = await startApi(() => 1);
  await using api = await startApi(() => redirect(`${other.url}/file?X-Amz-Signature=0123456789abcdef`));
  using client = clientFor(api.url);
  await client.page("x");
  assert.deepEqual(client.messages("warning"), [
    `${other.url} is not a trusted origin: no configured headers, credentials, cookies or secrets are sent there`,
  ]);
});

test("port 0 is refused in every address", async () => {
  const zero = "http://127.0.0.1:0/";
  assert.throws(() => clientFor(zero).request("x"), failure("configuration", /baseUrl .* no port 0/));
  await using api = await startApi(() => redirect(zero));
  using client = clientFor(api.url);
  assert.throws(() => client.request(zero), failure("configuration", /endpoint .* no port 0/));
  const next = { ...client.request("x"), url: zero };
  const exchange = client.session.exchange(next, { signal: client.abort.signal });
  await assert.rejects(exchange.open(), failure("refused", /there is no port 0/));
  await assert.rejects(
    client.page("x"),
    failure("refused", /redirect to "http:\/\/127.0.0.1:0\/", which is not an address/),
  );
});

for (const [status, method] of [
  [301, "GET"],
  [302, "GET"],
  [303, "GET"],
  [307, "POST"],
  [308, "POST"],
] as const) {
  test(`${status} makes a POST a ${method}`, async () => {
    await using api = await startApi({ "/items": () => redirect("/new", status), "/new": () => 1 });
    using client = clientFor(api.url);
    await client.page("items", { method: "POST", params: [{ name: "a", value: 1 }] });
    const [, second] = api.log;
    assert.deepEqual([second?.method, second?.body], [method, method === "POST" ? '{"a":1}' : ""]);
    assert.equal(second?.headers["content-type"], method === "POST" ? "application/json" : undefined);
  });
}

test("a redirect with status 307 is refused if it would send a body to another origin", async () => {
  await using other = await startApi(() => 1);
  await using api = await startApi(() => redirect(other.url, 307));
  using client = clientFor(api.url, { trusted: [api.url, other.url] });
  await assert.rejects(
    client.page("x", { method: "POST" }),
    failure("refused", /POST with its body to another origin/),
  );
  assert.equal(other.log.length, 0);
});

test("ten redirects are followed, and an eleventh is an error", async () => {
  await using api = await startApi((request) => {
    const left = Number(request.params.get("left"));
    return left === 0 ? 1 : redirect(`?left=${left - 1}`);
  });
  using client = clientFor(api.url);
  assert.equal(await client.page("x?left=10"), "1");
  await assert.rejects(
    client.page("x?left=11"),
    failure("refused", /the 11th redirect in a row; at most 10 are followed/),
  );
});

const refusals: readonly [location: string | undefined, status: number, message: RegExp][] = [
  ["file:///etc/passwd", 302, /a redirect to file:\/\/\/etc\/passwd; only http and https/],
  ["http://[", 302, /which is not an address/],
  [undefined, 302, /answered 302 Found without a Location/],
  [undefined, 300, /answered 300 Multiple Choices/],
  [undefined, 304, /answered 304 Not Modified, although the request was not conditional/],
];
for (const [location, status, message] of refusals) {
  test(`${status} to ${location ?? "nowhere"} is refused`, async () => {
    await using api = await startApi(() => (location === undefined ? empty(status) : redirect(location, status)));
    using client = clientFor(api.url);
    await assert.rejects(client.page("x"), failure("refused", message));
    assert.equal(api.log.length, 1);
  });
}

test("a login goes only to its own and trusted origins, and is never redirected elsewhere", async () => {
  await using elsewhere = await startApi(() => ({ token: "t" }));
  await using api = await startApi({ "/in": () => ({ token: "t" }) });
  await using login = await startApi({
    "/own": () => redirect("/in2"),
    "/in2": () => ({ token: "own" }),
    "/api": () => redirect(`${api.url}/in`),
    "/away": () => redirect(elsewhere.url),
  });
  using client = clientFor(api.url, { secrets: secretsOf() });
  const request = (path: string) => client.request(login.url + path, { headers: [["X-Password", secret]] });
  assert.equal((await client.session.send(request("/own"))).body, '{"token":"own"}');
  assert.equal(login.log[0]?.headers["x-password"], secret);
  await client.session.send(request("/api"));
  assert.equal(api.log[0]?.headers["x-password"], secret);
  await assert.rejects(
    client.session.send(request("/away")),
    failure("refused", /redirect of the login to http:.*not a trusted/),
  );
  assert.equal(elsewhere.log.length, 0);
  // The login's origin is trusted only for the login.
  await client.page(`${login.url}/in2`, configured, { authenticator: credentials });
  assert.equal(login.log.at(-1)?.headers["x-apitoken"], undefined);
});

test("api.http.cookies keeps the cookies of trusted origins only", async () => {
  await using other = await startApi(() => json(1, { headers: { "set-cookie": "evil=1; Path=/" } }));
  await using api = await startApi({
    "/first": () => json([1], { headers: { "set-cookie": "visit=abcdefgh1; Path=/" } }),
    "/moved": () => redirect("/second", 302),
    "/second": () => [2],
    "/away": () => redirect(`${other.url}/x`),
    "*": () => [3],
  });
  const run = (http: object) =>
    runHere({
      api: { baseUrl: api.url, http },
      config: { jobs: ["first", "moved", "away", "last"].map((endpoint) => ({ endpoint, dataField: "." })) },
    });
  await run({ cookies: true });
  const kept = api.log.map(({ path, headers }) => [path, headers.cookie]);
  assert.deepEqual(kept, [
    ["/first", undefined],
    ["/moved", "visit=abcdefgh1"],
    ["/second", "visit=abcdefgh1"],
    ["/away", "visit=abcdefgh1"],
    ["/last", "visit=abcdefgh1"],
  ]);
  await run({});
  for (const { headers } of [...api.log.slice(5), ...other.log]) assert.equal(headers.cookie, undefined);
});

test("cookies of the login go to trusted origins, as their attributes say", async () => {
  await using other = await startApi(() => json(1, { headers: { "set-cookie": "evil=1" } }));
  await using api = await startApi({
    "/login": () => text("{}", { headers: { "Set-Cookie": "session=abcdefgh1; Path=/api; HttpOnly" } }),
    "/api/x": () => json(1, { headers: { "set-cookie": "later=2; Path=/" } }),
    // Cookies ignore ports, so only the rule about origins keeps this one back.
    "/away": () => redirect(`${other.url}/api/x`),
    "*": () => 1,
  });
  using client = clientFor(api.url);
  await client.session.send(client.request("login"));
  await client.page("api/x");
  await client.page("api/x", { headers: [["Cookie", "own=1"]] });
  await client.page("y");
  await client.page("away");
  const sent = api.log.slice(1).map((request) => request.headers.cookie);
  assert.deepEqual(sent, ["session=abcdefgh1", "own=1; session=abcdefgh1", undefined, undefined]);
  assert.deepEqual([other.targets(), other.log[0]?.headers.cookie], [["/api/x"], undefined]);
  assert.equal(client.secrets.mask("abcdefgh1"), "***");
});

test("https replaces http for the default port only", () => {
  const asked = (url: string) =>
    securedRequest({ url } as Request, (origin) => origin === "https://a" || origin === "https://a:8080").url;
  assert.equal(asked("http://a/x"), "https://a/x");
  assert.equal(asked("http://a:8080/x"), "http://a:8080/x");
});

test("an untrusted origin gets no parameter with a part of a secret, except for the signature in an address from the API", () => {
  const secrets = secretsOf();
  secrets.add("first-half&second-half");
  secrets.addCarried("carried-signature");
  const query = [
    { name: "a", value: "xfirst-half" },
    { raw: "second-half=1" },
    { name: "signature", value: "carried-signature" },
  ];
  const request = { method: "GET", url: "http://b/", query, headers: new Map(), body: undefined } as unknown as Request;
  assert.deepEqual(requestForUntrusted(request, secrets).query, [query[2]]);
});
