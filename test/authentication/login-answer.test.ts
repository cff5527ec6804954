import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi, text } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

test("a status that the login accepts is its answer, with what the answer says", async () => {
  await using api = await startApi({
    "/session": () => text("<h1>409</h1>", { status: 409, headers: { "content-type": "text/html" } }),
    "/data": () => [{ id: 1 }],
  });
  const loginRequest = { endpoint: "session", accept: [409] };
  const authentication = { type: "login", format: "text", loginRequest, apiRequest: { headers: { "X-Id": "data" } } };
  const configured = { api: { baseUrl: api.url, authentication }, config: { jobs: [{ endpoint: "data" }] } };
  assert.equal((await runHere(configured)).output, '{"id":1}\n');
  assert.equal(api.log[1]?.headers["x-id"], "<h1>409</h1>");
  const refusing = { ...authentication, loginRequest: { endpoint: "session" } };
  const { result } = await runHere({ ...configured, api: { baseUrl: api.url, authentication: refusing } });
  assert.equal(result.exitCode, 77);
});
