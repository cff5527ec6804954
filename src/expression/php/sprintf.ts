import { fixedDigits, fractionOf, integerOf, numeral, significantDigits } from "./number.ts";
import { bytesOf, FunctionFault, type PhpOperand } from "./operand.ts";

/** The flags, width and precision of one directive such as `%-5.2f`. */
interface Directive {
  readonly left: boolean;
  readonly plus: boolean;
  readonly fill: string;
  readonly width: number;
  readonly precision: number | undefined;
}

/** Maximum number of bytes of a result. */
const maxBytes = 64 * 2 ** 20;

/** Maximum number of digits after the point that PHP prints. */
const maxPrecision = 53;

/**
 * Formats values as PHP's `sprintf` does: argument numbers (`%2$s`), flags `-` `+` `0` space and `'x`, width and precision
 * (also `*`), and the specifiers b c d e E f F g G h H o s u x X. PHP's strings are bytes, so the width and precision of `%s`
 * count bytes. Integers keep all their digits (contract C-4.5). No library does this: locutus computes b, o, u, x in 32 bits and
 * rounds ties upwards.
 */
export function sprintf(format: Buffer, args: readonly PhpOperand[]): Buffer {
  let next = 0;
  let length = 0;
  const take = (number?: string): PhpOperand => {
    if (number !== undefined && Number(number) === 0)
      throw new FunctionFault("argument numbers in a format begin with 1");
    const index = number === undefined ? next++ : Number(number) - 1;
    const operand = args[index];
    if (operand === undefined)
      throw new FunctionFault(`the format uses value ${index + 1}, but the number of values is ${args.length}`);
    return operand;
  };
  const size = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const value = text.startsWith("*")
      ? Number(integerOf(numeral(take(text.slice(1, -1) || undefined))))
      : Number(text);
    if (value >= 0 && value <= 1_000_000) return value;
    throw new FunctionFault("the width and precision in a format must be from 0 to 1000000");
  };
  // Without the limit of 1,000 flags, the matcher could exceed the stack.
  const directive =
    /%(?:%|(?:(\d+)\$)?((?:[-+0 ]|'[\s\S]){0,1000})(\*(?:\d+\$)?|\d+)?(?:\.(\*(?:\d+\$)?|\d*))?l?([\s\S])?)/g;
  const formatted = format.toString("latin1").replace(directive, (all: string, ...parts: (string | undefined)[]) => {
    if (all === "%%") return "%";
    const [number, flags = "", width, precision, specifier] = parts;
    if (specifier === undefined) throw new FunctionFault("the format ends within a directive");
    if (specifier === "%") throw new FunctionFault("a percent sign in a format must be written as %%");
    const print = Object.hasOwn(specifiers, specifier) ? specifiers[specifier] : undefined;
    if (print === undefined) {
      throw new FunctionFault(
        `is not a specifier of a format; use one of ${Object.keys(specifiers).join(" ")}`,
        specifier,
      );
    }
    const widthNumber = size(width) ?? 0;
    const precisionNumber = precision === "" ? undefined : size(precision);
    const text = print(take(number), { ...flagsOf(flags), width: widthNumber, precision: precisionNumber });
    length += text.length;
    if (length > maxBytes) throw new FunctionFault(`gives more than ${maxBytes} bytes`);
    return text;
  });
  return Buffer.from(formatted, "latin1");
}

function flagsOf(flags: string): Pick<Directive, "left" | "plus" | "fill"> {
  const result = { left: false, plus: false, fill: " " };
  for (const flag of flags.match(/'[\s\S]|[\s\S]/g) ?? []) {
    if (flag === "-") result.left = true;
    else if (flag === "+") result.plus = true;
    else result.fill = flag.slice(-1);
  }
  return result;
}

function padText(text: string, { left, fill, width }: Directive): string {
  return left ? text.padEnd(width, fill) : text.padStart(width, fill);
}

/** Pads a number. Zeros go between sign and digits. An integer gets spaces instead of zeros on the right, where they would change it. */
function padNumber(sign: string, digits: string, directive: Directive, integer = false): string {
  if (directive.fill !== "0") return padText(sign + digits, directive);
  if (!directive.left) return sign + digits.padStart(directive.width - sign.length, "0");
  return (sign + digits).padEnd(directive.width, integer ? " " : "0");
}

function signOf(negative: boolean, { plus }: Directive): string {
  return negative ? "-" : plus ? "+" : "";
}

type Print = (operand: PhpOperand, directive: Directive) => string;

/** Returns the digits of an operand's integer; a negative one is in two's complement of 64 bits. */
function unsignedDigits(operand: PhpOperand, base: number): string {
  const integer = integerOf(numeral(operand));
  return (integer < 0n ? BigInt.asUintN(64, integer) : integer).toString(base);
}

/** Returns the printer of integers in a base. A precision is an error here; PHP would print nothing at all. */
function inBase(base: number, upper = false): Print {
  return (operand, directive) => {
    if (directive.precision !== undefined)
      throw new FunctionFault("a precision cannot be combined with %b, %o, %x and %X");
    const digits = unsignedDigits(operand, base);
    return padText(upper ? digits.toUpperCase() : digits, directive);
  };
}

const decimal: Print = (operand, directive) => {
  const integer = integerOf(numeral(operand));
  return padNumber(signOf(integer < 0n, directive), String(integer < 0n ? -integer : integer), directive, true);
};

const fixed: Print = (operand, directive) => {
  const fraction = fractionOf(numeral(operand));
  const digits = fixedDigits(fraction, Math.min(directive.precision ?? 6, maxPrecision));
  return padNumber(signOf(fraction.negative, directive), digits, directive);
};

function exponential(letter: string): Print {
  return (operand, directive) => {
    const fraction = fractionOf(numeral(operand));
    const places = Math.min(directive.precision ?? 6, maxPrecision);
    const { digits, exponent } = significantDigits(fraction, places + 1);
    const text = `${digits[0]}${places === 0 ? "" : `.${digits.slice(1)}`}${letter}${exponentText(exponent)}`;
    return padNumber(signOf(fraction.negative, directive), text, directive);
  };
}

/**
 * Returns the printer of `%g`: the exponential form if the exponent is below -4 or at least the precision, else the fixed form.
 * Trailing zeros are dropped, but PHP writes "1.0e+6" where C writes "1e+06".
 */
function general(letter: string): Print {
  return (operand, directive) => {
    const fraction = fractionOf(numeral(operand));
    const count = Math.min(directive.precision ?? 6, maxPrecision) || 1;
    const { digits, exponent } = significantDigits(fraction, count);
    const short = digits.replace(/(?<!0)0+$/, "") || "0";
    let text: string;
    if (exponent < -4 || exponent >= count) {
      text = `${short[0]}.${short.slice(1) || "0"}${letter}${exponentText(exponent)}`;
    } else if (exponent < 0) text = `0.${"0".repeat(-exponent - 1)}${short}`;
    else {
      const rest = short.slice(exponent + 1);
      text = short.slice(0, exponent + 1).padEnd(exponent + 1, "0") + (rest === "" ? "" : `.${rest}`);
    }
    return padNumber(signOf(fraction.negative, directive), text, directive);
  };
}

function exponentText(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

const specifiers: Readonly<Record<string, Print>> = {
  b: inBase(2),
  c: (operand) => String.fromCharCode(Number(BigInt.asUintN(8, integerOf(numeral(operand))))),
  d: decimal,
  e: exponential("e"),
  E: exponential("E"),
  f: fixed,
  F: fixed,
  g: general("e"),
  G: general("E"),
  h: general("e"),
  H: general("E"),
  o: inBase(8),
  s: (operand, directive) => padText(bytesOf(operand).toString("latin1").slice(0, directive.precision), directive),
  u: (operand, directive) => padNumber("", unsignedDigits(operand, 10), directive, true),
  x: inBase(16),
  X: inBase(16, true),
};
