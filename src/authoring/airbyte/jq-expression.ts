import { isNumber, isObject, type Value, valueText } from "../../core/values/value.ts";
import { objectOf, UnsupportedError } from "../described/values.ts";
import { evaluate } from "./evaluate.ts";
import type { Expression } from "./jinja.ts";
import { type Meaning, pythonText, valueMeaning } from "./meaning.ts";
import { knownValue, type ManifestScope, MissingInSlice, resolvePlace, truth as truthBeforeRun } from "./scope.ts";
import { placeOrNothing } from "./token.ts";

/** Finds the values that an expression does not read from the record itself. */
export interface JqColumns {
  readonly scope: ManifestScope;
  /** Returns the column that spile adds to a record for a placeholder; undefined if there is none. */
  readonly columnOf: (placeholder: string) => string | undefined;
  /** Returns the value of a setting, or `{ "env": ... }` with its environment variable. */
  readonly settingOf: (name: string) => Value | undefined;
}

/** Returns a path in the syntax of jq. */
export function path(steps: readonly string[]): string {
  const keys = steps.map((step) =>
    /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : /^-?\d+$/.test(step) ? `[${step}]` : `[${JSON.stringify(step)}]`,
  );
  const text = keys.join("");
  return text.startsWith(".") ? text : `.${text}`;
}

/** Operators whose results are booleans. */
const booleans = /^(?:==|!=|<|>|<=|>=|in|not|is \w+)$/;

/** Returns whether an expression is true for every record, or false for every record; undefined if it depends on the record. */
function constant(expression: Expression, { scope }: JqColumns): boolean | undefined {
  try {
    return truthBeforeRun(evaluate(expression, scope), scope);
  } catch (error) {
    if (error instanceof UnsupportedError) return undefined;
    throw error;
  }
}

/** Translates an expression into a jq condition. In Python, 0, "", [] and {} are false, too; in jq they are true. */
export function truth(expression: Expression, columns: JqColumns): string {
  const constantResult = constant(expression, columns);
  if (constantResult !== undefined) return String(constantResult);
  if (expression.kind === "call") {
    const { operator, operands } = expression;
    const [left, right] = operands;
    if (operator === "or" && operands.some((one) => constant(one, columns) === true)) return "true";
    if ((operator === "and" || operator === "or") && left !== undefined && right !== undefined)
      return `(${truth(left, columns)} ${operator} ${truth(right, columns)})`;
    if (operator === "not" && left !== undefined) return `(${truth(left, columns)} | not)`;
    if (booleans.test(operator)) return program(expression, columns);
  }
  if (expression.kind === "value" && typeof expression.value === "boolean") return String(expression.value);
  return `(${program(expression, columns)} | . != null and . != false and . != "" and . != 0 and . != [] and . != {})`;
}

/** Translates an expression into a jq program. Throws `UnsupportedError`. */
export function program(expression: Expression, columns: JqColumns): string {
  switch (expression.kind) {
    case "value":
      return JSON.stringify(expression.value);
    case "list":
      return `[${expression.items.map((item) => program(item, columns)).join(", ")}]`;
    case "object": {
      const members = expression.members.map(
        ([key, value]) => `(${program(key, columns)}): ${program(value, columns)}`,
      );
      return `{${members.join(", ")}}`;
    }
    case "name":
      return read(expression, columns);
    case "member":
      return expression.of.kind === "call" && expression.of.operator !== ".get"
        ? element(expression.of, expression.key, columns)
        : read(expression, columns);
    case "call": {
      const write = calls[expression.operator];
      if (write === undefined)
        throw new UnsupportedError(
          `it calls ${expression.operator.replace(/^[.|] ?/, "")}, which spile cannot evaluate`,
        );
      return write(expression.operands, columns, expression.named);
    }
  }
}

