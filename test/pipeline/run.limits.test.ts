import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { json, pause, raw } from "../helpers/answers.ts";
import { dataset, linesOf, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runHere } from "../helpers/run.ts";

const pagination = { method: "offset", limit: 3 };
const jobs = (...names: string[]) => names.map((endpoint) => ({ endpoint, dataField: "items" }));

for (const concurrency of [1, 4]) {
  for (const hold of [undefined, 0]) {
    const how = `${concurrency} in flight, hold ${hold ?? "as usual"}`;

    test(`--max-records is exact at every border: ${how}`, async () => {
      const [a, b] = [records(7), records(5, 101)];
      await using api = await startApi({ "/a": dataset(a), "/b": dataset(b) });
      const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: jobs("a", "b") } };
      for (let maxRecords = 1; maxRecords <= 13; maxRecords += 1) {
        const before = api.log.length;
        const { result, output } = await runHere(configuration, { maxRecords, concurrency, hold });
        assert.equal(output, linesOf([...a, ...b].slice(0, maxRecords)), `${maxRecords}`);
        assert.equal(result.records, Math.min(maxRecords, 12), `records counted with --max-records ${maxRecords}`);
        const needed = [0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5][maxRecords] ?? 0;
        const sent = api.log.length - before;
        if (concurrency === 1) assert.equal(sent, needed, `requests with --max-records ${maxRecords}`);
        const verdicts = result.jobs.map(({ verdict }) => verdict);
        // A job that has not begun is reported, and is not complete.
        const cut = [maxRecords < 7 ? "limited" : "complete", "limited"];
        assert.deepEqual(verdicts, maxRecords < 12 ? cut : ["complete", "complete"], `${maxRecords}`);
      }
    });
  }

  test(`--max-records writes no part of a page that only repeats the one before it: ${concurrency} in flight`, async () => {
    // Small pages, of which no line is written before the page ends, and large ones.
    for (const size of [1, 100_000]) {
      const page = { items: records(3).map((record) => ({ ...record, padding: "x".repeat(size) })) };
      await using api = await startApi(() => page);
      const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: jobs("a") } };
      const { result, output } = await runHere(configuration, { maxRecords: 4, concurrency });
      assert.equal(output, linesOf(page.items));
      assert.equal(result.jobs[0]?.verdict, "suspect");
    }
  });

  test(`a page that was requested beyond the end may fail: ${concurrency} in flight`, async () => {
    const all = records(4);
    await using api = await startApi((request) =>
      Number(request.params.get("offset")) > 3 ? json({ error: "beyond" }, { status: 404 }) : dataset(all)(request),
    );
    const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: jobs("a") } };
    const { result, output, events } = await runHere(configuration, { concurrency });
    assert.deepEqual([result.exitCode, output], [0, linesOf(all)]);
    assert.deepEqual(
      events.filter(({ level }) => level === "error" || level === "warning"),
      [],
    );
  });

  test(`--keep-going runs the jobs after a failed one, within --max-records: ${concurrency} in flight`, async () => {
    const [a, b, c] = [records(7), records(2, 101), records(5, 201)];
    await using api = await startApi({
      "/a": (request) => (request.params.get("offset") === "6" ? json({}, { status: 403 }) : dataset(a)(request)),
      "/b": dataset(b),
      "/c": dataset(c),
    });
    const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: jobs("a", "b", "c") } };
    const whole = await runHere(configuration, { keepGoing: true, concurrency });
    assert.equal(whole.output, linesOf([...a.slice(0, 6), ...b, ...c]));
    assert.equal(whole.result.exitCode, 69);
    assert.deepEqual(
      whole.result.jobs.map(({ verdict, records: count }) => [verdict, count]),
      [
        ["failed", 6],
        ["complete", 2],
        ["complete", 5],
      ],
    );
    const cut = await runHere(configuration, { keepGoing: true, concurrency, maxRecords: 10 });
    assert.equal(cut.output, linesOf([...a.slice(0, 6), ...b, ...c.slice(0, 2)]));
    const first = await runHere(configuration, { concurrency });
    assert.deepEqual([first.result.exitCode, first.output], [69, linesOf(a.slice(0, 6))]);
  });
}

