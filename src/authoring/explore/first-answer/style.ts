import { isObject, type Value, valueText } from "../../../core/values/value.ts";
import { wordsOf } from "../../../knowledge/words.ts";
import { capital } from "../finding.ts";
import { type FirstPage, isHeader, isInQuery, nameOf, pathValue, queryPlace } from "./first-page.ts";
import { prefixOf } from "./names.ts";

/** Style of a name: the text around its words, and the ways to join the words. */
interface Style {
  readonly before: string;
  readonly after: string;
  readonly join: (words: readonly string[]) => readonly string[];
}

const snake = (words: readonly string[]): string => words.join("_");
const camel = ([first = "", ...rest]: readonly string[]): string => first + rest.map(capital).join("");
const flat = (words: readonly string[]): string => words.join("");
const kebab = (words: readonly string[]): string => words.join("-");
const pascal = (words: readonly string[]): string => words.map(capital).join("");

/** Returns the ways to join the words of a name like this one; snake case and camel case if this name does not show a way. */
function joinOf(name: string): Style["join"] {
  if (/^[A-Z]{2}[A-Z_]*$/.test(name)) return (words) => [snake(words).toUpperCase()];
  if (name.includes("-")) return (words) => [kebab(words)];
  if (name.includes("_")) return (words) => [snake(words), camel(words)];
  if (/^[A-Z]/.test(name)) return (words) => [pascal(words)];
  if (/[a-z][A-Z]/.test(name)) return (words) => [camel(words), snake(words)];
  if (/^[a-z]+$/.test(name) && wordsOf(name).length > 1) return (words) => [flat(words), snake(words), camel(words)];
  return (words) => [snake(words), camel(words)];
}

function styleOf(name: string): Style {
  const [, before, inner, after] = /^(.*\[)([^\][]+)(\])$/.exec(name) ?? [];
  if (before !== undefined && inner !== undefined && after !== undefined) return { before, after, join: joinOf(inner) };
  const prefix = prefixOf(name);
  return { before: prefix, after: "", join: joinOf(name.slice(prefix.length)) };
}

/**
 * Returns places for parameters with these names, each given as its words. First come places in the spelling of the model (see
 * `modelOf`), else of `field`, else of the answer's fields; in a body, they are in the object that contains the model. The usual
 * spellings of APIs follow.
 */
export function placesFor(names: readonly (readonly string[])[], page: FirstPage, field = ""): readonly Value[] {
  const model = modelOf(page);
  const name = model !== undefined ? lastStep(nameOf(model)) : field === "" ? answerStyle(page) : field;
  const style = styleOf(name);
  const styled = names.flatMap((words) => style.join(words).map((text) => placeBeside(model, inStyle(style, text))));
  const others = [isObject(model) ? name : "", ""].flatMap((one) => names.flatMap((words) => joinOf(one)(words)));
  const capitals = names.filter(({ length }) => length === 1).map(pascal);
  // In a body, a parameter with the name of the object around the page size would replace that object.
  const around = nameOf(model ?? "")
    .split(".")
    .slice(0, -1);
  const plain = [...others, ...capitals].filter((one) => !isObject(model) || !around.includes(one));
  const places = [
    ...styled,
    ...(model === undefined ? plain : plain.map((one) => (isInQuery(model) ? queryPlace(one) : one))),
  ];
  // A request with a body and without a page size may send its paging in the body or in the query.
  if (model === undefined && page.description.method !== "GET") places.push(...plain.map(queryPlace));
  return distinctPlaces(places);
}

export function distinctPlaces(places: readonly Value[]): readonly Value[] {
  return [...new Map(places.map((place) => [valueText(place), place])).values()];
}

/** Returns whether the names of the request's paging parameters have brackets, an object around them, or a prefix. */
export function hasNamingStyle(page: FirstPage): boolean {
  const name = nameOf(modelOf(page) ?? "");
  return name.includes("[") || name.includes(".") || prefixOf(name) !== "";
}

/**
 * Returns a name in a style. Inside brackets, the name of the group is not repeated: `page[size]` goes with `page[after]`, not
 * with `page[page_after]`.
 */
function inStyle({ before, after }: Style, text: string): string {
  const [group = ""] = wordsOf(before);
  const words = wordsOf(text);
  const shorter = after !== "" && words.length > 1 && words[0] === group ? text.replace(/^[a-z]+[_-]?/i, "") : text;
  return `${before}${/^[A-Z]/.test(text) ? shorter : shorter.charAt(0).toLowerCase() + shorter.slice(1)}${after}`;
}

/**
 * Returns the place of a parameter whose spelling is the model for other paging parameters: the request's page size, or else its
 * page number or offset. Headers do not count.
 */
export function modelOf({ requestParameters }: FirstPage): Value | undefined {
  const usable = requestParameters.filter(({ place }) => !isHeader(place));
  const sizeParameter = usable.find(({ meaning, value }) => meaning === "size" && /^[0-9]+$/.test(String(value)));
  const other = usable.find(({ meaning }) => meaning === "page" || meaning === "offset");
  return (sizeParameter ?? other)?.place;
}

/** Returns the place of a parameter beside the model: in the query, or in the same object of a JSON body. */
export function placeBeside(model: Value | undefined, name: string): Value {
  if (model !== undefined && isInQuery(model)) return queryPlace(name);
  if (!isObject(model) || typeof model.path !== "string") return name;
  const delimiter = typeof model.delimiter === "string" ? model.delimiter : ".";
  const steps = model.path.split(delimiter);
  return steps.length < 2 ? name : pathValue([...steps.slice(0, -1), name]);
}

function lastStep(name: string): string {
  return name.includes("[") ? name : (name.split(".").at(-1) ?? name);
}

/** Returns a name of the answer as the model for parameters if all its names begin with a capital letter, else "". */
function answerStyle({ document, fields }: FirstPage): string {
  const names = [...(isObject(document) ? Object.keys(document) : []), ...fields.map(({ path }) => path.at(-1) ?? "")];
  return names.length > 0 && names.every((name) => /^[A-Z]/.test(name)) ? (names[0] ?? "") : "";
}
