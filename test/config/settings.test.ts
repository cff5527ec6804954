import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { cpuTime } from "../helpers/cpu-time.ts";
import { changed, faultsOf, oauth, read, sound, warningsOf } from "./reading.ts";

const minimal = { api: { baseUrl: "https://api.example.com" }, config: { jobs: [{ endpoint: "users" }] } };

describe("settings", () => {
  it("every member of config except jobs is a setting, and a nested member is also a setting whose name is its path with dots", () => {
    const [iteration] = read(
      changed({ "/config/a": { b: [1, { c: "x" }], d: {} }, "/config/on": true }, minimal),
    ).iterations;
    assert.deepEqual(
      [...(iteration?.settings ?? [])],
      [
        ["a", { b: [1, { c: "x" }], d: {} }],
        ["a.b", [1, { c: "x" }]],
        ["a.b.0", 1],
        ["a.b.1", { c: "x" }],
        ["a.b.1.c", "x"],
        ["a.d", {}],
        ["on", true],
      ],
    );
  });

  it("a value of --set replaces a setting and all its members, and many of them take linear time", () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, { a: { b: 1 } }]));
    const names = Array.from({ length: 2000 }, (_, index) => `k${index}`);
    const set = new Map([
      ...names.map((name) => [name, "x"] as const),
      ["k2000.a", "y"],
      ["k2001.z", "1"],
      ["k2001", "2"],
    ]);
    const began = cpuTime();
    const [{ settings } = { settings: new Map() }] = read(
      changed({ "/config": { ...minimal.config, ...many } }, minimal),
      { set },
    ).iterations;
    const entriesOf = (name: string) =>
      [...settings].filter(([key]) => key === name || key.startsWith(`${name}.`)).map(([key, value]) => [key, value]);
    assert.deepEqual(entriesOf("k7"), [["k7", "x"]]);
    assert.deepEqual(
      entriesOf("k2000").map(([key]) => key),
      ["k2000", "k2000.a"],
    );
    assert.deepEqual(entriesOf("k2001"), [["k2001", "2"]]);
    assert.equal(entriesOf("k3000").length, 3);
    // This takes half a second; comparing 60,000 settings with each of 2,000 names would take half a minute.
    assert.ok(cpuTime() - began < 20_000);
  });

  it("settings may come from the environment", () => {
    const secrets = new Secrets();
    const document = changed({ "/config/#token": { env: "TOKEN" } }, minimal);
    const { iterations, configuration } = read(document, { environment: { TOKEN: "from-outside" }, secrets });
    assert.equal(iterations[0]?.settings.get("#token"), "from-outside");
    assert.equal((configuration.config as Record<string, unknown>)["#token"], "from-outside");
    assert.equal(secrets.mask("x from-outside y"), "x *** y");
  });

  it("a date or time from the environment is a secret only if the name of the setting begins with #, and any other text always is", () => {
    const texts = ["2026-01-31", "2026-01-31T08:00Z", "2026-01-31 08:00:00 UTC", "2026", "1767225600", "2026-13-01"];
    const masked = (name: string) =>
      texts.filter((text) => {
        const secrets = new Secrets();
        read(changed({ [`/config/${name}`]: { env: "START" } }, minimal), { environment: { START: text }, secrets });
        return secrets.holds(text);
      });
    assert.deepEqual(masked("start"), ["2026", "1767225600", "2026-13-01"]);
    assert.deepEqual(masked("#start"), texts);
  });

  it("an unset variable is a fault, unless --set gives the setting", () => {
    const document = {
      parameters: changed({ "/config/id": { env: "NOT_SET" }, "/iterations": [{ other: { env: "" } }] }, minimal),
    };
    assert.deepEqual(faultsOf(document), [
      '/parameters/config/id: the environment variable "NOT_SET" is not set',
      '/parameters/iterations/0/other: "env" must be the name of an environment variable',
    ]);
    const set = new Map([
      ["id", "1"],
      ["other", "2"],
    ]);
    assert.deepEqual(faultsOf(document, { set }), []);
  });

  it("a value that is spile's own mask is refused, since it was copied from a printed line", () => {
    const document = changed({ "/config/#token": { env: "TOKEN" } }, minimal);
    const [fault = ""] = faultsOf(document, { environment: { TOKEN: "***" } });
    assert.match(
      fault,
      /^\/config\/#token: the environment variable "TOKEN" holds \*\*\*, .*: set it to the secret itself$/,
    );
    assert.deepEqual(faultsOf(document, { environment: { TOKEN: "****" } }), []);
  });

  it("the name of a variable is no secret", () => {
    const document = changed({ "/config/#token": { env: "NOT_SET" } }, minimal);
    assert.deepEqual(faultsOf(document), ['/config/#token: the environment variable "NOT_SET" is not set']);
    const secrets = new Secrets();
    read(document, { environment: { NOT_SET: "hidden-value" }, secrets });
    assert.equal(secrets.mask("NOT_SET hidden-value"), "NOT_SET ***");
  });

  it("settings may come from files, relative to the configuration, without the last line break", async () => {
    await using folder = await temporaryFolder();
    await folder.write("token", "first\nsecond\r\n");
    const secrets = new Secrets();
    const document = changed(
      {
        "/config/#token": { file: "token" },
        "/api/caCertificate": { file: "./token" },
        "/iterations": [{ a: { file: "token" } }],
      },
      minimal,
    );
    const { iterations, configuration } = read(document, { folder: folder.path, secrets });
    assert.equal(iterations[0]?.settings.get("#token"), "first\nsecond");
    assert.equal(iterations[0]?.settings.get("a"), "first\nsecond");
    assert.equal(configuration.api.caCertificate, "first\nsecond");
    assert.ok(secrets.holds("first\nsecond"));
    const faults = faultsOf(changed({ "/config/a": { file: "none" }, "/config/b": { file: "" } }, minimal), {
      folder: folder.path,
    });
    assert.match(
      faults[0] ?? "",
      /^\/config\/a: the file "none" cannot be read: there is no such file; "file" is the path of/,
    );
    assert.deepEqual(faults.slice(1), ['/config/b: "file" must be the path of a file']);
    const [endless = ""] = faultsOf(changed({ "/config/a": { file: "/dev/zero" } }, minimal), { folder: folder.path });
    assert.match(endless, /^\/config\/a: the file "\/dev\/zero" cannot be read: it has more than 16 MiB; "file" is /);
  });

  it("an object with `env` that is not a member of config is reported with its place", () => {
    const remedy =
      '{"env": ...} is allowed only as a member of "config": give it a name there and write {"attr": <that name>} here';
    const inParams = changed({ "/config/jobs/0/params": { filter: [{ env: "API_KEY" }] } }, minimal);
    assert.deepEqual(warningsOf(inParams), [`/config/jobs/0/params/filter/0: ${remedy}`]);
    const inHeader = changed({ "/config/jobs/0/headers": { "X-Key": { env: "API_KEY" } } }, minimal);
    assert.deepEqual(faultsOf(inHeader), [`/config/jobs/0/headers/X-Key: cannot be the value of a header: ${remedy}`]);
    assert.deepEqual(
      warningsOf(changed({ "/config/jobs/0/params": { env: "TEST", a: { env: "test" } } }, minimal)),
      [],
    );
  });

  it("an object with `env` is plain data if it has other members or is nested in a setting", () => {
    const { iterations } = read(
      changed({ "/config/a": { env: "X", b: 1 }, "/config/c": { d: { env: "X" } } }, minimal),
    );
    assert.deepEqual(iterations[0]?.settings.get("a"), { env: "X", b: 1 });
    assert.deepEqual(iterations[0]?.settings.get("c.d"), { env: "X" });
  });

  it("--set replaces settings of the file and of iterations, as text", () => {
    const secrets = new Secrets();
    const document = changed({ "/config/id": 1, "/config/o": { a: 1 }, "/iterations": [{ id: 2 }, {}] }, minimal);
    const set = new Map([
      ["id", "00123"],
      ["#key", "very-secret"],
      ["o", "x"],
    ]);
    const { iterations } = read(document, { set, secrets });
    assert.deepEqual(
      iterations.map(({ settings }) => settings.get("id")),
      ["00123", "00123"],
    );
    assert.equal(iterations[0]?.settings.get("#key"), "very-secret");
    assert.equal(iterations[0]?.settings.has("o.a"), false);
    assert.equal(secrets.mask("very-secret"), "***");
    // `--set` changes settings only: a header changed in this way would be read by `attr` but not sent.
    for (const name of ["jobs", "http.headers.X", ""]) {
      assert.deepEqual(faultsOf(minimal, { set: new Map([[name, "x"]]) }), [
        `/config: --set cannot give ${JSON.stringify(name)}: it is not a setting`,
      ]);
    }
    assert.deepEqual(faultsOf(minimal, { set: new Map([["debug", "1"]]) }), [
      '/config: --set cannot give "debug": it is not a setting; --debug logs each request',
    ]);
    assert.deepEqual(faultsOf(minimal, { set: new Map([["httpPassword", "x"]]) }), []);
  });

  it("each iteration replaces members of config, including jobs", () => {
    const { iterations, pointers } = read(
      changed({ "/config/id": 1, "/iterations": [{ id: 2 }, { id: 3, jobs: [{ endpoint: "other" }] }] }, minimal),
    );
    assert.deepEqual(
      iterations.map(({ settings }) => settings.get("id")),
      [2, 3],
    );
    assert.deepEqual(
      iterations.map(({ config }) => config.jobs.map(({ endpoint }) => endpoint)),
      [["users"], ["other"]],
    );
    const [job] = iterations[1]?.config.jobs ?? [];
    assert.equal(job && pointers.get(job), "/iterations/1/jobs/0");
  });

  it("an expression that reads a setting of only some iterations is a fault", () => {
    const document = changed(
      { "/config/jobs/0/params": { a: { attr: "id" } }, "/iterations": [{ id: 2 }, {}] },
      minimal,
    );
    assert.match(faultsOf(document).join("\n"), /^\/config\/jobs\/0\/params\/a\/attr: unknown setting "id"[^\n]*$/);
  });
});

