import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { loadDocument } from "../../src/config/load.ts";
import { SpileError } from "../../src/core/errors.ts";
import { read, sound } from "./reading.ts";

const broken: readonly (readonly [text: string, message: string])[] = [
  ["", "c.json:1:1: the file is empty"],
  [" \n\n", "c.json:1:1: the file is empty"],
  ["// only this", "c.json:1:13: expected a value"],
  ['{"a": 1,}', "c.json:1:8: a trailing comma is not allowed"],
  ['{\n  "a": [1, 2,\n  ]\n}', "c.json:2:13: a trailing comma is not allowed"],
  ['{\r\n"a": 1,\r\n"a": 2}', 'c.json:3:1: the key "a" is given twice (first at line 2)'],
  ['{"a": {"b": 1, "b": 1}}', 'c.json:1:16: the key "b" is given twice (first at line 1)'],
  ['[{"a": 1, "a": 2}, {"b": 1, "b": 2}]', 'c.json:1:11: the key "a" is given twice (first at line 1)'],
  ['{"a": 1, "a": {"b": 1, "b": 2}}', 'c.json:1:10: the key "a" is given twice (first at line 1)'],
  ['{"a": 1, "a": 2,}', "c.json:1:16: a trailing comma is not allowed"],
  ['{"a" 1}', "c.json:1:6: expected a colon after the key"],
  ['{"a": 1 "b": 2}', "c.json:1:9: expected a comma"],
  ['{"a": 1', 'c.json:1:8: expected a closing "}"'],
  ["[1", 'c.json:1:3: expected a closing "]"'],
  ['{"a": 1}}', "c.json:1:9: expected the end of the file after the closing bracket"],
  ['{"a": "x', 'c.json:1:7: a string is not closed with "'],
  ['{"a": "\\x"}', "c.json:1:7: a backslash in a string begins an unknown escape (write \\\\ for a backslash)"],
  ['{"a": "\\u12"}', "c.json:1:7: a \\u escape needs four hexadecimal digits"],
  ['{"a": "\t"}', "c.json:1:7: a string holds a control character (write \\t, \\n or \\u00XX)"],
  ["{'a': 1}", "c.json:1:2: expected a value: a string or key in double quotes, a number, true, false, null, { or ["],
  ['{"a": 1.5e}', "c.json:1:7: a number is not complete"],
  ['{"a": 01}', "c.json:1:8: expected a comma"],
  ["/* open", "c.json:1:1: a comment is not closed"],
];

describe("faults of syntax", () => {
  for (const [text, message] of broken) {
    it(`${JSON.stringify(text)} is reported with its place`, () => {
      assert.throws(() => loadDocument(text, "c.json"), { name: "SpileError", code: "ERR_CONFIGURATION", message });
    });
  }

  it("a byte order mark, CRLF and comments are accepted", () => {
    const text = `\uFEFF// a comment\r\n${JSON.stringify(sound, null, 2).replaceAll("\n", " /* x */\r\n")}`;
    assert.deepEqual(read(text).configuration, read(sound).configuration);
  });

  it("more than 200 levels are refused, with the place", () => {
    const text = `${'{"a":'.repeat(300)}1${"}".repeat(300)}`;
    assert.throws(() => loadDocument(text, "c.json"), { message: "c.json:1:1006: nested more than 200 levels deep" });
  });

  it("endless nesting is refused without a crash", () => {
    assert.throws(
      () => loadDocument("[".repeat(200_000), "c.json"),
      (error: unknown) => error instanceof SpileError && /c\.json: nested too deeply/.test(error.message),
    );
  });

  for (const [text, line] of [
    ["[]", "/: must be an object, not an empty list"],
    ['"x"', '/: must be an object, not "x"'],
    ["null", "/: must be an object, not null"],
    ["{}", '/: "api" is missing: an object\n/: "config" is missing: an object'],
  ]) {
    it(`${text} is no configuration`, () => {
      assert.throws(() => read(text), { name: "ConfigurationError", message: line });
    });
  }
});

test("the error about a configuration in YAML says that a configuration is JSON", () => {
  const message = (text: string): string => {
    try {
      loadDocument(text, "config.yaml");
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  for (const text of ["# mine\n---\napi:\n  baseUrl: x\n", "- a\n- b\n", "config: {}\r\n"]) {
    assert.match(message(text), /^config\.yaml:\d+:\d+: .*; this looks like YAML, and a configuration is JSON$/, text);
  }
  for (const text of ['{"a": 1,}', "api = 1", "{api: 1}", "", "nonsense"])
    assert.doesNotMatch(message(text), /YAML/, text);
});
