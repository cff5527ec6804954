import { SpileError } from "../core/errors.ts";
import { decodeForm, type Method, type Parameter } from "../core/requests/request.ts";
import { percentEncode } from "../core/text/percent-encoding.ts";
import { printable } from "../core/text/printable.ts";
import { isObject, parseValue, type Value } from "../core/values/value.ts";
import { isExpression } from "../expression/shape.ts";

/** A request body as a configuration writes it. */
export interface DescribedBody {
  readonly method: Exclude<Method, "GET">;
  readonly params: readonly Parameter[];
  /** The job's `lists`; undefined if no field of a form is a list. */
  readonly lists?: "repeat" | undefined;
}

/**
 * Reads a body by its Content-Type. Without one, a JSON object is read as JSON, and any other text as a form. A JSON object of the
 * type `text/plain` is JSON, too. A name that occurs several times in a form becomes a list. Throws usage errors for bodies that
 * spile cannot send: invalid JSON, JSON that is not an object or contains an expression, and other types.
 */
export function describeBody(text: string, contentType: string | undefined): DescribedBody {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const json = jsonOf(text);
  if (/\bjson\b/.test(type) || ((type === "" || type === "text/plain") && isObject(json))) {
    if (text.trim() === "") return { method: "POST", params: [] };
    if (json === undefined) throw refusalError(`the Content-Type of the body is ${type}, but the body is not JSON`);
    if (!isObject(json))
      throw refusalError("the body is JSON but not an object; spile sends JSON objects, which it builds from params");
    if (Object.values(json).some(containsExpression))
      throw refusalError(
        'the body holds an object with "attr", "function" or "time", which a configuration would read as an expression',
      );
    return { method: "POST", params: Object.entries(json).map(([name, value]) => ({ name, value })) };
  }
  if (type === "" || type === "application/x-www-form-urlencoded") {
    const params = formParameters(text);
    const lists = params.some(({ value }) => Array.isArray(value)) ? "repeat" : undefined;
    return { method: "FORM", params, lists };
  }
  throw refusalError(`a body of type ${printable(type)} cannot be sent; spile sends JSON objects and forms`);
}

/** Returns whether a value is or contains an expression: a run would evaluate it, while curl sends it unchanged. */
function containsExpression(value: Value): boolean {
  if (Array.isArray(value)) return value.some(containsExpression);
  return isObject(value) && (isExpression(value) || Object.values(value).some(containsExpression));
}

function jsonOf(text: string): Value | undefined {
  try {
    return parseValue(text);
  } catch {
    return undefined;
  }
}

/** Returns the decoded fields of a form, in the order in which their names first occur. */
function formParameters(text: string): readonly Parameter[] {
  const values = new Map<string, string[]>();
  for (const { name, value } of formPairs(text)) {
    const all = values.get(name);
    if (all === undefined) values.set(name, [value]);
    else all.push(value);
  }
  return [...values].map(([name, all]) => ({ name, value: all.length === 1 ? (all[0] ?? "") : all }));
}

function formPairs(text: string) {
  return text
    .split("&")
    .filter((piece) => piece !== "")
    .map((piece) => {
      const [name = "", ...rest] = piece.split("=");
      return { piece, name: decodeForm(name), value: decodeForm(rest.join("=")) };
    });
}

/** Returns a note about the fields of a form that spile sends with another percent-encoding; empty if there are none. */
export function formSpellingNotes(text: string): readonly string[] {
  const isRespelled = ({ piece, name, value }: ReturnType<typeof formPairs>[number]): boolean =>
    piece !== `${percentEncode(name)}=${percentEncode(value)}`;
  const names = new Set(formPairs(text).flatMap((pair) => (isRespelled(pair) ? [pair.name] : [])));
  return spellingNote([...names].map((name) => `${JSON.stringify(name)} of the form`));
}

/** Returns a note with the first ten of the places that are sent with another percent-encoding; empty if there are none. */
export function spellingNote(places: readonly string[]): readonly string[] {
  return places.length === 0 ? [] : [`sent with another percent-encoding: ${places.slice(0, 10).join(", ")}`];
}

function refusalError(message: string): SpileError {
  return new SpileError("usage", message);
}
