import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mergeLoginParameters } from "../../src/authentication/login-query.ts";
import type { QueryItem } from "../../src/core/requests/request.ts";
import { queryText, request } from "./environment.ts";

describe("a login's parameter is merged with those of the request (contract C-3.8)", () => {
  const rows: [name: string, query: QueryItem[], added: string, expected: string][] = [
    ["a new name is sent as it is", [{ name: "page", value: 1 }], "key", "page=1&key=L"],
    [
      "a name that both have becomes a list with both values, at the end",
      [
        { name: "key", value: "R" },
        { name: "page", value: 1 },
      ],
      "key",
      "page=1&key[0]=R&key[1]=L",
    ],
    ["two equal values become a list, too", [{ name: "key", value: "L" }], "key", "key[0]=L&key[1]=L"],
    ["a number keeps its digits", [{ name: "key", value: 7 }], "key", "key[0]=7&key[1]=L"],
    ["a list keeps all its values", [{ name: "key", value: ["a", "b"] }], "key", "key[0]=a&key[1]=b&key[2]=L"],
    ["an object keeps its members", [{ name: "key", value: { first: "a" } }], "key", "key[first]=a&key[0]=L"],
    [
      "null is not sent",
      [
        { name: "key", value: null },
        { name: "x", value: 1 },
      ],
      "key",
      "x=1&key=L",
    ],
    ["nested null and [] are not sent", [{ name: "key", value: [[], { a: null }] }], "key", "key=L"],
    ["an empty text is sent", [{ name: "key", value: "" }], "key", "key[0]=&key[1]=L"],
    [
      "a parameter in the endpoint's query becomes part of the list",
      [
        { name: "key", raw: "key=a%20b" },
        { name: "z", raw: "z" },
      ],
      "key",
      "z&key[0]=a b&key[1]=L",
    ],
    [
      "a repeated name of the endpoint keeps all its values",
      [
        { name: "id", raw: "id=1" },
        { name: "id", raw: "id=2" },
      ],
      "id",
      "id[0]=1&id[1]=2&id[2]=L",
    ],
    ["a name without a value counts as an empty text", [{ name: "flag", raw: "flag" }], "flag", "flag[0]=&flag[1]=L"],
    ["an encoded name is compared decoded", [{ name: "a b", raw: "a%20b=1" }], "a b", "a b[0]=1&a b[1]=L"],
    [
      "a list in the endpoint gets the login's value at the next index",
      [
        { name: "id", raw: "id[]=1" },
        { name: "id", raw: "id[]=2" },
      ],
      "id",
      "id[]=1&id[]=2&id[2]=L",
    ],
    [
      "a list with indexes in the endpoint gets the login's value at the next index",
      [{ name: "id", raw: "id%5B4%5D=1" }],
      "id",
      "id[4]=1&id[5]=L",
    ],
    [
      "the new index follows the greatest one",
      [
        { name: "id", raw: "id[4]=1" },
        { name: "id", raw: "id[0]=2" },
      ],
      "id",
      "id[4]=1&id[0]=2&id[5]=L",
    ],
    [
      "a list that has the login's value already is unchanged",
      [
        { name: "key", raw: "key%5B0%5D=R" },
        { name: "key", raw: "key[1]=L" },
        { name: "page", raw: "page=2" },
      ],
      "key",
      "key[0]=R&key[1]=L&page=2",
    ],
    [
      "a list with the value of another login gains the new one",
      [
        { name: "key", raw: "key[0]=R" },
        { name: "key", raw: "key[1]=K" },
      ],
      "key",
      "key[0]=R&key[1]=K&key[2]=L",
    ],
    ["an object in the endpoint keeps its members", [{ name: "f", raw: "f[a]=1" }], "f", "f[a]=1&f[0]=L"],
    [
      "a name with brackets is compared as a whole",
      [
        { name: "f", raw: "f[a]=1" },
        { name: "f", raw: "f[b]=2" },
      ],
      "f[a]",
      "f[b]=2&f[a][0]=1&f[a][1]=L",
    ],
    [
      "names that only begin alike are different",
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

  it("new parameters of the login follow those of the request, and merged lists come last", () => {
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
