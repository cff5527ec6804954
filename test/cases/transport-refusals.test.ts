import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { generate } from "selfsigned";
import {
  type Answer,
  empty,
  inTurn,
  json,
  linesOf,
  records,
  redirect,
  startApi,
  text,
  tooMany,
} from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { messagesOf, run } from "./run.ts";

/* Tests of servers that ask clients to wait, that cannot be trusted, or that redirect them. */

describe("Retry-After", { concurrency: 8 }, () => {
  for (const [name, value, from, to] of [
    ["seconds", () => "2", 2000, 2000],
    ["seconds with spaces around them", () => " 2 ", 2000, 2000],
    ["half seconds", () => "1.5", 1500, 1500],
    // Without a usable value, the back-off applies: 1 s and up to 10 %.
    ["no value", () => "", 1000, 1100],
    ["zero", () => "0", 1000, 1100],
    ["a negative number", () => "-3", 1000, 1100],
    ["a date in the past", () => "Wed, 21 Oct 2015 07:28:00 GMT", 1000, 1100],
    ["a number followed by letters", () => "120junk", 1000, 1100],
    ["nan", () => "nan", 1000, 1100],
  ] as const) {
    test(`a Retry-After of ${name} causes a wait of ${from} ms`, async () => {
      await using api = await startApi(
        inTurn(
          () => tooMany(value()),
          () => records(1),
        ),
      );
      const end = await run(api, { args: ["-v", "--log-format", "json"], waits: true });
      assert.deepEqual([end.code, end.stdout], [0, linesOf(records(1))]);
      const waits = [...end.stderr.matchAll(/"waitMs":(\d+)/g)].map(([, ms]) => Number(ms));
      assert.ok(waits.length === 1 && Number(waits[0]) >= from && Number(waits[0]) <= to, `${waits}`);
      const [first, second] = api.log;
      assert.ok(Number(second?.at) - Number(first?.at) >= from - 50);
    });
  }

  for (const [name, write] of [
    ["an HTTP date", (date) => date.toUTCString()],
    ["a date with a wrong weekday", (date) => date.toUTCString().replace(/^.../, "Xyz")],
    ["a Unix time", (date) => String(date.getTime() / 1000)],
  ] as readonly (readonly [string, (date: Date) => string])[]) {
    test(`a Retry-After of ${name} is obeyed`, async () => {
      let then = Number.POSITIVE_INFINITY;
      let came = 0;
      await using api = await startApi(
        inTurn(
          () => {
            // A whole second, later than any back-off would wait.
            then = (Math.ceil(Date.now() / 1000) + 2) * 1000;
            return tooMany(write(new Date(then)));
          },
          () => {
            came = Date.now();
            return records(1);
          },
        ),
      );
      const end = await run(api, { waits: true });
      assert.deepEqual([end.code, end.stdout, api.log.length], [0, linesOf(records(1)), 2]);
      assert.ok(came >= then, `requested again ${then - came} ms too early`);
    });
  }

  for (const [value, says] of [
    ["7200", /7200 s|2 h|longer than --max-wait/],
    ["99999999999", /longer than --max-wait/],
    ["9999999999999999999999", /longer than --max-wait/],
    [new Date(Date.now() + 86_400_000).toUTCString(), /longer than --max-wait/],
  ] as const) {
    test(`a Retry-After of ${value} is longer than --max-wait, so the run fails`, async () => {
      await using api = await startApi(() => tooMany(value));
      const end = await run(api);
      assert.deepEqual([end.code, end.stdout, api.log.length], [75, "", 1]);
      assert.match(messagesOf(end, "error").join(), says);
    });
  }

  test("a wait above --max-wait fails the run", async () => {
    await using api = await startApi(() => tooMany("5"));
    const end = await run(api, { args: ["--max-wait", "2s"] });
    assert.deepEqual([end.code, api.log.length], [75, 1]);
    assert.match(messagesOf(end, "error").join(), /5\.0 s.*--max-wait of 2\.0 s/);
  });
});

test("a certificate of an unknown authority is refused without a retry, unless caCertificate or NODE_EXTRA_CA_CERTS has it", async () => {
  const extensions = [
    { name: "subjectAltName" as const, altNames: [{ type: 7 as const, ip: "127.0.0.1" }] },
    { name: "basicConstraints" as const, cA: true },
  ];
  const own = await generate([{ name: "commonName", value: "127.0.0.1" }], { extensions });
  await using api = await startApi(() => records(2), { tls: { key: own.private, cert: own.cert } });
  const refused = await run(api, { args: ["-v"] });
  assert.deepEqual([refused.code, refused.stdout, api.log.length], [69, "", 0]);
  assert.match(messagesOf(refused, "error").join(), /self.signed certificate.*caCertificate/i);
  assert.doesNotMatch(refused.stderr, /retry|fetch failed/);
  const trusted = await run(api, { api: { caCertificate: own.cert } });
  assert.deepEqual([trusted.code, trusted.stdout], [0, linesOf(records(2))]);
  await using folder = await temporaryFolder();
  const file = await folder.write("authority.pem", own.cert);
  const extra = await run(api, { env: { NODE_EXTRA_CA_CERTS: file }, started: true });
  assert.deepEqual([extra.code, extra.stdout], [0, linesOf(records(2))]);
});

for (const [name, answer, requests, says] of [
  ["to itself, for ever", () => redirect("/items"), 11, /10 redirects|redirect.*10/],
  ["to a file", () => redirect("file:///etc/passwd"), 1, /302.*file:/],
  ["to javascript", () => redirect("javascript:alert(1)"), 1, /302.*javascript:/],
  ["with 300 and no address", () => text("<a href=x>choose</a>", { status: 300 }), 1, /answered 300/],
  ["with 302 and no address", () => empty(302), 1, /answered 302.*Location/],
  ["with 304", () => empty(304), 1, /answered 304/],
  ["to an address without a host", () => redirect("http://"), 1, /302/],
  ["to an impossible port", () => redirect("http://127.0.0.1:99999/"), 1, /302/],
] as const) {
  test(`a redirect ${name} is refused`, async () => {
    await using api = await startApi(answer as () => Answer);
    const end = await run(api);
    assert.deepEqual([end.code, end.stdout, api.log.length], [69, "", requests], end.stderr);
    assert.match(messagesOf(end, "error").join(), says);
  });
}

test("a relative redirect is resolved and encoded, and loses its fragment", async () => {
  await using api = await startApi({
    "/v1/items": () => redirect("../v2/it%20ems?q=1#part"),
    "/v2/it%20ems": () => redirect("./ž items"),
    "/v2/%C5%BE%20items": () => records(1),
    "*": ({ target }) => json({ error: `no ${target}` }, { status: 404 }),
  });
  const end = await run(api, { job: { endpoint: "v1/items" } });
  assert.deepEqual(api.targets().slice(0, 2), ["/v1/items", "/v2/it%20ems?q=1"]);
  assert.deepEqual([end.code, end.stdout], [0, linesOf(records(1))], end.stderr);
});
