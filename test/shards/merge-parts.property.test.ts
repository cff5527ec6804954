import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SpileError } from "../../src/core/errors.ts";
import type { RunResult } from "../../src/core/run.ts";
import { leftovers } from "../../src/shards/verify-parts.ts";
import { json, linesOf, startApi } from "../helpers/api.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { runHere } from "../helpers/run.ts";
import { planned, type Sharded } from "./sharded.ts";

/* SPILE_SHARD_ROUNDS=3000 runs more of them, SPILE_SHARD_SEED=N one again. */
const rounds = Number(process.env.SPILE_SHARD_ROUNDS ?? 8);
const only = process.env.SPILE_SHARD_SEED;

/** How an endpoint answers. */
interface Endpoint {
  readonly values: readonly object[];
  readonly counting: "offset" | "pagenum" | "unsized" | "none";
  readonly limit: number;
  /** Pages hold no more, whatever is asked for. */
  readonly cap: number;
  /** Behind its last page it answers with an empty page, with its last page, or with an error; or with one page alone. */
  readonly behaviour: "plain" | "clamped" | "gone" | "deaf";
  readonly total: boolean;
  readonly children: boolean;
}

function endpointOf(random: Random): Endpoint {
  const same = random.oneIn(8);
  const limit = random.between(1, 6);
  const values = Array.from({ length: random.oneIn(6) ? 0 : random.between(1, 50) }, (_, id) =>
    same ? { id: id % limit, text: "again" } : { id, text: "x".repeat(random.below(9)) },
  );
  return {
    values,
    counting: random.pick(["offset", "pagenum", "unsized", "none"]),
    limit,
    cap: random.oneIn(6) ? random.between(1, 6) : 100,
    behaviour: random.pick(["plain", "plain", "plain", "clamped", "gone", "deaf"]),
    total: random.oneIn(2),
    children: random.oneIn(3),
  };
}

function pageOf({ values, counting, limit, cap, behaviour }: Endpoint, params: URLSearchParams): readonly object[] {
  const size = Math.min(Number(params.get("limit") ?? limit), cap);
  if (counting === "none") return values;
  const asked =
    counting === "offset" ? Number(params.get("offset") ?? 0) : (Number(params.get("page") ?? 1) - 1) * size;
  const last = Math.max(0, Math.ceil(values.length / size) - 1) * size;
  const from = behaviour === "deaf" ? 0 : behaviour === "clamped" ? Math.min(asked, last) : asked;
  return values.slice(from, from + size);
}

function configurationOf(url: string, endpoints: readonly Endpoint[], random: Random): object {
  const scrollers = Object.fromEntries(
    endpoints.map(({ counting, limit }, index) => {
      if (counting === "none")
        return [`s${index}`, { method: "response.param", responseParam: "absent", queryParam: "t" }];
      const method = counting === "offset" ? "offset" : "pagenum";
      return [`s${index}`, { method, ...(counting === "unsized" ? {} : { limit }) }];
    }),
  );
  const jobs = endpoints.map(({ children }, index) => ({
    endpoint: `e${index}`,
    dataType: `data${index}`,
    dataField: "items",
    scroller: `s${index}`,
    ...(children
      ? {
          children: [
            { endpoint: "child/{id}", dataType: `child${index}`, dataField: "items", placeholders: { id: "id" } },
          ],
        }
      : {}),
  }));
  return {
    api: { baseUrl: `${url}/`, http: { ignoreErrors: [404] }, pagination: { method: "multiple", scrollers } },
    config: { jobs },
    ...(random.oneIn(6) ? { iterations: [{ a: 1 }, { a: 2 }, { a: 3 }].slice(0, random.between(1, 3)) } : {}),
  };
}

async function round(seed: number): Promise<string> {
  const random = createRandom(seed);
  const endpoints = Array.from({ length: random.between(1, 3) }, () => endpointOf(random));
  let faults = 0;
  await using api = await startApi((request) => {
    const [, name = "", id = ""] = request.path.split("/");
    if (faults > 0 && random.oneIn(5)) {
      faults -= 1;
      return json({ error: "down" }, { status: 503 });
    }
    if (name === "child") return { items: Array.from({ length: Number(id) % 3 }, (_, number) => ({ of: id, number })) };
    const endpoint = endpoints[Number(name.slice(1))];
    assert.ok(endpoint);
    const items = pageOf(endpoint, request.params);
    if (endpoint.behaviour === "gone" && items.length === 0) return json({ error: "no such page" }, { status: 404 });
    return endpoint.total ? { items, total: endpoint.values.length } : { items };
  });
  const configuration = configurationOf(api.url, endpoints, random);
  const one = await runHere(configuration);
  assert.equal(one.result.exitCode, 0);
  const count = random.between(1, 16);
  await using sharded = await planned(configuration, count);
  faults = random.below(4);
  await runAll(sharded, count, random);
  try {
    const merged = await sharded.merge();
    assert.equal(merged.output, one.output);
    const verdicts = ({ jobs }: Pick<RunResult, "jobs">): unknown =>
      jobs.map(({ dataType, verdict, records, reason, expected }) => {
        const child = dataType.startsWith("child");
        return { dataType, verdict, records, ...(child ? {} : { reason, expected }) };
      });
    assert.deepEqual(verdicts(merged), verdicts(one.result));
    return merged.jobs.some(({ verdict }) => verdict === "suspect") ? "suspect" : "complete";
  } catch (error) {
    // Pages that are alike at a distance, and not side by side: the shard could not know.
    if (!(error instanceof SpileError) || error.exitCode !== 65) throw error;
    assert.match(error.message, /^page \d+ is missing, which one run would have asked for; shard \d+ ended/);
    return "refused";
  }
}

