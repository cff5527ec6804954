import assert from "node:assert/strict";
import { test } from "node:test";
import { hidesNextLink, linkTarget } from "../../src/knowledge/link-header.ts";
import { forSeeds } from "../helpers/seeds.ts";

const rows: [string, string | undefined][] = [
  ['<https://x.test/?page=2>; rel="next"', "https://x.test/?page=2"],
  ["<a>;rel=next", "a"],
  ['<a>; rel="prev", <b>; rel="next"', "b"],
  ['<a>; rel="prev" ,\t<b> ;  rel = "next"', "b"],
  ["<a>; rel=prev , <b>; rel=next", "b"],
  ['<a>; rel="last next"', "a"],
  ['<a>; REL="NEXT"', "a"],
  ["<a,b;c>; rel=next", "a,b;c"],
  ["<a,,b;x*=y>; rel=next", "a,,b;x*=y"],
  ["< a >; rel=next", "a"],
  ['<a>; title="x, <z>; rel=\\"next\\""; rel="prev", <b>; rel="next"', "b"],
  ["<a>; title*=UTF-8''%e2%82%ac; rel=next", "a"],
  ["<a>; title*=broken; rel=next", "a"],
  [", <a>; rel=next,, ", "a"],
  ["<a>; rel=next; rel=prev", "a"],
  ["<a>; rel=prev; rel=next", undefined],
  ['<a>; rel="next", <b>; rel="next"', "a"],
  ["<a>", undefined],
  ["<>; rel=next", undefined],
  ['<a>; rel="previous"; results="true", <b>; rel="next"; results="true"; cursor="0:100:0"', "b"],
  ['<a>; rel="previous"; results="true", <b>; rel="next"; results="false"; cursor="0:100:0"', undefined],
  ["<a; rel=next", undefined],
  ["a; rel=next", "a"],
  ["https://x.test/?a=1,2; rel='next'", "https://x.test/?a=1,2"],
  ["https://x.test/1; rel=prev, https://x.test/2; rel=next", "https://x.test/2"],
  ['<http://h/first>;rel=stylesheet;title, <http://h/x?page=2>;rel="next"', "http://h/x?page=2"],
  ["<a>; rel='next'", "a"],
  ["<a>;; rel=next;", "a"],
  ['<a>; rel=next; title="x,;y"', "a"],
  ['<a>; anchor="#other"; rel=next, <b>; rel=next', "b"],
  ['<a>; anchor="#other"; rel=next', undefined],
  ['<a>; anchor=""; rel=next', "a"],
  ["<a>; rel=preconnect; crossorigin, <b>; rel=next", "b"],
  ["", undefined],
];

for (const [header, target] of rows) {
  test(`${JSON.stringify(header)} has ${target === undefined ? "no next link" : `the next link ${target}`}`, () =>
    assert.equal(linkTarget(header, "next"), target));
}

const unreadable: [string, boolean][] = [
  ["<a; rel=next", true],
  ['<a>; rel="next', true],
  ["<a>; rel='next", true],
  ['<a> rel="next"', true],
  ['<a> rel="prev"', false],
  ['<a>; rel="next"', false],
  ["", false],
];
for (const [header, hides] of unreadable) {
  test(`${JSON.stringify(header)} ${hides ? "hides" : "does not hide"} a next link`, () =>
    assert.equal(hidesNextLink(header), hides));
}

test("relations are found in any order and with any white space", async () => {
  await forSeeds(500, ({ below }, seed) => {
    const space = () => [" ", "", "\t", "  "][below(4)] ?? "";
    const relations = ["next", "prev", "first", "last", "https://x.test/rel"];
    const links = Array.from({ length: 1 + below(5) }, (_, index) => {
      const relation = relations[below(5)] ?? "";
      const quoted = relation.includes(":") || below(2) === 0;
      const target = [`/a?page=${index}`, `b,${index}`, `c;rel=next,${index}`][below(3)] ?? "";
      const title = below(2) === 0 ? `${space()};${space()}title="x,${space()}<y>; rel=next"` : "";
      const rel = `;${space()}rel${space()}=${space()}${quoted ? `"${relation}"` : relation}`;
      return { relation, target, text: `<${target}>${below(2) === 0 ? title + rel : rel + title}${space()}` };
    });
    const header = links.map(({ text }) => text).join(`${space()},${space()}`);
    for (const wanted of relations) {
      const found = links.find(({ relation }) => relation === wanted)?.target;
      assert.equal(linkTarget(header, wanted), found, `seed ${seed}: ${header}`);
    }
  });
});