describe("secrets", () => {
  it("every value below a name with # is masked, including values of JSON text, and so are credentials of an address", () => {
    const secrets = new Secrets();
    read(
      changed(
        {
          "/config/deep": { "#list": ["first-secret", { x: 424242 }] },
          "/api/baseUrl": "https://joe:p%40ssword@example.com/",
        },
        oauth,
      ),
      { secrets },
    );
    for (const secret of ["s3cr3t-s3cr3t", "tok-tok-tok", "first-secret", "424242", "p@ssword", "p%40ssword"]) {
      assert.equal(secrets.mask(`<${secret}>`), "<***>", secret);
    }
    assert.equal(secrets.holds("1234"), false);
  });

  it("no message shows a secret", () => {
    const lines = faultsOf(
      changed(
        {
          "/api/#clientCertificate": ["PRIVATE-KEY-TEXT"],
          "/config/jobs/0/method": "hunter2hunter2",
          "/aws": {
            signature: {
              credentials: { accessKeyId: "a", "#secretKey": 987654321, serviceName: "s", regionName: "r" },
            },
          },
          "/config/debug": { env: "SECRET_VALUE" },
        },
        sound,
      ),
      { environment: { SECRET_VALUE: "environment-secret" } },
    );
    assert.equal(lines.length, 5);
    assert.ok(
      lines.includes("/aws/signature/credentials/#secretKey: must be a string, not the value given"),
      lines.join("\n"),
    );
    assert.ok(lines.includes('/config/jobs/0/method: must be "GET", "POST" or "FORM", not "***"'), lines.join("\n"));
    assert.doesNotMatch(lines.join("\n"), /hunter2|PRIVATE|98765|environment-secret/);
  });
});

describe("settings given by --set", () => {
  it("a warning names settings of --set that no expression reads, and the most similar setting", () => {
    const settings = {
      "/config/jobs/0/params": { t: { attr: "token" } },
      "/config/token": "x",
      "/config/debugLevel": 1,
    };
    const document = changed(settings, minimal);
    const warningsAbout = (name: string): readonly string[] =>
      read(document, { set: new Map([[name, "abc"]]) }).warnings.map(({ message }) => message);
    assert.deepEqual(warningsAbout("tokn"), ['--set gives "tokn", which no expression reads, did you mean "token"?']);
    for (const name of ["token", "debugLevel", "#password", "username"])
      assert.deepEqual(warningsAbout(name), [], name);
  });
});
