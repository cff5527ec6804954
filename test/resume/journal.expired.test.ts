import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readConfiguration } from "../../src/compile/read.ts";
import type { RunOptions, Target } from "../../src/core/runs/run.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { openJournal } from "../../src/resume/journal.ts";
import { beginningOf } from "../../src/resume/progress.ts";
import { json } from "../helpers/answers.ts";
import { type Api, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { type Outcome, runHere } from "../helpers/run.ts";

const lastPage = 4;

interface Feed {
  readonly api: Api;
  /** Makes the API refuse all tokens that it has given so far with this status. */
  expire(status: number): void;
  /** The page of `b` that is refused with 418; undefined for none. */
  troubleAt: number | undefined;
  /** Called before a page of `b` is answered. */
  asked: () => void;
}

/** Starts an API with two lists of four pages, `a` and `b`, whose tokens expire. */
async function startFeed(): Promise<Feed> {
  let generation = 1;
  let refusal = 410;
  const page = (name: string, token: string | null): unknown => {
    const [born, number] = token === null ? [generation, 1] : token.split("-").map(Number);
    if (name === "b") feed.asked();
    if (born !== generation) return json({ error: "the token has expired", expired: true }, { status: refusal });
    if (name === "b" && number === feed.troubleAt) return json({ error: "trouble" }, { status: 418 });
    const records = [{ name, number, generation }];
    return { items: records, ...(number === lastPage ? {} : { next: `${generation}-${Number(number) + 1}` }) };
  };
  const api = await startApi(({ path, params }) => page(path.slice(1), params.get("token")));
  const feed = {
    api,
    troubleAt: 3 as number | undefined,
    asked: (): void => undefined,
    expire(status: number): void {
      refusal = status;
      generation += 1;
    },
  };
  return feed;
}

const configurationOf = ({ api }: Feed, http = {}): unknown => ({
  api: {
    baseUrl: api.url,
    http,
    pagination: { method: "response.param", responseParam: "next", queryParam: "token" },
  },
  config: { jobs: ["a", "b"].map((endpoint) => ({ endpoint, dataField: "items" })) },
});

test("a refusal whose body only mentions a 404 is not taken for an expired place", async () => {
  let expired = false;
  await using api = await startApi(({ params, path }) => {
    if (params.get("token") === null) return { items: [{ id: 1 }], next: "2" };
    const status = expired ? 403 : 418;
    return json({ error: `the server behind ${path} answered 404` }, { status });
  });
  await using folder = await temporaryFolder();
  const target = { kind: "file", path: join(folder.path, "out.ndjson") } as const;
  const options = { state: join(folder.path, "state.json"), resume: true, target };
  const pagination = { method: "response.param", responseParam: "next", queryParam: "token" };
  const jobs = [{ endpoint: "a", dataField: "items" }];
  const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs } };
  assert.equal((await runHere(configuration, options)).result.exitCode, 69);
  expired = true;
  const before = api.log.length;
  const { result } = await runHere(configuration, options);
  assert.equal(result.exitCode, 69);
  assert.doesNotMatch(result.failure?.message ?? "", /expired/);
  assert.equal(api.log.length - before, 1, "the job does not start over");
});

const lines = (name: string, generation: number, numbers = [1, 2, 3, 4]): string =>
  numbers.map((number) => `${JSON.stringify({ name, number, generation })}\n`).join("");

function resume(feed: Feed, folder: string, target?: Target, http?: object): Promise<Outcome> {
  const state = join(folder, "state.json");
  return runHere(configurationOf(feed, http), { state, resume: true, ...(target === undefined ? {} : { target }) });
}

const targets = ["file", "folder"] as const;
for (const kind of targets) {
  test(`a resumed job whose token has expired starts over if its lines can be removed: ${kind}`, async () => {
    for (const status of [400, 404, 410, 422]) {
      await using folder = await temporaryFolder();
      const feed = await startFeed();
      await using api = feed.api;
      const out = join(folder.path, "out");
      const target: Target = { kind, path: out };
      const content = async (): Promise<string> => {
        const names = kind === "file" ? [out] : (await readdir(out)).sort().map((name) => join(out, name));
        return (await Promise.all(names.map((name) => readFile(name, "utf8")))).join("");
      };
      assert.equal((await resume(feed, folder.path, target)).result.exitCode, 69);
      feed.expire(status);
      const asked = api.log.length;
      // It starts over and is interrupted again.
      const second = await resume(feed, folder.path, target);
      assert.equal(second.result.exitCode, 69);
      assert.match(second.result.failure?.message ?? "", /answered 418/);
      const warnings = second.events
        .filter(({ level }) => level === "warning")
        .map(({ message, job }) => [job, message]);
      assert.equal(warnings.length, 1);
      assert.match(
        String(warnings[0]),
        new RegExp(`^b,GET .*answered ${status}.*the job starts over, and its lines are written again$`),
      );
      assert.doesNotMatch(String(warnings[0]), /ignoreErrors/);
      feed.troubleAt = undefined;
      const third = await resume(feed, folder.path, target);
      assert.equal(third.result.exitCode, 0, third.result.failure?.message);
      assert.equal(await content(), lines("a", 1) + lines("b", 2));
      assert.deepEqual(
        third.result.jobs.map(({ records, verdict }) => [records, verdict]),
        [
          [4, "complete"],
          [4, "complete"],
        ],
      );
      // The job that had ended is not requested again.
      assert.deepEqual(new Set(api.log.slice(asked).map(({ path }) => path)), new Set(["/b"]));
      assert.doesNotMatch(await readFile(join(folder.path, "state.json"), "utf8"), /progress/);
    }
  });
}

