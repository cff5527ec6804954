import { shortText } from "../../core/text/printable.ts";
import { parseValue, type Value } from "../../core/values/value.ts";
import { UnsupportedError } from "../described/values.ts";
import { type Expression, joined, parseTemplate } from "./jinja.ts";
import { JinjaFault } from "./jinja-tokens.ts";
import { type Meaning, pythonText, valueMeaning } from "./meaning.ts";
import { operators } from "./operators.ts";
import { knownValue, type ManifestScope, member, resolvePlace, valueOrNull } from "./scope.ts";

/** Evaluates a template of the manifest, with the values of settings and slices. Throws `UnsupportedError`. */
export function meaningOf(template: Value, scope: ManifestScope): Meaning {
  if (typeof template !== "string") return valueMeaning(template);
  return resolvePlace(evaluate(expressionOf(template), scope), scope);
}

/**
 * Largest size of an expression after its variables are replaced. The size is the number of operations plus the length of all
 * texts.
 */
const maxParts = 100_000;
/** Largest depth of nested operations: the evaluation is recursive. */
const maxDepth = 500;

/** Parses a template. Throws `UnsupportedError` if the template is not supported, too deep or too long. */
export function expressionOf(template: string): Expression {
  try {
    const expression = joined(parseTemplate(template));
    const { parts, depth } = extentOf(expression, new Map());
    if (parts > maxParts) throw new JinjaFault("it becomes too long");
    if (depth > maxDepth) throw new JinjaFault("it nests too deep");
    return expression;
  } catch (error) {
    // The parser is recursive, so an expression that nests too deep overflows the stack.
    const fault = error instanceof RangeError ? new JinjaFault("it nests too deep") : error;
    if (fault instanceof JinjaFault)
      throw new UnsupportedError(`the expression ${shortLine(template)}: ${fault.message}`);
    throw error;
  }
}

interface Extent {
  readonly parts: number;
  readonly depth: number;
}

/** Measures an expression. `measured` caches its parts, because they may be shared: each `{% set a = a ~ a %}` doubles the size. */
function extentOf(expression: Expression, measured: Map<Expression, Extent>): Extent {
  const before = measured.get(expression);
  if (before !== undefined) return before;
  const inner = innerOf(expression).map((one) => extentOf(one, measured));
  const size = expression.kind === "value" && typeof expression.value === "string" ? expression.value.length : 1;
  const extent = {
    parts: inner.reduce((sum, { parts }) => sum + parts, size),
    depth: 1 + inner.reduce((most, { depth }) => Math.max(most, depth), 0),
  };
  measured.set(expression, extent);
  return extent;
}

function innerOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "value":
    case "name":
      return [];
    case "member":
      return [expression.of, expression.key];
    case "list":
      return expression.items;
    case "object":
      return expression.members.flat();
    case "call":
      return [...expression.operands, ...Object.values(expression.named)];
  }
}

export function shortLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 80 ? shortText(line, 77) : line;
}

/** The variables of templates, with the roots of their places. */
const roots: Readonly<Record<string, string>> = {
  config: "config",
  options: "parameters",
  stream_partition: "stream_slice",
  stream_interval: "stream_slice",
  stream_slice: "stream_slice",
  next_page_token: "next_page_token",
  response: "response",
  headers: "headers",
  last_record: "last_record",
  last_page_size: "last_page_size",
  record: "record",
  components_values: "components_values",
  creation_response: "creation_response",
  polling_response: "polling_response",
  download_target: "download_target",
};

/** Evaluates an expression as far as possible without a run (see `Meaning`). Throws `UnsupportedError`. */
export function evaluate(expression: Expression, scope: ManifestScope): Meaning {
  const inner = (one: Expression): Meaning => evaluate(one, scope);
  switch (expression.kind) {
    case "value":
      return valueMeaning(expression.value);
    case "name": {
      if (expression.name === "parameters" || expression.name === "options") return valueMeaning(scope.parameters);
      const root = roots[expression.name];
      if (root === undefined)
        throw new UnsupportedError(`it reads the variable ${expression.name}, which spile does not know`);
      return { kind: "place", root, path: [] };
    }
    case "member":
      return member(inner(expression.of), resolvePlace(inner(expression.key), scope));
    case "list":
      return valueMeaning(expression.items.map((item) => valueOrNull(resolvePlace(inner(item), scope))));
    case "object":
      return valueMeaning(
        Object.fromEntries(
          expression.members.map(([key, value]) => [
            pythonText(knownValue(inner(key))),
            valueOrNull(resolvePlace(inner(value), scope)),
          ]),
        ),
      );
    case "call": {
      const operator = operators[expression.operator];
      if (operator === undefined)
        throw new UnsupportedError(
          `it calls ${expression.operator.replace(/^[.|] ?/, "")}, which spile cannot evaluate`,
        );
      return operator({
        meaningAt: (index) => {
          const operand = expression.operands[index] ?? expression.named[argumentNames[index] ?? ""];
          return operand === undefined ? undefined : inner(operand);
        },
        named: (name) => (expression.named[name] === undefined ? undefined : inner(expression.named[name])),
        count: expression.operands.length,
        scope,
      });
    }
  }
}

/** Names of a call's arguments by their positions, for calls that pass arguments by name. */
const argumentNames = ["", "format", "input_format"];

/** Returns the number, boolean, list or object that Python would read from a text, else the text itself. */
export function literal(text: string): Value {
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return parseValue(text);
  if (text === "True" || text === "False") return text === "True";
  if (!/^\s*(?:\[[\s\S]*\]|\{[\s\S]*\})\s*$/.test(text)) return text;
  try {
    return knownValue(evaluate(expressionOf(`{{ ${text} }}`), noScope));
  } catch {
    return text;
  }
}

/** Scope of a constant, which reads nothing. */
const noScope: ManifestScope = {
  settings: {
    read: () => null,
    decide: () => null,
    isPresent: () => false,
    isOptional: () => true,
    readPaths: () => new Set(),
    isList: () => false,
    hasMembers: () => false,
    members: () => ({}),
    variables: () => [],
    decisions: () => [],
  },
  parameters: {},
  slice: () => undefined,
};
