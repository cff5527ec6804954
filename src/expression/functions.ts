import { counted } from "../core/text/counted.ts";
import { percentEncodeByte } from "../core/text/percent-encoding.ts";
import { isObject, parseValue, type Value, type ValueObject } from "../core/values/value.ts";
import { jsonWebToken } from "./jwt.ts";
import { type Pattern, PatternFault, patternOf } from "./pattern.ts";
import { date } from "./php/date.ts";
import { digest, keyedDigest } from "./php/hash.ts";
import {
  bytesOf,
  decode,
  FunctionFault,
  fractionOf,
  integerOf,
  isEmpty,
  isTrue,
  MissingPart,
  type PhpOperand,
  secondsOf,
  textOf,
  textOrBytes,
} from "./php/operand.ts";
import { sprintf } from "./php/sprintf.ts";
import { strtotime } from "./php/strtotime.ts";
import { offsetAt } from "./php/time-zone.ts";

/** A function of expressions (contract C-4.5). A function that PHP has works as it does in PHP. */
export interface ExpressionFunction {
  /** The call, with brackets around optional arguments. Error messages, the help and an editor show it. */
  readonly usage: string;
  /** The result, or what the function does, in a few words. */
  readonly describe: string;
  readonly arity: readonly [least: number, most: number];
  /** True if the result is a time. It is never masked: it reveals nothing of a secret argument, and masking would hide dates everywhere. */
  readonly time?: true;
  /** Index of the argument that is a regular expression. It is checked before the run even if other arguments come from an answer. */
  readonly pattern?: number;
  /** Evaluates the function. `now` is in Unix seconds. Throws `FunctionFault`. */
  call(args: readonly PhpOperand[], now: number): PhpOperand;
}

const unlimited = Number.POSITIVE_INFINITY;

