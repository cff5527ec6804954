import assert from "node:assert/strict";
import { test } from "node:test";
import { isCredential, shownAddress, shownBody, shownHeader } from "../../src/knowledge/credentials.ts";

const credentials =
  "Authorization X-Api-Key apikey api_key apiKey DOLAPIKEY key access_key Ocp-Apim-Subscription-Key X-Session X-Jwt X-Pwd password client_secret clientSecret token access_token accesstoken X-Auth-Token X-CMC_PRO_API_KEY X-Postmark-Server-Token STATSIG-API-KEY sig signature X-Amz-Signature cookie auth x-functions-key sessionid";
const others =
  "page_token nextPageToken pageToken nextpagetoken continuationToken next_token sync_token scroll_token skiptoken sort_key primary_key Idempotency-Key monkey keyword author authority X-Author limit max_tokens assigned design Accept";

for (const name of credentials.split(" ")) test(`${name} is a credential`, () => assert.ok(isCredential(name)));
for (const name of others.split(" ")) test(`${name} is not a credential`, () => assert.ok(!isCredential(name)));

const same = (text: string): string => text;

test("values of headers, parameters and fields are masked by their names", () => {
  assert.equal(shownHeader("X-Session", "abc", same), "***");
  assert.equal(shownHeader("Authorization", "Bearer abc", same), "Bearer ***");
  assert.equal(shownHeader("X-Next-Page-Token", "abc", same), "abc");
  const address = "https://h/items?key=items&page_token=abc&auth%5Btoken%5D=x&limit=2&sig=";
  assert.equal(shownAddress(address, same), "https://h/items?key=***&page_token=abc&auth%5Btoken%5D=***&limit=2&sig=");
  assert.equal(shownAddress("https://h/key=1/items", same), "https://h/key=1/items");
  const body = '{"user":"u","password":"a\\"b","n":{"api_key":17,"cursor":"c"},"text":"\\"token\\":\\"x\\""}';
  assert.equal(
    shownBody(body, same),
    '{"user":"u","password":"***","n":{"api_key":"***","cursor":"c"},"text":"\\"token\\":\\"x\\""}',
  );
  assert.equal(shownBody("user=u&password=p&limit=2", same), "user=u&password=***&limit=2");
  assert.equal(shownBody("plain text", same), "plain text");
  // A body may be cut within a text. The incomplete text stays as it is, and its escaped quotes do not count as the
  // beginning of a text.
  for (const cut of ['{"token":"abc', '{"a":"\\"token\\":\\"x', '{"token":1,"a":"\\"token\\":1'])
    assert.equal(shownBody(cut, same), cut.replace('"token":1,', '"token":"***",'));
});
