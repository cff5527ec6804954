import { functions } from "../expression/functions.ts";
import { timeNames } from "../expression/shape.ts";
import { schemaText } from "../generated/schema.ts";

type Schema = { readonly [keyword: string]: unknown };

const expression = { $ref: "#/definitions/Expression" };

/** Definitions whose members may be expressions, at any depth. */
const maps: ReadonlySet<string> = new Set(["HeaderMap", "ParameterMap", "ResponseMap"]);

/**
 * Returns the schema of the configuration for editors. It accepts the same documents as the schema of the check, except calls of
 * unknown functions and calls with a wrong number of arguments: it also describes expressions, which the check handles in code.
 * Editors offer no completion for alternatives (`oneOf`), so each union instead has a list of their names with descriptions, and a
 * condition for each.
 */
export function editorSchema(): Schema {
  const document = JSON.parse(schemaText) as Schema & { readonly definitions: Readonly<Record<string, Schema>> };
  const { definitions, ...root } = document;
  const entries = Object.entries(definitions).map(([name, definition]) => {
    return [name, editorDefinition(name, withEditorKeywords(definition) as Schema, definitions)] as const;
  });
  const addedDefinitions = { Expression: anyExpression, FunctionCall: functionCall(), FunctionName: functionName() };
  return { ...root, allowComments: true, definitions: { ...Object.fromEntries(entries), ...addedDefinitions } };
}

function editorDefinition(name: string, schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  if (maps.has(name)) return { ...schema, additionalProperties: expression };
  if (name === "UserData") return { ...schema, allOf: [expression] };
  return isObject(schema.discriminator) ? union(schema, definitions) : schema;
}

/** Adds the keywords that editors use to a schema and to all schemas in it. */
function withEditorKeywords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withEditorKeywords);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "examples" || key === "default" ? value : withEditorKeywords(value),
    ]),
  );
  const { allowed, examples, case: letters } = inner;
  if (allowed === "the name of a function") return { ...inner, allOf: [{ $ref: "#/definitions/FunctionName" }] };
  if (typeof allowed === "string" && /\bexpression/.test(allowed) && !/regular/.test(allowed)) {
    return { ...inner, allOf: [expression] };
  }
  // Editors offer no completion for a pattern that ignores case, so the examples are listed beside it.
  const { pattern, ...others } = inner;
  return letters === undefined ? inner : { ...others, anyOf: [{ enum: examples }, { pattern }] };
}

/** Replaces the `oneOf` of a union whose alternatives differ by the value of one member: by the list of values and conditions. */
function union(schema: Schema, definitions: Readonly<Record<string, Schema>>): Schema {
  const { oneOf, discriminator, ...rest } = schema;
  const { propertyName } = discriminator as { readonly propertyName: string };
  const alternatives = (oneOf as readonly { readonly $ref: string }[]).map((reference) => {
    const definition = definitions[reference.$ref.replace("#/definitions/", "")] ?? {};
    const { const: value } = (definition.properties as Readonly<Record<string, Schema>>)[propertyName] ?? {};
    const [example] = (definition.examples ?? []) as readonly unknown[];
    return { reference, value, example, title: definition.title, description: definition.description };
  });
  const values = alternatives.map(({ value }) => value);
  const descriptions = alternatives.map(({ description, example }) => {
    return `${description}\n\nExample: ${JSON.stringify(example)}`;
  });
  const markdownDescriptions = alternatives.map(({ description, example }) => {
    return `${description}\n\n\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\``;
  });
  return {
    ...rest,
    properties: {
      [propertyName]: {
        description: rest.description,
        enum: values,
        enumDescriptions: descriptions,
        markdownEnumDescriptions: markdownDescriptions,
      },
    },
    allOf: alternatives.map(({ reference, value }) => ({
      if: { required: [propertyName], properties: { [propertyName]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: reference,
    })),
    defaultSnippets: alternatives.map(({ value, title, example }) => ({
      label: value,
      description: title,
      body: example,
    })),
  };
}

const keys = {
  attr: { description: "The value of a setting of `config`.", allOf: [expression] },
  time: { description: `A time of the run in Unix seconds: ${timeNames.join(" or ")}.`, allOf: [expression] },
  function: { description: "A function, with its arguments in `args`." },
};

/** A value that may be an expression. Any other object is plain data, whose members may be expressions. */
const anyExpression: Schema = {
  title: "Value or expression",
  properties: keys,
  additionalProperties: expression,
  items: expression,
  if: { type: "object", required: ["function"], propertyNames: { enum: ["function", "args"] } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { $ref: "#/definitions/FunctionCall" },
  else: {
    if: { type: "object", required: ["time"], maxProperties: 1 },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { time: { description: keys.time.description, enum: timeNames } } },
  },
  defaultSnippets: [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a place of a snippet
    { label: "attr", description: keys.attr.description, body: { attr: "${1:#token}" } },
    { label: "time", description: keys.time.description, body: { time: "previousStart" } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: places of a snippet
    { label: "function", description: keys.function.description, body: { function: "${1:concat}", args: ["$2"] } },
  ],
};

function functionName(): Schema {
  const expressionFunctions = Object.values(functions);
  return {
    title: "Function",
    enum: Object.keys(functions),
    enumDescriptions: expressionFunctions.map(({ usage, describe }) => `${usage}: ${describe}`),
    markdownEnumDescriptions: expressionFunctions.map(({ usage, describe }) => `\`${usage}\`\n\n${describe}`),
  };
}

/** Returns the schema of a call, with the number of arguments that each function takes. */
function functionCall(): Schema {
  const calls = Object.entries(functions).map(
    ([
      name,
      {
        usage,
        arity: [least, most],
      },
    ]) => ({
      if: { required: ["function"], properties: { function: { const: name } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        ...(least > 0 ? { required: ["args"] } : {}),
        properties: {
          args: { description: usage, minItems: least, ...(Number.isFinite(most) ? { maxItems: most } : {}) },
        },
      },
    }),
  );
  return {
    title: "Call of a function",
    type: "object",
    required: ["function"],
    properties: {
      function: { $ref: "#/definitions/FunctionName" },
      args: { title: "Arguments", type: ["array", "object"], items: expression, additionalProperties: expression },
    },
    allOf: calls,
  };
}

function isObject(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
