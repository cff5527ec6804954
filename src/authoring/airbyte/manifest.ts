import { boolYaml11Tag, FAILSAFE_SCHEMA, floatYaml11Tag, intYaml11Tag, load, mergeTag, nullYaml11Tag } from "js-yaml";
import { messageOf, SpileError } from "../../core/errors.ts";
import { exactNumber, isObject, type Value, type ValueObject } from "../../core/values/value.ts";
import { listOf, objectOf } from "../described/values.ts";

/** A low-code manifest of Airbyte with all references resolved. */
export interface Manifest {
  readonly streams: readonly ValueObject[];
  /** The components of `dynamic_streams`. Their streams exist only when the connector runs. */
  readonly dynamic: readonly ValueObject[];
  /** The JSON Schema of the connector's settings. */
  readonly specification: ValueObject;
  /** The rates that the API allows; empty if the manifest names none. */
  readonly budget: ValueObject;
}

/** Largest number of values in a manifest after references and aliases are resolved. Each use of a reference repeats its target. */
const maxValues = 2_000_000;

/** Members that describe records. They are dropped, because a configuration needs only the requests. */
const recordMembers: ReadonlySet<string> = new Set(["schema_loader", "schemas"]);

/** Reads a manifest in YAML or JSON. Throws a usage error if the text is no manifest or a reference cannot be resolved. */
export function readManifest(text: string, name: string): Manifest {
  const root = parseYaml(text, name);
  if (!isObject(root) || (root.type !== "DeclarativeSource" && !Array.isArray(root.streams)))
    throw new SpileError(
      "usage",
      `${name} is not an Airbyte manifest: it has no "type: DeclarativeSource" and no streams`,
    );
  const resolve = resolver(root, name);
  const component = (value: Value): readonly ValueObject[] => {
    const resolved = resolve(value);
    return isObject(resolved) ? [objectOf(withParameters(resolved, {}))] : [];
  };
  const { connection_specification: settings } = objectOf(resolve(root.spec ?? null));
  const budget = resolve(root.api_budget ?? null);
  return {
    streams: streamsOf(resolve, root.streams).flatMap(component),
    dynamic: listOf(root.dynamic_streams).flatMap(component),
    specification: objectOf(settings),
    budget: objectOf(budget),
  };
}

/** Returns the streams of a list. A stream inside `ConditionalStreams` gets their condition as its member `condition`. */
function streamsOf(resolve: (value: Value) => Value, streams: Value | undefined): readonly Value[] {
  return (Array.isArray(streams) ? streams : []).flatMap((one: Value) => {
    const resolved = resolve(one);
    if (isObject(resolved) && resolved.type === "StateDelegatingStream") return [fullStream(resolved)];
    if (!isObject(resolved) || resolved.type !== "ConditionalStreams") return [resolved];
    return streamsOf(resolve, resolved.streams).map((stream) => ({
      ...objectOf(stream),
      condition: resolved.condition ?? null,
    }));
  });
}

/** Returns the stream of the first run of a `StateDelegatingStream`, with a mark. With a state, Airbyte sends other requests. */
function fullStream({ name, full_refresh_stream, $parameters }: ValueObject): Value {
  return {
    ...objectOf(full_refresh_stream),
    ...(name === undefined ? {} : { name }),
    $parameters: { ...objectOf($parameters), ...objectOf(objectOf(full_refresh_stream).$parameters) },
    [delegationMark]: true,
  };
}

/** Name of the member that marks a stream of a `StateDelegatingStream`. */
export const delegationMark = "is delegated";

/** YAML 1.1, as Airbyte reads it, but times remain text. */
const schema = FAILSAFE_SCHEMA.withTags(mergeTag, nullYaml11Tag, boolYaml11Tag, intYaml11Tag, floatYaml11Tag);

