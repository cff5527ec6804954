import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { json, type Received, startApi, text } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import type { Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";

/*
 * Tests of cursors, tokens and next addresses that contain a secret of the configuration, from any source to any place. The
 * middle of the secret survives any escaping; it is searched for alone, and in base64 at each alignment.
 */
const middle = "Zq7cursor7qZ";
const forbidden = [
  middle.toLowerCase(),
  ...[0, 1, 2].map((shift) => {
    const whole = Buffer.from("-".repeat(shift) + middle).toString("base64");
    return whole.slice(shift === 0 ? 0 : 4, whole.length - 4).toLowerCase();
  }),
];

function assertUnseen(where: string, output: string): void {
  for (const search of forbidden) {
    const at = output.toLowerCase().indexOf(search);
    assert.ok(at < 0, `${where}: ...${output.slice(Math.max(0, at - 200), at + 100)}`);
  }
}

/** The part of a page's answer that leads to the next page, and its configuration. */
interface Way {
  readonly pagination: (place: unknown) => object;
  /** Returns members of the root, headers, and members of the last record. */
  readonly write: (
    cursor: string,
    address: string,
  ) => { body?: object; headers?: Record<string, string>; last?: object };
}

const param = (responseParam: unknown) => (queryParam: unknown) => ({
  method: "response.param",
  responseParam,
  queryParam,
  includeParams: true,
});
const url = (urlKey: unknown) => () => ({ method: "response.url", urlKey, includeParams: true });

const ways: Readonly<Record<string, Way>> = {
  "a token in the body": { pagination: param("next"), write: (next) => ({ body: { next } }) },
  "a token in a header": {
    pagination: param({ header: "X-Next" }),
    write: (next) => ({ headers: { "X-Next": next } }),
  },
  "a token in the last record": { pagination: param({ lastRecord: "next" }), write: (next) => ({ last: { next } }) },
  "an address in the body": { pagination: url("next"), write: (_, next) => ({ body: { next } }) },
  "an address in a header": {
    pagination: url({ header: "X-Next" }),
    write: (_, next) => ({ headers: { "X-Next": next } }),
  },
  "an address in the last record": {
    pagination: url({ lastRecord: "next" }),
    write: (_, next) => ({ last: { next } }),
  },
  link: {
    pagination: () => ({ method: "link", includeParams: true }),
    write: (_, next) => ({ headers: { Link: `<${next}>; rel="next"` } }),
  },
};

const places = ["at", { path: "page.at" }, { header: "X-At" }] as const;

/** The troubles of the third page and those after it; `cursor`: a further cursor that contains the secret. */
const troubles: Readonly<Record<string, (request: Received, cursor: string, items: object[]) => unknown>> = {
  none: (_request, _cursor, items) => ({ items }),
  "a refusal that shows the cursor": ({ target, rawHeaders, body }, cursor) =>
    text(`no: ${target} ${JSON.stringify(rawHeaders)} ${body} ${cursor}`, { status: 400 }),
  "no JSON": (_request, cursor) => text(`<html>${cursor}`),
  "an element without a record": (_request, cursor) => ({ items: [{ [cursor]: 1 }] }),
  "an error in a 200": (_request, cursor) => ({ error: `expired: ${cursor}` }),
  "a page that has expired": () => json({ error: "gone" }, { status: 410 }),
};

const withTail = (random: Random) => `${middle}${random.pick(["/+ =", "", '"&%', "é", "-._~"])}`;

test("a cursor that contains a secret reaches the API, but no message and no file of the run", async () => {
  await forSeeds(50, async (random) => {
    const secret = withTail(random).replace("é", "e");
    const cursor = (page: number) => `c${page}.${secret}.x`;
    const name = random.pick(Object.keys(ways));
    const trouble = random.pick(Object.keys(troubles));
    const place = random.pick(places);
    const way = ways[name];
    assert.ok(way);
    let page = 0;
    await using api = await startApi((request) => {
      page += 1;
      const own = { items: [{ v: { id: page } }] as object[] };
      if (page >= 3) return troubles[trouble]?.(request, cursor(page), own.items);
      const { body, headers, last } = way.write(cursor(page), `/items?at=${encodeURIComponent(cursor(page))}`);
      return json({ items: [{ v: { id: page }, ...last }], ...body }, { headers: { ...headers } });
    });
    await using folder = await temporaryFolder();
    const method = random.pick(["GET", "POST"]);
    const file = await folder.write("config.json", {
      api: { baseUrl: api.url, pagination: way.pagination(place), retryConfig: { maxRetries: 0 } },
      config: { "#token": secret, jobs: [{ endpoint: "items", method, dataField: { path: "items", each: "v" } }] },
    });
    const kept = [
      "--state",
      join(folder.path, "state.json"),
      "--resume",
      "--summary",
      join(folder.path, "summary.json"),
    ];
    const recorded = random.oneIn(2) ? ["--record", join(folder.path, "run.har")] : [];
    const words = [
      file,
      "--debug",
      "-v",
      "--strict",
      "--log-format",
      random.pick(["text", "json"]),
      ...kept,
      ...recorded,
    ];
    const { code, stderr } = await spileHere(words);
    const about = `${name} to ${JSON.stringify(place)} by ${method}, ${trouble}: exit ${code}\n${stderr}`;
    assert.notEqual(code, 70, about);
    assert.ok(page >= 2, about);
    const sent = JSON.stringify(api.log.slice(1));
    assert.ok(sent.includes(middle), `${about}\nsent: ${sent}`);
    assertUnseen(about, stderr);
    for (const other of await readdir(folder.path)) {
      if (other !== "config.json") assertUnseen(`${about}\n${other}`, await folder.read(other));
    }
  });
});

const allowed = [
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-length",
  "content-type",
  "host",
  "user-agent",
];

test("a next address on another origin is requested without secrets, cookies and configured headers, wherever it was found", async () => {
  await forSeeds(40, async (random) => {
    const secret = withTail(random).replace("é", "e");
    const [name, way] = random.pick(Object.entries(ways).filter(([key]) => /address|link/.test(key)));
    const byRedirect = random.oneIn(4);
    const method = byRedirect ? "GET" : random.pick(["GET", "POST"]);
    const page = (id: number, address?: string) => {
      const { body, headers, last } = address === undefined ? {} : way.write("", address);
      return json(
        { items: [{ v: { id }, ...last }], ...body },
        { headers: { ...headers, "Set-Cookie": `s=${middle}; Path=/` } },
      );
    };
    // The next address of the other origin leads back to the API.
    await using other = await startApi(() => page(2, `${api.url}/items?page=3`));
    await using api = await startApi(({ path, params }) => {
      if (path === "/moved")
        return text("", { status: 302, headers: { Location: `${other.url}/two?of=${encodeURIComponent(secret)}` } });
      if (params.get("page") === "3") return page(3);
      return page(1, byRedirect ? "/moved" : `${other.url}/two?of=${encodeURIComponent(secret)}&keep=1`);
    });
    const { output, events, result } = await runHere({
      api: {
        baseUrl: api.url,
        http: { headers: { "X-Plain": "plain", "X-Token": { attr: "#token" } }, cookies: true },
        authentication: random.pick([{ type: "basic" }, { type: "query", query: { apikey: { attr: "#token" } } }]),
        pagination: { ...way.pagination("at"), includeParams: random.oneIn(2) },
      },
      config: {
        "#token": secret,
        username: "user",
        "#password": secret,
        jobs: [
          {
            endpoint: "items",
            method,
            params: { deep: { key: { attr: "#token" } }, q: "plain" },
            dataField: { path: "items", each: "v" },
          },
        ],
      },
    });
    const about = `${name}, ${method}${byRedirect ? ", redirected" : ""}`;
    assert.equal(result.exitCode, 0, `${about}: ${result.failure?.message}`);
    assert.equal(output, '{"id":1}\n{"id":2}\n{"id":3}\n', about);
    assert.equal(other.log.length, 1, about);
    for (const { target, rawHeaders, body } of other.log) {
      assertUnseen(about, decodeURIComponent(target) + JSON.stringify(rawHeaders) + body);
      const names = rawHeaders.map(([header]) => header.toLowerCase());
      assert.deepEqual(
        names.filter((header) => !allowed.includes(header)),
        [],
        about,
      );
    }
    const warnings = events.filter(({ event, message }) => event === "warning" && message.startsWith(other.url));
    assert.equal(warnings.length, 1, `${about}: ${warnings.map(({ message }) => message)}`);
    assertUnseen(about, events.map((event) => JSON.stringify(event)).join("\n"));
  });
});
