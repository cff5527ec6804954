import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Handler, json, type Received, startApi } from "../helpers/api.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";

const limit = 3;

/** Returns users, or the posts of a user, by offset. The number of posts depends on the address. */
function content({ path, params }: Pick<Received, "path" | "params">): readonly { readonly id: string }[] {
  const count = path === "/users" ? 40 : (path.length * 7 + path.charCodeAt(path.length - 2)) % 9;
  const offset = Number(params.get("offset"));
  return Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, index) => ({
    id: `${path.length}-${offset + index}`,
  }));
}

function configuration(api: Api, concurrency: unknown): unknown {
  const children = [{ endpoint: "users/{id}/posts", placeholders: { id: "id" } }];
  return {
    api: { baseUrl: api.url, pagination: { method: "offset", limit, concurrency } },
    config: {
      jobs: [
        { endpoint: "users", children },
        { endpoint: "users", dataType: "again" },
      ],
    },
  };
}

/** Creates a handler that refuses at random, in every way that spile recognises, and answers after some turns of the event loop. */
function moody(random: Random): Handler {
  const refusals = [
    () => json({}, { status: 429, headers: { "Retry-After": "0.02" } }),
    () => json({}, { status: 429 }),
    () => json({}, { status: 503, headers: { "Retry-After": "0.01" } }),
    () => json({}, { status: 500 }),
    () => json({}, { status: 403, headers: { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0.01" } }),
  ];
  return async (request) => {
    for (let turns = random.below(6); turns > 0; turns -= 1) await new Promise(setImmediate);
    if (random.oneIn(15)) return refusals[random.below(refusals.length)]?.();
    const limitHeaders = random.oneIn(10) ? { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0.01" } : {};
    return json(content(request), { headers: limitHeaders });
  };
}

test("`auto` gives the lines and figures of a run with one request at a time, however the API behaves", async () => {
  await using steady = await startApi(content);
  const expected = await runHere(configuration(steady, 1));
  assert.equal(expected.result.failure, undefined);
  for (let seed = 1; seed <= 4; seed += 1) {
    await using api = await startApi(moody(createRandom(seed)));
    const { output, result } = await runHere(configuration(api, "auto"));
    assert.equal(result.failure, undefined, `seed ${seed}`);
    assert.equal(output, expected.output, `seed ${seed}`);
    for (const [index, { records, pages, verdict }] of result.jobs.entries()) {
      const { jobs } = expected.result;
      assert.deepEqual([records, pages, verdict], [jobs[index]?.records, jobs[index]?.pages, jobs[index]?.verdict]);
    }
  }
});

test("with `auto`, two requests are in flight after the first page", { timeout: 20_000 }, async () => {
  await using api = await startApi(async ({ params }) => {
    const offset = Number(params.get("offset"));
    // The second page is answered after the third was requested.
    if (offset === 1) await api.received(3);
    return offset < 6 ? [{ id: offset }] : [];
  });
  const pagination = { method: "offset", limit: 1 };
  const jobs = [{ endpoint: "a" }];
  const { output } = await runHere(
    { api: { baseUrl: api.url, pagination }, config: { jobs } },
    { concurrency: "auto" },
  );
  assert.equal(output, [0, 1, 2, 3, 4, 5].map((id) => `{"id":${id}}\n`).join(""));
});

test("with `auto`, a job of one page sends no extra request", async () => {
  await using api = await startApi(content);
  const jobs = [{ endpoint: "users" }, ...["a", "b", "c"].map((id) => ({ endpoint: `${id}/x`, dataType: id }))];
  const pagination = { method: "offset", limit: 10_000, concurrency: "auto" };
  const { result } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
  assert.equal(result.failure, undefined);
  assert.equal(api.targets().length, 4);
});

test("`auto` gives all lines of an API that accepts only ten requests in 100 ms", async () => {
  let startTime = performance.now();
  let count = 0;
  await using api = await startApi((request) => {
    const now = performance.now();
    if (now >= startTime + 100) {
      startTime = now;
      count = 0;
    }
    count += 1;
    return count > 10 ? json({}, { status: 429, headers: { "Retry-After": "0.1" } }) : content(request);
  });
  const { output, result } = await runHere(configuration(api, "auto"));
  assert.equal(result.failure, undefined);
  await using steady = await startApi(content);
  assert.equal(output, (await runHere(configuration(steady, 1))).output);
});
