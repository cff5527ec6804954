import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it, test } from "node:test";
import { json, type Received, startApi } from "../helpers/api.ts";
import { shell, start, temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";

/** An authority whose refresh tokens are valid once: R1 gives A2 and R2, and so on. */
class Authority {
  readonly #file: string;
  /** Number of the next refresh token. */
  expected = 1;
  /** Access tokens that were used before their refresh token was on the disk. */
  readonly late: string[] = [];
  readonly refused: string[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  readonly handler = ({ path, body, headers }: Received): unknown => {
    if (path === "/token") return this.#refresh(new URLSearchParams(body).get("refresh_token") ?? "");
    const number = Number(/^Bearer A(\d+)$/.exec(headers.authorization ?? "")?.[1] ?? 0);
    if (number !== this.expected) return json({}, { status: 401 });
    if (!readFileSync(this.#file, "utf8").includes(`"R${number}"`)) this.late.push(`A${number}`);
    return [{ token: number }];
  };

  /** Accepts the token before the expected one, too, since a run may have been killed before it stored the answer. */
  #refresh(token: string): unknown {
    const number = Number(token.slice(1));
    if (number !== this.expected && number !== this.expected - 1) {
      this.refused.push(token);
      return json({ error: "invalid_grant" }, { status: 400 });
    }
    this.expected = number + 1;
    return { access_token: `A${this.expected}`, refresh_token: `R${this.expected}`, expires_in: 3600 };
  }
}

const configuration = (baseUrl: string, jobs: readonly object[] = [{ endpoint: "data" }]) => ({
  api: {
    baseUrl,
    authentication: {
      type: "login",
      loginRequest: {
        endpoint: "token",
        method: "FORM",
        params: { grant_type: "refresh_token", refresh_token: { attr: "#refreshToken" } },
      },
      apiRequest: {
        headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "access_token" }] } },
      },
      expires: { response: "expires_in", relative: true },
      remember: { "#refreshToken": "refresh_token" },
    },
  },
  config: { "#refreshToken": "R1", jobs },
});

test("each run logs in with the token of the run before it, from a file that only its owner can read", async () => {
  await using folder = await temporaryFolder();
  const credentials = join(folder.path, "credentials.json");
  const authority = new Authority(credentials);
  await using api = await startApi(authority.handler);
  for (let run = 2; run <= 4; run += 1) {
    const { output, result, events } = await runHere(configuration(api.url), { credentials });
    assert.equal(result.exitCode, 0);
    assert.equal(output, `{"token":${run}}\n`);
    assert.deepEqual(JSON.parse(readFileSync(credentials, "utf8")), { "#refreshToken": `R${run}` });
    assert.equal(statSync(credentials).mode & 0o777, 0o600);
    assert.doesNotMatch(JSON.stringify(events), /R\d/);
  }
  assert.deepEqual([authority.late, authority.refused], [[], []]);
});

test("a login that is repeated within a run uses the newest token", async () => {
  await using folder = await temporaryFolder();
  const credentials = join(folder.path, "credentials.json");
  const authority = new Authority(credentials);
  await using api = await startApi(authority.handler);
  const document = configuration(api.url, [{ endpoint: "a" }, { endpoint: "b" }, { endpoint: "c" }]);
  const authentication = { ...document.api.authentication, expires: 0 };
  const { output } = await runHere({ ...document, api: { ...document.api, authentication } }, { credentials });
  assert.equal(output, '{"token":2}\n{"token":3}\n{"token":4}\n');
  assert.deepEqual([authority.late, authority.refused], [[], []]);
});

test("space that a killed run has reserved is given back", async () => {
  await using folder = await temporaryFolder();
  const authority = new Authority(join(folder.path, "credentials.json"));
  await using api = await startApi((request) => authority.handler(request));
  for (const tag of ["next", "next-2", "next-3"]) await folder.write(`.credentials.json.${tag}.partial`, "reserved");
  await folder.write("credentials.json", { "#refreshToken": "R1" });
  await runHere(configuration(api.url), { credentials: join(folder.path, "credentials.json") });
  assert.deepEqual(readdirSync(folder.path), ["credentials.json"]);
});

