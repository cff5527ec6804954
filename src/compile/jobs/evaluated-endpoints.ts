import { ConfigurationError, SpileError } from "../../core/errors.ts";
import { pointerTo } from "../../core/values/path.ts";
import { isNumber, isObject, type Value } from "../../core/values/value.ts";
import type { Job } from "../../generated/configuration.ts";

/** An endpoint of a job, whose placeholders are not filled yet. */
export interface Endpoint {
  readonly text: string;
  /** Name of the run with this endpoint; undefined if the endpoint is not an element of a list. */
  readonly name: string | undefined;
}

export interface EndpointOptions {
  /** The job's pointer. */
  readonly pointer: string;
  /**
   * True if the endpoint comes from the answers to steps. It may then be a secret, and an empty list means that there is
   * nothing to fetch.
   */
  readonly isFromAnswers: boolean;
  evaluate(value: Value): Value;
}

/**
 * Evaluates `endpoint` to one endpoint or to the elements of a list in order (contract C-13.5); to none if the answer to a step is
 * null or an empty list. Throws ConfigurationError if an expression gives anything else, SpileError `data` if an answer does.
 */
export function evaluatedEndpoints(
  { endpoint }: Job,
  { pointer, isFromAnswers, evaluate }: EndpointOptions,
): readonly Endpoint[] {
  if (typeof endpoint === "string") return [{ text: endpoint, name: undefined }];
  const found = evaluate(endpoint);
  const wrong = (what: string): SpileError =>
    isFromAnswers ? wrongAnswer(what) : wrongValue(pointerTo(pointer, "endpoint"), what);
  // With null, the answer lacks an optional address: there is nothing to fetch.
  if (isFromAnswers && found === null) return [];
  if (!Array.isArray(found)) return [{ text: addressText(found, wrong, ""), name: undefined }];
  const list = found as readonly Value[];
  if (list.length === 0 && !isFromAnswers) throw wrong("evaluates to an empty list");
  return list.map((item, index) => {
    const text = addressText(item, wrong, `element ${index + 1} of ${list.length} `);
    return {
      text,
      name: isFromAnswers ? `address ${index + 1} of ${list.length}` : `endpoint ${JSON.stringify(text)}`,
    };
  });
}

function addressText(value: Value, wrong: (what: string) => SpileError, which: string): string {
  if (isNumber(value)) return value.toString();
  if (value === "") throw wrong(`${which}evaluates to an empty text`);
  if (typeof value === "string") return value;
  throw wrong(`${which}evaluates to ${kindOf(value)}`);
}

/** Returns the kind of a value for a message. The value itself may be a secret. */
function kindOf(value: Value): string {
  if (Array.isArray(value)) return "a list in a list";
  return isObject(value) ? "an object" : String(value);
}

const right = "it must be an address or a path";

function wrongValue(pointer: string, what: string): SpileError {
  return new ConfigurationError([{ pointer, message: `${what}; ${right}` }]);
}

function wrongAnswer(what: string): SpileError {
  return new SpileError("data", `the endpoint from the answers to steps: ${what}; ${right}`);
}
