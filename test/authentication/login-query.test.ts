import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergeLoginParameters } from "../../src/authentication/login-query.ts";
import type { QueryItem } from "../../src/core/requests/request.ts";
import { queryText, request } from "./environment.ts";

describe("a login's query parameter meets the request's (contract C-3.8)", () => {
  const rows: [name: string, query: QueryItem[], added: string, expected: string][] = [
    ["a new name is plain", [{ name: "page", value: 1 }], "key", "page=1&key=L"],
    [
      "a name of both is sent as a pair, at the end",
      [
        { name: "key", value: "R" },
        { name: "page", value: 1 },
      ],
      "key",
      "page=1&key[0]=R&key[1]=L",
    ],
    ["two equal values are still a pair", [{ name: "key", value: "L" }], "key", "key[0]=L&key[1]=L"],
    ["a number keeps its digits", [{ name: "key", value: 7 }], "key", "key[0]=7&key[1]=L"],
    ["a list keeps all its values", [{ name: "key", value: ["a", "b"] }], "key", "key[0]=a&key[1]=b&key[2]=L"],
    ["so does an object", [{ name: "key", value: { first: "a" } }], "key", "key[first]=a&key[0]=L"],
    [
      "null, {} and [] are never sent",
      [
        { name: "key", value: null },
        { name: "x", value: 1 },
      ],
      "key",
      "x=1&key=L",
    ],
    ["nor nested ones", [{ name: "key", value: [[], { a: null }] }], "key", "key=L"],
    ["an empty text is", [{ name: "key", value: "" }], "key", "key[0]=&key[1]=L"],
    [
      "the endpoint's own query takes part",
      [
        { name: "key", raw: "key=a%20b" },
        { name: "z", raw: "z" },
      ],
      "key",
      "z&key[0]=a b&key[1]=L",
    ],
    [
      "a name it has several times keeps them all",
      [
        { name: "id", raw: "id=1" },
        { name: "id", raw: "id=2" },
      ],
      "id",
      "id[0]=1&id[1]=2&id[2]=L",
    ],
    ["a name without a value", [{ name: "flag", raw: "flag" }], "flag", "flag[0]=&flag[1]=L"],
    ["an encoded name", [{ name: "a b", raw: "a%20b=1" }], "a b", "a b[0]=1&a b[1]=L"],
    [
      "a list written in the endpoint goes on",
      [
        { name: "id", raw: "id[]=1" },
        { name: "id", raw: "id[]=2" },
      ],
      "id",
      "id[]=1&id[]=2&id[2]=L",
    ],
    ["also with its indexes", [{ name: "id", raw: "id%5B4%5D=1" }], "id", "id[4]=1&id[5]=L"],
    [
      "after the greatest of them",
      [
        { name: "id", raw: "id[4]=1" },
        { name: "id", raw: "id[0]=2" },
      ],
      "id",
      "id[4]=1&id[0]=2&id[5]=L",
    ],
    [
      "what was sent before comes back as it is",
      [
        { name: "key", raw: "key%5B0%5D=R" },
        { name: "key", raw: "key[1]=L" },
        { name: "page", raw: "page=2" },
      ],
      "key",
      "key[0]=R&key[1]=L&page=2",
    ],
    [
      "with another login's value it gains the new one",
      [
        { name: "key", raw: "key[0]=R" },
        { name: "key", raw: "key[1]=K" },
      ],
      "key",
      "key[0]=R&key[1]=K&key[2]=L",
    ],
    ["an object written in the endpoint stays", [{ name: "f", raw: "f[a]=1" }], "f", "f[a]=1&f[0]=L"],
    [
      "a name with brackets is met as a whole",
      [
        { name: "f", raw: "f[a]=1" },
        { name: "f", raw: "f[b]=2" },
      ],
      "f[a]",
      "f[b]=2&f[a][0]=1&f[a][1]=L",
    ],
    [
      "names that only begin alike do not meet",
      [
        { name: "keys", value: 1 },
        { name: "Key", value: 2 },
      ],
      "key",
      "keys=1&Key=2&key=L",
    ],
  ];
  for (const [name, query, added, expected] of rows) {
    it(`${name}: ${expected}`, () => {
      const merged = mergeLoginParameters(query, [{ name: added, value: "L" }]);
      assert.equal(queryText(request("http://api.test/", "GET", merged)), expected);
    });
  }

  it("pairs follow the login's parameters when no name is equal", () => {
    const merged = mergeLoginParameters(
      [
        { name: "colour", value: "red" },
        { name: "size", value: 1 },
      ],
      [
        { name: "colour", value: "L" },
        { name: "token", value: "T" },
      ],
    );
    const expected = "size=1&token=T&colour[0]=red&colour[1]=L";
    assert.equal(queryText(request("http://api.test/", "GET", merged)), expected);
  });
});
