import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchanged } from "../../../../src/authoring/explore/trials/exchange-memory.ts";
import { requestText } from "../../../../src/authoring/explore/trials/prober.ts";

const posted = (body: string): string => {
  const request = { method: "POST", url: "http://127.0.0.1/graphql?page%5Bsize%5D=2", headers: new Map(), body };
  return requestText({ request } as unknown as Exchanged);
};

test("only the beginning of a long text in a body is shown, so that the paging parameters stay visible", () => {
  const query = `query { ${"people ".repeat(40)}}`;
  const body = JSON.stringify({ query, variables: { after: "abc" } });
  assert.equal(
    posted(body),
    `POST /graphql?page[size]=2 with {"query":"query { people people people p...","variables":{"after":"abc"}}`,
  );
  assert.equal(posted('{"a":"a text with \\"quotes\\" in it"}').includes("..."), false);
});