/** Translates an index into a computed list, such as `record.day.split('.')[0]`. */
function element(list: Expression, key: Expression, columns: JqColumns): string {
  const index = knownValue(evaluate(key, columns.scope));
  if (!isNumber(index)) throw new UnsupportedError("it reads a member of a value that it computes");
  return `(${program(list, columns)} | .[${valueText(index)}])`;
}

/** Translates an expression that reads a member of the record, a placeholder or a setting. */
function read(expression: Expression, columns: JqColumns): string {
  const meaning = evaluate(expression, columns.scope);
  if (meaning.kind === "place" && meaning.root === "record")
    return meaning.path.length === 0 ? "." : path(meaning.path);
  const found = inSlice(meaning, columns.scope);
  if (found.kind === "value") return valueText(found.value);
  if (found.kind === "absent") return "null";
  if (found.kind !== "run") throw new UnsupportedError("it reads a value that is not in the records");
  const { placeholder, attr } = objectOf(found.expression);
  const column = typeof placeholder === "string" ? columns.columnOf(placeholder) : undefined;
  if (column !== undefined) return path([column]);
  const setting = typeof attr === "string" ? columns.settingOf(attr) : undefined;
  if (setting === undefined) throw new UnsupportedError("it reads a value that is not in the records");
  return isObject(setting) ? `$ENV.${String(setting.env)}` : valueText(setting);
}

/** Replaces a place in the slice by its value. A name that the slice lacks gives an empty text, as in Airbyte. */
function inSlice(meaning: Meaning, scope: ManifestScope): Meaning {
  try {
    return resolvePlace(meaning, scope);
  } catch (error) {
    if (error instanceof MissingInSlice) return valueMeaning("");
    throw error;
  }
}

type Call = (
  operands: readonly Expression[],
  columns: JqColumns,
  named: Readonly<Record<string, Expression>>,
) => string;

function unary(write: (value: string) => string): Call {
  return ([operand], columns) => write(operand === undefined ? "." : program(operand, columns));
}

function infix(sign: string): Call {
  return (operands, columns) => `(${operands.map((operand) => program(operand, columns)).join(` ${sign} `)})`;
}

function withText(write: (value: string, ...texts: string[]) => string): Call {
  return (operands, columns) => {
    const [value = ".", ...texts] = operands.map((operand) => program(operand, columns));
    return write(value, ...texts);
  };
}

const concatenate: Call = (operands, columns) =>
  `(${operands.map((operand) => (operand.kind === "value" && typeof operand.value === "string" ? JSON.stringify(operand.value) : `(${program(operand, columns)} | if . == null then "" else tostring end)`)).join(" + ")})`;

/** Converts a time format of Python to one of jq. jq has no fractions and no zones but UTC, so these become constants. */
function timeFormat(format: string): string {
  return JSON.stringify(
    format.slice(1, -1).replaceAll("%f", "000000").replaceAll("%z", "+0000").replaceAll("%Z", "UTC"),
  );
}

