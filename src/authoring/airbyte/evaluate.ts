import type { Value } from "../../core/values/value.ts";
import { type Expression, JinjaFault, joined, parseTemplate } from "./jinja.ts";
import { type Meaning, pythonText, valueMeaning } from "./meaning.ts";
import { operators } from "./operators.ts";
import { known, type ManifestScope, member, said, settled } from "./scope.ts";
import { Unsayable } from "./unsayable.ts";

/** Returns the meaning of a template of a manifest. Throws `Unsayable`. */
export function meaningOf(template: Value, scope: ManifestScope): Meaning {
  if (typeof template !== "string") return valueMeaning(template);
  return settled(evaluate(parsed(template), scope), scope);
}

/** Parses a template. Throws `Unsayable`. */
export function parsed(template: string): Expression {
  try {
    return joined(parseTemplate(template));
  } catch (error) {
    if (error instanceof JinjaFault) throw new Unsayable(`the expression ${shortened(template)}: ${error.message}`);
    throw error;
  }
}

export function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

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

/** Evaluates an expression without a run. A value that only a run knows becomes an expression or stays a place. */
export function evaluate(expression: Expression, scope: ManifestScope): Meaning {
  const inner = (one: Expression): Meaning => evaluate(one, scope);
  switch (expression.kind) {
    case "value":
      return valueMeaning(expression.value);
    case "name": {
      if (expression.name === "parameters" || expression.name === "options") return valueMeaning(scope.parameters);
      const root = roots[expression.name];
      if (root === undefined) throw new Unsayable(`it reads ${expression.name}`);
      return { kind: "place", root, path: [] };
    }
    case "member":
      return member(inner(expression.of), settled(inner(expression.key), scope));
    case "list":
      return valueMeaning(expression.items.map((item) => said(settled(inner(item), scope))));
    case "object":
      return valueMeaning(
        Object.fromEntries(
          expression.members.map(([key, value]) => [pythonText(known(inner(key))), said(settled(inner(value), scope))]),
        ),
      );
    case "call": {
      const operator = operators[expression.operator];
      if (operator === undefined) throw new Unsayable(`it calls ${expression.operator.replace(/^[.|] ?/, "")}`);
      return operator({
        meanings: (index) => {
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

/** The names that calls give their arguments, by position. */
const argumentNames = ["", "format", "input_format"];
