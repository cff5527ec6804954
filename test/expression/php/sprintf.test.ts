import assert from "node:assert/strict";
import { test } from "node:test";
import { exactNumber } from "../../../src/core/values/value.ts";
import { sprintf } from "../../../src/expression/php/sprintf.ts";

type Scalar = null | boolean | number | string;

/** A format, its values and the output of PHP 8.2. */
const rows: readonly (readonly [format: string, values: readonly Scalar[], text: string])[] = [
  ["%s", ["apples"], "apples"],
  ["%s", [true], "1"],
  ["%s", [false], ""],
  ["%s", [null], ""],
  ["%s", [5], "5"],
  ["%5s", ["ab"], "   ab"],
  ["%-5s|", ["ab"], "ab   |"],
  ["%05s", ["ab"], "000ab"],
  ["%'*10s", ["x"], "*********x"],
  ["%'.5s", ["x"], "....x"],
  ["%.3s", ["abcdef"], "abc"],
  ["%10.3s|", ["abcdef"], "       abc|"],
  ["%5s|", ["é"], "   é|"],
  ["%-5s|", ["é"], "é   |"],
  ["%+s", ["a"], "a"],
  ["%d", [42], "42"],
  ["%d", [-42], "-42"],
  ["%d", ["12abc"], "12"],
  ["%d", ["abc"], "0"],
  ["%d", ["1e3"], "1000"],
  ["%d", [1.9], "1"],
  ["%d", [-0.9], "0"],
  ["%d", [true], "1"],
  ["%d", [null], "0"],
  ["%05d", [42], "00042"],
  ["%'.05d", [3], "00003"],
  ["%+d", [3], "+3"],
  ["%+d", [0], "+0"],
  ["%+05d", [3], "+0003"],
  ["%05d", [-3], "-0003"],
  ["%-5d|", [12], "12   |"],
  ["%-05d|", [12], "12   |"],
  ["%'x-10d|", [-42], "-42xxxxxxx|"],
  ["% 5d", [3], "    3"],
  ["%.3d", [5], "5"],
  ["%ld", [5], "5"],
  ["%u", [7], "7"],
  ["%u", [-1], "18446744073709551615"],
  ["%c", [65], "A"],
  ["%c%c", [80, 72], "PH"],
  ["%x", [255], "ff"],
  ["%X", [255], "FF"],
  ["%x", [-1], "ffffffffffffffff"],
  ["%08x", [48879], "0000beef"],
  ["%o", [8], "10"],
  ["%b", [5], "101"],
  ["%08b", [5], "00000101"],
  ["%b", [-1], "1111111111111111111111111111111111111111111111111111111111111111"],
  ["%f", [0.5], "0.500000"],
  ["%.2f", [0.5], "0.50"],
  ["%.2f", [1.005], "1.00"],
  ["%.2f", [1.115], "1.11"],
  ["%.1f", [0.25], "0.2"],
  ["%.1f", [0.35], "0.3"],
  ["%.0f", [0.5], "0"],
  ["%.0f", [1.5], "2"],
  ["%.0f", [2.5], "2"],
  ["%F", [1.5], "1.500000"],
  ["%.f", [3.14], "3.140000"],
  ["%5.1f", [3.21159], "  3.2"],
  ["%05.1f", [-3.21159], "-03.2"],
  ["%010.3f", [-5.5], "-00005.500"],
  ["%+.2f", [2], "+2.00"],
  ["%.20f", [0.1], "0.10000000000000000555"],
  ["%f", ["1.5abc"], "1.500000"],
  ["%f", ["abc"], "0.000000"],
  ["%01.2f", ["123.1"], "123.10"],
  ["%e", [12345.678], "1.234568e+4"],
  ["%E", [1.0e-5], "1.000000E-5"],
  ["%.1e", [9.96], "1.0e+1"],
  ["%.0e", [12345], "1e+4"],
  ["%.3e", [0], "0.000e+0"],
  ["%07.2e", [1.5], "1.50e+0"],
  ["%g", [100000], "100000"],
  ["%g", [1000000], "1.0e+6"],
  ["%g", [1.234e-5], "1.234e-5"],
  ["%g", [0.0001], "0.0001"],
  ["%g", [1234.5678], "1234.57"],
  ["%G", [1.0e-10], "1.0E-10"],
  ["%.3g", [1234.5], "1.23e+3"],
  ["%.0g", [12345], "1.0e+4"],
  ["%h", [1.5], "1.5"],
  ["%H", [1.0e25], "1.0E+25"],
  ["%%", [], "%"],
  ["%d%%", [50], "50%"],
  ["%%%s", ["a"], "%a"],
  ["%2$s-%1$s", ["a", "b"], "b-a"],
  ["%1$s%1$s", ["a"], "aa"],
  ["%2$05d %1$s", ["a", 7], "00007 a"],
  ["%s %2$s %s", ["a", "b"], "a b b"],
  ["%*d", [5, 42], "   42"],
  ["%-*s|", [4, "a"], "a   |"],
  ["%.*f", [1, 2.25], "2.2"],
  ["no directive", [], "no directive"],
  ["", ["x"], ""],
  ["%s", ["a", "unused"], "a"],
  ["Three %s are %.2f %s.", ["apples", 0.5, "plums"], "Three apples are 0.50 plums."],
  ["%s", ["100% sure %d"], "100% sure %d"],
];

