import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments } from "../../src/cli/arguments.ts";
import { options } from "../../src/cli/option-table.ts";
import { count, duration, rate, setting, size } from "../../src/config/quantities.ts";
import { exitCodes, SpileError } from "../../src/core/errors.ts";

const exists = (path: string) => path === "config.json" || path === "dmeo.json";
const parse = (line: string) => parseArguments(line.split(" ").filter(Boolean), exists);

async function usageError(line: string): Promise<string> {
  try {
    await parse(line);
  } catch (error) {
    assert.ok(error instanceof SpileError, String(error));
    assert.equal(error.exitCode, exitCodes.usage);
    assert.doesNotMatch(error.message, /\n/);
    return error.message;
  }
  return assert.fail(`${line} is accepted`);
}

test("durations, sizes, rates and counts are read with their units", () => {
  const table = [
    [duration, "90", 90_000],
    [duration, "90s", 90_000],
    [duration, "15m", 900_000],
    [duration, "2h", 7_200_000],
    [duration, "1d", 86_400_000],
    [duration, "500ms", 500],
    [duration, "1.5s", 1500],
    [duration, "0", 0],
    [size, "65536", 65_536],
    [size, "64M", 67_108_864],
    [size, "8MiB", 8_388_608],
    [size, "1g", 1_073_741_824],
    [size, "1.5k", 1536],
    [size, "7B", 7],
    [rate, "10/s", 10],
    [rate, "10", 10],
    [rate, "120/m", 2],
    [rate, "7200/h", 2],
    [count(1), "12", 12],
    [count(0), "0", 0],
  ] as const;
  for (const [kind, text, expected] of table) assert.equal(kind.read(text), expected, text);
  for (const text of [
    "",
    "-1",
    "1e3",
    " 1",
    "15 m",
    "m",
    "1.5",
    "1.2.3",
    "9x",
    "NaN",
    "Infinity",
    "1/0",
    "99999999T",
  ]) {
    if (text !== "1.5") assert.equal(duration.read(text), undefined, text);
    assert.equal(size.read(text), undefined, text);
    assert.equal(count(1).read(text), undefined, text);
  }
  for (const text of ["0/s", "10/d", "/s", "fast", "-1/s"]) assert.equal(rate.read(text), undefined, text);
  assert.equal(count(1).read("0"), undefined);
  assert.equal(count(1, 5).read("6"), undefined);
  assert.deepEqual(setting.read("a=b=c"), ["a", "b=c"]);
  assert.deepEqual(setting.read("#a="), ["#a", ""]);
  assert.equal(setting.read("=a"), undefined);
  assert.equal(setting.read("a"), undefined);
});

test("a command line is read in every allowed spelling", async () => {
  const table = [
    ["config.json", { command: "run", operands: ["config.json"], options: {} }],
    ["-", { command: "run", operands: ["-"], options: {} }],
    ["-o out -- --output", { command: "run", operands: ["--output"], options: { output: "out" } }],
    ["-- -odd", { command: "run", operands: ["-odd"], options: {} }],
    ["check -", { command: "check", operands: ["-"], options: {} }],
    ["-v check config.json", { command: "check", operands: ["config.json"], options: { verbose: true } }],
    ["- --max-records 5 --tag", { command: "run", operands: ["-"], options: { "max-records": 5, tag: true } }],
    ["--max-records=5 -", { command: "run", operands: ["-"], options: { "max-records": 5 } }],
    ["-o out -", { command: "run", operands: ["-"], options: { output: "out" } }],
    ["-oout -", { command: "run", operands: ["-"], options: { output: "out" } }],
    ["-vo=out -", { command: "run", operands: ["-"], options: { verbose: true, output: "out" } }],
    ["- -o -", { command: "run", operands: ["-"], options: { output: "-" } }],
    ["- -v -v", { command: "run", operands: ["-"], options: { verbose: true } }],
    ["- --strict true", undefined],
    ["--job a --job b -", { command: "run", operands: ["-"], options: { job: ["a", "b"] } }],
    [
      "--set id=00123 --set x= -",
      {
        command: "run",
        operands: ["-"],
        options: {
          set: [
            ["id", "00123"],
            ["x", ""],
          ],
        },
      },
    ],
    ["demo --serve --port 0", { command: "demo", operands: [], options: { serve: true, port: 0 } }],
    ["schema -o x", { command: "schema", operands: [], options: { output: "x" } }],
    ["help paging", { command: "help", operands: ["paging"], options: {} }],
    ["completion zsh", { command: "completion", operands: ["zsh"], options: {} }],
    ["check -h", { command: "help", operands: ["check"], options: { help: true } }],
    ["check x.json --env a.env", { command: "check", operands: ["x.json"], options: { env: "a.env" } }],
    ["- -o x --summary -", { command: "run", operands: ["-"], options: { output: "x", summary: "-" } }],
    ["--complete spile --x", { command: "complete", operands: ["spile", "--x"], options: {} }],
    ["-hq", { command: "help", operands: [], options: { help: true, quiet: true } }],
    ["--version", { command: "version", operands: [], options: { version: true } }],
    ["missing.json", { command: "run", operands: ["missing.json"], options: {} }],
    ["dmeo.json", { command: "run", operands: ["dmeo.json"], options: {} }],
  ] as const;
  for (const [line, expected] of table) {
    if (expected === undefined) await usageError(line);
    else assert.deepEqual(await parse(line), expected, line);
  }
});

