import { SpileError } from "../../core/errors.ts";
import { isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { openDescription, type References } from "./references.ts";

/** An operation that reads data: a GET whose successful answer is JSON. */
export interface Operation {
  readonly path: string;
  readonly operation: ValueObject;
  /** The parameters of the path and of the operation; the latter win. References to them and to their schemas are resolved. */
  readonly parameters: readonly ValueObject[];
  /** The schema of the answer; undefined if none is described. */
  readonly schema: ValueObject | undefined;
  /** The names of the answer's headers. */
  readonly headers: readonly string[];
  /** The servers of the operation, else those of its path, else those of the description. */
  readonly servers: readonly ValueObject[];
}

/** Reads a description in JSON or YAML, with the files that it refers to. Does not fetch addresses. Throws usage errors. */
export function readDescription(path: string): References {
  const references = openDescription(path);
  const { openapi, swagger } = references.root;
  if (/^3\./.test(String(openapi))) return references;
  const found =
    swagger === undefined
      ? "it has no openapi: 3.x"
      : `it is of Swagger ${String(swagger)}; convert it first, for example with npx swagger2openapi`;
  throw new SpileError("usage", `${path} is not an OpenAPI description of version 3.0 or 3.1: ${found}`);
}

/** Returns the GET operation of a path; undefined if it has none. */
export function operationOf(path: string, { root, follow }: References): Operation | undefined {
  const item = follow(objectOf(root.paths)[path]);
  const get = follow(item.get);
  if (!isObject(item.get)) return undefined;
  const responses = objectOf(get.responses);
  const success = follow(
    responses["200"] ??
      responses["2XX"] ??
      responses.default ??
      Object.entries(responses).find(([status]) => /^2/.test(status))?.[1],
  );
  const contents = Object.entries(objectOf(success.content));
  const content = contents.find(([type]) => /[/+]json\b/.test(type)) ?? contents.find(([type]) => type === "*/*");
  const parameters = [item.parameters, get.parameters]
    .flatMap((list) => listOf(list))
    .map((one) => follow(one))
    .map((one): ValueObject => ({ ...one, schema: follow(one.schema) }));
  return {
    path,
    operation: get,
    parameters: [...new Map(parameters.map((one) => [`${String(one.in)} ${String(one.name)}`, one])).values()],
    schema: content === undefined ? undefined : follow(objectOf(content[1]).schema),
    headers: Object.keys(objectOf(success.headers)),
    servers: [get.servers, item.servers, root.servers].map(listOf).find(({ length }) => length > 0) ?? [],
  };
}

export function objectOf(value: Value | undefined): ValueObject {
  return isObject(value) ? value : {};
}

export function listOf(value: Value | undefined): readonly ValueObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
