import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Agent } from "node:http";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { test } from "node:test";
import { type ExtractOptions, extract, extractRecords, type RunEvent, type StateStore } from "../src/index.ts";
import { type Api, json, raw, records, redirect, stall, startApi, text } from "./helpers/api.ts";
import { temporaryFolder } from "./helpers/cli.ts";

function configuration(api: Api, job: object = { endpoint: "a" }, more: object = {}): string {
  return JSON.stringify({ api: { baseUrl: api.url, ...more }, config: { jobs: [job] } });
}

/** Creates a store that remembers the state that it gets. */
function memory(text?: string): StateStore & { readonly saved: string[] } {
  const saved: string[] = [];
  return {
    saved,
    load: async () => saved.at(-1) ?? text,
    async save(document) {
      saved.push(document);
    },
  };
}

/** Runs an extraction to its end. Returns the lines and the result. */
async function toTheEnd(source: string, options: ExtractOptions) {
  const stream = extract(source, options);
  const { result } = stream;
  const chunks: Buffer[] = [];
  stream.on("data", (chunk) => chunks.push(chunk));
  const ended = await result;
  await finished(stream).catch(() => undefined);
  return { lines: Buffer.concat(chunks).toString(), result: ended };
}

test("the option `headers` replaces the API's headers, is replaced by a job's headers, goes only to trusted origins, and its credentials are masked", async () => {
  await using other = await startApi(() => records(1));
  await using api = await startApi({ "/a": () => redirect(`${other.url}/b`), "/c": () => [1] });
  const events: RunEvent[] = [];
  const headers = { "X-Tenant": "blue", "X-Job": "program", Authorization: "Bearer hunter2hunter2" };
  const options: ExtractOptions = { headers, debug: true, onEvent: (event) => events.push(event) };
  const source = JSON.stringify({
    api: { baseUrl: api.url, http: { headers: { "X-Tenant": "red" } } },
    config: { jobs: [{ endpoint: "a", headers: { "X-Job": "job" } }, { endpoint: "c?echo=hunter2hunter2" }] },
  });
  assert.equal((await toTheEnd(source, options)).result.exitCode, 0);
  const [first] = api.log;
  assert.equal(first?.headers["x-tenant"], "blue");
  assert.equal(first?.headers["x-job"], "job");
  assert.equal(first?.headers.authorization, "Bearer hunter2hunter2");
  assert.equal(other.log[0]?.headers["x-tenant"], undefined);
  assert.equal(other.log[0]?.headers.authorization, undefined);
  assert.equal(api.log[1]?.headers["x-job"], "program");
  assert.doesNotMatch(JSON.stringify(events), /hunter2/);
});

test("an agent of the program sends the requests for which it is chosen, and is not closed", async () => {
  await using api = await startApi(() => records(1));
  const addresses: string[] = [];
  const agent = new Agent({ keepAlive: true });
  let opened = 0;
  agent.on("free", () => undefined);
  const createConnection = agent.createConnection.bind(agent) as (...all: unknown[]) => never;
  (agent as unknown as { createConnection: unknown }).createConnection = (...all: unknown[]) => {
    opened += 1;
    return createConnection(...all);
  };
  const choose = (address: URL): Agent | undefined => {
    addresses.push(address.pathname);
    return address.pathname === "/a" ? agent : undefined;
  };
  const source = JSON.stringify({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }, { endpoint: "a?again" }] },
  });
  const { result } = await toTheEnd(source, { agent: choose });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.deepEqual(addresses, ["/a", "/b", "/a"]);
  assert.equal(opened, 1);
  assert.equal(Object.keys(agent.freeSockets).length, 1);
  agent.destroy();
});

test("an invalid agent, or a function for agents that throws, ends the run at once", async () => {
  await using api = await startApi(() => records(1));
  const wrong = (() => ({})) as unknown as () => Agent;
  const failing = (): Agent => {
    throw new TypeError("no agent today");
  };
  for (const [agent, message] of [
    [wrong, /^the option agent must return an agent of node:http or node:https, or undefined$/],
    [failing, /^the function of the option agent failed: no agent today$/],
  ] as const) {
    const { result } = await toTheEnd(configuration(api), { agent });
    assert.equal(result.failure?.code, "ERR_USAGE");
    assert.match(result.failure?.message ?? "", message);
  }
  assert.equal(api.log.length, 0);
});

