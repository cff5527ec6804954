import assert from "node:assert/strict";
import { test } from "node:test";
import { records, temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

interface Finding {
  readonly level: string;
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
}

const findings = (stdout: string) => records(stdout) as Finding[];

test("--format json prints faults and warnings with pointer, message and suggestion, and nothing on stderr", async () => {
  await using folder = await temporaryFolder();
  const wrong = await folder.write("wrong.json", {
    api: { baseUrl: "http://127.0.0.1:1/", pagination: { method: "ofset" } },
    config: {
      token: "x",
      jobs: [
        { endpoint: "users", dataFeild: "data", params: { a: { attr: "tokn" }, b: { function: "m5", args: [] } } },
      ],
    },
  });
  const { code, stdout, stderr } = await spileHere(["check", wrong, "--format", "json"]);
  assert.deepEqual([code, stderr], [78, ""]);
  assert.deepEqual(
    findings(stdout)
      .map(({ level, pointer, suggestion }) => [level, pointer, suggestion])
      .sort(),
    [
      ["error", "/api/pagination/method", "offset"],
      ["error", "/config/jobs/0", "dataField"],
      ["error", "/config/jobs/0/params/a/attr", "token"],
      ["error", "/config/jobs/0/params/b/function", "md5"],
    ],
  );
  assert.match(
    findings(stdout).find(({ pointer }) => pointer === "/config/jobs/0")?.message ?? "",
    /^unknown field "dataFeild"/,
  );
  const warned = await folder.write("warned.json", {
    api: { baseUrl: "http://127.0.0.1:1/?a=1", color: 1 },
    config: { jobs: [{ endpoint: "users/{id}" }] },
  });
  const second = await spileHere(["check", warned, "--format=json"]);
  assert.deepEqual([second.code, second.stderr], [0, ""]);
  assert.deepEqual(
    findings(second.stdout)
      .map(({ level, pointer }) => [level, pointer])
      .sort(),
    [
      ["warning", "/api"],
      ["warning", "/api/baseUrl"],
      ["warning", "/config/jobs/0/endpoint"],
    ],
  );
  const broken = await spileHere(["check", "-", "--format", "json"], { stdin: "{" });
  assert.deepEqual([broken.code, broken.stderr, findings(broken.stdout)[0]?.pointer], [78, "", ""]);
  const sound = await spileHere(["check", "-", "--format", "json"], {
    stdin: JSON.stringify({ api: { baseUrl: "http://x/" }, config: { jobs: [{ endpoint: "a" }] } }),
  });
  assert.deepEqual([sound.code, sound.stdout, sound.stderr], [0, "", ""]);
});

test("with --allow-unset-env, unset variables are warnings, and everything else is checked", async () => {
  const configuration = {
    api: {
      baseUrl: { attr: "base" },
      http: { headers: { A: { attr: "#token" } } },
      pagination: { method: "offset", limit: 10, offsetFromJob: true },
    },
    config: {
      base: { env: "BASE" },
      "#token": { env: "TOKEN" },
      size: { env: "SIZE" },
      jobs: [{ endpoint: "users", params: { limit: { attr: "size" }, offset: { attr: "size" } } }],
    },
  };
  const check = (document: object, ...words: string[]) =>
    spileHere(["check", "-", ...words], { stdin: JSON.stringify(document), env: { SIZE: "5" } });
  const refused = await check(configuration);
  assert.deepEqual([refused.code, refused.stdout], [78, ""]);
  const { code, stdout, stderr } = await check(configuration, "--allow-unset-env");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^users\tGET users\toffset paging/);
  assert.equal(
    stderr,
    'warning /config/base: the environment variable "BASE" is not set\nwarning /config/#token: the environment variable "TOKEN" is not set\n',
  );
  const { SIZE: _, ...none } = { SIZE: "" };
  const all = await spileHere(["check", "-", "--allow-unset-env"], { stdin: JSON.stringify(configuration), env: none });
  assert.equal(all.code, 0, all.stderr);
  const wrapped = { parameters: configuration };
  assert.equal((await check(wrapped, "--allow-unset-env")).code, 0);
  const faulty = { ...configuration, api: { ...configuration.api, pagination: { method: "offset", limit: 0 } } };
  assert.equal((await check(faulty, "--allow-unset-env")).code, 78);
});

test("warnings are shown beside faults", async () => {
  const stdin = JSON.stringify({
    api: { baseUrl: "https://api.example.com/?a=1", unheardOf: 1 },
    config: { jobs: [{ endpoint: "users/{id}" }, { endpoint: "x", method: "DELETE" }] },
  });
  const text = await spileHere(["check", "-"], { stdin });
  assert.equal(text.code, 78);
  assert.match(text.stderr, /^warning \/config\/jobs\/0\/endpoint: "\{id\}" is sent as it is written/m);
  assert.match(text.stderr, /^error \/config\/jobs\/1\/method: /m);
  const json = await spileHere(["check", "--format", "json", "-"], { stdin });
  assert.equal(json.code, 78);
  const levels = json.stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { level: string; pointer: string });
  const pointers = (level: string) => levels.filter((one) => one.level === level).map(({ pointer }) => pointer);
  assert.deepEqual(pointers("error"), ["/config/jobs/1/method"]);
  assert.ok(pointers("warning").includes("/config/jobs/0/endpoint"));
});
