import type { SmallResponse } from "../core/requests/request.ts";
import { type SourceInResponse, sourceKey, valuesInDocument } from "../core/runs/response-source.ts";
import type { StepAnswer } from "../core/runs/step-answer.ts";
import type { Secrets } from "../core/secrets/redact.ts";
import { isNumber, isObject, type Value, type ValueObject } from "../core/values/value.ts";
import { credentialsInAddress } from "../knowledge/credentials.ts";
import type { Step, WantedValue } from "./step.ts";

/**
 * Returns the values that are read from an answer. `document`: the body of the answer; undefined if it is not JSON. `time`: the
 * present time in Unix milliseconds.
 */
export function answerOf(
  { name, wantedValues, reuse }: Step,
  { header }: Pick<SmallResponse, "header">,
  document: Value | undefined,
  time: number,
): StepAnswer {
  const found = wantedValues.flatMap(({ source }): [string, Value][] => {
    const value = valueIn(source, header, document);
    return value === undefined ? [] : [[sourceKey(source), value]];
  });
  return { step: name, at: time, goodUntil: time + reuse, values: Object.fromEntries(found) };
}

function valueIn(
  source: SourceInResponse,
  header: SmallResponse["header"],
  document: Value | undefined,
): Value | undefined {
  if ("header" in source) return header(source.header)?.trim() || undefined;
  return document === undefined ? undefined : valuesInDocument(document, source);
}

/** Returns the document of the context `step`. */
export function contextOf(answers: readonly StepAnswer[]): ValueObject {
  return Object.fromEntries(answers.map(({ step, values }) => [step, values]));
}

/**
 * Registers the credentials among the values of an answer: values that are sent where credentials are sent, or that have the name
 * of a credential. In an address with a query, these are only the credentials in the query (the signature of a download). `all`:
 * registers every other value, too, for a login.
 */
export function concealAnswer(
  { values }: StepAnswer,
  wantedValues: readonly WantedValue[],
  secrets: Secrets,
  all: boolean,
): void {
  for (const { source, secret } of wantedValues) {
    for (const text of textsIn(values[sourceKey(source)])) {
      if (/[?&]/.test(text)) for (const carried of credentialsInAddress(text)) secrets.addCarried(carried);
      // A number of up to three digits is not a token, and masking it would hide page numbers.
      else if ((all || secret) && !/^\d{1,3}$/.test(text)) secrets.add(text, true);
    }
  }
}

function* textsIn(value: Value | undefined): Generator<string> {
  if (typeof value === "string") yield value;
  else if (isNumber(value)) yield value.toString();
  else if (Array.isArray(value)) for (const item of value as readonly Value[]) yield* textsIn(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* textsIn(item);
}
