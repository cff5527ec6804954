import type { Dataset } from "../../core/runs/dataset.ts";
import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";

/* The messages of the Singer specification, each a line of JSON. The specification calls a dataset a "stream". */

/** Returns the message that describes the records of a dataset. */
export function schemaMessage(dataset: Dataset): string {
  const { name, key = [] } = dataset;
  return line({ type: "SCHEMA", stream: name, schema: schemaOf(dataset), key_properties: key });
}

/**
 * Returns the job's schema; without one, a schema that accepts every record. If `properties` is missing, it is added with the
 * members of the key: the specification requires them, and some targets refuse a schema without `properties`.
 */
export function schemaOf({ schema, key = [] }: Dataset): ValueObject {
  if (schema !== undefined) return isObject(schema.properties) ? schema : { ...schema, properties: anyProperties(key) };
  return { type: "object", properties: anyProperties(key), additionalProperties: true };
}

function anyProperties(names: readonly string[]): ValueObject {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** Returns the beginning of a RECORD message, up to the record. `receivedAt`: when the answer came, in Unix milliseconds. */
export function recordBeginning(name: string, receivedAt: number): Buffer {
  const time = JSON.stringify(new Date(receivedAt).toISOString());
  return Buffer.from(`{"type":"RECORD","stream":${JSON.stringify(name)},"time_extracted":${time},"record":`);
}

const lineFeed = 0x0a;
const openBrace = 0x7b;
const dataKey = Buffer.from('{"data":');
const closing = Buffer.from("}");
const closingLine = Buffer.from("}\n");

/**
 * Returns the RECORD messages for whole lines. `records`: the number of lines. An object's bytes stay unchanged. Any other record
 * becomes `{"data": <record>}`.
 */
export function recordMessages(lines: Buffer, records: number, beginning: Buffer): Buffer {
  const maxAdded = beginning.length + dataKey.length + closing.length + closingLine.length;
  const messages = Buffer.allocUnsafe(lines.length + records * maxAdded);
  let length = 0;
  const put = (bytes: Buffer): void => {
    messages.set(bytes, length);
    length += bytes.length;
  };
  for (let start = 0, end = lines.indexOf(lineFeed); end >= 0; start = end + 1, end = lines.indexOf(lineFeed, start)) {
    const isBare = lines[start] !== openBrace;
    put(beginning);
    if (isBare) put(dataKey);
    put(lines.subarray(start, end));
    if (isBare) put(closing);
    put(closingLine);
  }
  return messages.subarray(0, length);
}

/**
 * Returns the message with a state. When a target has stored all records before this message, it prints the state. The next run
 * reads the last state that the target printed.
 */
export function stateMessage(value: Value): string {
  return line({ type: "STATE", value });
}

function line(message: ValueObject): string {
  return `${valueText(message)}\n`;
}
