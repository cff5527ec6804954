import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import pagination from "../../../schemas/pagination.json" with { type: "json" };
import { commands } from "../../../src/cli/command-table.ts";
import { chapterNames, chapterSections } from "../../../src/cli/manual/chapters.ts";
import { helpText, sectionsText } from "../../../src/cli/manual/help.ts";
import { manPage } from "../../../src/cli/manual/man-page.ts";
import { options, optionsOf } from "../../../src/cli/option-table.ts";
import { readConfiguration } from "../../../src/compile/read.ts";
import { exitCodes } from "../../../src/core/errors.ts";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { functions } from "../../../src/expression/functions.ts";
import { loadPatterns } from "../../../src/expression/pattern.ts";
import { shell } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

await loadPatterns('"matches"');

const times = (text: string, name: string): number =>
  text.split("\n").filter((line) => new RegExp(`^  .{4}--${name}( |$)`).test(line)).length;

test("the help describes spile with examples, lists each option of a run once, and keeps its width", () => {
  for (const width of [72, 200]) {
    const text = helpText(width);
    assert.match(
      text,
      /^Usage: spile \[options\] CONFIG\n\nWithout a command, spile runs .*\n\nExamples:\n {2}spile demo/s,
    );
    assert.ok(Math.max(...text.split("\n").map((line) => line.length)) <= Math.min(width, 100));
    for (const { name, commands } of options) assert.equal(times(text, name), commands.includes("run") ? 1 : 0, name);
    for (const { name } of commands) assert.equal(text.includes(`\n  spile ${name}`), name !== "run", name);
  }
});

test("each command has its own help with its own options", () => {
  for (const { name } of commands) {
    const text = helpText(80, name);
    assert.match(text, name === "run" ? /^Usage: spile \[options\] CONFIG\n/ : new RegExp(`^Usage: spile ${name} `));
    assert.match(text, /\nExamples:\n {2}spile /);
    const own = optionsOf(name).map((option) => option.name);
    for (const option of options) {
      assert.equal(times(text, option.name), own.includes(option.name) ? 1 : 0, `${name} ${option.name}`);
    }
  }
});

test("the command help shows the help of itself, of commands and of chapters", async () => {
  const same = [
    [["check", "--help"], ["help", "check"], helpText(100, "check")],
    [["--help"], ["help"], helpText(100)],
    [["help", "paging"], ["help", "paging", "-q"], sectionsText(chapterSections("paging"), 100)],
  ] as const;
  for (const [one, other, text] of same) {
    for (const words of [one, other]) {
      assert.deepEqual(await spileHere(words), { code: 0, signal: null, stdout: text, stderr: "" });
    }
  }
  const { code, stderr } = await spileHere(["help", "pagin"]);
  assert.deepEqual([code, stderr], [64, 'error no help on "pagin": did you mean spile help paging?\n']);
});

test("the chapters list every function and every paging method", () => {
  const expressions = sectionsText(chapterSections("expressions"), 80);
  for (const { usage } of Object.values(functions)) assert.ok(expressions.includes(`\n  ${usage}`), usage);
  const paging = sectionsText(chapterSections("paging"), 80);
  for (const { $ref } of pagination.oneOf) {
    const method = $ref.replace(/^pagination\/|\.json$/g, "").replaceAll("-", ".");
    assert.match(paging, new RegExp(`^  ${method} `, "m"), method);
  }
});

test("chapters keep their width, and the chapter on exit codes lists every code", () => {
  for (const name of chapterNames) {
    const text = sectionsText(chapterSections(name), 80);
    // Lines of a configuration are not wrapped.
    const wrapped = text.split("\n").filter((line) => !line.startsWith("    "));
    assert.ok(Math.max(...wrapped.map((line) => line.length)) <= 80, name);
  }
  const codes = [...sectionsText(chapterSections("exit-codes"), 80).matchAll(/^ {2}(\d+) /gm)].map(([, code]) =>
    Number(code),
  );
  assert.deepEqual(codes, Object.values(exitCodes));
});

test("the configurations in chapters pass the check without a warning", () => {
  const parts = chapterNames.flatMap((name) => chapterSections(name).flatMap((section) => section.parts));
  const examples = parts.flatMap((part) => (part.kind === "lines" ? part.lines : []));
  assert.ok(examples.length > 5);
  for (const example of examples) {
    const { api } = JSON.parse(`{${example}}`);
    const document = { api: { baseUrl: "https://api.example.com/", ...api }, config: { jobs: [{ endpoint: "x" }] } };
    const options = { name: "chapter", set: new Map(), environment: {}, strict: true, secrets: new Secrets() };
    assert.deepEqual(readConfiguration(JSON.stringify(document), options).warnings, [], example);
  }
});

test("the man page lists every option, is in the package, and is readable by man", async () => {
  const page = await readFile(new URL("../../../dist/spile.1", import.meta.url), "utf8");
  assert.equal(page, manPage(manifest.version, manifest.description));
  assert.deepEqual(manifest.man, ["./dist/spile.1"]);
  for (const { name } of options) assert.ok(page.includes(`\\-\\-${name.replaceAll("-", "\\-")}`), name);
  for (const { name } of commands) assert.ok(name === "run" || page.includes(`.SS spile ${name}\n`), name);
  const { code, stdout, stderr } = await shell("command -v mandoc > /dev/null || exit 3; mandoc -T lint -W error", {
    stdin: page,
  });
  assert.ok(code === 3 || code === 0, stdout + stderr);
});
