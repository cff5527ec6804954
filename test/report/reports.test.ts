import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test } from "node:test";
import { RunAccount, type Shares, shareNames } from "../../src/report/run-account.ts";
import { json, pause, raw, records, stall, startApi, tooMany } from "../helpers/api.ts";
import { start, temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";

/** Returns the figures in a report. Asserts the properties that every report has. */
async function readReport(path: string): Promise<{ html: string; figures: Record<string, unknown> }> {
  const html = await readFile(path, "utf8");
  const [, text = ""] = /<script type="application\/json" id="figures">(.*)<\/script>\n<\/body>/.exec(html) ?? [];
  assert.equal(html.match(/<script/g)?.length, 1, "the report contains a script besides its figures");
  assert.ok(html.includes(`content="default-src 'none'; style-src 'unsafe-inline'"`));
  for (const foreign of [/<[^>]*\s(?:on\w+|src|href)=/, /url\(|@import/, /\{\{|\bundefined\b|\bNaN\b|\[object/]) {
    assert.equal(foreign.exec(html)?.[0], undefined);
  }
  for (const tag of [
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "section",
    "svg",
    "figure",
    "div",
    "h2",
    "p",
    "ul",
    "li",
  ]) {
    const opened = html.match(new RegExp(`<${tag}[\\s>]`, "g"))?.length ?? 0;
    assert.equal(html.match(new RegExp(`</${tag}>`, "g"))?.length ?? 0, opened, tag);
  }
  assert.ok(Buffer.byteLength(html) <= 300_000, `${Buffer.byteLength(html)} bytes`);
  return { html, figures: JSON.parse(text) };
}

function sumOf(shares: Shares): number {
  return shareNames.reduce((sum, name) => sum + shares[name], 0);
}

test("a report says how the run and each of its jobs ended, suspect jobs first", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi({
    "/good": () => records(3),
    "/more": () => ({ data: records(2), total: 95 }),
    "/parents": () => records(2),
    "/parents/1/kids": () => records(1),
    "/parents/2/kids": () => records(4),
  });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: {
      jobs: [
        { endpoint: "good" },
        {
          endpoint: "parents",
          children: [{ endpoint: "parents/{id}/kids", dataType: "kids", placeholders: { id: "id" } }],
        },
        { endpoint: "more", dataField: "data" },
      ],
    },
  });
  const report = join(folder.path, "report.html");
  const summary = join(folder.path, "end.json");
  const { code } = await spileHere([config, "--report", report, "--summary", summary]);
  assert.equal(code, 0);
  const { html, figures } = await readReport(report);
  assert.match(
    html,
    /<h1 class="suspect">Suspect: <span>1 of 4 jobs may lack records\. 12 records came\.<\/span><\/h1>/,
  );
  assert.match(html, /<dt>Configuration<\/dt><dd>config\.json<\/dd>/);
  assert.match(html, /Seen on page 1, http:\/\/127\.0\.0\.1:\d+\/more/);
  const rows = [...html.matchAll(/<th role="rowheader"[^>]*>([^<]*)<\/th>/g)].map(([, name]) => name);
  assert.deepEqual(rows, ["more", "good", "parents", "kids"]);
  assert.match(html, /class="depth1">kids</);
  assert.match(html, /<td role="cell" data-label="Records">2 of 95<\/td>/);
  assert.match(html, /<title id="requests-title">Requests over time<\/title>/);
  const { jobs, ...run } = JSON.parse(await readFile(summary, "utf8"));
  const jobFigures = figures.jobs as Record<string, unknown>[];
  for (const [name, value] of Object.entries(run)) assert.deepEqual(figures[name], value, name);
  for (const job of jobs) {
    const found = jobFigures.find(({ dataType }) => dataType === job.dataType) ?? {};
    for (const [name, value] of Object.entries(job)) assert.deepEqual(found[name], value, name);
  }
  assert.equal(jobs[2].parent, "parents");
  assert.equal(sumOf(figures.time as Shares), figures.durationMs);
});

test("a failed run has its report, without markup from the API and without secrets", async () => {
  await using folder = await temporaryFolder();
  const nasty = "<script>alert(1)</script><img src=x onerror=alert(1)> & 'quotes' \"too\"";
  await using api = await startApi({ "*": () => json({ error: `${nasty} hunter2-secret` }, { status: 418 }) });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url, http: { headers: { "X-Key": { attr: "#key" } } } },
    config: { "#key": "hunter2-secret", jobs: [{ endpoint: "users", dataType: nasty }] },
  });
  const report = join(folder.path, "report.html");
  const { code } = await spileHere([config, "--report", report]);
  assert.equal(code, 69);
  const { html, figures } = await readReport(report);
  assert.doesNotMatch(html, /hunter2|<img|alert\(1\)<\/script/);
  assert.match(html, /<h1 class="failed">Failed: <span>1 of 1 job failed\. 0 records came\.<\/span><\/h1>/);
  assert.match(html, /&lt;script&gt;alert\(1\)/);
  assert.equal(figures.exitCode, 69);
  assert.equal((figures.jobs as { dataType: string }[])[0]?.dataType, nasty);
});

