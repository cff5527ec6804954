import assert from "node:assert/strict";
import { test } from "node:test";
import { watchedOf, watchKey } from "../../../src/core/runs/page.ts";
import {
  readSource,
  sourceKey,
  sourceOf,
  sourceText,
  valueInDocument,
} from "../../../src/core/runs/response-source.ts";
import type { Value } from "../../../src/core/values/value.ts";

const next = { path: "links", where: { rel: "next" }, value: "href" } as const;

const rows: readonly (readonly [why: string, links: Value, found: Value | undefined])[] = [
  [
    "the matching element, wherever it is",
    [
      { rel: "self", href: "/1" },
      { rel: "next", href: "/2" },
    ],
    "/2",
  ],
  [
    "the first matching element",
    [
      { rel: "next", href: "/2" },
      { rel: "next", href: "/3" },
    ],
    "/2",
  ],
  ["a word in another case", [{ rel: "NEXT", href: "/2" }], "/2"],
  ["one of several words", [{ rel: "self next", href: "/2" }], "/2"],
  ["one of a list of relations", [{ rel: ["self", "next"], href: "/2" }], "/2"],
  ["no match by a part of a word", [{ rel: "nextish", href: "/2" }], undefined],
  ["no matching element", [{ rel: "prev", href: "/0" }], undefined],
  ["a matching element without the value", [{ rel: "next" }], undefined],
  ["a value that is not a list", { rel: "next", href: "/2" }, undefined],
  ["elements that are not objects", ["next", null, 7], undefined],
  ["an empty list", [], undefined],
];

for (const [why, links, found] of rows) {
  test(`a source with a condition reads ${JSON.stringify(found) ?? "nothing"}: ${why}`, () => {
    const source = sourceOf(next);
    assert.deepEqual(valueInDocument({ links }, source), found);
    const watched = new Map([[watchKey(["links"]), watchedOf(links)]]);
    const read = readSource(source, { watched, last: new Map(), header: () => undefined });
    assert.equal(read?.text, found);
  });
}

test("a source that selects an element has a name and a key that differ from those of other sources", () => {
  const other = sourceOf({ ...next, where: { rel: "prev" } });
  assert.notEqual(sourceKey(sourceOf(next)), sourceKey(other));
  assert.notEqual(sourceKey(sourceOf(next)), sourceKey(sourceOf("links")));
  assert.equal(sourceText(sourceOf(next)), 'at "links[rel=next].href"');
});

test("several conditions must all match, and without `value`, the element itself is read", () => {
  const source = sourceOf({ path: "a|b", delimiter: "|", where: { rel: "next", type: "json" } });
  const list = [
    { rel: "next", type: "xml" },
    { rel: "next", type: "json", n: 1 },
  ];
  assert.deepEqual(valueInDocument({ a: { b: list } }, source), list[1]);
});