test("Retry-After of one page delays the following ones, and all are written in order", async () => {
  const all = records(31);
  let slowed: number | undefined;
  await using api = await startApi((request) => {
    if (request.params.get("offset") === "6" && slowed === undefined) {
      slowed = request.at;
      return json({ error: "slow down" }, { status: 429, headers: { "retry-after": "0.4" } });
    }
    // The others of the first four requests are answered when the client already knows of the wait.
    const answer = json(dataset(all)(request));
    return api.log.length <= 4
      ? { send: (socket: Socket) => raw(pause(150), { act: answer.send }).send(socket) }
      : answer;
  });
  const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: jobs("a") } };
  const { result, output } = await runHere(configuration, { concurrency: 4 });
  assert.deepEqual([result.exitCode, output], [0, linesOf(all)]);
  assert.equal(result.jobs[0]?.retries, 1);
  const later = api.log.slice(4);
  assert.ok(later.length >= 8);
  for (const { at, target } of later) assert.ok(at - (slowed ?? 0) >= 399, `${target} after ${at - (slowed ?? 0)} ms`);
});

test("a page is written and counted although its next page cannot be determined", async () => {
  // The address of the third page is that of the first.
  const pages: Record<string, unknown> = { "/a": "/b", "/b": "/a", "/c": null };
  await using api = await startApi(({ path }) => ({ items: [{ path }], next_page: pages[path] }));
  const configuration = {
    api: { baseUrl: api.url, pagination: { method: "response.url" } },
    config: { jobs: jobs("a", "c") },
  };
  const { result, output } = await runHere(configuration, { keepGoing: true });
  assert.deepEqual([result.exitCode, output], [65, linesOf([{ path: "/a" }, { path: "/b" }, { path: "/c" }])]);
  assert.deepEqual([result.records, result.jobs[0]?.records, result.jobs[0]?.verdict], [3, 2, "failed"]);
  const limited = await runHere(configuration, { keepGoing: true, maxRecords: 2 });
  assert.deepEqual([limited.output, limited.result.records], [linesOf([{ path: "/a" }, { path: "/b" }]), 2]);
});

test("a next address that cannot be requested does not fail a job that --max-records has ended", async () => {
  await using api = await startApi(() => ({ items: [{ id: 1 }], next_page: "ftp://elsewhere/" }));
  const pagination = { method: "response.url" };
  const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs: jobs("a") } };
  assert.equal((await runHere(configuration)).result.exitCode, 65);
  const { result, output } = await runHere(configuration, { maxRecords: 1 });
  assert.deepEqual([result.exitCode, result.jobs[0]?.verdict, output], [0, "limited", linesOf([{ id: 1 }])]);
});

test("a job whose first page cannot be requested fails with its reason", { timeout: 10_000 }, async () => {
  await using api = await startApi(({ path }) => (path === "/a" ? [{ id: 1 }, { id: 2 }] : []));
  const children = [{ endpoint: "b/{x}", placeholders: { x: "missing" } }];
  const configuration = { api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a", children }] } };
  for (const concurrency of [1, 4]) {
    const { result, output } = await runHere(configuration, { concurrency });
    assert.deepEqual([result.exitCode, output], [65, linesOf([{ id: 1 }, { id: 2 }])]);
    assert.match(result.failure?.message ?? "", /placeholder "x".*"missing"/);
  }
});

test("a body of white space that may have been cut off is requested again", async () => {
  let calls = 0;
  const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
  await using api = await startApi(() => {
    calls += 1;
    return calls > 1 ? [1] : { send: (socket: { end(text: string): void }) => socket.end(`${head}\r\n  `) };
  });
  const { result, output } = await runHere({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "a" }] } });
  assert.deepEqual([result.exitCode, output, calls], [0, "1\n", 2]);
});

test("the state does not move if --max-records has left out an iteration", async () => {
  await using api = await startApi({ "/a": () => records(2) });
  await using folder = await temporaryFolder();
  const state = await folder.write("state.json", { time: { previousStart: 5 } });
  const config = { jobs: [{ endpoint: "a" }] };
  const configuration = { api: { baseUrl: api.url }, config, iterations: [{ x: 1 }, { x: 2 }] };
  const whole = await runHere(configuration, { state, maxRecords: 2 });
  assert.deepEqual([whole.result.exitCode, whole.result.records], [0, 2]);
  assert.equal(JSON.parse(await folder.read("state.json")).time.previousStart, 5);
  await runHere(configuration, { state });
  assert.notEqual(JSON.parse(await folder.read("state.json")).time.previousStart, 5);
});
