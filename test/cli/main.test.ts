import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import manifest from "../../package.json" with { type: "json" };
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";

const configuration = {
  api: { baseUrl: "http://127.0.0.1:1/", pagination: { method: "offset", limit: 100 } },
  config: {
    jobs: [
      { endpoint: "users", dataField: "data" },
      { endpoint: "teams", dataType: "groups" },
    ],
  },
};

test("--help and --version are printed on stdout", async () => {
  const help = await spileHere(["--help"]);
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^Usage: spile .*\n\nExamples:\n/s);
  assert.deepEqual(await spileHere(["--version"]), {
    code: 0,
    signal: null,
    stdout: `${manifest.version}\n`,
    stderr: "",
  });
});

test("a wrong command line is reported in one line on stderr, with exit code 64", async () => {
  const cases = [
    [[], /^error usage: spile/],
    [["config.json", "--max-recods", "5"], /^error unknown option --max-recods, did you mean --max-records\?\n$/],
    [["config.json", "--max-records", "many"], /^error option --max-records: "many" is not/],
    [["schem"], /^error unknown command "schem", did you mean spile schema\?\n$/],
  ] as const;
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await spileHere(args);
    assert.deepEqual([code, stdout], [64, ""], args.join(" "));
    assert.match(stderr, message);
    assert.equal(stderr.split("\n").length, 2);
  }
});

test("--log-format json reports a wrong command line as JSON", async () => {
  for (const words of [["--log-format", "json"], ["--log-format=json"]]) {
    const { code, stderr } = await spileHere(["config.json", "--max-pages", "x", ...words]);
    const { event, level, exitCode } = JSON.parse(stderr);
    assert.deepEqual([code, event, level, exitCode], [64, "error", "error", 64]);
  }
});

test("the schema is a document that a validator accepts", async () => {
  const { code, stdout } = await spileHere(["schema"]);
  assert.equal(code, 0);
  const ajv = new Ajv({ strict: false, discriminator: true });
  const validate = ajv.compile(JSON.parse(stdout));
  assert.equal(validate(configuration), true, ajv.errorsText(validate.errors));
  assert.equal(validate({ api: {} }), false);
});

test("check lists the jobs and sends nothing", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => []);
  const { config } = configuration;
  const file = await folder.write("config.json", { api: { ...configuration.api, baseUrl: api.url }, config });
  const { code, stdout, stderr } = await spileHere(["check", file]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(
    stdout,
    "users\tGET users\toffset paging, 100 a page (limit, offset), until a short page\ngroups\tGET teams\toffset paging, 100 a page (limit, offset), until a short page\n",
  );
  assert.equal(
    (await spileHere(["check", file, "--job", "groups"])).stdout,
    "groups\tGET teams\toffset paging, 100 a page (limit, offset), until a short page\n",
  );
  assert.equal(api.connections(), 0);
  const unknown = await spileHere(["check", file, "--job", "tems"]);
  assert.deepEqual([unknown.code, unknown.stdout], [64, ""]);
});

test("--job names jobs of any iteration, and an iteration without them runs nothing", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => [1]);
  const config = { jobs: [{ endpoint: "a" }] };
  const iterations = [{ x: 1 }, { jobs: [{ endpoint: "b" }] }];
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config, iterations });
  for (const name of ["a", "b"]) {
    const { code, stdout } = await spileHere([file, "--job", name]);
    assert.deepEqual([code, stdout], [0, "1\n"], name);
  }
  assert.deepEqual(api.targets(), ["/a", "/b"]);
  const unknown = await spileHere([file, "--job", "c"]);
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [64, 'error --job "c": there is no such job; the jobs are "a", "b"\n'],
  );
});

test("check shows the paging of each job, its children and iterations", async () => {
  const scrollers = { big: { method: "offset", limit: 500 }, default: { method: "pagenum" } };
  const jobs = [
    { endpoint: "a", scroller: "big", params: { limit: 50 } },
    { endpoint: "b", method: "post", children: [{ endpoint: "b/{id}", placeholders: { id: "id" } }] },
  ];
  const api = { baseUrl: "http://127.0.0.1:1/", pagination: { method: "multiple", scrollers } };
  const iterations = [{}, { x: 1 }, { jobs: [{ endpoint: "c" }] }];
  const { code, stdout } = await spileHere(["check", "-"], {
    stdin: JSON.stringify({ api, config: { jobs }, iterations }),
  });
  assert.equal(code, 0);
  assert.equal(
    stdout,
    "a\tGET a\toffset paging, 50 a page (limit, offset), until a short page\nb\tPOST b\tpage numbers from 1 (page), until an empty page\n  b/{id}\tGET b/{id}\tpage numbers from 1 (page), until an empty page\nc\tGET c\tpage numbers from 1 (page), until an empty page\n",
  );
});

test("each fault of the configuration is reported in one line, with exit code 78", async () => {
  await using folder = await temporaryFolder();
  const jobs = [{ endpoint: "users", dataFeild: "data" }];
  const file = await folder.write("wrong.json", {
    api: { baseUrl: "http://127.0.0.1:1/", pagination: { method: "offset", limit: 0 } },
    config: { jobs },
  });
  for (const args of [[file], ["check", file]]) {
    const { code, stdout, stderr } = await spileHere(args);
    assert.deepEqual([code, stdout], [78, ""]);
    assert.match(stderr, /^error \/config\/jobs\/0: .*did you mean "dataField"\?$/m);
    assert.match(stderr, /^error \/api\/pagination\/limit: /m);
    assert.equal(stderr.split("\n").length, 3);
  }
});

test("a configuration that cannot be read ends with 78 and a reason", async () => {
  await using folder = await temporaryFolder();
  const cases = [
    [`${folder.path}/none.json`, /there is no such file/],
    [folder.path, /it is a folder/],
    [await folder.write("broken.json", '{\n  "api": {},,\n}'), /2:\d+/],
  ] as const;
  for (const [path, message] of cases) {
    const { code, stdout, stderr } = await spileHere([path]);
    assert.deepEqual([code, stdout], [78, ""]);
    assert.match(stderr, message);
  }
  const { code, stderr } = await spileHere([cases[0][0], "--log-format", "json"]);
  assert.equal(code, 78);
  const line = JSON.parse(stderr);
  assert.deepEqual([line.level, line.event, line.exitCode], ["error", "error", 78]);
});

test("the operand - reads the configuration from stdin", async () => {
  const { code, stdout } = await spileHere(["check", "-"], { stdin: `\ufeff${JSON.stringify(configuration)}\r\n` });
  assert.equal(code, 0);
  assert.match(stdout, /^users\t/);
});

test("-o writes printed text to a file, and --summary - writes to stdout", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => [{ id: 1 }]);
  const config = { jobs: [{ endpoint: "x" }] };
  const file = await folder.write("config.json", { api: { baseUrl: api.url }, config });
  for (const words of [["schema"], ["plan", file], ["completion", "zsh"]]) {
    const finished = await spileHere(words);
    const written = await spileHere([...words, "-o", `${folder.path}/out`]);
    assert.deepEqual([written.code, written.stdout, written.stderr], [0, "", ""]);
    assert.equal(await folder.read("out"), finished.stdout);
  }
  const { code, stdout } = await spileHere([file, "-o", `${folder.path}/records`, "--summary", "-"]);
  assert.equal(code, 0);
  assert.equal(JSON.parse(stdout).records, 1);
  assert.equal(await folder.read("records"), '{"id":1}\n');
});
