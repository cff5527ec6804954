import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Handler, json, redirect, startApi } from "../helpers/api.ts";
import { runHere } from "../helpers/run.ts";

/** One request in each 526 ms. The server accepts half of that gap, since a busy machine may delay the first of two requests. */
const rateLimit = ["1.9/s"];
const leastGap = 263;

/** Starts an API that answers 429 to a request that comes too soon after the one before. `wait`: the least gap (ms) after a request. */
async function startStrict(answer: Handler, wait: (path: string) => number = () => leastGap): Promise<Api> {
  let next = 0;
  return startApi((request) => {
    const isEarly = request.at < next;
    next = request.at + wait(request.path);
    return isEarly ? json({ error: "too many requests" }, { status: 429 }) : answer(request);
  });
}

const authentication = {
  type: "login",
  loginRequest: { endpoint: "login" },
  apiRequest: { headers: { Authorization: "token" } },
};
const jobs = ["a", "b", "c"].map((endpoint) => ({ endpoint, dataType: endpoint }));
const strict = { retryConfig: { maxRetries: 0 } };

for (const concurrency of [1, 4]) {
  test(`with ${concurrency} at a time, a login, its steps, its renewal and redirects share the rate with all other requests`, async () => {
    const tokens: string[] = [];
    await using api = await startStrict(({ path, headers, target }) => {
      if (path === "/step") return { key: "k" };
      if (path === "/login") {
        tokens.push(`token ${tokens.length + 1}`);
        return { token: tokens.at(-1) };
      }
      if (path === "/a") return redirect("/a/moved");
      // The second job makes the first token invalid.
      if (path === "/b" && headers.authorization === "token 1") return json({}, { status: 401 });
      return headers.authorization === tokens.at(-1) ? [{ target }] : json({}, { status: 401 });
    });
    const steps = [{ name: "key", endpoint: "step" }];
    const loginRequest = { endpoint: "login", params: { key: { step: "key.key" } } };
    const configuration = {
      api: {
        baseUrl: api.url,
        ...strict,
        authentication: { ...authentication, steps, loginRequest },
        http: { rateLimit },
      },
      config: { jobs },
    };
    const { result } = await runHere(configuration, { concurrency });
    assert.equal(result.exitCode, 0, `${result.failure?.message}: ${api.targets()}`);
    assert.equal(tokens.length, 2);
  });
}

test("after a login whose answer says that the limit is used up, its request waits until the limit is renewed", async () => {
  const headers = { "RateLimit-Remaining": "0", "RateLimit-Reset": "1" };
  await using api = await startStrict(
    ({ path }) => (path === "/login" ? json({ token: "t" }, { headers }) : [{ id: 1 }]),
    (path) => (path === "/login" ? 900 : 0),
  );
  const configuration = { api: { baseUrl: api.url, ...strict, authentication }, config: { jobs } };
  const { result } = await runHere(configuration, { concurrency: 4 });
  assert.equal(result.exitCode, 0, `${result.failure?.message}: ${api.targets()}`);
  assert.equal(api.log.length, 4);
});

test("credentials that expire during the wait for the rate are renewed first, and the renewal takes the turn", async () => {
  let issued = 0;
  await using api = await startStrict(({ path, at, headers }) => {
    if (path === "/login") {
      issued = at;
      return { token: String(at) };
    }
    // A token lasts a second. The rest is for a machine that is busy.
    return headers.authorization === String(issued) && at - issued < 1500 ? [{ id: 1 }] : json({}, { status: 401 });
  });
  const configuration = {
    api: { baseUrl: api.url, ...strict, authentication: { ...authentication, expires: 1 }, http: { rateLimit } },
    config: { jobs },
  };
  const { result } = await runHere(configuration, { concurrency: 4 });
  assert.equal(result.exitCode, 0, `${result.failure?.message}: ${api.targets()}`);
  const paths = api.log.map(({ path }) => path);
  assert.deepEqual(paths.filter((path) => path !== "/login").sort(), ["/a", "/b", "/c"]);
  assert.deepEqual(paths.slice(0, 3), ["/login", "/a", "/login"]);
});
