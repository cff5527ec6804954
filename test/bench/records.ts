import { LosslessNumber, stringify } from "lossless-json";
import { plainText, type Value, type ValueObject, valueText } from "../../src/core/values/value.ts";

/*
 * The data of the bench's server: documents {"status":"ok","data":{"items":[...]},"meta":{"total":n}}, or files of records. The
 * records have about 1 KB, and are made once and repeated. The first record of a page has the number of the page, so that all
 * pages differ. The bytes are always the same. Numbers are like those of real APIs: beyond 2^53, or with trailing zeros.
 */
export type Style = "compact" | "texts" | "pretty" | "ndjson" | "csv";

/** The form of records in a response: the text before, between and after the records, and the records. */
interface Writing {
  readonly head: string;
  readonly comma: "," | "";
  tail(total: number): string;
  text(record: Value): string;
  /** Returns the line that an extractor must write for a record. */
  line(record: Value): string;
}

export const blockRecords = 1000;

/** Records, each followed by a comma if the style has commas, and the lines that an extractor must write for them. */
export interface Block {
  readonly records: number;
  readonly text: Buffer;
  readonly lines: Buffer;
}

const blocks = new Map<string, Block>();

export function block(count: number, style: Style): Block {
  const key = `${count} ${style}`;
  const known = blocks.get(key);
  if (known !== undefined) return known;
  const values = Array.from({ length: count }, (_, index) => record(index));
  const made = {
    records: count,
    text: Buffer.from(values.map((value) => styles[style].text(value) + styles[style].comma).join("")),
    lines: Buffer.from(values.map((value) => `${styles[style].line(value)}\n`).join("")),
  };
  blocks.set(key, made);
  return made;
}

/** Returns a response of this number of blocks, made of few shared pieces. */
export function document(blocks: number, style: Style): readonly Buffer[] {
  const { head, comma, tail } = styles[style];
  const { text } = block(blockRecords, style);
  return [
    Buffer.from(head),
    ...Array.from({ length: blocks - 1 }, () => text),
    text.subarray(0, text.length - comma.length),
    Buffer.from(tail(blocks * blockRecords)),
    // Node's crc32 starts over for an empty piece.
  ].filter(({ length }) => length > 0);
}

/** Returns the record at the beginning of page `page`. Its length is always the same. */
export function pageRecord(page: number): string {
  return `{"page":"${String(page).padStart(9, "0")}"}`;
}

/** Returns the number of blocks that make about this number of megabytes. */
export function blocksOf(megabytes: number, style: Style): number {
  return Math.max(1, Math.round((megabytes * 1e6) / block(blockRecords, style).text.length));
}

const compact: Writing = {
  head: '{"status":"ok","data":{"items":[',
  comma: ",",
  tail: (total) => `]},"meta":{"total":${total}}}`,
  text: valueText,
  line: valueText,
};

export const styles: Readonly<Record<Style, Writing>> = {
  compact,
  texts: { ...compact, text: prose, line: prose },
  pretty: {
    head: '{\n  "status": "ok",\n  "data": {\n    "items": [',
    comma: ",",
    tail: (total) => `\n    ]\n  },\n  "meta": {\n    "total": ${total}\n  }\n}\n`,
    text: (value) => `\n${(stringify(value, null, 2) ?? "").replaceAll(/^/gm, "      ")}`,
    line: valueText,
  },
  ndjson: { head: "", comma: "", tail: () => "", text: (value) => `${valueText(value)}\n`, line: valueText },
  csv: {
    head: "id,uuid,name,email,active,balance,score,createdAt,tags,street,city,note,link\r\n",
    comma: "",
    tail: () => "",
    text: (value) => `${Object.values(columns(value)).map(quoted).join(",")}\r\n`,
    line: (value) => valueText(columns(value)),
  },
};

/** Returns a record of one text of 880 ASCII characters, which JSON.parse reads fastest. */
function prose(record: Value): string {
  return valueText({
    text: valueText(record)
      .replaceAll(/[^ !#-[\]-~]/g, " ")
      .slice(0, 880),
  });
}

/** Returns the columns of a record in a table. */
function columns(record: Value): { readonly [name: string]: string } {
  const { id, uuid, name, email, active, balance, score, createdAt, tags, address, note, link } = record as ValueObject;
  const { street, city } = address as ValueObject;
  const all = { id, uuid, name, email, active, balance, score, createdAt, tags, street, city, note, link };
  return Object.fromEntries(
    Object.entries(all).map(([column, value]) => [
      column,
      Array.isArray(value) ? value.join(" ") : plainText(value ?? ""),
    ]),
  );
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const words =
  "sap spile maple bucket spout winter morning frost sugar tree tap drop flow clear amber boil steam evening trail snow".split(
    " ",
  );

function record(index: number): Value {
  const random = generator(index + 1);
  const pick = (list: readonly string[]) => list[random(list.length)] ?? "";
  const sentence = (length: number) => Array.from({ length }, () => pick(words)).join(" ");
  const digits = (length: number) => Array.from({ length }, () => random(10)).join("");
  return {
    id: new LosslessNumber(`139118603${String(index).padStart(8, "0")}`),
    uuid: `${digits(8)}-${digits(4)}-${digits(4)}-${digits(12)}`,
    name: `${pick(words)} ${pick(words)}`,
    email: `${pick(words)}.${digits(5)}@example.com`,
    active: random(2) === 1,
    balance: new LosslessNumber(`${random(9000) + 1}.${random(10)}0`),
    score: random(100000),
    createdAt: `2026-0${random(9) + 1}-1${random(10)}T0${random(10)}:3${random(10)}:0${random(10)}Z`,
    tags: [pick(words), pick(words), pick(words)],
    address: {
      street: `${random(200) + 1} ${pick(words)} street`,
      city: pick(["Zürich", "Québec", "東京", "Brno", "Montréal"]),
      position: [
        new LosslessNumber(`4${random(10)}.${digits(6)}5`),
        new LosslessNumber(`-7${random(10)}.${digits(6)}5`),
      ],
    },
    note: `"${pick(words)}"\n${sentence(4)}`,
    orders: Array.from({ length: 6 }, () => ({ id: random(1e5), count: random(20), price: random(500), paid: true })),
    fields: Array.from({ length: 8 }, () => ({ k: random(100), v: random(1e4), unit: null })),
    parent: null,
    link: `https://api.example.com/v2/records/${digits(12)}?view=full`,
  };
}

/** Creates a small congruential generator, which returns the same numbers everywhere. */
function generator(seed: number): (below: number) => number {
  let state = (seed * 2654435761) % 4294967296;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}