test("if the place of the first job has expired, the job starts over with an empty file", async () => {
  await using folder = await temporaryFolder();
  const feed = await startFeed();
  await using _api = feed.api;
  const path = join(folder.path, "out.ndjson");
  const only = (configuration: unknown): unknown => {
    const { api, config } = configuration as { api: object; config: { jobs: object[] } };
    return { api, config: { jobs: config.jobs.slice(1) } };
  };
  const options = { state: join(folder.path, "state.json"), resume: true, target: { kind: "file", path } as const };
  assert.equal((await runHere(only(configurationOf(feed)), options)).result.exitCode, 69);
  feed.expire(404);
  feed.troubleAt = undefined;
  assert.equal((await runHere(only(configurationOf(feed)), options)).result.exitCode, 0);
  assert.equal(await readFile(path, "utf8"), lines("b", 2));
});

for (const kind of targets) {
  test(`a job that starts over and fails at once can be resumed: ${kind}`, async () => {
    await using folder = await temporaryFolder();
    const feed = await startFeed();
    await using _api = feed.api;
    const path = join(folder.path, "out");
    const target: Target = { kind, path };
    assert.equal((await resume(feed, folder.path, target)).result.exitCode, 69);
    feed.expire(410);
    feed.troubleAt = 1;
    const places: unknown[] = [];
    feed.asked = () => {
      const { progress } = JSON.parse(readFileSync(join(folder.path, "state.json"), "utf8"));
      places.push(progress.checkpoint.position);
    };
    const second = await resume(feed, folder.path, target);
    assert.match(second.result.failure?.message ?? "", /answered 418/);
    // The state says that the job starts over before its lines are removed, so a run that is killed then can be resumed, too.
    assert.deepEqual([places.length, places[1]], [2, null]);
    feed.troubleAt = undefined;
    feed.asked = () => undefined;
    const third = await resume(feed, folder.path, target);
    assert.equal(third.result.exitCode, 0, third.result.failure?.message);
    const names = kind === "file" ? [path] : ["a", "b"].map((name) => join(path, `${name}.ndjson`));
    const written = await Promise.all(names.map((name) => readFile(name, "utf8")));
    assert.equal(written.join(""), lines("a", 1) + lines("b", 2));
  });
}