const print = (format: string, ...values: Parameters<typeof sprintf>[1]) =>
  sprintf(Buffer.from(format), values).toString();

test("sprintf gives the text that PHP gives", () => {
  for (const [format, values, text] of rows)
    assert.equal(print(format, ...values), text, JSON.stringify([format, values]));
});

test("a number of the configuration keeps its digits", () => {
  assert.equal(print("%s", exactNumber("1.10")), "1.10");
  assert.equal(print("%s", exactNumber("1e400")), "1e400");
  assert.equal(print("%d", exactNumber("13911860366432393")), "13911860366432393");
  assert.equal(print("%d", "12345678901234567890123"), "12345678901234567890123");
  assert.equal(print("%020d", exactNumber("-9007199254740993")), "-0009007199254740993");
  assert.equal(print("%.0f", exactNumber("13911860366432393")), "13911860366432393");
  assert.equal(print("%x", exactNumber("9007199254740993")), "20000000000001");
  assert.equal(print("%.2f", exactNumber("1.10")), "1.10");
});

test("width and precision of sprintf count bytes, and a half character keeps its bytes", () => {
  assert.deepEqual(sprintf(Buffer.from("%.1s"), ["é"]), Buffer.from([0xc3]));
  assert.deepEqual(sprintf(Buffer.from("%c"), [200]), Buffer.from([200]));
});

test("a format or a value that sprintf cannot use is a fault", () => {
  const faults: readonly (readonly [format: string, values: readonly Scalar[], message: RegExp])[] = [
    ["%s", [], /uses value 1, but the number of values is 0$/],
    ["%s %s", ["a"], /uses value 2, but the number of values is 1$/],
    ["%3$s", ["a", "b"], /uses value 3, but the number of values is 2$/],
    ["%0$s", ["a"], /begin with 1/],
    ["%k", ["a"], /is not a specifier of a format/],
    ["%i", [1], /is not a specifier of a format/],
    ["%#x", [1], /is not a specifier of a format/],
    ["100%", ["a"], /ends within a directive/],
    ["%5%", ["a"], /written as %%/],
    [`%${"-".repeat(12_000_000)}s`, ["a"], /is not a specifier of a format/],
    ["%.2x", [1], /precision cannot be combined with/],
    ["%9999999s", ["a"], /from 0 to 1000000/],
    ["%*d", [-1, 1], /from 0 to 1000000/],
  ];
  for (const [format, values, message] of faults) {
    assert.throws(() => print(format, ...values), { name: "FunctionFault", message }, format.slice(0, 100));
  }
  assert.throws(() => print("%s", []), { name: "FunctionFault", message: /not a list/ });
  assert.throws(() => print("%s", {}), { name: "FunctionFault", message: /not an object/ });
});
