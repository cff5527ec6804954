import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { listOf, UnsupportedError } from "../described/values.ts";
import { evaluate, expressionOf, shortLine } from "./evaluate.ts";
import { type JqColumns, path, program, truth } from "./jq-expression.ts";
import { pythonText } from "./meaning.ts";

/** The filter and the transformations of a stream's records, as a jq program for the output of spile. */
export interface StreamFilter {
  /** The jq program; undefined if the stream has no filter and no transformation. */
  readonly jq: string | undefined;
  /** The parts of the manifest that the program leaves out, with the reasons. */
  readonly differences: readonly string[];
}

/**
 * Translates the filter and the transformations of a stream into a jq program. Throws `UnsupportedError` if a part needs Python.
 */
export function filterOf(stream: ValueObject, selector: ValueObject, columns: JqColumns): StreamFilter {
  const differences: string[] = [];
  const translate = (what: string, program: () => string): readonly string[] => {
    try {
      return [program()];
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      differences.push(`${what} is left out of the jq program: ${error.message}`);
      return [];
    }
  };
  const { record_filter: filter } = selector;
  if (isObject(filter) && filter.type !== "RecordFilter" && filter.type !== undefined)
    throw new UnsupportedError(`it needs the record filter ${String(filter.class_name ?? filter.type)}`);
  const condition = isObject(filter) ? filter.condition : undefined;
  const filters =
    typeof condition === "string" && condition !== ""
      ? translate(`its filter ${shortLine(condition)}`, () => `select(${truth(expressionOf(condition), columns)})`)
      : [];
  const transformations = listOf(stream.transformations).flatMap((one) => {
    const type = String(one.type);
    const transform = transformers[type];
    if (/^Custom/.test(type)) throw new UnsupportedError(`it needs the transformation ${String(one.class_name)}`);
    return translate(`its transformation ${type}`, () => {
      if (transform === undefined) throw new UnsupportedError("spile does not know it");
      return transform(one, columns);
    });
  });
  const steps =
    selector.transform_before_filtering === true ? [...transformations, ...filters] : [...filters, ...transformations];
  const program = steps.filter((step) => step !== "");
  return { jq: program.length === 0 ? undefined : program.join(" | "), differences };
}

type Transformer = (component: ValueObject, columns: JqColumns) => string;

function pointerSteps(pointer: Value | undefined, columns: JqColumns): readonly string[] {
  return (Array.isArray(pointer) ? pointer : []).map((step: Value) => {
    const meaning =
      typeof step === "string" && step.includes("{{") ? evaluate(expressionOf(step), columns.scope) : undefined;
    if (meaning !== undefined && meaning.kind !== "value") throw new UnsupportedError("a name in it is computed");
    return pythonText(meaning === undefined ? step : meaning.value);
  });
}

function conditional({ condition }: ValueObject, columns: JqColumns, program: string): string {
  return typeof condition === "string" && condition !== ""
    ? `if ${truth(expressionOf(condition), columns)} then ${program} else . end`
    : program;
}

const transformers: Readonly<Record<string, Transformer>> = {
  AddFields: (component, columns) =>
    conditional(
      component,
      columns,
      listOf(component.fields)
        .map(
          ({ path: pointer, value }) => `${path(pointerSteps(pointer, columns))} = ${addedValue(value ?? "", columns)}`,
        )
        .join(" | "),
    ),
  RemoveFields: ({ field_pointers: pointers, condition }, columns) => {
    if (typeof condition === "string" && condition !== "")
      throw new UnsupportedError("it removes fields only under a condition");
    const all = (Array.isArray(pointers) ? pointers : []).map((pointer: Value) => pointerSteps(pointer, columns));
    const places = all
      .filter((keys) => !keys.includes("**"))
      .map((keys) =>
        keys
          .map((key) => (key === "*" ? "[]?" : path([key]).replace(/^\.\[/, "[")))
          .join("")
          .replace(/^\[/, ".["),
      );
    const names = all.filter((keys) => keys.includes("**")).map(nameAtAnyDepth);
    return [
      ...(places.length === 0 && names.length > 0 ? [] : [`del(${places.join(", ")})`]),
      ...(names.length === 0 ? [] : [`walk(if type == "object" then del(${names.join(", ")}) else . end)`]),
    ].join(" | ");
  },
  KeysToLower: () => "with_entries(.key |= ascii_downcase)",
  KeysReplace: ({ old, new: replacement }) =>
    `walk(if type == "object" then with_entries(.key |= (split(${JSON.stringify(String(old))}) | join(${JSON.stringify(String(replacement))}))) else . end)`,
  DpathFlattenFields: ({ field_path: pointer, delete_origin_value, replace_record, key_transformation }, columns) => {
    if (key_transformation !== undefined) throw new UnsupportedError("it renames the keys");
    const keys = pointerSteps(pointer, columns);
    if (keys.includes("*")) throw new UnsupportedError("its path has wildcards");
    const place = path(keys);
    if (replace_record === true) return `(${place} // .)`;
    const removed = delete_origin_value === true ? `del(${place})` : ".";
    return `(${place} // {}) as $inner | ${removed} | . + $inner`;
  },
};

/**
 * Returns the path of the member that a field pointer such as `["**", "name"]` removes from objects at any depth. Throws
 * `UnsupportedError`.
 */
function nameAtAnyDepth([depth, name, ...rest]: readonly string[]): string {
  if (depth !== "**" || name === undefined || name.includes("*") || rest.length > 0)
    throw new UnsupportedError("it removes a path of several names at any depth, but only a single name is supported");
  return path([name]);
}

function addedValue(value: Value, columns: JqColumns): string {
  if (typeof value !== "string") return valueText(value);
  const expression = expressionOf(value);
  const isNow = expression.kind === "call" && expression.operator === "now_utc";
  return isNow ? `(now | strftime("%Y-%m-%d %H:%M:%S+00:00"))` : `(${program(expression, columns)})`;
}
