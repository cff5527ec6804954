import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { json, type Received, startApi } from "../../helpers/api.ts";
import { shell, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

/** Returns a request as a server receives it, without the headers that differ between clients. */
function seen({ method, target, body, headers }: Received) {
  const own = new Set(["host", "connection", "accept-encoding", "content-length"]);
  const rest = Object.entries(headers).filter(([name]) => !own.has(name));
  return { method, target, body, headers: Object.fromEntries(rest.sort()) };
}

test("the curl commands of a plan send the requests of a run if their variables are set", async (context) => {
  if (spawnSync("curl", ["--version"]).error !== undefined) return context.skip("curl is not installed");
  await using folder = await temporaryFolder();
  await using api = await startApi({
    "POST /login": () => json({ token: "granted-token-1" }),
    "*": () => [{ id: 1 }],
  });
  const password = "pa ss'w\"or$d\\`!&=é*";
  const file = await folder.write("config.json", {
    api: {
      baseUrl: api.url,
      http: { headers: { "X-Empty": "", "X-Api-Key": "plain-key", "X-Cost": '5 $ `a` \\ "b"' } },
      authentication: {
        type: "login",
        loginRequest: {
          endpoint: "login",
          method: "POST",
          params: { user: "it's me", password: { attr: "#password" } },
        },
        apiRequest: {
          headers: { Authorization: { function: "concat", args: ["Bearer ", { response: "token" }] } },
          query: { session: "token" },
        },
      },
      pagination: { method: "offset", limit: 2 },
    },
    config: {
      "#password": { env: "PASSWORD" },
      "#key": "other-key-1",
      jobs: [
        { endpoint: "users", params: { p: { attr: "#password" }, k: { attr: "#key" }, list: [1, "a'b"] } },
        { endpoint: "form", method: "FORM", params: { p: { attr: "#password" }, text: "100 % $HOME" } },
        { endpoint: "body", method: "POST", params: { p: { attr: "#password" }, text: 'it\'s $HOME "q"' } },
      ],
    },
  });
  const env = { PASSWORD: password };
  const ran = await spileHere([file, "--max-pages", "1", "-q"], { env });
  assert.equal(ran.code, 0, ran.stderr);
  const sent = api.log.map(seen);
  assert.equal(sent.length, 4);

  const { code, stdout, stderr } = await spileHere(["plan", file, "--curl"], { env });
  assert.deepEqual([code, stderr, api.log.length], [0, "", 4]);
  assert.doesNotMatch(stdout, /pa ss|pa%20ss|other-key|plain-key|granted/);
  const variables = [...new Set([...stdout.matchAll(/^# (\w+) is /gm)].map(([, name = ""]) => name))];
  const values: Readonly<Record<string, string>> = {
    PASSWORD_URLENCODED: encodeURIComponent(password).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
    PASSWORD_JSON: JSON.stringify(password).slice(1, -1),
    KEY: "other-key-1",
    API_KEY: "plain-key",
    SESSION: "granted-token-1",
    TOKEN: "granted-token-1",
  };
  assert.deepEqual(variables.sort(), Object.keys(values).sort());
  const played = await shell(stdout.replace(/^curl /gm, "curl -sS -o /dev/null "), { env: values });
  assert.deepEqual([played.code, played.stderr], [0, ""]);
  assert.deepEqual(api.log.slice(4).map(seen), sent);
});

test("Basic authentication is -u, and each secret has its own variable", async () => {
  const configuration = {
    api: {
      baseUrl: "http://127.0.0.1:1/",
      authentication: { type: "basic" },
      http: { headers: { "X-Api-Key": "literal" } },
    },
    config: {
      username: "me",
      "#password": "top-secret",
      "#key": { env: "API_KEY" },
      jobs: [{ endpoint: "x", params: { key: { attr: "#key" } } }],
    },
  };
  const { code, stdout } = await spileHere(["plan", "-", "--curl"], {
    stdin: JSON.stringify(configuration),
    env: { API_KEY: "from-environment" },
  });
  assert.equal(code, 0);
  assert.match(stdout, /\n {2}-u "me:\$PASSWORD"/);
  assert.match(stdout, /^curl "http:\/\/127\.0\.0\.1:1\/x\?key=\$API_KEY" /m);
  assert.match(stdout, /-H "X-Api-Key: \$API_KEY_2"/);
  assert.match(stdout, /^# API_KEY is the secret setting key\n# API_KEY_2 is the header X-Api-Key\n/m);
});

test("a shell that reads the commands runs no code from names and values of the configuration", async (context) => {
  await using folder = await temporaryFolder();
  const evil =
    "$(touch PWNED)`touch PWNED`'; touch PWNED; '\"; touch PWNED; \"\\ue000(touch PWNED)\\ue001 !x\n touch PWNED\n";
  const configuration = {
    api: { baseUrl: "http://127.0.0.1:1/", http: { headers: { "X-A": evil.replaceAll("\n", " ") } } },
    config: {
      [`#token${evil}`]: "s3cr3t-1",
      "#2fa": "s3cr3t-2",
      "#env": { env: "(touch PWNED)" },
      jobs: [
        {
          endpoint: `x${evil.replaceAll("\n", "")}`,
          dataType: evil,
          params: { a: evil, t: { attr: `#token${evil}` }, f: { attr: "#2fa" }, e: { attr: "#env" } },
        },
      ],
    },
  };
  const { code, stdout, stderr } = await spileHere(["plan", "-", "--curl"], {
    stdin: JSON.stringify(configuration),
    env: { "(touch PWNED)": "s3cr3t-3" },
  });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\$SECRET_2FA/);
  for (const comment of stdout.match(/^#.*$/gm) ?? []) assert.match(comment, /^# [\p{L}\p{N} _.,:/@%+-]*$/u);
  for (const name of ["bash", "dash", "zsh", "fish"]) {
    await context.test(name, async (inner) => {
      if (spawnSync(name, ["-c", ":"]).error !== undefined) return inner.skip(`${name} is not installed`);
      // Interactive shells read comments as commands; a stub replaces curl.
      const flags = name === "zsh" ? ["-f", "-c"] : ["-c"];
      const script = stdout.replace(/^curl /gm, "true ").replace(/^#/gm, "true");
      const done = spawnSync(name, [...flags, script], {
        cwd: folder.path,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: folder.path, LC_ALL: "C.UTF-8" },
      });
      assert.deepEqual([done.status, done.stderr], [0, ""]);
      assert.deepEqual(
        (await readdir(folder.path)).filter((file) => file.includes("PWNED")),
        [],
      );
    });
  }
});

test("a secret is masked, and so is a longer secret that contains it", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", {
    api: { baseUrl: "http://127.0.0.1:1/", authentication: { type: "basic" } },
    config: {
      "#pin": "7",
      "#long": "8f147a5a3-8f147",
      username: "ada",
      "#password": "xyz",
      http: { headers: { "X-Pin": { attr: "#pin" } } },
      jobs: [
        {
          endpoint: "items7",
          params: { u: { function: "md5", args: [{ attr: "#long" }] }, p: { attr: "#pin" }, l: { attr: "#long" } },
        },
      ],
    },
  });
  const { stdout } = await spileHere(["plan", file, "--curl"]);
  assert.match(stdout, /127\.0\.0\.1:1\/items7\?u=/);
  assert.doesNotMatch(stdout, /xyz|8f147|p=7|X-Pin: 7/);
  assert.match(stdout, /u=[^&]*\bU\b[^&]*&p=[^&]*\bPIN\b[^&]*&l=[^&]*\bLONG\b/);
  assert.match(stdout, /X-Pin: .*\bPIN\b/);
  assert.match(stdout, /-u .*ada:.*\bPASSWORD\b/);
  const plain = await spileHere(["plan", file]);
  assert.match(plain.stdout, /"X-Pin":"\*\*\*"/);
});
