import assert from "node:assert/strict";
import { Ajv, type ValidateFunction } from "ajv";

/** A RECORD message. */
export interface SingerRecord {
  readonly stream: string;
  /** Text of the record in the message. */
  readonly raw: string;
  /** Time in Unix milliseconds. */
  readonly at: number;
}

export interface SingerOutput {
  /** The schemas, by stream, in the order of their messages. */
  readonly schemas: ReadonlyMap<string, { readonly schema: object; readonly key: readonly string[] }>;
  readonly records: readonly SingerRecord[];
  /** The value of each STATE, and the number of records before it. */
  readonly states: readonly { readonly value: Record<string, unknown>; readonly before: number }[];
}

const recordMessage = /^\{"type":"RECORD","stream":"(?:[^"\\]|\\.)*","time_extracted":"[^"]*","record":(.*)\}$/s;
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads the output of a tap and checks each message against the specification: its members and their types; one schema before the
 * records of its stream; keys that are in the schema and in each record; records that the schema accepts.
 */
export function readSinger(output: string): SingerOutput {
  assert.ok(output === "" || output.endsWith("\n"), `the last line is cut: ${output.slice(-100)}`);
  const schemas = new Map<string, { schema: object; key: readonly string[]; passes: ValidateFunction }>();
  const records: SingerRecord[] = [];
  const states: { value: Record<string, unknown>; before: number }[] = [];
  for (const line of output.split("\n").slice(0, -1)) {
    const message = JSON.parse(line) as Record<string, unknown>;
    const { type, stream } = message;
    if (type === "STATE") {
      assert.deepEqual(Object.keys(message).sort(), ["type", "value"]);
      assert.ok(isObject(message.value), line);
      assert.ok(isObject(message.value.bookmarks), line);
      states.push({ value: message.value, before: records.length });
      continue;
    }
    assert.ok(typeof stream === "string", line);
    if (type === "SCHEMA") {
      const { schema, key_properties: key } = message;
      assert.deepEqual(Object.keys(message).sort(), ["key_properties", "schema", "stream", "type"]);
      assert.ok(isObject(schema) && isObject(schema.properties), line);
      assert.ok(Array.isArray(key) && key.every((name) => typeof name === "string"), line);
      for (const name of key) assert.ok(Object.hasOwn(schema.properties, name), `${name} is no property of ${line}`);
      assert.ok(!schemas.has(stream), `a second schema of ${stream}`);
      schemas.set(stream, { schema, key, passes: new Ajv({ strict: false, validateFormats: false }).compile(schema) });
      continue;
    }
    assert.equal(type, "RECORD", line);
    assert.deepEqual(Object.keys(message).sort(), ["record", "stream", "time_extracted", "type"]);
    const { record, time_extracted: time } = message;
    const known = schemas.get(stream);
    assert.ok(known !== undefined, `a record of ${stream} before its schema`);
    assert.ok(isObject(record), line);
    assert.ok(known.passes(record), `${line}: ${JSON.stringify(known.passes.errors)}`);
    for (const name of known.key) assert.ok(Object.hasOwn(record, name), `${line} lacks ${name}`);
    assert.match(String(time), dateTime);
    records.push({ stream, raw: recordMessage.exec(line)?.[1] ?? assert.fail(line), at: Date.parse(String(time)) });
  }
  return { schemas, records, states };
}

/** Returns the lines of a run without `--singer` in the form of its messages: a value that is not an object becomes `{"data": ...}`. */
export function asSinger(lines: readonly string[]): string[] {
  return lines.map((line) => (line.startsWith("{") ? line : `{"data":${line}}`));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
