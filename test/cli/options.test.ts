import assert from "node:assert/strict";
import { test } from "node:test";
import { helpText } from "../../src/cli/help.ts";
import { options } from "../../src/cli/option-table.ts";
import { completions, parseArguments } from "../../src/cli/options.ts";
import { count, duration, rate, setting, size } from "../../src/cli/quantities.ts";
import { exitCodes, SpileError } from "../../src/core/errors.ts";

const exists = (path: string) => path === "config.json" || path === "dmeo.json";
const parse = (line: string) => parseArguments(line.split(" ").filter(Boolean), exists);

function usageError(line: string): string {
  try {
    parse(line);
  } catch (error) {
    assert.ok(error instanceof SpileError, String(error));
    assert.equal(error.exitCode, exitCodes.usage);
    assert.doesNotMatch(error.message, /\n/);
    return error.message;
  }
  return assert.fail(`${line} is taken`);
}

test("durations, sizes, rates and counts", () => {
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

test("a command line in every spelling", () => {
  const table = [
    ["config.json", { command: "run", config: "config.json", options: {} }],
    ["-", { command: "run", config: "-", options: {} }],
    ["-- -odd", { command: "run", config: "-odd", options: {} }],
    ["check -", { command: "check", config: "-", options: {} }],
    ["-v check config.json", { command: "check", config: "config.json", options: { verbose: true } }],
    ["- --max-records 5 --tag", { command: "run", config: "-", options: { "max-records": 5, tag: true } }],
    ["--max-records=5 -", { command: "run", config: "-", options: { "max-records": 5 } }],
    ["-o out -", { command: "run", config: "-", options: { output: "out" } }],
    ["-oout -", { command: "run", config: "-", options: { output: "out" } }],
    ["-vo=out -", { command: "run", config: "-", options: { verbose: true, output: "out" } }],
    ["- -o -", { command: "run", config: "-", options: { output: "-" } }],
    ["- -v -v", { command: "run", config: "-", options: { verbose: true } }],
    ["- --strict true", undefined],
    ["--job a --job b -", { command: "run", config: "-", options: { job: ["a", "b"] } }],
    [
      "--set id=00123 --set x= -",
      {
        command: "run",
        config: "-",
        options: {
          set: [
            ["id", "00123"],
            ["x", ""],
          ],
        },
      },
    ],
    ["demo --serve --port 0", { command: "demo", config: undefined, options: { serve: true, port: 0 } }],
    ["schema", { command: "schema", config: undefined, options: {} }],
    ["-hq", { command: "help", config: undefined, options: { help: true, quiet: true } }],
    ["--version", { command: "version", config: undefined, options: { version: true } }],
    ["missing.json", { command: "run", config: "missing.json", options: {} }],
    ["dmeo.json", { command: "run", config: "dmeo.json", options: {} }],
  ] as const;
  for (const [line, expected] of table) {
    if (expected === undefined) usageError(line);
    else assert.deepEqual(parse(line), { ...expected, words: [] }, line);
  }
});

test("mistakes of the command line name the option and what would be right", () => {
  const table = [
    ["", /^usage: spile/],
    ["--tag", /^usage: spile/],
    ["check", /no configuration is given: spile check config\.json/],
    ["--max-recods 5 config.json", /^unknown option --max-recods, did you mean --max-records\?$/],
    ["config.json --frobnicate", /^unknown option --frobnicate, see spile --help$/],
    ["config.json -z", /^unknown option -z/],
    ["config.json --constructor x", /^unknown option --constructor/],
    ["config.json --__proto__=x", /^unknown option --__proto__/],
    ["config.json --no-strict", /^unknown option --no-strict/],
    ["chek config.json", /^unknown command "chek", did you mean spile check\?$/],
    ["dmeo", /^unknown command "dmeo", did you mean spile demo\?$/],
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
    ["config.json --max-wait soon", /^option --max-wait: "soon" is not a duration such as/],
    ["config.json --hold 8MB", /^option --hold: "8MB" is not a size such as/],
    ["config.json --log-format xml", /^option --log-format: "xml" is not one of text, json$/],
    ["config.json --rate 5/d", /^option --rate: "5\/d" is not a rate such as/],
    ["config.json --serve", /^option --serve belongs to spile demo$/],
    ["config.json -qv", /^options --quiet and --verbose exclude each other$/],
    ["config.json -o a --split b", /^options --output and --split exclude each other$/],
    ["demo --port 65536", /^option --port: "65536" is not a whole number from 0 to 65535$/],
  ] as const;
  for (const [line, message] of table) assert.match(usageError(line), message, line);
  assert.doesNotMatch(usageError("config.json --set hunter2"), /hunter2/);
  assert.match(usageError("config.json --set hunter2"), /of the form name=value/);
});

test("the help begins with examples, names every option once and keeps its width", () => {
  for (const width of [72, 200]) {
    const lines = helpText(width).split("\n");
    assert.match(lines.slice(0, 3).join("\n"), /^Usage: .*\n\nExamples:$/);
    assert.ok(Math.max(...lines.slice(10).map((line) => line.length)) <= Math.min(width, 100));
    for (const name of options.keys()) {
      assert.equal(lines.filter((line) => new RegExp(`^  .{4}--${name}( |$)`).test(line)).length, 1, name);
    }
  }
});

test("completion offers commands, options and an option's choices", async () => {
  assert.ok((await completions(["spile", ""])).includes("check"));
  assert.ok((await completions(["spile", "--ma"])).includes("--max-records"));
  assert.deepEqual(await completions(["spile", "--log-format", ""]), ["text", "json"]);
});
