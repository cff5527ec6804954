import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";
import { listOf, Unsayable } from "../described/values.ts";
import { evaluate, expressionOf, shortened } from "./evaluate.ts";
import { type JqColumns, path, program, truth } from "./jq-expression.ts";
import { pythonText } from "./meaning.ts";

/** Work on the records of a stream that jq does after spile. */
export interface StreamFilter {
  /** The program of jq; undefined if there is nothing to do. */
  readonly jq: string | undefined;
  /** Parts of the manifest that the program of jq leaves out. */
  readonly remarks: readonly string[];
}

/** Returns the filter and the transformations of a stream as a program of jq. Throws `Unsayable` if a part needs Python. */
export function filterOf(stream: ValueObject, selector: ValueObject, columns: JqColumns): StreamFilter {
  const remarks: string[] = [];
  const say = (what: string, program: () => string): readonly string[] => {
    try {
      return [program()];
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      remarks.push(`${what} is left out of the program of jq: ${error.message}`);
      return [];
    }
  };
  const { record_filter: filter } = selector;
  if (isObject(filter) && filter.type !== "RecordFilter" && filter.type !== undefined)
    throw new Unsayable(`it needs the record filter ${String(filter.class_name ?? filter.type)}`);
  const condition = isObject(filter) ? filter.condition : undefined;
  const filters =
    typeof condition === "string" && condition !== ""
      ? say(`its filter ${shortened(condition)}`, () => `select(${truth(expressionOf(condition), columns)})`)
      : [];
  const transformations = listOf(stream.transformations).flatMap((one) => {
    const type = String(one.type);
    const transform = transformers[type];
    if (/^Custom/.test(type)) throw new Unsayable(`it needs the transformation ${String(one.class_name)}`);
    return say(`its transformation ${type}`, () => {
      if (transform === undefined) throw new Unsayable("it is not known here");
      return transform(one, columns);
    });
  });
  const steps =
    selector.transform_before_filtering === true ? [...transformations, ...filters] : [...filters, ...transformations];
  const program = steps.filter((step) => step !== "");
  return { jq: program.length === 0 ? undefined : program.join(" | "), remarks };
}

type Transformer = (component: ValueObject, columns: JqColumns) => string;

function steps(pointer: Value | undefined, columns: JqColumns): readonly string[] {
  return (Array.isArray(pointer) ? pointer : []).map((step: Value) => {
    const meaning =
      typeof step === "string" && step.includes("{{") ? evaluate(expressionOf(step), columns.scope) : undefined;
    if (meaning !== undefined && meaning.kind !== "value") throw new Unsayable("a name in it is computed");
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
        .map(({ path: pointer, value }) => `${path(steps(pointer, columns))} = ${added(value ?? "", columns)}`)
        .join(" | "),
    ),
  RemoveFields: ({ field_pointers: pointers, condition }, columns) => {
    if (typeof condition === "string" && condition !== "") throw new Unsayable("its fields go by their values");
    const all = (Array.isArray(pointers) ? pointers : []).map((pointer: Value) => steps(pointer, columns));
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
    if (key_transformation !== undefined) throw new Unsayable("it renames the keys");
    const keys = steps(pointer, columns);
    if (keys.includes("*")) throw new Unsayable("its path has wildcards");
    const place = path(keys);
    if (replace_record === true) return `(${place} // .)`;
    const removed = delete_origin_value === true ? `del(${place})` : ".";
    return `(${place} // {}) as $inner | ${removed} | . + $inner`;
  },
};

/** Returns the path of the member that a pointer such as `**`, `name` removes from objects at any depth. Throws `Unsayable`. */
function nameAtAnyDepth([depth, name, ...rest]: readonly string[]): string {
  if (depth !== "**" || name === undefined || name.includes("*") || rest.length > 0)
    throw new Unsayable("its fields are below objects at any depth");
  return path([name]);
}

function added(value: Value, columns: JqColumns): string {
  if (typeof value !== "string") return valueText(value);
  const expression = expressionOf(value);
  const isNow = expression.kind === "call" && expression.operator === "now_utc";
  return isNow ? `(now | strftime("%Y-%m-%d %H:%M:%S+00:00"))` : `(${program(expression, columns)})`;
}
