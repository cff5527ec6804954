import { ConfigurationError } from "../core/errors.ts";
import { pointer } from "../core/path.ts";
import { isNumber, isObject, type Value } from "../core/value.ts";
import type { Job } from "../generated/configuration.ts";

/** The endpoints of a job, and how a run of one of several is called. Placeholders in them are yet to be filled. */
export interface Endpoint {
  readonly text: string;
  /** undefined: the job has this one alone, and it is no element of a list. */
  readonly name: string | undefined;
}

/**
 * What `endpoint` comes to: one, or the elements of a list in their order (contract C-13.5). `at` is the job's pointer. Throws
 * ConfigurationError where an expression gives no address.
 */
export function evaluatedEndpoints(
  { endpoint }: Job,
  at: string,
  evaluate: (value: Value) => Value,
): readonly Endpoint[] {
  if (typeof endpoint === "string") return [{ text: endpoint, name: undefined }];
  const found = evaluate(endpoint);
  const here = pointer(at, "endpoint");
  if (!Array.isArray(found)) return [{ text: addressText(found, here, ""), name: undefined }];
  const list = found as readonly Value[];
  if (list.length === 0) throw wrong(here, "comes out as an empty list");
  return list.map((item, index) => {
    const text = addressText(item, here, `element ${index + 1} of ${list.length} `);
    return { text, name: `endpoint ${JSON.stringify(text)}` };
  });
}

function addressText(value: Value, at: string, which: string): string {
  if (isNumber(value)) return value.toString();
  if (value === "") throw wrong(at, `${which}comes out as an empty text`);
  if (typeof value === "string") return value;
  throw wrong(at, `${which}comes out as ${kindOf(value)}`);
}

/** The value itself may be a secret. */
function kindOf(value: Value): string {
  if (Array.isArray(value)) return "a list in a list";
  return isObject(value) ? "an object" : String(value);
}

function wrong(at: string, what: string): ConfigurationError {
  return new ConfigurationError([{ pointer: at, message: `${what}, where an address or a path should be` }]);
}