const strftime = withText((value, format = '"%Y-%m-%d"', inputFormat = "") => {
  if (/^\(?now\b/.test(value)) return `(${value} | strftime(${timeFormat(format)}))`;
  // Neither Python nor jq converts the time to another zone. But jq loses fractions of seconds, and zones.
  const isExact =
    /^".*"$/s.test(format) &&
    /^".+"$/s.test(inputFormat) &&
    !/%(?![aAbBdHjmMSyY])/.test(format) &&
    !/%(?![aAbBdHjmMSyYz])/.test(inputFormat);
  if (!isExact) throw new UnsupportedError("it formats a time in a way that jq cannot");
  return `(${value} | if type == "string" then strptime(${inputFormat}) | strftime(${format}) else . end)`;
});

const nullValue: Expression = { kind: "value", value: null };

/**
 * For an expression that reads a member of the record, returns the path of the member and a jq test whether it is present;
 * undefined for any other expression.
 */
function presence(
  expression: Expression,
  { scope }: JqColumns,
): { readonly test: string; readonly member: string } | undefined {
  const meaning = expression.kind === "member" ? placeOrNothing(expression, scope) : undefined;
  const key = meaning?.path.at(-1);
  if (meaning?.root !== "record" || key === undefined) return undefined;
  const object = path(meaning.path.slice(0, -1));
  const has = `has(${JSON.stringify(key)})`;
  const test = object === "." ? has : `((try ${object} catch null) | type == "object" and ${has})`;
  return { test, member: path(meaning.path) };
}

/** Translates `member == null`, which in Jinja is false for a missing member. Returns undefined for other operands. */
function nullTest([left, right]: readonly Expression[], columns: JqColumns): string | undefined {
  const isNull = right?.kind === "value" && right.value === null;
  const found = isNull && left !== undefined ? presence(left, columns) : undefined;
  return found === undefined ? undefined : `(${found.test} and ${found.member} == null)`;
}

/** Jinja filters and methods that return a list. */
const listFilters: ReadonlySet<string> = new Set(["| map", "| selectattr", "| list", ".split"]);

const list: Call = ([operand], columns) => {
  if (operand?.kind !== "call" || !listFilters.has(operand.operator))
    throw new UnsupportedError("it calls list in a way that jq cannot");
  return program(operand, columns);
};

/** Translates `map(attribute='a.b')`. */
const map: Call = ([elements, ...more], columns, { attribute }) => {
  if (elements === undefined || attribute?.kind !== "value" || more.length > 0)
    throw new UnsupportedError("it calls map in a way that jq cannot");
  return `[${program(elements, columns)}[]? | ${path(pythonText(attribute.value).split("."))}]`;
};

/** Translates `selectattr('a.b', 'equalto', value)`. */
const selectattr: Call = ([elements, attribute, test, value, ...more], columns) => {
  const isEqual = test?.kind === "value" && /^(?:equalto|eq|==)$/.test(pythonText(test.value));
  if (elements === undefined || attribute?.kind !== "value" || !isEqual || value?.kind !== "value" || more.length > 0)
    throw new UnsupportedError("it calls selectattr in a way that jq cannot");
  const place = path(pythonText(attribute.value).split("."));
  return `[${program(elements, columns)}[]? | select(${place} == ${program(value, columns)})]`;
};

const calls: Readonly<Record<string, Call>> = {
  "~": concatenate,
  "+": infix("+"),
  "-": infix("-"),
  "*": infix("*"),
  "/": infix("/"),
  "==": (operands, columns) => nullTest(operands, columns) ?? infix("==")(operands, columns, {}),
  "!=": (operands, columns) => {
    const isNull = nullTest(operands, columns);
    return isNull === undefined ? infix("!=")(operands, columns, {}) : `(${isNull} | not)`;
  },
  "<": infix("<"),
  ">": infix(">"),
  "<=": infix("<="),
  ">=": infix(">="),
  not: ([operand], columns) => (operand === undefined ? "true" : `(${truth(operand, columns)} | not)`),
  and: ([left, right], columns) =>
    left === undefined || right === undefined
      ? "null"
      : `(if ${truth(left, columns)} then ${program(right, columns)} else ${program(left, columns)} end)`,
  or: ([left, right], columns) =>
    left === undefined || right === undefined
      ? "null"
      : `(if ${truth(left, columns)} then ${program(left, columns)} else ${program(right, columns)} end)`,
  if: ([test, then, otherwise], columns) => {
    const branch = (expression: Expression | undefined): string =>
      expression === undefined ? "null" : program(expression, columns);
    return `(if ${test === undefined ? "true" : truth(test, columns)} then ${branch(then)} else ${branch(otherwise)} end)`;
  },
  in: ([item, container], columns) => {
    if (item === undefined || container === undefined) throw new UnsupportedError("an operand is missing");
    if (container.kind === "list") {
      const test = `(${program(item, columns)} | IN(${container.items.map((value) => program(value, columns)).join(", ")}))`;
      const hasNull = container.items.some((value) => value.kind === "value" && value.value === null);
      // In Jinja, no list contains a missing member. In jq, a missing member is null, which this list contains.
      const found = hasNull ? presence(item, columns) : undefined;
      return found === undefined ? test : `(${found.test} and ${test})`;
    }
    if (item.kind !== "value") throw new UnsupportedError("it searches for a computed value");
    const key = JSON.stringify(item.value);
    return `(${program(container, columns)} | if type == "object" then has(${key}) elif . == null then false else index(${key}) != null end)`;
  },
  now_utc: () => "now",
  today_utc: () => '(now | strftime("%Y-%m-%d"))',
  ".strftime": strftime,
  format_datetime: strftime,
  "| regex_search": withText(
    (value, pattern = '""') =>
      `(${value} | tostring | [match(${pattern})] | if . == [] then "" else (.[0] | .captures[0].string // .string) end)`,
  ),
  "| trim": unary((value) => `(${value} | tostring | gsub("^\\s+|\\s+$"; ""))`),
  "is string": unary((value) => `(${value} | type == "string")`),
  "is mapping": unary((value) => `(${value} | type == "object")`),
  "[:]": ([of, from, to], columns) => {
    const edge = (expression: Expression | undefined): string =>
      expression?.kind === "value" && expression.value !== null
        ? String(expression.value)
        : expression?.kind === "call"
          ? program(expression, columns)
          : "";
    return `(${of === undefined ? "." : program(of, columns)} | .[${edge(from)}:${edge(to)}])`;
  },
  "is none": ([operand = nullValue], columns) =>
    nullTest([operand, nullValue], columns) ?? `(${program(operand, columns)} == null)`,
  "is defined": ([operand = nullValue], columns) =>
    presence(operand, columns)?.test ?? `(${program(operand, columns)} != null)`,
  "is undefined": ([operand = nullValue], columns) =>
    `(${presence(operand, columns)?.test ?? `${program(operand, columns)} != null`} | not)`,
  ".get": ([of, key, fallback], columns) => {
    if (of === undefined || key === undefined) throw new UnsupportedError("an operand is missing");
    const value = program({ kind: "member", of, key }, columns);
    return fallback === undefined ? value : `(${value} | if . == null then ${program(fallback, columns)} else . end)`;
  },
  "| default": withText((value, fallback = '""') => `(${value} | if . == null then ${fallback} else . end)`),
  "| string": unary((value) => `(${value} | tostring)`),
  "| int": unary((value) => `(${value} | tonumber | floor)`),
  "| float": unary((value) => `(${value} | tonumber)`),
  "| lower": unary((value) => `(${value} | ascii_downcase)`),
  "| upper": unary((value) => `(${value} | ascii_upcase)`),
  "| length": unary((value) => `(${value} | length)`),
  "| tojson": unary((value) => `(${value} | tojson)`),
  "| list": list,
  "| map": map,
  "| selectattr": selectattr,
  "| first": unary((value) => `(${value} | first)`),
  "| last": unary((value) => `(${value} | last)`),
  "| base64encode": unary((value) => `(${value} | @base64)`),
  "| base64decode": unary((value) => `(${value} | @base64d)`),
  "| join": withText((value, glue = '""') => `(${value} | map(tostring) | join(${glue}))`),
  ".join": withText((glue, value = "[]") => `(${value} | map(tostring) | join(${glue}))`),
  ".lower": unary((value) => `(${value} | ascii_downcase)`),
  ".upper": unary((value) => `(${value} | ascii_upcase)`),
  ".split": withText((value, separator = '" "') => `(${value} | split(${separator}))`),
  ".replace": withText((value, from = '""', to = '""') => `(${value} | split(${from}) | join(${to}))`),
  ".startswith": withText((value, start = '""') => `(${value} | startswith(${start}))`),
  ".endswith": withText((value, end = '""') => `(${value} | endswith(${end}))`),
};
