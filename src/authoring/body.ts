import { SpileError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { decodeForm, type Method, type Parameter } from "../core/request.ts";
import { isObject, parseValue, type Value } from "../core/value.ts";

/** A request's body as spile sends bodies. */
export interface DescribedBody {
  readonly method: Exclude<Method, "GET">;
  readonly params: readonly Parameter[];
}

/**
 * Reads a body by its Content-Type (JSON where it is none and looks so). Throws usage errors for what spile cannot send: JSON
 * that is no object, forms with a name twice, other types.
 */
export function describeBody(text: string, contentType: string | undefined): DescribedBody {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const json = jsonOf(text);
  if (/[/+]json$/.test(type) || ((type === "" || type === "text/plain") && isObject(json))) {
    if (text.trim() === "") return { method: "POST", params: [] };
    if (json === undefined) throw refused(`the body is to be ${type}, but is not JSON`);
    if (!isObject(json)) throw refused("the body is JSON but no object; spile sends JSON objects, made of params");
    return { method: "POST", params: Object.entries(json).map(([name, value]) => ({ name, value })) };
  }
  if (type === "" || type === "application/x-www-form-urlencoded")
    return { method: "FORM", params: formParameters(text) };
  throw refused(`a body of type ${printable(type)} cannot be sent; spile sends JSON objects and forms`);
}

function jsonOf(text: string): Value | undefined {
  try {
    return parseValue(text);
  } catch {
    return undefined;
  }
}

/** The pairs of a form, decoded, in order. */
function formParameters(text: string): readonly Parameter[] {
  const params: Parameter[] = [];
  for (const piece of text.split("&").filter((one) => one !== "")) {
    const [name = "", ...rest] = piece.split("=");
    const decoded = decodeForm(name);
    if (params.some((one) => one.name === decoded)) {
      throw refused(
        `the form has ${JSON.stringify(printable(decoded))} several times, which spile would send as ${printable(decoded)}[0]`,
      );
    }
    params.push({ name: decoded, value: decodeForm(rest.join("=")) });
  }
  return params;
}

function refused(message: string): SpileError {
  return new SpileError("usage", message);
}