/** All functions. A new one is an entry here and a row in the table test. */
export const functions: Readonly<Record<string, ExpressionFunction>> = {
  md5: {
    usage: "md5(text[, binary])",
    describe: "the MD5 digest, in hexadecimal",
    arity: [1, 2],
    call: ([text = "", binary]) => hexOrRaw(digest("md5", bytesOf(text)), binary),
  },
  sha1: {
    usage: "sha1(text[, binary])",
    describe: "the SHA-1 digest, in hexadecimal",
    arity: [1, 2],
    call: ([text = "", binary]) => hexOrRaw(digest("sha1", bytesOf(text)), binary),
  },
  hash: {
    usage: "hash(algorithm, text[, encoding])",
    describe: 'a digest, in hexadecimal or in the encoding "base64" or "base64url"',
    arity: [2, 3],
    call: ([algorithm = "", text = "", encoding]) => encodeBytes(digest(textOf(algorithm), bytesOf(text)), encoding),
  },
  hash_hmac: {
    usage: "hash_hmac(algorithm, text, key[, encoding])",
    describe: "a keyed digest, in the same encodings as hash",
    arity: [3, 4],
    call: ([algorithm = "", text = "", key = "", encoding]) =>
      encodeBytes(keyedDigest(textOf(algorithm), bytesOf(text), bytesOf(key)), encoding),
  },
  base64_encode: {
    usage: "base64_encode(text)",
    describe: "base64",
    arity: [1, 1],
    call: ([text = ""]) => bytesOf(text).toString("base64"),
  },
  base64url_encode: {
    usage: "base64url_encode(text)",
    describe: "base64 for addresses, without padding",
    arity: [1, 1],
    call: ([text = ""]) => bytesOf(text).toString("base64url"),
  },
  jwt: {
    usage: "jwt(algorithm, key, claims[, header])",
    describe: "a signed JSON Web Token",
    arity: [3, 4],
    call: ([algorithm = "", key = "", claims = {}, header = {}]) =>
      jsonWebToken(textOf(algorithm), textOf(key), objectOf(claims), objectOf(header)),
  },
  time: { usage: "time()", describe: "Unix time now", arity: [0, 0], time: true, call: (_args, now) => now },
  date: {
    usage: "date(format[, time[, time zone]])",
    describe: 'a time as text, as in PHP, in UTC or a zone such as Europe/Prague: "Y-m-d H:i:s"',
    arity: [1, 3],
    time: true,
    call: ([format = "", time, zone], now) =>
      date(textOf(format), { time: secondsOf(time, now), fraction: fractionOf(time), zone: zoneOf(zone) }),
  },
  strtotime: {
    usage: "strtotime(text[, base time])",
    describe: 'a text as Unix time, as in PHP, in UTC: "-7 days", "first day of last month"',
    arity: [1, 2],
    time: true,
    call: ([text = "", base], now) => strtotime(textOf(text), secondsOf(base, now)),
  },
  sprintf: {
    usage: "sprintf(format, value, ...)",
    describe: "formats values, as in PHP",
    arity: [1, unlimited],
    call: ([format = "", ...values]) => textOrBytes(sprintf(bytesOf(format), values)),
  },
  concat: {
    usage: "concat(text, ...)",
    describe: "joins texts",
    arity: [0, unlimited],
    call: (args) => joinTexts("", args),
  },
  implode: {
    usage: "implode(delimiter, list)",
    describe: "joins the values of a list",
    arity: [1, 2],
    call: ([delimiter = "", list]) =>
      list === undefined ? joinTexts("", listOf(delimiter)) : joinTexts(delimiter, listOf(list)),
  },
  ifempty: {
    usage: "ifempty(value, otherwise)",
    describe: "the second value if the first is empty",
    arity: [2, 2],
    call: ([value = null, otherwise = null]) => (isEmpty(value) ? otherwise : value),
  },
  split: {
    usage: "split(text, separator[, index])",
    describe: "a part of a text: index 0 is the first part, -1 the last; without an index, the list of all parts",
    arity: [2, 3],
    call: ([text = "", separator = "", index]) =>
      index === undefined
        ? partsOf(textOf(text), textOf(separator))
        : partOf(textOf(text), textOf(separator), integerOf(index)),
  },
  each: {
    usage: "each(text, list)",
    describe: "a list for an endpoint: the text once for each value of a list, with the encoded value instead of {}",
    arity: [2, 2],
    call: ([text = "", list = []]) => {
      const pieces = textOf(text).split("{}");
      return listOf(list).map((value) => pieces.join(percentEncodeBytes(bytesOf(value))));
    },
  },
  regex: {
    usage: "regex(text, pattern[, group])",
    describe: "the first match of a regular expression in a text, or a group of it",
    arity: [2, 3],
    pattern: 1,
    call: ([text = "", pattern = "", group = 0]) => matchOf(textOf(text), textOf(pattern), integerOf(group)),
  },
  json_decode: {
    usage: "json_decode(text)",
    describe: "the value of a JSON text, such as a number",
    arity: [1, 1],
    call: ([text = ""]) => jsonValue(textOf(text)),
  },
  urlencode: {
    usage: "urlencode(text)",
    describe: "encodes a text for a query; a space becomes +",
    arity: [1, 1],
    call: ([text = ""]) => formEncode(bytesOf(text)),
  },
  rawurlencode: {
    usage: "rawurlencode(text)",
    describe: "encodes a text for an address; a space becomes %20",
    arity: [1, 1],
    call: ([text = ""]) => percentEncodeBytes(bytesOf(text)),
  },
};

export function functionOf(name: string): ExpressionFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** Returns the message for a wrong number of arguments; undefined if the number is right. */
export function arityFault(
  name: string,
  { usage, arity: [least, most] }: ExpressionFunction,
  count: number,
): string | undefined {
  if (count >= least && count <= most) return undefined;
  const arity = most === least ? `${least}` : most === unlimited ? `at least ${least}` : `${least} to ${most}`;
  const one = (most === unlimited ? least : most) === 1;
  return `function "${name}" takes ${arity} argument${one ? "" : "s"}, ${count} given: ${usage}`;
}

function hexOrRaw(bytes: Buffer, binary: PhpOperand | undefined): PhpOperand {
  return isTrue(binary) ? bytes : bytes.toString("hex");
}

/** Encodes bytes as "hex", "base64" or "base64url" (unpadded). Any other value is PHP's flag for raw bytes. */
function encodeBytes(bytes: Buffer, encoding: PhpOperand | undefined): PhpOperand {
  const knownEncoding = (["hex", "base64", "base64url"] as const).find((name) => name === encoding);
  return knownEncoding === undefined ? hexOrRaw(bytes, encoding) : bytes.toString(knownEncoding);
}

