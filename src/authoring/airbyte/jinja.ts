import type { Value } from "../../core/values/value.ts";
import { JinjaFault, type JinjaToken, tokens } from "./jinja-tokens.ts";

/**
 * A Jinja expression. Operators, filters, functions and methods are calls. The first operand of a filter or a method is the value
 * to which it applies.
 */
export type Expression =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly of: Expression; readonly key: Expression }
  | { readonly kind: "list"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [key: Expression, value: Expression])[] }
  | {
      readonly kind: "call";
      /** Name of the operator, such as `==`, `not`, `if`, `| join`, `.format`, `format_datetime`, `[:]`. */
      readonly operator: string;
      readonly operands: readonly Expression[];
      readonly named: Readonly<Record<string, Expression>>;
    };

/** The parts of a template: plain texts and expressions. */
export type Template = readonly (string | Expression)[];

const nothing: Expression = { kind: "value", value: "" };

/**
 * Parses a template: plain text with `{{ }}`, `{% if %}` and `{% set %}`. A variable of `{% set %}` is replaced by its expression.
 * Throws `JinjaFault`.
 */
export function parseTemplate(text: string): Template {
  const pieces = templatePieces(text);
  const open = pieces.flatMap((piece, index) => (index % 2 === 0 ? (/\{[{%#]/.exec(piece)?.[0] ?? []) : []));
  if (open[0] !== undefined) throw new JinjaFault(`"${open[0]}" is not closed`);
  const trimmedPieces = pieces.map((piece, index) => {
    const start = /-%?\}?\}$/.test(pieces[index - 1] ?? "") ? piece.trimStart() : piece;
    return /^\{[{%]-/.test(pieces[index + 1] ?? "") ? start.trimEnd() : start;
  });
  // The queue is reversed because `pop` takes constant time, unlike `shift` on a long array.
  const queue = trimmedPieces.filter((piece) => piece !== "" && !piece.startsWith("{#")).reverse();
  const variables = new Map<string, Expression>();
  const parse = (source: string): Expression => withVariables(parseExpression(source), variables);
  const block = (ends: RegExp | undefined): (string | Expression)[] => {
    const parts: (string | Expression)[] = [];
    for (let piece = queue.at(-1); piece !== undefined; piece = queue.at(-1)) {
      const statement = statementIn(piece);
      if (statement !== undefined && ends?.test(statement)) return parts;
      queue.pop();
      if (statement !== undefined) parts.push(...statementParts(statement));
      else if (piece.startsWith("{{")) parts.push(parse(piece.replace(/^\{\{-?|-?\}\}$/g, "")));
      else parts.push(piece);
    }
    if (ends !== undefined) throw new JinjaFault("a block is not closed");
    return parts;
  };
  const statementParts = (statement: string): Template => {
    const [, variable, assigned] = /^set\s+(\w+)\s*=\s*([\s\S]+)$/.exec(statement) ?? [];
    if (variable !== undefined && assigned !== undefined) {
      variables.set(variable, parse(assigned));
      return [];
    }
    const [, test] = /^if\s+([\s\S]+)$/.exec(statement) ?? [];
    if (test === undefined) throw new JinjaFault(`{% ${statement.split(/\s/, 1)[0]} %} is not understood`);
    return [condition(parse(test))];
  };
  const condition = (test: Expression): Expression => {
    const then = joined(block(/^(elif\b|else$|endif$)/));
    const next = statementIn(queue.pop() ?? "") ?? "";
    const [, other] = /^elif\s+([\s\S]+)$/.exec(next) ?? [];
    if (other !== undefined) return call("if", [test, then, condition(parse(other))]);
    if (next === "endif") return call("if", [test, then, nothing]);
    const otherwise = joined(block(/^endif$/));
    queue.pop();
    return call("if", [test, then, otherwise]);
  };
  const parts = block(undefined);
  // If a template has a single expression, and beside it only white space and `{% set %}`, the white space is dropped.
  const isBlank = (part: string | Expression): boolean => typeof part === "string" && part.trim() === "";
  const filledParts = parts.filter((part) => !isBlank(part));
  return filledParts.length === 1 && pieces.length > 1 && typeof filledParts[0] !== "string" ? filledParts : parts;
}

const closings: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}", "{#": "#}" };

/** Splits a template in linear time. Plain texts have even indices; tags (`{{ }}`, `{% %}` or `{# #}`) have odd ones. */
export function templatePieces(text: string): readonly string[] {
  const pieces: string[] = [];
  const opening = /\{[{%#]/g;
  // The closing tags that the rest of the text does not contain. Without this set, each would be searched for again and again.
  const missing = new Set<string>();
  let start = 0;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const closing = closings[found[0]] ?? "";
    const end = missing.has(closing) ? -1 : text.indexOf(closing, opening.lastIndex);
    if (end < 0) {
      missing.add(closing);
      opening.lastIndex = found.index + 1;
    } else {
      pieces.push(text.slice(start, found.index), text.slice(found.index, end + 2));
      start = end + 2;
      opening.lastIndex = start;
    }
  }
  return [...pieces, text.slice(start)];
}

/** Returns the statement in a `{% %}` tag; undefined for any other piece. */
function statementIn(piece: string): string | undefined {
  if (!piece.startsWith("{%") || !piece.endsWith("%}")) return undefined;
  return piece.slice(2, -2).replace(/^-/, "").replace(/-$/, "").trim();
}

/** Joins parts into one expression. */
export function joined(parts: Template): Expression {
  const expressions = parts.map(
    (part): Expression => (typeof part === "string" ? { kind: "value", value: part } : part),
  );
  const [only] = expressions;
  return only !== undefined && expressions.length === 1
    ? only
    : expressions.length === 0
      ? nothing
      : call("~", expressions);
}

export function call(
  operator: string,
  operands: readonly Expression[],
  named: Readonly<Record<string, Expression>> = {},
): Expression {
  return { kind: "call", operator, operands, named };
}

/** Replaces the variables of `{% set %}` in an expression. */
function withVariables(expression: Expression, variables: ReadonlyMap<string, Expression>): Expression {
  const inner = (one: Expression): Expression => withVariables(one, variables);
  switch (expression.kind) {
    case "value":
      return expression;
    case "name":
      return variables.get(expression.name) ?? expression;
    case "member":
      return { ...expression, of: inner(expression.of), key: inner(expression.key) };
    case "list":
      return { ...expression, items: expression.items.map(inner) };
    case "object":
      return { ...expression, members: expression.members.map(([key, value]) => [inner(key), inner(value)] as const) };
    case "call": {
      const namedOperands = Object.fromEntries(
        Object.entries(expression.named).map(([name, one]) => [name, inner(one)]),
      );
      return { ...expression, operands: expression.operands.map(inner), named: namedOperands };
    }
  }
}

const comparisons = ["==", "!=", "<", ">", "<=", ">=", "in"] as const;

/** Binary operators other than comparisons, by precedence. The first ones bind most weakly. */
const levels: readonly (readonly string[])[] = [["+", "-"], ["~"], ["*", "/", "//", "%"]];

const constants: Readonly<Record<string, Value>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  null: null,
};

function parseExpression(source: string): Expression {
  const all = tokens(source);
  let index = 0;
  const end: JinjaToken = { type: "end", text: "" };
  const peek = (ahead = 0): JinjaToken => all[index + ahead] ?? end;
  const isNext = (...texts: readonly string[]): boolean =>
    (peek().type === "sign" || peek().type === "word") && texts.includes(peek().text);
  const take = (...texts: readonly string[]): string | undefined => {
    if (!isNext(...texts)) return undefined;
    index += 1;
    return all[index - 1]?.text;
  };
  const expect = (text: string): void => {
    if (take(text) === undefined) throw new JinjaFault(`"${text}" is missing in "${source.trim()}"`);
  };
  const ternary = (): Expression => {
    const value = or();
    if (take("if") === undefined) return value;
    const test = or();
    return call("if", [test, value, take("else") === undefined ? nothing : ternary()]);
  };
  const or = (): Expression => {
    let left = and();
    while (take("or") !== undefined) left = call("or", [left, and()]);
    return left;
  };
  const and = (): Expression => {
    let left = not();
    while (take("and") !== undefined) left = call("and", [left, not()]);
    return left;
  };
  const not = (): Expression => (take("not") === undefined ? comparisonChain(binary(0)) : call("not", [not()]));
  /** Parses the comparisons after `left`. `a < b <= c` means `a < b and b <= c`. `before`: the comparisons that precede `left`. */
  const comparisonChain = (left: Expression, before?: Expression): Expression => {
    const isNegated = isNext("not") && peek(1).text === "in";
    if (isNegated) index += 1;
    const operator = take(...comparisons);
    if (operator === undefined) return before ?? left;
    const right = binary(0);
    const comparison = call(operator, [left, right]);
    const last = isNegated ? call("not", [comparison]) : comparison;
    return comparisonChain(right, before === undefined ? last : call("and", [before, last]));
  };
  const binary = (level: number): Expression => {
    const operators = levels[level];
    if (operators === undefined) return unary();
    let left = binary(level + 1);
    for (let operator = take(...operators); operator !== undefined; operator = take(...operators))
      left = call(operator, [left, binary(level + 1)]);
    return left;
  };
  const unary = (): Expression => {
    if (take("-") !== undefined) return call("-", [{ kind: "value", value: 0 }, unary()]);
    return suffixes(primary());
  };
  const word = (): string => {
    const { type, text } = peek();
    if (type !== "word") throw new JinjaFault(`a name is missing in "${source.trim()}"`);
    index += 1;
    return text;
  };
  const suffixes = (first: Expression): Expression => {
    let left = first;
    for (;;) {
      if (take(".") !== undefined) left = dotted(left);
      else if (take("[") !== undefined) left = subscript(left);
      else if (take("|") !== undefined) left = filter(left);
      else if (take("is") !== undefined) left = test(left);
      else if (left.kind === "name" && take("(") !== undefined) left = functionCall(left.name, []);
      else return left;
    }
  };
  const dotted = (left: Expression): Expression => {
    const key = peek().type === "number" ? (all[index++]?.text ?? "") : word();
    return take("(") === undefined
      ? { kind: "member", of: left, key: { kind: "value", value: key } }
      : functionCall(`.${key}`, [left]);
  };
  const filter = (left: Expression): Expression => {
    const name = `| ${word()}`;
    return take("(") === undefined ? call(name, [left]) : functionCall(name, [left]);
  };
  const test = (left: Expression): Expression => {
    const isNegated = take("not") !== undefined;
    const name = `is ${word()}`;
    const testCall = take("(") === undefined ? call(name, [left]) : functionCall(name, [left]);
    return isNegated ? call("not", [testCall]) : testCall;
  };
  const subscript = (left: Expression): Expression => {
    const from = isNext(":") ? undefined : ternary();
    if (take(":") === undefined) {
      expect("]");
      return { kind: "member", of: left, key: from ?? nothing };
    }
    const to = isNext("]") ? undefined : ternary();
    expect("]");
    const none: Expression = { kind: "value", value: null };
    return call("[:]", [left, from ?? none, to ?? none]);
  };
  const functionCall = (operator: string, before: readonly Expression[]): Expression => {
    const operands: Expression[] = [...before];
    const named: Record<string, Expression> = {};
    while (take(")") === undefined) {
      if (peek().type === "word" && peek(1).type === "end")
        throw new JinjaFault(`")" is missing in "${source.trim()}"`);
      const name =
        /^\w+$/.test(peek().text) && peek().type === "word" && all[index + 1]?.text === "=" ? word() : undefined;
      if (name === undefined) operands.push(ternary());
      else {
        expect("=");
        named[name] = ternary();
      }
      if (!isNext(")")) expect(",");
    }
    return call(operator, operands, named);
  };
  const primary = (): Expression => {
    const { type, text } = peek();
    index += 1;
    if (type === "number") return { kind: "value", value: Number(text) };
    if (type === "text") return { kind: "value", value: text };
    if (type === "word")
      return Object.hasOwn(constants, text)
        ? { kind: "value", value: constants[text] ?? null }
        : { kind: "name", name: text };
    if (text === "(") {
      const inner = ternary();
      expect(")");
      return inner;
    }
    if (text === "[") return { kind: "list", items: items("]") };
    if (text === "{") return { kind: "object", members: members() };
    throw new JinjaFault(`"${source.trim()}" is not understood`);
  };
  const items = (close: string): readonly Expression[] => {
    const found: Expression[] = [];
    while (take(close) === undefined) {
      found.push(ternary());
      if (!isNext(close)) expect(",");
    }
    return found;
  };
  const members = (): readonly (readonly [Expression, Expression])[] => {
    const found: (readonly [Expression, Expression])[] = [];
    while (take("}") === undefined) {
      const key = ternary();
      expect(":");
      found.push([key, ternary()]);
      if (!isNext("}")) expect(",");
    }
    return found;
  };
  const parsed = ternary();
  if (peek().type !== "end") throw new JinjaFault(`"${source.trim()}" is not understood`);
  return parsed;
}