test("a message about a wrong command line names the option and the right form", async () => {
  const table = [
    ["", /^usage: spile/],
    ["--tag", /^usage: spile/],
    ["check", /no configuration is given: spile check config\.json/],
    ["shard plan", /^CONFIG\|PLAN is missing: see spile help shard$/],
    ["--max-recods 5 config.json", /^unknown option --max-recods, did you mean --max-records\?$/],
    ["config.json --frobnicate", /^unknown option --frobnicate, see spile --help$/],
    ["config.json -z", /^unknown option -z/],
    ["config.json --constructor x", /^unknown option --constructor/],
    ["config.json --__proto__=x", /^unknown option --__proto__/],
    ["config.json --no-strict", /^unknown option --no-strict/],
    ["chek config.json", /^unknown command "chek", did you mean spile check\?$/],
    ["dmeo", /^unknown command "dmeo", did you mean spile demo\?$/],
    ["run config.json", /^unknown command "run", to run a configuration, leave the command out: spile config\.json$/],
    ["runn config.json", /^unknown command "runn", see spile --help$/],
    ["config.json other.json", /^unexpected argument "other.json"$/],
    ["schema config.json", /^unexpected argument "config.json"$/],
    ["config.json --max-records", /^option --max-records needs a whole number of at least 1$/],
    ["config.json --max-records --tag", /^option --max-records needs a whole number/],
    ["config.json --max-records foo", /^option --max-records: "foo" is not a whole number of at least 1$/],
    ["config.json --max-records -5", /^option --max-records: "-5" is not a whole number/],
    ["config.json --max-records 0", /^option --max-records: "0" is not/],
    ["config.json --max-records=1e3", /^option --max-records: "1e3" is not/],
    ["config.json --max-records 1 --max-records 1", /^option --max-records is given more than once$/],
    ["config.json -o a --output=b", /^option --output is given more than once$/],
    ["config.json -o", /^option --output needs a value$/],
    ["config.json --output=", /^option --output: "" is not a value$/],
    ["config.json --strict=false", /^option --strict takes no value$/],
    ["config.json --max-depth 65537", /^option --max-depth: "65537" is not a whole number from 1 to 65536$/],
    ["config.json --max-wait soon", /^option --max-wait: "soon" is not a duration such as/],
    ["config.json --hold 8MB", /^option --hold: "8MB" is not a size such as/],
    ["config.json --log-format xml", /^option --log-format: "xml" is not one of text, json$/],
    ["config.json --rate 5/d", /^option --rate: "5\/d" is not a rate such as/],
    ["config.json --serve", /^option --serve belongs to spile demo$/],
    ["schema --tag", /^option --tag is not an option of spile schema, see spile help schema$/],
    ["check config.json -o x", /^option --output is not an option of spile check/],
    ["config.json --env-file x", /^option --env-file is now --env FILE \(Node reads --env-file itself/],
    ["config.json --state -", /^option --state: "-" is not a file$/],
    ["config.json --summary -", /^option --summary: stdout already takes the records; .*-o or --split$/],
    ["config.json -o - --summary -", /^option --summary: stdout already takes the records/],
    ["help a b", /^unexpected argument "b"$/],
    ["#password=hunter2 config.json", /^unknown command "#password=\.\.\.", see spile --help$/],
    ["config.json --set a=1 #password=hunter2", /^unexpected argument "#password=\.\.\."$/],
    ["config.json -qv", /^options --quiet and --verbose exclude each other$/],
    ["config.json -o a --split b", /^options --output and --split exclude each other$/],
    ["demo --port 65536", /^option --port: "65536" is not a whole number from 0 to 65535$/],
  ] as const;
  for (const [line, message] of table) assert.match(await usageError(line), message, line);
  assert.doesNotMatch(await usageError("config.json --set hunter2"), /hunter2/);
  assert.match(await usageError("config.json --set hunter2"), /of the form name=value/);
});

test("an empty value is refused, since it may come from an unset variable", async () => {
  for (const { name, kind, commands } of options) {
    if (kind === undefined) continue;
    const operands = commands.includes("run") ? "config.json" : `${commands[0]} config.json`;
    for (const line of [`${operands} --${name}=`, `${operands} --${name}=x --${name}=`]) {
      if (kind.read("x") === undefined && line.includes("=x")) continue;
      assert.match(await usageError(line), new RegExp(`option --${name}`), line);
    }
  }
});

test("an option takes a value in every command or in none, and no two options share a letter", () => {
  // The words before the command can then be read before the command is known.
  for (const option of options) {
    const others = options.filter((other) => other !== option);
    for (const { name, kind, alias, commands } of others) {
      if (name === option.name) assert.equal(kind === undefined, option.kind === undefined, name);
      if (name === option.name) assert.ok(!commands.some((one) => option.commands.includes(one)), name);
      if (alias !== undefined) assert.notEqual(alias, option.alias, name);
    }
  }
});
