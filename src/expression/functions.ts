import { date } from "./php/date.ts";
import { digest, keyedDigest } from "./php/hash.ts";
import {
  bytesOf,
  FunctionFault,
  isEmpty,
  isTrue,
  type Operand,
  secondsOf,
  textOf,
  textOrBytes,
} from "./php/operand.ts";
import { sprintf } from "./php/sprintf.ts";
import { strtotime } from "./php/strtotime.ts";

/** A function of expressions, as PHP and Generic Extractor define it (contract C-4.5). */
export interface ExpressionFunction {
  /** For error messages; brackets mark what may be left out. */
  readonly usage: string;
  readonly arity: readonly [least: number, most: number];
  /** The result is a time: it gives away nothing of a secret argument, and masking it would blank out dates everywhere. */
  readonly time?: true;
  /** `now` in Unix seconds. Throws `FunctionFault`. */
  call(args: readonly Operand[], now: number): Operand;
}

const many = Number.POSITIVE_INFINITY;

/** Every function. A new one is a line here and a row in the table test. */
export const functions: Readonly<Record<string, ExpressionFunction>> = {
  md5: {
    usage: "md5(text[, binary])",
    arity: [1, 2],
    call: ([text = "", binary]) => encoded(digest("md5", bytesOf(text)), binary),
  },
  sha1: {
    usage: "sha1(text[, binary])",
    arity: [1, 2],
    call: ([text = "", binary]) => encoded(digest("sha1", bytesOf(text)), binary),
  },
  hash: {
    usage: "hash(algorithm, text[, binary])",
    arity: [2, 3],
    call: ([algorithm = "", text = "", binary]) => encoded(digest(textOf(algorithm), bytesOf(text)), binary),
  },
  hash_hmac: {
    usage: "hash_hmac(algorithm, text, key[, binary])",
    arity: [3, 4],
    call: ([algorithm = "", text = "", key = "", binary]) =>
      encoded(keyedDigest(textOf(algorithm), bytesOf(text), bytesOf(key)), binary),
  },
  base64_encode: {
    usage: "base64_encode(text)",
    arity: [1, 1],
    call: ([text = ""]) => bytesOf(text).toString("base64"),
  },
  time: { usage: "time()", arity: [0, 0], time: true, call: (_args, now) => now },
  date: {
    usage: "date(format[, time])",
    arity: [1, 2],
    time: true,
    call: ([format = "", time], now) => date(textOf(format), secondsOf(time, now)),
  },
  strtotime: {
    usage: "strtotime(text[, base time])",
    arity: [1, 2],
    time: true,
    call: ([text = "", base], now) => strtotime(textOf(text), secondsOf(base, now)),
  },
  sprintf: {
    usage: "sprintf(format, value, ...)",
    arity: [1, many],
    call: ([format = "", ...values]) => textOrBytes(sprintf(bytesOf(format), values)),
  },
  concat: { usage: "concat(text, ...)", arity: [0, many], call: (args) => joined("", args) },
  implode: {
    usage: "implode(delimiter, list)",
    arity: [1, 2],
    call: ([delimiter = "", list]) =>
      list === undefined ? joined("", listOf(delimiter)) : joined(delimiter, listOf(list)),
  },
  ifempty: {
    usage: "ifempty(value, otherwise)",
    arity: [2, 2],
    call: ([value = null, otherwise = null]) => (isEmpty(value) ? otherwise : value),
  },
  urlencode: {
    usage: "urlencode(text)",
    arity: [1, 1],
    call: ([text = ""]) => formEncoded(bytesOf(text)),
  },
};

/** The function of that name; undefined where there is none. */
export function functionOf(name: string): ExpressionFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

/** What is wrong with that number of arguments; undefined where nothing is. */
export function arityFault(
  name: string,
  { usage, arity: [least, most] }: ExpressionFunction,
  count: number,
): string | undefined {
  if (count >= least && count <= most) return undefined;
  const wanted = most === least ? `${least}` : most === many ? `at least ${least}` : `${least} to ${most}`;
  const one = (most === many ? least : most) === 1;
  return `function "${name}" takes ${wanted} argument${one ? "" : "s"}, ${count} given: ${usage}`;
}

function encoded(bytes: Buffer, binary: Operand | undefined): Operand {
  return isTrue(binary) ? bytes : bytes.toString("hex");
}

function joined(delimiter: Operand, parts: readonly Operand[]): Operand {
  if (![delimiter, ...parts].some((part) => Buffer.isBuffer(part))) return parts.map(textOf).join(textOf(delimiter));
  const pieces = parts.flatMap((part, index) => (index === 0 ? [bytesOf(part)] : [bytesOf(delimiter), bytesOf(part)]));
  return textOrBytes(Buffer.concat(pieces));
}

function listOf(operand: Operand): readonly Operand[] {
  if (Array.isArray(operand)) return operand;
  throw new FunctionFault("takes a list of the values to join");
}

function formEncoded(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(/[^A-Za-z0-9_.-]/g, (byte) =>
      byte === " " ? "+" : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
}