/** Returns the time zone that an argument names; undefined without one, which means UTC. Throws FunctionFault. */
function zoneOf(operand: PhpOperand | undefined): string | undefined {
  if (operand === undefined || operand === null) return undefined;
  const name = textOf(operand);
  if (offsetAt(name, 0) !== undefined) return name;
  throw new FunctionFault("is not a time zone such as Europe/Prague", name);
}

/** Returns an argument as a JSON object. An empty list counts as an empty object, as in PHP. */
function objectOf(operand: PhpOperand): ValueObject {
  const value = jsonOf(operand);
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw new FunctionFault("takes claims and headers as objects");
}

function jsonOf(operand: PhpOperand): Value {
  if (Buffer.isBuffer(operand)) return decode(operand);
  if (Array.isArray(operand)) return operand.map(jsonOf);
  if (!isObject(operand)) return operand as Value;
  return Object.fromEntries(
    Object.entries(operand as { [key: string]: PhpOperand }).map(([key, item]) => [key, jsonOf(item)]),
  );
}

function jsonValue(text: string): PhpOperand {
  try {
    return parseValue(text);
  } catch {
    throw new FunctionFault("is not JSON", text);
  }
}

function joinTexts(delimiter: PhpOperand, parts: readonly PhpOperand[]): PhpOperand {
  if (![delimiter, ...parts].some((part) => Buffer.isBuffer(part))) return parts.map(textOf).join(textOf(delimiter));
  const pieces = parts.flatMap((part, index) => (index === 0 ? [bytesOf(part)] : [bytesOf(delimiter), bytesOf(part)]));
  return textOrBytes(Buffer.concat(pieces));
}

function listOf(operand: PhpOperand): readonly PhpOperand[] {
  if (Array.isArray(operand)) return operand;
  throw new FunctionFault("takes a list of values");
}

function partsOf(text: string, separator: string): readonly string[] {
  if (separator === "") throw new FunctionFault("needs a separator that is not empty");
  return text.split(separator);
}

/**
 * Returns one part between separators; a negative index counts from the end. The parts are counted first, so that no list of
 * them is needed.
 */
function partOf(text: string, separator: string, index: number): string {
  if (separator === "") throw new FunctionFault("needs a separator that is not empty");
  let count = 1;
  for (let place = text.indexOf(separator); place >= 0; place = text.indexOf(separator, place + separator.length))
    count++;
  const wantedIndex = index < 0 ? count + index : index;
  if (wantedIndex < 0 || wantedIndex >= count)
    throw new MissingPart(`has ${counted(count, "part")}, none with index ${index}`, text);
  let begin = 0;
  for (let separators = 0; separators < wantedIndex; separators++)
    begin = text.indexOf(separator, begin) + separator.length;
  const end = text.indexOf(separator, begin);
  return end < 0 ? text.slice(begin) : text.slice(begin, end);
}

/** Maximum number of characters of a text that is searched for a pattern. */
const maxSearchLength = 10_000;

function matchOf(text: string, source: string, group: number): string {
  if (text.length > maxSearchLength) {
    throw new MissingPart(`has ${text.length} characters; at most ${maxSearchLength} are searched for a pattern`, text);
  }
  const pattern = compilePattern(source);
  if (group < 0 || group > pattern.groups) {
    throw new FunctionFault(`the pattern has ${counted(pattern.groups, "group")}, but no group ${group}`);
  }
  const found = pattern.find(text, group);
  if (found === undefined) {
    throw new MissingPart(`has no match of ${JSON.stringify(source)}${group === 0 ? "" : `, group ${group}`}`, text);
  }
  return found;
}

function compilePattern(source: string): Pattern {
  try {
    return patternOf(source);
  } catch (error) {
    if (error instanceof PatternFault) throw new FunctionFault(`the pattern ${error.message}`);
    throw error;
  }
}

function percentEncodeBytes(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[^A-Za-z0-9_.~-]/g, percentEncodeByte);
}

function formEncode(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/[^A-Za-z0-9_.-]/g, (byte) => (byte === " " ? "+" : percentEncodeByte(byte)));
}
