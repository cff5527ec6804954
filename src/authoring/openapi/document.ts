import { $RefParser } from "@apidevtools/json-schema-ref-parser";
import { messageOf, SpileError } from "../../core/errors.ts";
import { isObject, type Value, type ValueObject } from "../../core/value.ts";

/** An operation that reads: a GET with an answer of success in JSON. */
export interface Operation {
  readonly path: string;
  readonly operation: ValueObject;
  /** Of the path and of the operation; the operation's win. */
  readonly parameters: readonly ValueObject[];
  /** The schema of its answer; undefined where it describes none. */
  readonly schema: ValueObject | undefined;
  /** The header names of its answer. */
  readonly headers: readonly string[];
}

/** An OpenAPI description, its references resolved; circular ones are left as they are. */
export interface Description {
  readonly root: ValueObject;
  readonly operations: readonly Operation[];
}

/** Reads a description in JSON or YAML, with files that it refers to; addresses are not fetched. Throws usage errors. */
export async function readDescription(path: string): Promise<Description> {
  let root: Value;
  try {
    root = (await $RefParser.dereference(path, {
      resolve: { http: false },
      dereference: { circular: "ignore" },
    })) as unknown as Value;
  } catch (error) {
    throw new SpileError(
      "usage",
      `cannot read the OpenAPI description ${path}: ${messageOf(error).split("\n", 1)[0]}`,
      { cause: error },
    );
  }
  if (!isObject(root) || !/^3\./.test(String(root.openapi))) {
    const found =
      isObject(root) && root.swagger !== undefined
        ? `it is of Swagger ${String(root.swagger)}`
        : "it has no openapi: 3.x";
    throw new SpileError("usage", `${path} is no OpenAPI description of version 3.0 or 3.1: ${found}`);
  }
  const paths = objectOf(root.paths);
  const operations = Object.entries(paths).flatMap(([name, item]) => operationOf(name, objectOf(item)) ?? []);
  return { root, operations };
}

function operationOf(path: string, item: ValueObject): Operation | undefined {
  const { get } = item;
  if (!isObject(get)) return undefined;
  const responses = objectOf(get.responses);
  const success = objectOf(
    responses["200"] ??
      responses["2XX"] ??
      responses.default ??
      Object.entries(responses).find(([status]) => /^2/.test(status))?.[1],
  );
  const contents = Object.entries(objectOf(success.content));
  const content = contents.find(([type]) => /[/+]json\b/.test(type)) ?? contents.find(([type]) => type === "*/*");
  const parameters = new Map(
    [...listOf(item.parameters), ...listOf(get.parameters)].map((parameter) => [
      `${String(parameter.in)} ${String(parameter.name)}`,
      parameter,
    ]),
  );
  return {
    path,
    operation: get,
    parameters: [...parameters.values()],
    schema: content === undefined ? undefined : objectOf(objectOf(content[1]).schema),
    headers: Object.keys(objectOf(success.headers)),
  };
}

export function objectOf(value: Value | undefined): ValueObject {
  return isObject(value) ? value : {};
}

export function listOf(value: Value | undefined): readonly ValueObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
