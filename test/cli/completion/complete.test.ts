import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, type Names } from "../../../src/cli/completion/complete.ts";
import { names } from "../../../src/cli/completion/names.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

const none: Names = { jobs: async () => [], settings: async () => [], topics: async () => [], fields: async () => [] };

async function offered(line: string, from: Names = none) {
  const { candidates, files } = await complete(line.split(" "), from);
  return { values: candidates.map(([value]) => value), files };
}

test("commands and files are offered only where a command or a configuration is allowed", async () => {
  const table = [
    ["", true, "file"],
    ["co", true, "file"],
    ["-v co", true, "file"],
    ["check co", false, "file"],
    ["check --strict co", false, "file"],
    ["plan -- co", false, "file"],
    ["check config.json co", false, "none"],
    ["config.json co", false, "none"],
    ["schema co", false, "none"],
    ["demo ", false, "none"],
  ] as const;
  for (const [line, commands, files] of table) {
    const found = await offered(line);
    assert.deepEqual([found.values.includes("completion"), found.files], [commands, files], line);
    if (!commands) assert.deepEqual(found.values, [], line);
  }
});

test("for an option that takes a source or a place, its possible beginnings are offered, such as `header:`", async () => {
  const next = ["links[rel=next].href", "header:", "last:"];
  assert.deepEqual((await offered("get https://api.example.com/users --next li")).values, next);
  assert.deepEqual(
    (await offered("get https://api.example.com/users --next=li")).values,
    next.map((one) => `--next=${one}`),
  );
  assert.deepEqual((await offered("get https://api.example.com/users --token-param ")).values, [
    "path:",
    "query:",
    "header:",
    "endpoint:",
  ]);
});

test("each option of the command is offered once, unless it may be repeated", async () => {
  const values = async (line: string) => (await offered(line)).values;
  assert.ok((await values("--")).includes("--max-records"));
  assert.ok(!(await values("--")).includes("--serve"));
  assert.ok((await values("demo --")).includes("--serve"));
  assert.ok(!(await values("check --")).includes("--output"));
  const given = await values("config.json -o x --job a --strict --");
  assert.deepEqual(
    ["--output", "--strict", "--job"].map((name) => given.includes(name)),
    [false, false, true],
  );
  assert.ok(!(await values("-- --")).includes("--output"));
});

test("files, folders or choices are offered as an option's values, and nothing is offered if any text is allowed", async () => {
  const table = [
    ["-o ", [], "file"],
    ["-vo ", [], "file"],
    ["--state x", [], "file"],
    ["--split ", [], "folder"],
    ["--output=a", [], "file"],
    ["--log-format ", ["text", "json"], "none"],
    ["--log-format=j", ["--log-format=text", "--log-format=json"], "none"],
    ["--max-records ", [], "none"],
    ["config.json --log-format json --job ", [], "none"],
    ["completion ", ["bash", "zsh", "fish"], "none"],
  ] as const;
  for (const [line, values, files] of table) assert.deepEqual(await offered(line), { values, files }, line);
});

test("names of jobs and settings are offered from the configuration on the command line, even if the configuration has faults", async () => {
  await using folder = await temporaryFolder();
  const file = await folder.write("config.json", {
    api: { baseUrl: 1 },
    config: {
      "#token": "x",
      account: 1,
      jobs: [
        { endpoint: "users", dataType: "people" },
        { endpoint: "teams", id: 3 },
      ],
    },
    iterations: [{ jobs: [{ endpoint: "users" }, { endpoint: "a b" }] }, { account: 2, extra: 1 }],
  });
  const wrapped = await folder.write("wrapped.json", { parameters: { config: { jobs: { a: { endpoint: "one" } } } } });
  assert.deepEqual((await offered(`check ${file} --job `, names)).values, ["people", "users", "teams", "a b"]);
  assert.deepEqual((await offered(`${file} --job=u`, names)).values[1], "--job=users");
  assert.deepEqual((await offered(`${wrapped} --job `, names)).values, ["one"]);
  assert.deepEqual((await offered(`${file} --set `, names)).values, ["#token=", "account=", "extra="]);
  const broken = await folder.write("broken.json", "{");
  for (const path of [broken, "/nowhere/x.json", folder.path]) {
    assert.deepEqual(await offered(`${path} --job `, names), { values: [], files: "none" });
  }
  const fields = (await offered("explain api.pagination.li", names)).values;
  assert.deepEqual([fields.includes("api.pagination.limitParam"), fields.includes("api")], [true, false]);
  assert.ok((await offered("explain off", names)).values.includes("offsetParam"));
  const topics = (await offered("help ", names)).values;
  assert.deepEqual([topics.includes("paging"), topics.includes("check")], [true, true]);
});

test("--complete prints a line about files, then a line for each candidate", async () => {
  await using folder = await temporaryFolder();
  const jobs = [{ endpoint: "a\nb" }, { endpoint: "c" }];
  const file = await folder.write("config.json", { api: { baseUrl: "http://x/" }, config: { jobs, a: 1 } });
  const answer = async (...words: string[]) => (await spileHere(["--complete", ...words])).stdout;
  assert.equal(await answer(file, "--job", ""), "none\nc\t\n");
  assert.equal(await answer(file, "--set", ""), "none open\na=\t\n");
  assert.match(await answer("chec"), /^file\n(?:\w+\t[^\n]*\n)*check\tCheck a configuration[^\n]*\n/);
  assert.equal(await answer("check", ""), "file\n");
});

test("spile completion prints the script for the given shell or for that of $SHELL, and refuses other shells", async () => {
  const known = await spileHere(["completion"], { env: { SHELL: "/usr/bin/zsh" } });
  assert.equal(known.stdout, (await spileHere(["completion", "zsh"])).stdout);
  const { code, stderr } = await spileHere(["completion", "csh"]);
  assert.deepEqual(
    [code, stderr],
    [64, 'error no completion for "csh": give a shell after spile completion, one of bash, zsh, fish\n'],
  );
  assert.equal((await spileHere(["completion"])).code, 64);
});
