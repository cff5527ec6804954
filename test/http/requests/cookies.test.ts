import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { createCookies } from "../../../src/http/requests/cookies.ts";
import { buildRequest, serialize } from "../../../src/http/requests/request.ts";

test("cookies are secrets while they are used, and are forgotten after thousands of others", async () => {
  const secrets = new Secrets();
  const cookies = createCookies(secrets);
  const url = "http://api.test/";
  const wire = serialize(
    buildRequest({ method: "GET", endpoint: "users", params: [], headers: [] }, { baseUrl: new URL(url) }),
  );
  await cookies.keep(["lasting=sap-lasting; Path=/"], url);
  for (let nth = 1; nth <= 4500; nth += 1) await cookies.keep([`session=sap-drip-${nth}; Path=/`], url);
  assert.equal((await cookies.add(wire)).headers.get("cookie")?.[1], "lasting=sap-lasting; session=sap-drip-4500");
  assert.equal(secrets.mask("sap-drip-4500 sap-lasting"), "*** ***");
  assert.equal(secrets.holds("sap-drip-1"), false);
});