test("space for new values is reserved before the login, so a full disk ends with 74 and uses up no token", async () => {
  await using folder = await temporaryFolder();
  const authority = new Authority(join(folder.path, "credentials.json"));
  const hidden: number[] = [];
  await using api = await startApi((request) => {
    const name = join(folder.path, ".credentials.json.next.partial");
    hidden.push(statSync(name, { throwIfNoEntry: false })?.size ?? 0);
    return authority.handler(request);
  });
  const document = configuration(api.url);
  const authentication = { ...document.api.authentication, expires: 0 };
  await folder.write("config.json", { ...document, api: { ...document.api, authentication } });
  await folder.write("credentials.json", { "#refreshToken": "R1" });
  const command = "spile config.json -q --credentials credentials.json";
  const full = await shell(`trap '' XFSZ; ulimit -f 200; ${command}`, { cwd: folder.path });
  assert.deepEqual([full.code, full.stdout, hidden], [74, "", []]);
  assert.match(full.stderr, /^error cannot write to credentials\.json: EFBIG[^\n]*\n$/);
  assert.deepEqual(JSON.parse(await folder.read("credentials.json")), { "#refreshToken": "R1" });
  const { code, stderr } = await shell(command, { cwd: folder.path });
  assert.equal(code, 0, stderr);
  // Reserved space at the time of the login and of the data request: the login uses up its reserve.
  assert.ok((hidden[0] ?? 0) >= 256 * 1024 && hidden[1] === 0, `${hidden}`);
  assert.deepEqual(readdirSync(folder.path).sort(), ["config.json", "credentials.json"]);
});

test("two logins at once keep their reserved space until their own values are stored", async () => {
  await using folder = await temporaryFolder();
  const credentials = await folder.write("credentials.json", { "#a": "A", "#b": "B" });
  const gates = new EventEmitter();
  const child = once(gates, "child");
  const page = once(gates, "page");
  let reserved = 0;
  // The child's login is answered only after the login for page 2 has stored its values and page 2 is requested.
  await using api = await startApi(async ({ path, body, params }) => {
    if (path === "/token") {
      const token = new URLSearchParams(body).get("token") ?? "";
      if (token === "B") gates.emit("child");
      if (token !== "A") await (token === "B" ? page : child);
      return { access_token: "T", token: `${token}'` };
    }
    if (path !== "/a") return [];
    if (params.get("page") === "2") {
      for (const name of readdirSync(folder.path).filter((one) => one.endsWith(".partial"))) {
        reserved += statSync(join(folder.path, name)).size;
      }
      gates.emit("page");
    }
    return Number(params.get("page") ?? 1) < 3 ? [{ id: params.get("page") ?? "1" }] : [];
  });
  const login = (name: string): object => ({
    type: "login",
    loginRequest: { endpoint: "token", method: "FORM", params: { token: { attr: name } } },
    apiRequest: { headers: { Authorization: { response: "access_token" } } },
    expires: 0,
    remember: { [name]: "token" },
  });
  const inner = { endpoint: "b/{id}", authentication: "b", placeholders: { id: "id" } };
  const jobs = [{ endpoint: "a", authentication: "a", children: [inner] }];
  const { result } = await runHere(
    {
      api: { baseUrl: api.url, pagination: { method: "pagenum" }, authentications: { a: login("#a"), b: login("#b") } },
      config: { "#a": "A", "#b": "B", jobs },
    },
    { credentials, concurrency: 2 },
  );
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.ok(reserved >= 256 * 1024, `${reserved}`);
  const kept = JSON.parse(readFileSync(credentials, "utf8")) as object;
  assert.deepEqual(kept, { "#a": "A'''", "#b": "B''" });
  assert.deepEqual(readdirSync(folder.path), ["credentials.json"]);
});

test("a token that is missing or empty in the answer is kept, with one message a run", async () => {
  const answers: [answer: object, place: string][] = [
    [{ access_token: "A", refresh_token: "" }, "refresh_token"],
    [{ access_token: "A", refresh_token: false }, "refresh_token"],
    [{ access_token: "A" }, "refresh_token"],
    [{ access_token: "A", refresh_token: "R2" }, "refresh_tokn"],
  ];
  for (const [answer, place] of answers) {
    await using folder = await temporaryFolder();
    const credentials = await folder.write("credentials.json", '{"#refreshToken":"R1"}');
    await using api = await startApi(({ path }) => (path === "/token" ? answer : []));
    const document = configuration(api.url, [{ endpoint: "a" }, { endpoint: "b" }]);
    const authentication = { ...document.api.authentication, expires: 0, remember: { "#refreshToken": place } };
    const { result, events } = await runHere(
      { ...document, api: { ...document.api, authentication } },
      { credentials },
    );
    assert.equal(result.exitCode, 0);
    assert.deepEqual(JSON.parse(readFileSync(credentials, "utf8")), { "#refreshToken": "R1" });
    const warnings = events.map(({ message }) => message).filter((message) => message.includes("remember"));
    const text = `the login's answer has nothing at "${place}" for "#refreshToken": "remember" keeps the old values`;
    assert.deepEqual(warnings, [text]);
  }
});

