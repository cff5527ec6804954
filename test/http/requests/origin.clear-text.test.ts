import assert from "node:assert/strict";
import { test } from "node:test";
import { generate } from "selfsigned";
import { redirect, startApi } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

/* An answer over https cannot move credentials to http: the two are different origins, also on one host (contract C-5.8). */

const extensions = [
  { name: "subjectAltName" as const, altNames: [{ type: 7 as const, ip: "127.0.0.1" }] },
  { name: "basicConstraints" as const, cA: true },
];
const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }], { extensions });
const items = { dataType: "items", dataField: "items" };

/** Answers of the https server that contain an address of the http server, and the configuration that follows it. */
const ways = {
  "a next link": {
    answer: (address: string) => ({ items: [1], next: `${address}x?key=header-secret` }),
    api: { pagination: { method: "response.url", urlKey: "next" } },
    job: { endpoint: "items" },
  },
  "a redirect": { answer: (address: string) => redirect(`${address}x`, 302), api: {}, job: { endpoint: "items" } },
  "a record": {
    answer: (address: string) => ({ items: [{ url: `${address}x` }] }),
    api: {},
    job: { endpoint: "items", children: [{ endpoint: "{url}", placeholders: { url: "url" }, ...items }] },
  },
  "the answer of a step": {
    answer: (address: string) => ({ url: `${address}x` }),
    api: {},
    job: { endpoint: { step: "s", path: "url" }, steps: [{ name: "s", endpoint: "s" }] },
  },
};

for (const [name, { answer, api, job }] of Object.entries(ways)) {
  test(`an http address that comes from ${name} of an https server gets no credentials`, async () => {
    await using plain = await startApi(() => ({ items: [1] }));
    await using secure = await startApi(() => answer(`${plain.url}/`), { tls: { key, cert } });
    const { events } = await runHere({
      api: {
        baseUrl: secure.url,
        caCertificate: cert,
        authentication: { type: "basic" },
        http: { headers: { "X-Key": { attr: "#key" } }, cookies: true },
        ...api,
      },
      config: {
        "#key": "header-secret",
        username: "user",
        "#password": "password-secret",
        jobs: [{ ...items, ...job }],
      },
    });
    const sent = JSON.stringify(plain.log);
    assert.ok(plain.log.length > 0, JSON.stringify(events));
    for (const secret of ["header-secret", "authorization", "cookie"]) assert.ok(!sent.includes(secret), sent);
    assert.equal(secure.log[0]?.headers["x-key"], "header-secret");
  });
}

test("a login is not sent to the http address that an https server names", async () => {
  await using plain = await startApi(() => ({ token: "t" }));
  for (const isRedirect of [true, false]) {
    const address = `${plain.url}/login`;
    await using secure = await startApi(
      ({ path }) => (path === "/login" ? redirect(address, 302) : { action: address, items: [1] }),
      { tls: { key, cert } },
    );
    const step = { steps: [{ name: "flow", endpoint: "flow" }] };
    const authentication = {
      type: "login",
      ...(isRedirect ? {} : step),
      loginRequest: {
        endpoint: isRedirect ? "login" : { step: "flow", path: "action" },
        method: "FORM",
        params: { p: { attr: "#password" } },
      },
      apiRequest: { headers: { "X-Token": "token" } },
    };
    const { result } = await runHere({
      api: { baseUrl: secure.url, caCertificate: cert, authentication },
      config: { "#password": "password-secret", jobs: [{ ...items, endpoint: "items" }] },
    });
    assert.match(result.failure?.message ?? "", /not (?:on )?a trusted origin/);
    assert.equal(result.exitCode, 69);
    assert.deepEqual(plain.log, []);
  }
});
