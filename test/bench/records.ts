import { LosslessNumber, stringify } from "lossless-json";
import { type Value, valueText } from "../../src/core/value.ts";

/*
 * What the bench's server serves: documents {"status":"ok","data":{"items":[...]},"meta":{"total":n}} whose records, of
 * about 1 KB, are made once and repeated. The first record of a page carries its number, so that no page equals another.
 * Always the same bytes; numbers as APIs have them: beyond 2^53, with closing zeros.
 */
export type Style = "compact" | "pretty";

export const blockRecords = 1000;

/** `count` records, each with a comma after it; their lines are what an extractor must write. */
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
    text: Buffer.from(values.map((value) => `${text(value, style)},`).join("")),
    lines: Buffer.from(values.map((value) => `${valueText(value)}\n`).join("")),
  };
  blocks.set(key, made);
  return made;
}

export function head(style: Style): string {
  return style === "compact" ? '{"status":"ok","data":{"items":[' : '{\n  "status": "ok",\n  "data": {\n    "items": [';
}

export function tail(total: number, style: Style): string {
  return style === "compact"
    ? `]},"meta":{"total":${total}}}`
    : `\n    ]\n  },\n  "meta": {\n    "total": ${total}\n  }\n}\n`;
}

/** The record that begins page `page`; its length is always the same. */
export function pageRecord(page: number): string {
  return `{"page":"${String(page).padStart(9, "0")}"}`;
}

/** How many blocks make about so many bytes. */
export function blocksOf(megabytes: number, style: Style): number {
  return Math.max(1, Math.round((megabytes * 1e6) / block(blockRecords, style).text.length));
}

function text(value: Value, style: Style): string {
  if (style === "compact") return valueText(value);
  return `\n${(stringify(value, null, 2) ?? "").replaceAll(/^/gm, "      ")}`;
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

/** A small congruential generator: the same numbers everywhere. */
function generator(seed: number): (below: number) => number {
  let state = (seed * 2654435761) % 4294967296;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}