function parseYaml(text: string, name: string): Value {
  try {
    return plain(load(text.replace(/^\uFEFF/, ""), { schema, json: true }), { remaining: maxValues });
  } catch (error) {
    throw new SpileError("usage", `cannot read the Airbyte manifest ${name}: ${messageOf(error).split("\n", 1)[0]}`, {
      cause: error,
    });
  }
}

/** Converts the parser's result to JSON. Throws if the result has too many values; an alias counts each time that it is used. */
function plain(value: unknown, budget: { remaining: number }): Value {
  budget.remaining -= 1;
  if (budget.remaining < 0) throw new Error(`it has more than ${maxValues} values, those of its aliases included`);
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, budget));
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint") return exactNumber(String(value));
  if (typeof value !== "object" || value === null) return value === undefined ? null : (value as Value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner, budget)]));
}

/**
 * Creates a function that replaces `$ref` objects and `#/...` texts by the values to which they refer. A member beside `$ref`
 * overrides the member of that name in the target.
 */
function resolver(root: ValueObject, name: string): (value: Value) => Value {
  let remaining = maxValues;
  const resolve = (value: Value, above: readonly string[]): Value => {
    remaining -= 1;
    if (remaining < 0)
      throw new SpileError("usage", `${name} has more than ${maxValues} values, those of its references included`);
    if (typeof value === "string" && value.startsWith("#/")) return follow(value, above);
    if (Array.isArray(value)) return value.map((item: Value) => resolve(item, above));
    if (!isObject(value)) return value;
    const members = Object.entries(value).filter(([key]) => key !== "$ref");
    const resolvedMembers = Object.fromEntries(
      members.map(([key, inner]) => [key, recordMembers.has(key) ? null : resolve(inner, above)] as const),
    );
    if (typeof value.$ref !== "string") return resolvedMembers;
    const target = follow(value.$ref, above);
    return isObject(target) ? { ...target, ...resolvedMembers } : target;
  };
  const follow = (reference: string, above: readonly string[]): Value => {
    if (above.includes(reference))
      throw new SpileError("usage", `${name}: the reference ${reference} refers to itself`);
    const found = valueAt(root, reference.replace(/^#\//, "").split("/"));
    if (found === undefined) throw new SpileError("usage", `${name}: the reference ${reference} refers to nothing`);
    return resolve(found, [...above, reference]);
  };
  return (value) => resolve(value, []);
}

/** Returns the value at a path. Several steps of the path may be one key that contains slashes. */
function valueAt(value: Value | undefined, steps: readonly string[]): Value | undefined {
  if (steps.length === 0 || value === undefined) return value;
  for (let length = 1; length <= steps.length; length += 1) {
    const key = steps.slice(0, length).join("/");
    const inner = Array.isArray(value) ? value[Number(key)] : objectOf(value)[key];
    const found = valueAt(inner, steps.slice(length));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Passes `$parameters` down to the components below. A parameter becomes a member of a component that has no such member. */
function withParameters(value: Value, around: ValueObject): Value {
  if (Array.isArray(value)) return value.map((item: Value) => withParameters(item, around));
  if (!isObject(value)) return value;
  const { $parameters, ...given } = value;
  // A component with `class_name` may omit `type`.
  const component: ValueObject =
    typeof given.class_name === "string" && given.type === undefined ? { ...given, type: "Custom" } : given;
  const parameters = { ...around, ...objectOf($parameters) };
  const isComponent = typeof component.type === "string" && component.type !== "object";
  const filled = isComponent ? { ...parameters, ...present(component) } : component;
  const members = Object.entries(filled).map(([key, inner]) => {
    if (!Object.hasOwn(component, key)) return [key, inner] as const;
    const { [key]: _excluded, ...rest } = parameters;
    return [key, withParameters(inner, rest)] as const;
  });
  return { ...Object.fromEntries(members), ...(isComponent ? { $parameters: parameters } : {}) };
}

/** Drops members that are null or empty, so that parameters replace them. */
function present(members: ValueObject): ValueObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== ""));
}
