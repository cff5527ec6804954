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
    "the element that matches, wherever it stands",
    [
      { rel: "self", href: "/1" },
      { rel: "next", href: "/2" },
    ],
    "/2",
  ],
  [
    "the first that matches",
    [
      { rel: "next", href: "/2" },
      { rel: "next", href: "/3" },
    ],
    "/2",
  ],
  ["another case", [{ rel: "NEXT", href: "/2" }], "/2"],
  ["one of several words", [{ rel: "self next", href: "/2" }], "/2"],
  ["one of a list of relations", [{ rel: ["self", "next"], href: "/2" }], "/2"],
  ["part of a word is none", [{ rel: "nextish", href: "/2" }], undefined],
  ["no element matches", [{ rel: "prev", href: "/0" }], undefined],
  ["an element without the value", [{ rel: "next" }], undefined],
  ["what is no list", { rel: "next", href: "/2" }, undefined],
  ["elements that are no objects", ["next", null, 7], undefined],
  ["an empty list", [], undefined],
];

for (const [why, links, found] of rows) {
  test(`a value of an element that is selected by another member: ${why}`, () => {
    const source = sourceOf(next);
    assert.deepEqual(valueInDocument({ links }, source), found);
    const watched = new Map([[watchKey(["links"]), watchedOf(links)]]);
    const read = readSource(source, { watched, last: new Map(), header: () => undefined });
    assert.equal(read?.text, found);
  });
}

test("a source that selects an element has its own name and key", () => {
  const other = sourceOf({ ...next, where: { rel: "prev" } });
  assert.notEqual(sourceKey(sourceOf(next)), sourceKey(other));
  assert.notEqual(sourceKey(sourceOf(next)), sourceKey(sourceOf("links")));
  assert.equal(sourceText(sourceOf(next)), 'at "links[rel=next].href"');
});

test("several conditions must all match, and without a value the element itself is read", () => {
  const source = sourceOf({ path: "a|b", delimiter: "|", where: { rel: "next", type: "json" } });
  const list = [
    { rel: "next", type: "xml" },
    { rel: "next", type: "json", n: 1 },
  ];
  assert.deepEqual(valueInDocument({ a: { b: list } }, source), list[1]);
});