test("a list in place of a token is an error that names the setting, and the old token stays", async () => {
  await using folder = await temporaryFolder();
  const credentials = await folder.write("credentials.json", '{"#refreshToken":"R1"}');
  await using api = await startApi(() => ({ access_token: "A", refresh_token: ["R2"] }));
  const { result } = await runHere(configuration(api.url), { credentials });
  assert.equal(result.exitCode, 77);
  const text =
    'the login\'s answer has an object or a list at "refresh_token", but the setting "#refreshToken" needs a text, a number or a boolean';
  assert.ok(result.failure?.message.includes(text), result.failure?.message);
  assert.deepEqual(JSON.parse(readFileSync(credentials, "utf8")), { "#refreshToken": "R1" });
});

test("a run that is killed at any moment uses no token that is not on the disk, and the next run continues", async () => {
  await using folder = await temporaryFolder();
  const credentials = join(folder.path, "credentials.json");
  const authority = new Authority(credentials);
  await using api = await startApi(authority.handler);
  const document = configuration(api.url);
  const authentication = { ...document.api.authentication, expires: 0 };
  const jobs = Array.from({ length: 40 }, (_, index) => ({ endpoint: `data?${index}` }));
  const path = await folder.write("config.json", {
    api: { ...document.api, authentication },
    config: { ...document.config, jobs },
  });
  await forSeeds(8, async (random) => {
    const before = api.log.length;
    const running = start([path, "--credentials", credentials, "-q"]);
    await api.received(before + random.between(1, 60));
    running.kill("SIGKILL");
    await running.finished;
    assert.deepEqual([authority.late, authority.refused], [[], []]);
  });
  const { code, stdout, stderr } = await start([path, "--credentials", credentials, "-q"]).finished;
  assert.equal(code, 0, stderr);
  assert.equal(stdout.split("\n").length, 41);
});

describe("faults that are reported before any login", () => {
  it("a file that cannot be written ends with 74", async () => {
    await using folder = await temporaryFolder();
    const authority = new Authority("");
    await using api = await startApi(authority.handler);
    const { result } = await runHere(configuration(api.url), { credentials: join(folder.path, "none", "c.json") });
    assert.deepEqual([result.exitCode, api.log.length], [74, 0]);
  });
  it("a login that remembers ends with 78 without --credentials, or if that file has other content", async () => {
    await using folder = await temporaryFolder();
    await using api = await startApi(() => []);
    const without = await runHere(configuration(api.url));
    assert.match(without.result.failure?.message ?? "", /^\/api\/authentication\/remember: needs --credentials FILE/);
    for (const content of ["[1]", '{"#refreshToken": {}}', "R1"]) {
      const credentials = await folder.write("c.json", content);
      const { result } = await runHere(configuration(api.url), { credentials });
      assert.equal(result.exitCode, 78, content);
      assert.doesNotMatch(result.failure?.message ?? "", /R1/);
    }
    assert.equal(api.log.length, 0);
  });
  it("a run in which an iteration has its own value of the setting ends with 78", async () => {
    await using folder = await temporaryFolder();
    const document = { ...configuration("http://127.0.0.1:1"), iterations: [{ "#refreshToken": "x" }] };
    const { result } = await runHere(document, { credentials: join(folder.path, "c.json") });
    assert.match(result.failure?.message ?? "", /an iteration sets "#refreshToken" itself/);
  });
  it("two runs cannot use one file", async () => {
    await using folder = await temporaryFolder();
    const credentials = join(folder.path, "c.json");
    const codes: (number | undefined)[] = [];
    await using api = await startApi(async ({ path }) => {
      if (path === "/token") return { access_token: "A", refresh_token: "R", expires_in: 9 };
      if (codes.length === 0) codes.push((await runHere(configuration(api.url), { credentials })).result.exitCode);
      return [];
    });
    const { result } = await runHere(configuration(api.url), { credentials });
    assert.deepEqual([codes, result.exitCode], [[75], 0]);
  });
});