test("a faulty configuration has a report and metrics", async () => {
  await using folder = await temporaryFolder();
  const config = await folder.write("config.json", { api: {}, config: {} });
  const [report, metrics] = [join(folder.path, "report.html"), join(folder.path, "run.prom")];
  const { code } = await spileHere([config, "--report", report, "--metrics", metrics]);
  assert.equal(code, 78);
  const { html } = await readReport(report);
  assert.match(html, /no job began/);
  assert.match(html, /baseUrl/);
  assert.match(await readFile(metrics, "utf8"), /^spile_exit_code\{config="config\.json"\} 78$/m);
});

test("the report of 1500 jobs with long names stays short", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => []);
  const name = (index: number): string => `${index} ${'<"&\u{1f600}'.repeat(100)}`;
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: Array.from({ length: 1500 }, (_, index) => ({ endpoint: `j${index}`, dataType: name(index) })) },
  });
  const report = join(folder.path, "report.html");
  const { code } = await spileHere([config, "--report", report, "-q"]);
  assert.equal(code, 0);
  const { html, figures } = await readReport(report);
  const { jobs, rest } = figures as { jobs: { job: string }[]; rest: { jobs: number } };
  assert.ok(jobs.length >= 20, `${jobs.length} jobs are listed`);
  assert.equal(jobs.length + rest.jobs, 1500);
  assert.ok(jobs.every(({ job }) => [...job].length === 120));
  assert.match(html, new RegExp(`${rest.jobs} more jobs`));
});

test("the shares of time add up to the duration, and each wait is shown", async () => {
  let tries = 0;
  await using api = await startApi({
    "/late": () => raw(pause(60), "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n[1,2,", pause(50), "3,4,5 ]"),
    "/retried": () => {
      tries += 1;
      return tries % 3 === 0 ? [1] : json({}, { status: 503 });
    },
    "/limited": () => json([1], { headers: { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0.08" } }),
  });
  const account = new RunAccount();
  const jobs = ["late", "retried", "limited", "limited?again"].map((endpoint) => ({ endpoint }));
  let writes = 0;
  const stream = new Writable({
    write(_chunk, _encoding, callback) {
      writes += 1;
      setTimeout(callback, writes === 4 ? 100 : 0);
    },
  });
  const { result } = await runHere(
    { api: { baseUrl: api.url }, config: { jobs } },
    { account, backoff: () => 70, target: { kind: "stream", stream } },
  );
  assert.equal(result.exitCode, 0);
  const shares = account.shares(result.durationMs);
  assert.equal(sumOf(shares), result.durationMs);
  assert.ok(shares.answer >= 58, JSON.stringify(shares));
  assert.ok(shares.transfer > 0 && shares.transfer + shares.spile >= 48, JSON.stringify(shares));
  assert.ok(shares.retry >= 138, JSON.stringify(shares));
  assert.ok(shares.rateLimit > 0 && shares.rateLimit + shares.spile + shares.reader >= 78, JSON.stringify(shares));
  assert.ok(shares.reader > 0 && shares.reader + shares.spile >= 98, JSON.stringify(shares));
  assert.ok((account.dataset("retried")?.waitMs ?? 0) >= 138);
});

test("a path that cannot be written is reported before the first request", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => [1]);
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a" }] },
  });
  for (const option of ["--report", "--metrics"]) {
    const { code, stderr } = await spileHere([config, option, join(folder.path, "none", "file")]);
    assert.equal(code, 74);
    assert.match(stderr, /^error cannot write to .*none\/file: its folder does not exist\n$/);
  }
  assert.equal(api.log.length, 0);
});

test("a report that cannot be written ends a run without failure with 74, and the files after it are written", async () => {
  await using folder = await temporaryFolder();
  const place = join(folder.path, "place");
  const answers: Record<string, unknown> = { "/good": [1], "/bad": json({}, { status: 418 }) };
  await using api = await startApi(async ({ path }) => {
    await rm(place, { recursive: true });
    return answers[path];
  });
  for (const [endpoint, expected] of [
    ["good", 74],
    ["bad", 69],
  ] as const) {
    await mkdir(place);
    const config = await folder.write("c.json", { api: { baseUrl: api.url }, config: { jobs: [{ endpoint }] } });
    const [metrics, summary] = [join(folder.path, "run.prom"), join(folder.path, "end.json")];
    const words = [config, "--report", join(place, "r.html"), "--metrics", metrics, "--summary", summary];
    const { code, stderr } = await spileHere(words);
    assert.equal(code, expected);
    assert.match(stderr, /cannot write to .*r\.html/);
    assert.match(
      await readFile(metrics, "utf8"),
      new RegExp(`^spile_exit_code\\{config="c\\.json"\\} ${expected}$`, "m"),
    );
    assert.equal(JSON.parse(await readFile(summary, "utf8")).exitCode, expected);
  }
});

