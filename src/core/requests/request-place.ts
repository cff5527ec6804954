import { SpileError } from "../errors.ts";
import { isIndex, type Path, parsePath } from "../values/path.ts";
import { isObject, scalarText, type Value } from "../values/value.ts";
import { withEndpointValue } from "./endpoint-place.ts";
import {
  decodeForm,
  type OwnParameter,
  type Parameter,
  type Request,
  withHeaders,
  withParameters,
  withQueryParameters,
} from "./request.ts";

/**
 * A place in a request as configured: the name of a parameter, a path inside the parameters or the query, a name in the
 * endpoint, or a header.
 */
export type ConfiguredPlace =
  | string
  | { readonly [K in "path" | "query" | "delimiter" | "endpoint" | "header"]?: string };

/**
 * A place in a request. `path`: a path in the parameters, wherever the method carries them; a path of one step is a parameter.
 * `query`: a path in the query. `endpoint`: a name in braces in the endpoint. `header`: the name of a header.
 */
export type PlaceInRequest =
  | { readonly path: Path }
  | { readonly query: Path }
  | { readonly endpoint: string }
  | { readonly header: string };

export interface PlacedValue {
  readonly place: PlaceInRequest;
  readonly value: Value;
}

export function placeOf(place: ConfiguredPlace): PlaceInRequest {
  if (typeof place === "string") return { path: [place] };
  if (place.header !== undefined) return { header: place.header };
  if (place.endpoint !== undefined) return { endpoint: place.endpoint };
  if (place.query !== undefined) return { query: parsePath(place.query, place.delimiter) };
  return { path: parsePath(place.path ?? "", place.delimiter) };
}

/** Describes a place for people: `page[size]`, `page[size] in the query`, `the header X-Cursor`. */
export function placeName(place: PlaceInRequest): string {
  if ("header" in place) return `the header ${place.header}`;
  if ("endpoint" in place) return `{${place.endpoint}} in the endpoint`;
  return "query" in place ? `${bracketed(place.query)} in the query` : bracketed(place.path);
}

/** Returns the value that the job itself has at a place. Undefined for a place in the endpoint. */
export function valueAtPlace(parameters: readonly OwnParameter[], place: PlaceInRequest): Value | undefined {
  if ("endpoint" in place) return undefined;
  if ("header" in place) {
    const headerName = place.header.toLowerCase();
    return parameters.findLast(({ name, carrier }) => carrier === "header" && name.toLowerCase() === headerName)?.value;
  }
  const [[root, ...rest], other] = "query" in place ? [place.query, "body"] : [place.path, "query"];
  const isOther = (carrier: OwnParameter["carrier"]): boolean => carrier === other || carrier === "header";
  let value = parameters.findLast(({ name, carrier }) => name === root && !isOther(carrier))?.value;
  for (const step of rest) value = memberOf(value, step);
  return value;
}

/**
 * Puts values into a request at their places, and creates missing objects on a path. Throws SpileError `configuration` if a path
 * leads into a value that is not an object, or if the endpoint does not contain the name; `data` if a header or the endpoint cannot
 * contain the value.
 */
export function withValues(request: Request, values: readonly PlacedValue[]): Request {
  return values.reduce((result, { place, value }) => {
    if ("header" in place) return withHeader(result, place.header, value);
    if ("endpoint" in place) return withEndpointValue(result, place.endpoint, value);
    return "query" in place ? withQueryAt(result, place.query, value) : withParameterAt(result, place.path, value);
  }, request);
}

function withParameterAt(request: Request, path: Path, value: Value): Request {
  if (request.body === undefined) return withQueryAt(request, path, value);
  const [root = "", ...rest] = path;
  const bodyValue = request.body.find(({ name }) => name === root)?.value;
  return withParameters(request, [{ name: root, value: put(bodyValue, rest, value, path) }]);
}

function withQueryAt(request: Request, path: Path, value: Value): Request {
  const [root = "", ...rest] = path;
  if (rest.length === 0) return withQueryParameters(request, [{ name: root, value }]);
  const queryValue = request.query.find((item): item is Parameter => item.name === root && "value" in item)?.value;
  const parameter = { name: root, value: put(queryValue, rest, value, path) };
  // Among the parameters in the address itself, only the one at exactly this place is replaced.
  const bracketedName = bracketed(path);
  const siblings = request.query.filter(
    (item) => item.name === root && "raw" in item && nameOf(item.raw) !== bracketedName,
  );
  const others = request.query.filter((item) => !siblings.includes(item));
  const index = request.query.findIndex((item) => siblings.includes(item));
  const placed = withQueryParameters({ ...request, query: others }, [parameter]);
  return index < 0
    ? placed
    : { ...placed, query: [...placed.query.slice(0, index), ...siblings, ...placed.query.slice(index)] };
}

function put(current: Value | undefined, path: Path, value: Value, fullPath: Path): Value {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = put(memberOf(current, step), rest, value, fullPath);
  if (Array.isArray(current) && current.length > 0) {
    const index = isIndex(step) ? Number(step) : Number.NaN;
    if (index <= current.length) return Object.assign([...current], { [index]: inner });
  } else if (current === undefined || current === null || Array.isArray(current)) return { [step]: inner };
  else if (isObject(current)) return { ...current, [step]: inner };
  const conflictingName = bracketed(fullPath.slice(0, fullPath.length - path.length));
  throw new SpileError(
    "configuration",
    `${JSON.stringify(conflictingName)} in the parameters is not an object, but ${JSON.stringify(bracketed(fullPath))} needs one`,
  );
}

function memberOf(value: Value | undefined, step: string): Value | undefined {
  if (Array.isArray(value)) return isIndex(step) ? value[Number(step)] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function withHeader(request: Request, name: string, value: Value): Request {
  const text = scalarText(value)?.trim();
  if (text === undefined || !/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text)) {
    throw new SpileError("data", `the value from the response is not allowed in the header ${name}`);
  }
  return { ...request, headers: withHeaders(request.headers, [[name, text]]) };
}

/** Returns a path as the name of a parameter in a query: `page[size]`. */
export function bracketed([root = "", ...rest]: Path): string {
  return root + rest.map((step) => `[${step}]`).join("");
}

function nameOf(raw: string): string {
  return decodeForm(raw.split("=", 1)[0] ?? "");
}