test("the run fails with advice if lines cannot be removed, and also fails if the refusal's status does not mean an expired place", async () => {
  for (const [status, message] of [
    [410, /answered 410.* \(the job was resumed here; its place may have expired since: run it without --resume/],
    [403, /answered 403 Forbidden/],
  ] as const) {
    await using folder = await temporaryFolder();
    const feed = await startFeed();
    await using _api = feed.api;
    assert.equal((await resume(feed, folder.path)).result.exitCode, 69);
    feed.expire(status);
    const { result, output } = await resume(feed, folder.path);
    assert.deepEqual([result.exitCode, output], [69, ""]);
    assert.match(result.failure?.message ?? "", message);
  }
  await using folder = await temporaryFolder();
  const feed = await startFeed();
  await using _api = feed.api;
  const target: Target = { kind: "file", path: join(folder.path, "out") };
  assert.equal((await resume(feed, folder.path, target)).result.exitCode, 69);
  feed.expire(403);
  const refused = await resume(feed, folder.path, target);
  assert.equal(refused.result.exitCode, 69);
  assert.match(refused.result.failure?.message ?? "", /answered 403/);
});

const ruleOf = (when: object, meaning: "empty" | "end"): object => {
  return { responses: [{ when, ...JSON.parse(`{"then": "${meaning}"}`) }] };
};
const refusals = [
  { http: ruleOf({ status: 410 }, "empty"), status: 410, words: "/api/http/responses/0 treats" },
  { http: ruleOf({ path: "expired" }, "empty"), status: 200, words: "/api/http/responses/0 treats" },
  { http: ruleOf({ path: "expired" }, "end"), status: 404, words: "/api/http/responses/0 treats" },
  { http: { ignoreErrors: [404] }, status: 404, words: "ignoreErrors tolerates" },
];
for (const { http, status, words } of refusals) {
  const [rule] = Object.keys(http);
  test(`an expired token that ${rule} accepts as the end, with status ${status}, does not make a resumed job complete`, async () => {
    for (const kind of ["file", undefined] as const) {
      await using folder = await temporaryFolder();
      const feed = await startFeed();
      await using _api = feed.api;
      const path = join(folder.path, "out");
      const target: Target | undefined = kind && { kind, path };
      assert.equal((await resume(feed, folder.path, target, http)).result.exitCode, 69);
      feed.expire(status);
      feed.troubleAt = undefined;
      const second = await resume(feed, folder.path, target, http);
      assert.equal(second.result.exitCode, 0, second.result.failure?.message);
      const [a, b] = second.result.jobs;
      assert.equal(a?.verdict, "complete");
      const warnings = second.events.filter(({ level }) => level === "warning").map(({ message }) => message);
      if (kind === "file") {
        assert.deepEqual([b?.verdict, await readFile(path, "utf8")], ["complete", lines("a", 1) + lines("b", 2)]);
        assert.equal(warnings.filter((text) => text.includes(words) && text.includes("the job starts over")).length, 1);
      } else {
        assert.equal(b?.verdict, "suspect");
        assert.ok(b.reason.includes(words), b.reason);
        assert.match(
          b.reason,
          /: the job was resumed here, and its place may have expired since \(a run without --resume/,
        );
      }
    }
  });
}

test("after a resume, a rule's end is complete if a total is reached or if pages are numbered", async () => {
  for (const method of ["token", "pagenum"] as const) {
    await using folder = await temporaryFolder();
    let broken = true;
    await using api = await startApi(({ params }) => {
      const page = Number(params.get(method === "token" ? "token" : "page") ?? 1);
      if (page > 2 && broken) return json({}, { status: 418 });
      if (page > 2) return json({ error: "no such page" }, { status: 404 });
      const total = method === "token" ? { total: 2 } : {};
      return { items: [{ page }], next: page + 1, ...total };
    });
    const pagination =
      method === "token"
        ? { method: "response.param", responseParam: "next", queryParam: "token" }
        : { method: "pagenum", limit: 1 };
    const http = ruleOf({ status: 404 }, "empty");
    const configuration = {
      api: { baseUrl: api.url, http, pagination },
      config: { jobs: [{ endpoint: "a", dataField: "items" }] },
    };
    const options = { state: join(folder.path, "state.json"), resume: true };
    assert.equal((await runHere(configuration, options)).result.exitCode, 69);
    broken = false;
    const { result } = await runHere(configuration, options);
    assert.deepEqual([result.exitCode, result.jobs[0]?.verdict, result.jobs[0]?.records], [0, "complete", 2]);
  }
});

test("a job that starts over waits for a save in progress, so that the later place in that save does not return", async () => {
  await using folder = await temporaryFolder();
  const feed = await startFeed();
  await using api = feed.api;
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "response.param", responseParam: "next", queryParam: "token" } },
    config: { jobs: [{ endpoint: "b", dataField: "items" }] },
  };
  const target: Target = { kind: "file", path: join(folder.path, "out") };
  const state = join(folder.path, "state.json");
  assert.equal((await runHere(configuration, { target, state, resume: true })).result.exitCode, 69);
  const secrets = new Secrets();
  const options: RunOptions = {
    target,
    state,
    resume: true,
    secrets,
    emit: () => undefined,
    signal: new AbortController().signal,
  };
  const loaded = readConfiguration(JSON.stringify(configuration), {
    name: "test",
    set: new Map(),
    environment: {},
    strict: false,
    secrets,
  });
  const journal = await openJournal(loaded, options, 1);
  const { checkpoint } = journal.from;
  assert.equal(checkpoint.pages, 2);
  const sink = await journal.open(new Map());
  const settled = { results: journal.results, moved: [] };
  const saving = journal.mark?.({ checkpoint: { ...checkpoint, pages: 3 }, failed: [] }, settled)?.reached({});
  const other = await journal.beginJobAnew?.();
  await saving;
  sink.stream.destroy();
  journal.close();
  const again = await openJournal(loaded, options, 1);
  again.close();
  assert.deepEqual([again.from.checkpoint, other?.from.checkpoint], [beginningOf(0, 0), beginningOf(0, 0)]);
});
