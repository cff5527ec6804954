import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { extract, type RunEvent } from "../../src/index.ts";
import { type Api, fin, json, type Received, raw, redirect, startApi, text } from "../helpers/api.ts";
import { type Finished, spile, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { freePort } from "../helpers/free-port.ts";

/*
 * Tests that no output contains a secret (contract P7): runs, check, plan, the demo and the library, with marked secrets and
 * failures of many kinds. The middle of a mark survives any escaping, so it is searched for alone, and in base64 at each of its
 * three alignments.
 */
const mark = (name: string, tail = '/+ "&=%é') => `Zq7${name}7qZ${tail}`;

const marks = {
  setting: mark("setting"),
  nested: mark("nested"),
  variable: mark("variable"),
  given: mark("given"),
  user: mark("user", ""),
  userinfo: mark("userinfo"),
  token: mark("token", "/+=~"),
  session: mark("session"),
  cookie: mark("cookie", "/+"),
  literal: mark("literal"),
  oauth: mark("oauth"),
  aws: mark("aws"),
  proxy: mark("proxy"),
  lines: `-----BEGIN-----\n${mark("lines")}\n-----END-----`,
};

/** Texts that must not appear: the middle of each mark, and its base64 as part of a longer text. */
const forbidden = Object.values(marks).flatMap((secret) => {
  const middle = /Zq7[a-z]+7qZ/.exec(secret)?.[0] ?? assert.fail();
  const encoded = [0, 1, 2].map((shift) => {
    const whole = Buffer.from("-".repeat(shift) + middle).toString("base64");
    return whole.slice(shift === 0 ? 0 : 4, whole.length - 4);
  });
  return [
    { secret, search: middle.toLowerCase(), fold: true },
    ...encoded.map((search) => ({ secret, search, fold: false })),
  ];
});

function assertClean(name: string, output: string): void {
  for (const { secret, search, fold } of forbidden) {
    const at = (fold ? output.toLowerCase() : output).indexOf(search);
    assert.ok(at < 0, `${name} shows ${secret}: ...${output.slice(Math.max(0, at - 100), at + 100)}`);
  }
}

/** Returns everything that a request carried, as it came and in other forms, as an API might put it into its error. */
function echo({ rawHeaders, target, body }: Received): string {
  const everything = JSON.stringify({ rawHeaders, target, body });
  const decoded = rawHeaders.map(([, value]) => Buffer.from(value.split(" ").at(-1) ?? "", "base64").toString());
  return [decodeURIComponent(target.replaceAll("+", " ")), target, ...decoded, body, everything].join("\u001b[31m\n ");
}

const loginAnswer = { token: marks.token, session: { id: marks.session } };
const goodLogin = () => json(loginAnswer, { headers: { "set-cookie": `sid=${marks.cookie}; Path=/` } });

const authentications = {
  login: {
    type: "login",
    loginRequest: {
      endpoint: "login",
      method: "POST",
      params: { who: "me", password: { attr: "#setting" }, pass: marks.literal },
      headers: { "X-Login": { attr: "variable" } },
    },
    apiRequest: {
      headers: { "X-Token": { function: "concat", args: ["Token ", { response: "token" }] } },
      query: { session: "session.id" },
    },
  },
  basic: { type: "basic" },
  query: { type: "query", query: { key: marks.literal, signed: { function: "md5", args: [{ attr: "#setting" }] } } },
  oauth10: { type: "oauth10" },
  oauth20: {
    type: "oauth20",
    format: "json",
    headers: { Authorization: { function: "concat", args: ["Bearer ", { authorization: "data.access_token" }] } },
  },
  aws: {
    type: "aws.signature",
    credentials: { accessKeyId: "AKID", "#secretKey": marks.aws, serviceName: "s3", regionName: "eu" },
  },
};

interface Change {
  readonly api?: object;
  readonly config?: object;
  readonly job?: object;
}

function configuration(url: string, authentication: object, { api = {}, config = {}, job = {} }: Change = {}) {
  const { host } = new URL(url);
  const userinfo = `${marks.user}:${encodeURIComponent(marks.userinfo)}`;
  return {
    authorization: {
      oauth_api: {
        credentials: {
          "#data": JSON.stringify({
            access_token: marks.oauth,
            oauth_token: marks.oauth,
            oauth_token_secret: marks.oauth,
          }),
          appKey: "app",
          "#appSecret": marks.oauth,
        },
      },
    },
    api: {
      baseUrl: `http://${userinfo}@${host}/v1/`,
      authentication,
      retryConfig: { maxRetries: 0 },
      pagination: { method: "response.url", urlKey: "next" },
      http: { defaultOptions: { params: { all: { attr: "variable" } }, headers: { "X-Given": { attr: "#given" } } } },
      ...api,
    },
    config: {
      username: "me",
      "#password": marks.setting,
      "#setting": marks.setting,
      "#nested": { deep: [marks.nested, marks.lines] },
      variable: { env: "SECRET_VARIABLE" },
      ...config,
      jobs: [
        {
          endpoint: "items",
          params: { p: { attr: "#setting" }, n: { attr: "#nested.deep.0" } },
          ...job,
        },
        { endpoint: "search", method: "POST", params: { p: { attr: "#setting" } } },
      ],
    },
  };
}

const environment = { SECRET_VARIABLE: marks.variable };
const given = ["--set", `#given=${marks.given}`];

/** Runs a command with a log of text and of JSON, and searches everything that it writes except records. */
async function search(
  name: string,
  file: unknown,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = environment,
): Promise<Finished> {
  await using folder = await temporaryFolder();
  const path = await folder.write("config.json", file);
  const [command] = words;
  const kept = ["--state", `${folder.path}/state.json`, "--summary", `${folder.path}/summary.json`];
  const own = command === undefined ? ["--debug", ...kept] : [];
  const logs = [
    ["-v", ...own],
    ["-v", "--log-format", "json", ...own],
  ];
  let last: Finished | undefined;
  for (const log of logs) {
    const line = [...words.slice(0, 1), path, ...given, ...log, ...words.slice(1)];
    last = await spileHere(line, { env });
    assertClean(`${name}: stderr`, last.stderr);
    // No escape sequence of an API reaches the terminal.
    assert.doesNotMatch(last.stderr, /[\u0000-\u0009\u000b-\u001f]/, name);
    if (command !== undefined) assertClean(`${name}: stdout`, last.stdout);
    for (const written of ["summary.json", "state.json"]) {
      assertClean(`${name}: ${written}`, await folder.read(written).catch(() => ""));
    }
  }
  return last ?? assert.fail();
}

const oneRecord = (api: Api) => ({ next: undefined, items: [{ id: api.port }] });

for (const [type, authentication] of Object.entries(authentications)) {
  test(`${type}: run, check and plan show no secret`, async () => {
    await using api: Api = await startApi({ "POST /v1/login": goodLogin, "*": () => oneRecord(api) });
    const file = configuration(api.url, authentication);
    const { code, stderr } = await search("run", file);
    assert.equal(code, 0, stderr);
    // The marks were really sent, unmasked.
    const sent = api.log.map(({ target, rawHeaders, body }) => target + JSON.stringify(rawHeaders) + body).join("\n");
    assert.ok(sent.includes(marks.given.slice(0, 12)) && sent.includes("Zq7setting7qZ"), sent);
    const requests = api.log.length;
    assert.equal((await search("check", file, ["check"])).code, 0);
    const planned = await search("plan", file, ["plan"]);
    assert.deepEqual([planned.code, api.log.length], [0, requests], planned.stderr);
    assert.equal((await search("plan", file, ["plan", "--send-login"])).code, 0);
  });

  test(`${type}: refusals that show the request reveal no secret`, async () => {
    for (const [status, exitCode] of [
      [401, 77],
      [403, 69],
      [404, 69],
      [500, 75],
    ] as const) {
      await using api = await startApi({
        "POST /v1/login": goodLogin,
        "*": (request) => text(echo(request), { status }),
      });
      const { code, stderr } = await search(`${status}`, configuration(api.url, authentication));
      assert.equal(code, exitCode, stderr);
      assert.match(stderr, /\*\*\*/);
    }
  });
}

for (const type of ["login", "basic", "oauth20"] as const) {
  const authentication = authentications[type];
  test(`${type}: answers that are not data reveal no secret`, async () => {
    const cases: Record<string, [(request: Received) => unknown, number, RegExp]> = {
      "not JSON": [(request) => text(echo(request)), 65, /not JSON/],
      "JSON that breaks": [(request) => text(`{"items":[{"echo":${JSON.stringify(echo(request))}},`), 65, /JSON/],
      "two arrays": [(request) => ({ [echo(request)]: [1], [`${echo(request)}2`]: [2] }), 65, /arrays/],
      "no address": [(request) => ({ items: [1], next: `gopher:${echo(request)}` }), 65, /address/],
      "the same address": [({ target }) => ({ items: [1], next: target }), 0, /suspect/],
      "a cycle": [
        ({ params }) => ({ items: [1], next: params.get("turn") === "1" ? "items?turn=2" : "items?turn=1" }),
        65,
        /would never end/,
      ],
    };
    for (const [name, [answer, exitCode, says]] of Object.entries(cases)) {
      await using api = await startApi({ "POST /v1/login": goodLogin, "*": answer });
      const { code, stderr } = await search(name, configuration(api.url, authentication, { api: { http: {} } }));
      assert.equal(code, exitCode, `${name}: ${stderr}`);
      assert.match(stderr, says, name);
    }
  });
}

test("no output shows a secret in the address of a redirect to another origin or to nowhere", async () => {
  await using elsewhere = await startApi(({ target, rawHeaders }) => {
    assertClean("a request to another origin", target + JSON.stringify(rawHeaders));
    return { items: [{ id: 1 }] };
  });
  for (const to of [`${elsewhere.url}/x?a=1`, "ftp://there/x", "http://[", "/loop"]) {
    await using api = await startApi({
      "POST /v1/login": goodLogin,
      "*": ({ query }) => redirect(`${to}${to.includes("?") ? "&" : "?"}${query}`),
    });
    const { code, stderr } = await search(to, configuration(api.url, authentications.login));
    assert.equal(code, to.startsWith(elsewhere.url) ? 0 : 69, `${to}: ${stderr}`);
  }
});

test("a failed login reveals no secret", async () => {
  const cases: Record<string, [(request: Received) => unknown, number]> = {
    "refused, with an echo": [(request) => text(echo(request), { status: 400 }), 77],
    "unauthorised, with an echo": [(request) => text(echo(request), { status: 401 }), 77],
    "broken, with an echo": [(request) => text(echo(request), { status: 500 }), 75],
    "not JSON": [(request) => text(echo(request)), 77],
    "without the token": [() => ({ session: { id: marks.session } }), 77],
    "a token that a header cannot have": [() => ({ ...loginAnswer, token: `${marks.token}\r\nX-Injected: 1` }), 77],
    "a list for a token": [() => ({ ...loginAnswer, token: [marks.token] }), 77],
    "a redirect": [({ body }) => redirect(`http://127.0.0.1:1/${encodeURIComponent(body)}`, 307), 69],
  };
  for (const [name, [answer, exitCode]] of Object.entries(cases)) {
    await using api = await startApi({ "*": answer });
    const { code, stderr } = await search(name, configuration(api.url, authentications.login));
    assert.equal(code, exitCode, `${name}: ${stderr}`);
    await search(name, configuration(api.url, authentications.login), ["plan", "--send-login"]);
  }
});

test("no output shows a secret after a refused connection or behind a proxy with credentials", async () => {
  const port = await freePort();
  const nowhere = `http://127.0.0.1:${port}`;
  for (const authentication of Object.values(authentications)) {
    const { code } = await search("refused", configuration(nowhere, authentication));
    assert.equal(code, 75);
  }
  await using proxy = await startApi((request) => text(echo(request), { status: 407 }));
  const credentials = `${marks.user}:${encodeURIComponent(marks.proxy)}`;
  for (const address of [`127.0.0.1:${proxy.port}`, `127.0.0.1:${port}`, "[", "127.0.0.1:99999"]) {
    const env = { ...environment, http_proxy: `http://${credentials}@${address}` };
    const { code } = await search(
      `proxy ${address}`,
      configuration("http://api.invalid", authentications.basic),
      [],
      env,
    );
    assert.ok(code !== 0 && code !== 70, `${address}: ${code}`);
  }
  assert.ok(proxy.log.length > 0);
});

test("faults of the configuration reveal no secret", async () => {
  const good = JSON.stringify(configuration("http://127.0.0.1:1", authentications.login));
  const files: Record<string, unknown> = {
    "cut after a secret": good.slice(0, good.indexOf(JSON.stringify(marks.setting).slice(1, -1)) + 30),
    "an extra comma": good.replace('"#nested"', ',"#nested"'),
    "a secret twice": good.replace('"#nested"', `"#setting":${JSON.stringify(marks.setting)},"#nested"`),
    "unknown fields": configuration("http://127.0.0.1:1", authentications.login, {
      job: { dataFeild: { attr: "#setting" }, "#hidden": marks.nested },
    }),
    "secrets of the wrong type": configuration("http://127.0.0.1:1", authentications.login, {
      api: { retryConfig: { maxRetries: marks.setting }, pagination: { method: marks.setting, limit: marks.nested } },
      job: { method: marks.setting, dataField: { path: 1, x: marks.given } },
    }),
    "an address that is invalid": configuration("http://127.0.0.1:1", authentications.login, {
      api: { baseUrl: `http://${marks.user}:${marks.userinfo}@[` },
    }),
    "another scheme": configuration("http://127.0.0.1:1", authentications.login, {
      api: { baseUrl: `ftp://${marks.user}:${encodeURIComponent(marks.userinfo)}@there/` },
    }),
    "a header that cannot be sent": configuration("http://127.0.0.1:1", authentications.login, {
      config: { "#setting": `${marks.setting}\r\nX-Injected: 1` },
      job: { headers: { "X-A": { attr: "#setting" }, "X-B": `${marks.setting}\u0100` } },
    }),
    "an endpoint that is invalid": configuration("http://127.0.0.1:1", authentications.login, {
      job: { endpoint: `http://${marks.user}:${encodeURIComponent(marks.userinfo)}@[/` },
    }),
    "an argument that the function refuses": configuration("http://127.0.0.1:1", authentications.login, {
      job: { params: { p: { function: "strtotime", args: [{ attr: "#setting" }] }, q: { function: marks.setting } } },
    }),
    "a missing setting": configuration("http://127.0.0.1:1", authentications.login, {
      job: { params: { p: { attr: "#settimg" } } },
    }),
  };
  for (const [name, file] of Object.entries(files)) {
    for (const words of [[], ["check"]]) {
      const { code, stderr } = await search(name, file, words);
      assert.equal(code, 78, `${name}: ${stderr}`);
    }
  }
  const unset = await search("an unset variable", JSON.parse(good), [], {});
  assert.equal(unset.code, 78);
  assert.match(unset.stderr, /SECRET_VARIABLE/);
});

test("a line break in a login's answer or in a record adds no header to a request", async () => {
  await using api = await startApi({
    "POST /v1/login": () => ({ ...loginAnswer, session: { id: `${marks.session}\r\nX-Injected: 1` } }),
    "*": () => ({ items: [{ id: "a\r\nX-Injected: 1/../.." }] }),
  });
  const children = [{ endpoint: "items/{id}", placeholders: { id: "id" } }];
  const { code, stderr } = await search(
    "injection",
    configuration(api.url, authentications.login, { job: { children } }),
  );
  assert.equal(code, 65, stderr);
  assert.ok(api.log.length > 1);
  for (const { headers } of api.log) assert.equal(headers["x-injected"], undefined);
});

test("a crash of spile reveals no secret", async () => {
  await using api: Api = await startApi({ "POST /v1/login": goodLogin, "*": () => oneRecord(api) });
  const words = `${marks.variable} ${marks.setting} ${encodeURIComponent(marks.given)} ${marks.lines}`;
  const crash = `const { stringify } = JSON;
    JSON.stringify = (value, ...rest) => {
      if (value?.startedAt) throw new Error(${JSON.stringify(words)});
      return stringify(value, ...rest);
    };`;
  await using folder = await temporaryFolder();
  const env = { ...environment, NODE_OPTIONS: `--import ${await folder.write("crash.mjs", crash)}` };
  const file = await folder.write("config.json", configuration(api.url, authentications.login));
  for (const debug of [[], ["--debug"]]) {
    const { code, stderr } = await spile([file, ...given, ...debug, "--summary", `${folder.path}/s.json`], { env });
    assert.equal(code, 70, stderr);
    assert.match(stderr, /a bug in spile/);
    assertClean("a crash", stderr);
  }
});

test("events, result and error of the library contain no secret", async () => {
  const cases: Record<string, (request: Received) => unknown> = {
    "a refusal": (request) => text(echo(request), { status: 403 }),
    "not JSON": (request) => text(echo(request)),
    "not HTTP": (request) => raw(`HTTP/1.1 200 OK\r\nX\u0000: ${echo(request)}\r\n\r\n`, fin),
    "cut off": (request) => raw(`HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n["${request.target}"`, fin),
    "a login without a token": (request) => text(echo(request), { status: request.method === "POST" ? 500 : 200 }),
    "an invalid address": ({ target }) => ({ items: [1], next: `http://[${target}` }),
  };
  for (const [name, answer] of Object.entries(cases)) {
    const login = name === "a login without a token" ? answer : goodLogin;
    await using api = await startApi({ "POST /v1/login": login, "*": answer });
    const events: RunEvent[] = [];
    const extraction = extract(JSON.stringify(configuration(api.url, authentications.login)), {
      set: { "#given": marks.given },
      environment,
      debug: true,
      onEvent: (event) => events.push(event),
    });
    const errors: unknown[] = [];
    extraction.on("error", (error) => errors.push(error)).resume();
    const result = await extraction.result;
    assert.ok(result.failure !== undefined, name);
    assertClean(name, inspect({ events, errors, result }, { depth: 20, showHidden: true, maxStringLength: null }));
  }
});

test("messages about the command line reveal no secret", async () => {
  for (const words of [
    ["config.json", "--set", marks.given],
    ["config.json", "--set", `=${marks.given}`],
    ["config.json", `--token=${marks.given}`],
    ["config.json", "--set", `#x=${marks.given}`],
    ["-", "--set", `#x=${marks.given}`],
  ]) {
    const { code, stdout, stderr } = await spileHere(words, { stdin: "{" });
    assert.ok(code === 64 || code === 78, stderr);
    assertClean(words.join(" "), stdout + stderr);
  }
  const demo = await spileHere(["demo", "--debug", "-v", "--set", `#x=${marks.given}`, "--max-records", "1"]);
  assertClean("demo", demo.stdout + demo.stderr);
});
