import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SpileError } from "../../src/core/errors.ts";
import { json } from "../helpers/answers.ts";
import { startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { randomPagedApi } from "../helpers/paged-api.ts";
import { runHere } from "../helpers/run.ts";
import { forSeeds } from "../helpers/seeds.ts";

test("after any interruption, a file contains each line once and a pipe gets every line, for every paging method", async () => {
  let interruptions = 0;
  await forSeeds(40, async (random) => {
    const paged = randomPagedApi(random);
    const concurrency = random.pick([1, 4]);
    let left = random.between(0, 3);
    let requests = 0;
    let trouble = random.between(1, 8);
    let controller = new AbortController();
    await using api = await startApi((request) => {
      requests += 1;
      if (left === 0 || requests < trouble) return paged.handler(request);
      left -= 1;
      interruptions += 1;
      trouble = requests + random.between(1, 8);
      if (random.oneIn(2)) return json({ error: "trouble" }, { status: 418 });
      controller.abort(new SpileError("interrupted", "interrupted"));
      return paged.handler(request);
    });
    await using folder = await temporaryFolder();
    const path = join(folder.path, "out.ndjson");
    const hold = random.pick([0, 60, 8_000_000]);
    const toFile = random.below(3) > 0;
    let piped = "";
    const about = `concurrency ${concurrency}, ${JSON.stringify(paged.configuration(""))}`;
    for (let run = 0; ; run += 1) {
      controller = new AbortController();
      const { result, output } = await runHere(paged.configuration(api.url), {
        ...(toFile ? { target: { kind: "file", path } } : {}),
        state: join(folder.path, "state.json"),
        resume: true,
        signal: controller.signal,
        concurrency,
        ...(paged.mayFlow ? { hold } : {}),
      });
      piped += output;
      if (result.failure !== undefined && run < 4) {
        assert.ok([69, 130].includes(result.exitCode), `${about}: ${result.failure.message}`);
        continue;
      }
      assert.equal(result.exitCode, 0, `${about}: ${result.failure?.message}`);
      const lines = (toFile ? await readFile(path, "utf8") : piped).split("\n").slice(0, -1);
      // It is unknown how much of the current page the reader of a pipe has read, so the page is written again.
      assert.deepEqual(toFile ? lines : [...new Set(lines)], paged.lines, about);
      assert.deepEqual(
        result.jobs.map(({ verdict }) => verdict),
        result.jobs.map(() => "complete"),
        about,
      );
      assert.equal(result.records, paged.lines.length, about);
      break;
    }
  });
  assert.ok(interruptions > 15, `${interruptions} interruptions`);
});

test("a resumed run still notices that the API counts inner records", async () => {
  for (const [page, verdict] of [
    [(offset: number) => [offset, offset + 6], "suspect"],
    [(offset: number) => [offset * 3, offset * 3 + 6], "complete"],
  ] as const) {
    let broken = true;
    const all = Array.from({ length: 20 }, (_, id) => ({ id }));
    await using api = await startApi(({ params }) => {
      const offset = Number(params.get("offset"));
      if (offset > 0 && broken) return json({}, { status: 418 });
      const came = all.slice(...page(offset));
      return came.length === 0 ? [] : [{ items: came.slice(0, 2) }, { items: came.slice(2) }];
    });
    await using folder = await temporaryFolder();
    const pagination = { method: "offset", limit: "unknown" };
    const dataField = { path: ".", each: ["items", "*"] };
    const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: [{ endpoint: "a", dataField }] } };
    const target = { kind: "file", path: join(folder.path, "out.ndjson") } as const;
    const options = { state: join(folder.path, "state.json"), resume: true, target };
    assert.equal((await runHere(configuration, options)).result.exitCode, 69);
    broken = false;
    const { result } = await runHere(configuration, options);
    const [job] = result.jobs;
    assert.deepEqual([result.exitCode, job?.verdict], [0, verdict], job?.reason);
    if (verdict === "suspect") assert.match(job?.reason ?? "", /page 2 begins with records of the page before it/);
  }
});

test("a run that is resumed at a probe still notices that the probe begins with a record that already came", async () => {
  for (const identified of [true, false]) {
    let broken = true;
    // The API filters its pages after it has cut them.
    const all = Array.from({ length: 30 }, (_, index) => ({ [identified ? "id" : "n"]: index + 1 }));
    await using api = await startApi(({ params }) => {
      const offset = Number(params.get("offset"));
      if (offset > 0 && broken) return json({}, { status: 418 });
      return all.slice(offset, offset + 10).filter((_, index) => index !== 3);
    });
    await using folder = await temporaryFolder();
    const path = join(folder.path, "out.ndjson");
    const pagination = { method: "offset", limit: 10, probeEnd: true };
    const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: [{ endpoint: "a" }] } };
    const options = { state: join(folder.path, "state.json"), resume: true, target: { kind: "file", path } } as const;
    assert.equal((await runHere(configuration, options)).result.exitCode, 69);
    broken = false;
    const { result } = await runHere(configuration, options);
    const [job] = result.jobs;
    assert.deepEqual([result.exitCode, job?.verdict, job?.records], [0, "suspect", 9], job?.reason);
    assert.match(job?.reason ?? "", /begins with a record that already came/);
    assert.equal((await readFile(path, "utf8")).split("\n").length, 10);
  }
});

test("a resumed job does not mistake the page at which it continues for its first page", async () => {
  const ids = [0, 1, 2, 4, 5, 2, 6];
  let isDown = true;
  await using api = await startApi(({ params }) => {
    const token = Number(params.get("token") ?? 0);
    if (token === 2 && isDown) return json({ error: "trouble" }, { status: 418 });
    const items = [{ id: ids[token], text: "x", at: token }];
    return json({ items, ...(token + 1 < ids.length ? { next: token + 1 } : {}) });
  });
  const configuration = {
    api: {
      baseUrl: api.url,
      pagination: { method: "response.param", responseParam: "next", queryParam: "token" },
    },
    config: { jobs: [{ endpoint: "items", dataField: "items" }] },
  };
  await using folder = await temporaryFolder();
  const target = { kind: "file", path: join(folder.path, "out.ndjson") } as const;
  const options = { target, state: join(folder.path, "state.json"), resume: true };
  assert.equal((await runHere(configuration, options)).result.exitCode, 69);
  isDown = false;
  const { result } = await runHere(configuration, options);
  assert.deepEqual([result.exitCode, result.jobs[0]?.verdict], [0, "complete"]);
  const lines = (await readFile(target.path, "utf8")).split("\n").slice(0, -1);
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).at),
    [0, 1, 2, 3, 4, 5, 6],
  );
});
