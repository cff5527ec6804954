import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { RecordSampler } from "../../src/extract/record-sampler.ts";
import { isIdentified, likenessOf } from "../../src/pagination/likeness.ts";

const noon = Date.UTC(2026, 2, 1, 12);

function sampleOf(records: readonly unknown[], time = noon) {
  const sampler = new RecordSampler();
  for (const record of records) sampler.take(Buffer.from(`${JSON.stringify(record)}\n`), 1);
  return sampler.sample(time);
}

interface Row {
  readonly title: string;
  readonly earlier: readonly unknown[];
  readonly later: readonly unknown[];
  /** Number of pages in a row that prove a repetition; undefined if the pages are different. */
  readonly pages: number | undefined;
}

/** Returns two records with more fields. */
const two = (...fields: readonly object[]) => fields.map((more, index) => ({ id: index + 1, ...more }));
const large = (text: string) => Array.from({ length: 40 }, (_, id) => ({ id, text: `${id}${text.repeat(5000)}` }));

const table: readonly Row[] = [
  {
    title: "equal ids, another field changed",
    earlier: two({ age: 1 }, { age: 1 }),
    later: two({ age: 7 }, { age: 9 }),
    pages: 1,
  },
  {
    title: "equal ids, keys in another order",
    earlier: [
      { id: 1, a: 2 },
      { id: 2, a: 2 },
    ],
    later: [
      { a: 3, id: 1 },
      { a: 3.5, id: 2 },
    ],
    pages: 1,
  },
  { title: "other ids", earlier: [{ id: 1 }, { id: 2 }], later: [{ id: 1 }, { id: 3 }], pages: undefined },
  {
    title: "the ids in another order",
    earlier: [{ id: 1 }, { id: 2 }],
    later: [{ id: 2 }, { id: 1 }],
    pages: undefined,
  },
  { title: "another number of records", earlier: [{ id: 1 }, { id: 2 }], later: [{ id: 1 }], pages: undefined },
  {
    title: "equal values of order_id",
    earlier: [
      { order_id: 1, x: 1, y: 1 },
      { order_id: 2, x: 1, y: 2 },
    ],
    later: [
      { order_id: 1, x: 2, y: 5 },
      { order_id: 2, x: 4, y: 3 },
    ],
    pages: 1,
  },
  {
    title: "equal values of OrderID",
    earlier: [
      { OrderID: 1, x: 1, y: 1 },
      { OrderID: 2, x: 1, y: 2 },
    ],
    later: [
      { OrderID: 1, x: 2, y: 5 },
      { OrderID: 2, x: 4, y: 3 },
    ],
    pages: 1,
  },
  {
    title: "orders of the same customers",
    earlier: [
      { order_id: 1, customer_id: 1 },
      { order_id: 2, customer_id: 2 },
    ],
    later: [
      { order_id: 3, customer_id: 1 },
      { order_id: 4, customer_id: 2 },
    ],
    pages: 100,
  },
  {
    title: "a series of one sensor",
    earlier: [
      { sensor_id: 7, t: 1, v: 1 },
      { sensor_id: 7, t: 2, v: 1 },
    ],
    later: [
      { sensor_id: 7, t: 3, v: 1 },
      { sensor_id: 7, t: 4, v: 1 },
    ],
    pages: undefined,
  },
  {
    title: "most fields are equal",
    earlier: [
      { name: "a", kind: "x", age: 1 },
      { name: "b", kind: "x", age: 2 },
    ],
    later: [
      { name: "a", kind: "x", age: 7 },
      { name: "b", kind: "x", age: 8 },
    ],
    pages: 1,
  },
  {
    title: "half of the fields are equal",
    earlier: [
      { name: "a", age: 1 },
      { name: "b", age: 2 },
    ],
    later: [
      { name: "a", age: 7 },
      { name: "b", age: 8 },
    ],
    pages: undefined,
  },
  {
    title: "most fields are equal, but none distinguishes the records",
    earlier: [
      { a: 1, b: 1, v: 1 },
      { a: 1, b: 1, v: 2 },
    ],
    later: [
      { a: 1, b: 1, v: 3 },
      { a: 1, b: 1, v: 4 },
    ],
    pages: undefined,
  },
  {
    title: "only the row numbers are equal",
    earlier: [
      { row: 1, unit: "C", t: 5 },
      { row: 2, unit: "C", t: 6 },
    ],
    later: [
      { row: 1, unit: "C", t: 7 },
      { row: 2, unit: "C", t: 8 },
    ],
    pages: undefined,
  },
  {
    title: "the same accounts on another day",
    earlier: two({ day: "2026-03-01" }, { day: "2026-03-01" }),
    later: two({ day: "2026-03-02" }, { day: "2026-03-02" }),
    pages: 100,
  },
  {
    title: "the same accounts on another day, with other figures",
    earlier: two({ day: "2026-03-01", v: 1 }, { day: "2026-03-01", v: 2 }),
    later: two({ day: "2026-03-02", v: 3 }, { day: "2026-03-02", v: 4 }),
    pages: 10_000,
  },
  {
    title: "a field shows the API's clock",
    earlier: two({ at: "2026-03-01T12:00:01Z" }, { at: "2026-03-01T12:00:01Z" }),
    later: two({ at: "2026-03-01 12:00:05" }, { at: "2026-03-01 12:00:05" }),
    pages: 1,
  },
  {
    title: "a field shows the API's clock in seconds",
    earlier: two({ at: noon / 1000 }, { at: noon / 1000 }),
    later: two({ at: noon / 1000 + 9 }, { at: noon / 1000 + 9 }),
    pages: 1,
  },
  {
    title: "one record with one field changed",
    earlier: [{ id: 1, age: 1, x: 1 }],
    later: [{ id: 1, age: 2, x: 1 }],
    pages: 1,
  },
  {
    title: "one record with two fields changed",
    earlier: [{ id: 1, age: 1, x: 1 }],
    later: [{ id: 1, age: 2, x: 2 }],
    pages: 10_000,
  },
  {
    title: "one record without a strong id",
    earlier: [{ user_id: 1, age: 1 }],
    later: [{ user_id: 1, age: 2 }],
    pages: undefined,
  },
  { title: "records that are not objects", earlier: [1, 2], later: [1, 2], pages: undefined },
  { title: "large records with equal ids", earlier: large("a"), later: large("b"), pages: 1 },
  {
    title: "another field identifies records that have the same id",
    earlier: [
      { id: 5, name: "a" },
      { id: 5, name: "b" },
    ],
    later: [
      { id: 5, name: "a" },
      { id: 5, name: "b" },
    ],
    pages: 1,
  },
];

for (const { title, earlier, later, pages } of table) {
  test(`pages are compared by the fields that identify their records: ${title}`, () => {
    const [a, b] = [sampleOf(earlier), sampleOf(later)];
    const found = earlier.length === later.length && likenessOf({ earlier: a, later: b });
    assert.equal(found === false ? undefined : found?.pages, pages);
  });
}

test("records with escaped names and records from a map are read", () => {
  const sampler = new RecordSampler();
  sampler.take(Buffer.from('{"\\u0069d":1}\n{"id":2}\n"k":{"a":1}\n"k"\n'), 4);
  const sample = sampler.sample(noon);
  const values = [0, 1, 2, 3, 4].map((index) => sample.fieldsAt(index)?.values);
  assert.deepEqual(
    values.map((fields) => fields && [...fields]),
    [
      [["id", "1"]],
      [["id", "2"]],
      [
        ["", '"k"'],
        ["a", "1"],
      ],
      undefined,
      undefined,
    ],
  );
  assert.equal(isIdentified(sampleOf([{ id: 1 }, { id: 2 }])), true);
  assert.equal(isIdentified(sampleOf([{ a: 1 }, { a: 1 }])), false);
});
