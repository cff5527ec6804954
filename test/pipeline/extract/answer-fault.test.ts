import assert from "node:assert/strict";
import { test } from "node:test";
import { generate } from "selfsigned";
import { redirect, startApi, text } from "../../helpers/api.ts";
import { runHere } from "../../helpers/run.ts";

const page = "<!DOCTYPE html><title>Sign in</title>";
const html = { headers: { "content-type": "text/html; charset=utf-8" } };

async function messageOf(format: object = {}, path = "items"): Promise<string> {
  await using api = await startApi({
    "/items": () => redirect("/login?next=items"),
    "/login": () => text(page, html),
    "/plain": () => text(page, html),
    "/moved": () => redirect("/other"),
    "/other": () => text("not here"),
    "/xhtml": () => text('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x"><html></html>'),
    "/broken": () => text('[{"body": "<html>"}, oops]'),
  });
  const { result } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: path, ...format }] } });
  assert.equal(result.exitCode, 65);
  return (result.failure?.message ?? "").replaceAll(api.url, "http://api");
}

test("a page of HTML in place of data is reported with the redirect to it", async () => {
  const named =
    /^http:\/\/api\/login\?next=items: .*; it is a page of HTML, such as that of a login, and http:\/\/api\/items was redirected here$/;
  assert.match(await messageOf(), named);
  assert.match(await messageOf({ format: "csv" }), named);
  assert.match(await messageOf({}, "plain"), /; it is a page of HTML, such as that of a login$/);
  assert.match(await messageOf({}, "xhtml"), /; it is a page of HTML, such as that of a login$/);
  assert.match(await messageOf({}, "moved"), /^http:\/\/api\/other: .*; http:\/\/api\/moved was redirected here$/);
  assert.doesNotMatch(await messageOf({}, "other"), /redirected|HTML/);
  // A record that holds HTML is no page of HTML.
  assert.doesNotMatch(await messageOf({}, "broken"), /HTML/);
});

test("a connection that an https port resets is reported with the advice to use https", async () => {
  const own = await generate([{ name: "commonName", value: "localhost" }]);
  await using api = await startApi(() => ({}), { tls: { key: own.private, cert: own.cert } });
  const baseUrl = api.url.replace("https:", "http:");
  const configuration = { api: { baseUrl, retryConfig: { maxRetries: 0 } }, config: { jobs: [{ endpoint: "items" }] } };
  const { result } = await runHere(configuration);
  assert.equal(result.exitCode, 75);
  assert.match(result.failure?.message ?? "", /the connection was reset; should the address begin with https:\/\/\?;/);
});