test("a state store of the program is loaded once and saved once, unchanged", async () => {
  await using api = await startApi(() => text('[{"id":13911860366432393}]'));
  const store = memory('{"kept":1.10,"time":{"previousStart":5}}');
  const job = { endpoint: "a", incremental: { path: "id", type: "number", initial: 0 } };
  const { result } = await toTheEnd(configuration(api, job), { state: store });
  assert.equal(result.exitCode, 0, result.failure?.message);
  assert.equal(store.saved.length, 1);
  assert.match(store.saved[0] ?? "", /^\{"kept":1\.10,/);
  const state = JSON.parse(store.saved[0] ?? "");
  assert.equal(Object.keys(state.incremental).length, 1);
  assert.ok(store.saved[0]?.includes("13911860366432393"));
  assert.ok(state.time.previousStart > 5);
});

test("an aborted run saves its progress, and the next run continues from it", async () => {
  let isUp = false;
  const abort = new AbortController();
  await using api = await startApi(({ params }) => {
    const page = Number(params.get("page") ?? 1);
    if (page < 3) return records(2, page * 2 - 1);
    if (isUp) return page === 3 ? records(1, 5) : [];
    abort.abort(new Error("enough"));
    return raw(stall);
  });
  const store = memory();
  const source = configuration(api, { endpoint: "a" }, { pagination: { method: "pagenum" } });
  const first = await toTheEnd(source, { state: store, resume: false, signal: abort.signal });
  assert.equal(first.result.failure?.code, "ERR_ABORTED");
  assert.equal(store.saved.length, 1);
  isUp = true;
  const second = await toTheEnd(source, { state: store, resume: true });
  assert.equal(second.result.exitCode, 0, second.result.failure?.message);
  assert.match(api.log.at(-2)?.query ?? "", /page=3/);
  assert.equal((first.lines + second.lines).match(/\n/g)?.length, 5);
  assert.equal(JSON.parse(store.saved[1] ?? "").progress, undefined);
  assert.equal(second.result.records, 5);
});

test("a state that cannot be loaded, read or saved ends the run with its own error code", async () => {
  await using api = await startApi(() => records(1));
  const refuse = (): never => {
    throw new Error("the database is down");
  };
  const rows: readonly (readonly [store: StateStore, code: string, message: string, requests: number])[] = [
    [{ load: refuse, save: () => 0 }, "ERR_TEMPORARY", "cannot load the state: the database is down", 0],
    [{ load: () => "[]", save: () => 0 }, "ERR_CONFIGURATION", "the state must hold an object such as", 0],
    [{ load: () => 1 as unknown as string, save: () => 0 }, "ERR_CONFIGURATION", "load() must return the text", 0],
    [{ load: () => null, save: refuse }, "ERR_OUTPUT", "cannot save the state: the database is down", 1],
  ];
  for (const [state, code, message, requests] of rows) {
    const before = api.log.length;
    const { result } = await toTheEnd(configuration(api), { state });
    assert.equal(result.failure?.code, code);
    assert.ok(result.failure?.message.includes(message), result.failure?.message);
    assert.equal(api.log.length - before, requests);
  }
});

test("a recording that was written as JSON and read again is replayed without a network", async () => {
  const api = await startApi(({ params }) => (params.get("page") === "2" ? [] : records(3)));
  const source = configuration(
    api,
    { endpoint: "a", headers: { "X-Key": "hunter2hunter2" } },
    { pagination: { method: "pagenum" } },
  );
  const recorded = await toTheEnd(source, { record: true });
  await api.close();
  const { recording } = recorded.result;
  assert.equal(recording?.log.entries.length, 2);
  const copy: object = JSON.parse(JSON.stringify(recording));
  const replayed = await toTheEnd(source, { replay: copy });
  assert.equal(replayed.result.exitCode, 0, replayed.result.failure?.message);
  assert.equal(replayed.lines, recorded.lines);
  assert.equal(replayed.result.recording, undefined);
  const wrong = await toTheEnd(source, { replay: {} });
  assert.match(wrong.result.failure?.message ?? "", /^cannot replay the recording: it is not an HTTP archive/);
  assert.equal(wrong.result.failure?.code, "ERR_CONFIGURATION");
});

test("a failed run returns its recording", async () => {
  await using api = await startApi(() => json({}, { status: 418 }));
  const { result } = await toTheEnd(configuration(api), { record: true });
  assert.equal(result.failure?.code, "ERR_REFUSED");
  assert.equal(result.recording?.log.entries[0]?.response.status, 418);
});

test("report and metrics are written, and a path that cannot be written is reported before the first request", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => records(2));
  const [report, metrics] = [join(folder.path, "r.html"), join(folder.path, "m.prom")];
  const { result } = await toTheEnd(configuration(api), { report, metrics, metricsName: "mine" });
  assert.equal(result.exitCode, 0);
  assert.match(await readFile(report, "utf8"), /Complete: <span>2 records came/);
  assert.match(await readFile(metrics, "utf8"), /^spile_records\{config="mine",job="a"\} 2$/m);
  const before = api.log.length;
  const events: RunEvent[] = [];
  const lost = await toTheEnd(configuration(api), {
    report: join(folder.path, "none", "r.html"),
    onEvent: (event) => events.push(event),
  });
  assert.equal(lost.result.failure?.code, "ERR_OUTPUT");
  assert.equal(events.at(-1)?.event, "error");
  assert.equal(api.log.length, before);
});

test("a loop over records throws if an option is invalid, such as the recording", async () => {
  await using api = await startApi(() => records(2));
  const loop = async (): Promise<void> => {
    for await (const _ of extractRecords(configuration(api), { replay: { log: 1 } })) assert.fail("a record");
  };
  await assert.rejects(loop(), { code: "ERR_CONFIGURATION" });
});