/** In any order, several times, dying on the way. */
async function runAll(sharded: Sharded, count: number, random: Random): Promise<void> {
  const order = Array.from({ length: count }, (_, index) => ({ index, key: random.below(1000) }));
  order.sort((a, b) => a.key - b.key);
  for (const { index } of order) {
    if (random.oneIn(4)) {
      const dying = new AbortController();
      setTimeout(() => dying.abort(new SpileError("terminated", "killed")), random.below(5));
      await sharded.run(index, { signal: dying.signal });
    }
    if (random.oneIn(4)) await writeFile(join(sharded.folder, `${index}.0123456789ab.ndjson`), '{"half":');
    const attempts = Array.from({ length: random.oneIn(4) ? 2 : 1 }, () =>
      sharded.run(index, { concurrency: random.between(1, 3) }),
    );
    for (const outcome of await Promise.all(attempts)) {
      assert.ok(outcome.kind === "done before" || outcome.result.failure === undefined);
    }
  }
}

test("whatever dies or is started twice, the merged bytes and verdicts are those of one run", async () => {
  const seen = new Map<string, number>();
  const seeds = only === undefined ? Array.from({ length: rounds }, (_, index) => index + 1) : [Number(only)];
  const lane = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const kind = await round(seed).catch((error: unknown) => {
        throw new Error(`SPILE_SHARD_SEED=${seed}`, { cause: error });
      });
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  };
  await Promise.all([lane(), lane()]);
  if (only !== undefined) return;
  assert.ok(seen.has("complete") && seen.has("suspect"), JSON.stringify([...seen]));
  assert.ok((seen.get("refused") ?? 0) <= rounds / 8, JSON.stringify([...seen]));
});

test("data that changes while the shards run is never complete, unless it is what the API held at one moment", async () => {
  let suspect = 0;
  for (let seed = 1; seed <= rounds; seed += 1) {
    const random = createRandom(seed);
    const values = Array.from({ length: random.between(1, 40) }, (_, id) => ({ id }));
    const limit = random.between(1, 5);
    let untilChange = random.between(1, 30);
    const moments = [linesOf(values)];
    await using api = await startApi(({ params }) => {
      untilChange -= 1;
      if (untilChange === 0) {
        if (random.oneIn(2))
          values.push(...Array.from({ length: random.between(1, 12) }, () => ({ id: values.length })));
        else values.splice(random.below(values.length), random.between(1, 12));
        moments.push(linesOf(values));
      }
      const offset = Number(params.get("offset"));
      return { items: values.slice(offset, offset + limit), total: values.length };
    });
    const count = random.between(2, 8);
    const configuration = {
      api: { baseUrl: `${api.url}/`, pagination: { method: "offset", limit } },
      config: { jobs: [{ endpoint: "e", dataField: "items" }] },
    };
    await using sharded = await planned(configuration, count);
    for (let index = 0; index < count; index += 1) await sharded.run(index);
    const { jobs, output } = await sharded.merge();
    const whole = jobs.every(({ verdict }) => verdict === "complete");
    if (whole) assert.ok(moments.includes(output), `seed ${seed}: ${jobs[0]?.reason}`);
    else suspect += 1;
  }
  assert.ok(suspect > rounds / 10);
});

test("leftovers are those of no manifest", async () => {
  await using api = await startApi(() => ({ items: [] }));
  const configuration = { api: { baseUrl: `${api.url}/` }, config: { jobs: [{ endpoint: "e", dataField: "items" }] } };
  await using sharded = await planned(configuration, 1);
  await sharded.run(0);
  for (const name of ["0.0123456789ab.ndjson", ".0.0123456789ab.tmp", "0.notes.ndjson", "7.0123456789ab.ndjson"]) {
    await writeFile(join(sharded.folder, name), "");
  }
  const { manifests } = await sharded.merge();
  const names = await leftovers(manifests, sharded.folder);
  assert.deepEqual([...names].sort(), [".0.0123456789ab.tmp", "0.0123456789ab.ndjson"]);
});
