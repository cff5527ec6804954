import type { Dataset } from "../../core/runs/dataset.ts";
import { isObject, type Value, type ValueObject, valueText } from "../../core/values/value.ts";

/* The messages of the Singer specification, each a line of JSON. The specification calls a dataset a "stream". */

/** Returns the message that describes the records of a dataset. */
export function schemaMessage(dataset: Dataset): string {
  const { name, key = [] } = dataset;
  return line({ type: "SCHEMA", stream: name, schema: schemaOf(dataset), key_properties: key });
}

/**
 * Returns the schema that the job gives, else one that accepts every record. The specification requires each key among the
 * schema's properties, and some targets always require properties.
 */
export function schemaOf({ schema, key = [] }: Dataset): ValueObject {
  if (schema !== undefined) return isObject(schema.properties) ? schema : { ...schema, properties: anything(key) };
  return { type: "object", properties: anything(key), additionalProperties: true };
}

function anything(names: readonly string[]): ValueObject {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

/** Returns the text before each record of a dataset. `receivedAt`: when the answer came, in Unix milliseconds. */
export function recordBeginning(name: string, receivedAt: number): Buffer {
  const time = JSON.stringify(new Date(receivedAt).toISOString());
  return Buffer.from(`{"type":"RECORD","stream":${JSON.stringify(name)},"time_extracted":${time},"record":`);
}

const lineFeed = 0x0a;
const openBrace = 0x7b;
const dataKey = Buffer.from('{"data":');
const closing = Buffer.from("}");
const closingLine = Buffer.from("}\n");

/** Returns whole lines of records as messages. The bytes of an object stay unchanged. Any other record becomes `{"data": <record>}`. */
export function recordMessages(lines: Buffer, records: number, beginning: Buffer): Buffer {
  const most = beginning.length + dataKey.length + closing.length + closingLine.length;
  const messages = Buffer.allocUnsafe(lines.length + records * most);
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

/** Returns the message with a state. A target stores it when all records before it are safe, and the next run gets it. */
export function stateMessage(value: Value): string {
  return line({ type: "STATE", value });
}

function line(message: ValueObject): string {
  return `${valueText(message)}\n`;
}