test("a run that a signal stops leaves its report and its metrics, and no other file", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi({ "/a": () => raw(stall) });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a" }] },
  });
  const report = join(folder.path, "report.html");
  const running = start([config, "--report", report, "--metrics", join(folder.path, "run.prom")]);
  await api.received(1);
  running.kill("SIGTERM");
  const { code } = await running.finished;
  assert.equal(code, 143);
  const { html } = await readReport(report);
  assert.match(html, /<h1 class="stopped">Stopped: <span>stopped by SIGTERM\. 0 records came\.<\/span><\/h1>/);
  assert.deepEqual((await readdir(folder.path)).sort(), ["config.json", "report.html", "run.prom"]);
});

test("a report of many requests shows shares of time in place of single requests", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(({ params }) => {
    const page = Number(params.get("page") ?? 1);
    return page > 1100 ? [] : records(1, page);
  });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "pagenum" } },
    config: { jobs: [{ endpoint: "a" }] },
  });
  const report = join(folder.path, "report.html");
  const { code } = await spileHere([config, "--report", report, "-q"]);
  assert.equal(code, 0);
  const { html, figures } = await readReport(report);
  assert.match(html, /Shares of each \d+ ms of the run/);
  const { timeline } = figures as { timeline: { records: number[] } };
  assert.equal(
    timeline.records.reduce((sum, count) => sum + count, 0),
    1100,
  );
});

test("report and metrics must be two files, but may be one device", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => [1]);
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint: "a" }] },
  });
  const same = join(folder.path, "same");
  const { code, stderr } = await spileHere([config, "--report", same, "--metrics", same]);
  assert.equal(code, 64);
  assert.match(stderr, /option --report and option --metrics are the same file/);
  const { code: other } = await spileHere([config, "--report", "/dev/null", "--metrics", "/dev/null"]);
  assert.equal(other, 0);
  assert.equal((await stat("/dev/null")).isCharacterDevice(), true);
  assert.equal(api.log.length, 1);
});

test("get labels its metrics with the host, or with the given name", async () => {
  await using folder = await temporaryFolder();
  await using api = await startApi(() => tooMany("0"));
  const metrics = join(folder.path, "run.prom");
  const address = `${api.url}/a?x=1`;
  await spileHere(["get", address, "--metrics", metrics, "--max-wait", "1"]);
  assert.match(
    await readFile(metrics, "utf8"),
    new RegExp(`spile_exit_code\\{config="127\\.0\\.0\\.1:${api.port}"\\} 75`),
  );
  await spileHere(["get", address, "--metrics", metrics, "--metrics-name", "mine", "--max-wait", "1"]);
  assert.match(await readFile(metrics, "utf8"), /spile_exit_code\{config="mine"\} 75/);
});

test("the report of a merge has a bar for each shard", async () => {
  await using folder = await temporaryFolder();
  const all = records(10);
  await using api = await startApi(({ params }) => {
    const offset = Number(params.get("offset") ?? 0);
    return all.slice(offset, offset + Number(params.get("limit")));
  });
  const config = await folder.write("config.json", {
    api: { baseUrl: api.url, pagination: { method: "offset", limit: 2 } },
    config: { jobs: [{ endpoint: "a" }] },
  });
  const [plan, parts] = [join(folder.path, "plan.json"), join(folder.path, "parts")];
  assert.equal((await spileHere(["shard", "plan", config, "--count", "2", "-o", plan])).code, 0);
  for (const index of ["0", "1"]) {
    const { code, stderr } = await spileHere(["shard", "run", plan, config, "--to", parts, "--index", index]);
    assert.equal(code, 0, stderr);
  }
  const [report, metrics] = [join(folder.path, "report.html"), join(folder.path, "run.prom")];
  const merged = await spileHere(["shard", "merge", plan, parts, "--report", report, "--metrics", metrics]);
  assert.equal(merged.code, 0, merged.stderr);
  const { html, figures } = await readReport(report);
  assert.deepEqual((figures.shards as { index: number }[]).map(({ index }) => index).sort(), [0, 1]);
  assert.equal(html.match(/<td class="track">/g)?.length, 2);
  assert.match(html, /Complete: <span>10 records came/);
  assert.match(await readFile(metrics, "utf8"), /^spile_records\{config="plan\.json",job="a"\} 10$/m);
  const same = await spileHere(["shard", "merge", plan, parts, "--report", plan]);
  assert.equal(same.code, 64);
});
