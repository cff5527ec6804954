import assert from "node:assert/strict";
import { test } from "node:test";
import { json, linesOf, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";

/* With --keep-going on a pipe, each resumed run requests the missing parts of the failed jobs, and nothing is written twice. */
test("on a pipe, each line is written once, however often jobs fail", async () => {
  let failures = 0;
  await forSeeds(20, async (random, seed) => {
    const names = ["a", "b", "c", "d"];
    const iterations = random.pick([1, 1, 2]);
    const lists = new Map(names.map((name, index) => [name, records(random.below(9), index * 100 + 1)]));
    const oneIn = random.between(3, 8);
    let troubled = true;
    await using api = await startApi(({ path, params }) => {
      if (troubled && random.oneIn(oneIn)) return json({}, { status: 403 });
      const offset = Number(params.get("offset"));
      return (lists.get(path.slice(1)) ?? []).slice(offset, offset + 2);
    });
    await using folder = await temporaryFolder();
    const configuration = {
      api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
      config: { jobs: names.map((endpoint) => ({ endpoint })) },
      iterations: Array.from({ length: iterations }, (_, number) => ({ number })),
    };
    const options = { state: `${folder.path}/state.json`, keepGoing: true, concurrency: random.between(1, 3) };
    let lines = "";
    for (let attempt = 1; ; attempt += 1) {
      troubled = attempt < 6;
      const { result, output } = await runHere(configuration, { ...options, resume: attempt > 1 });
      lines += output;
      if (result.failure === undefined) {
        const counted = result.jobs.map(({ job, records: count, verdict }) => [job, count, verdict]);
        const whole = names.map((name) => [name, lists.get(name)?.length ?? 0, "complete"]);
        const sorted = (rows: unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
        assert.deepEqual(sorted(counted), sorted(Array.from({ length: iterations }, () => whole).flat()), `${seed}`);
        break;
      }
      failures += 1;
    }
    const all = names.flatMap((name) => lists.get(name) ?? []);
    const wanted = Array.from({ length: iterations }, () => linesOf(all)).join("");
    assert.deepEqual(lines.split("\n").sort(), wanted.split("\n").sort(), `seed ${seed}`);
  });
  assert.ok(failures > 20, `${failures} failures`);
});
