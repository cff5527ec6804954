import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf } from "../config/reading.ts";
import { dataset, json, linesOf, records, startApi } from "../helpers/api.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { spileHere } from "../helpers/command.ts";
import { runHere } from "../helpers/run.ts";
import { extractAll } from "./extraction.ts";

/* Tests of endpoints that are expressions (contract C-13.5). */

const pagination = { method: "offset", limit: 2 };

test("an endpoint that is an expression is evaluated like a parameter", async () => {
  await using api = await startApi(() => [{ id: 1 }]);
  const endpoint = {
    function: "concat",
    args: ["reports/", { function: "date", args: ["Y", { time: "currentStart" }] }],
  };
  const { result } = await extractAll({
    api: { baseUrl: api.url },
    config: { jobs: [{ endpoint, dataType: "reports" }] },
  });
  assert.equal(result.exitCode, 0);
  assert.deepEqual(api.targets(), [`/reports/${result.startedAt.getUTCFullYear()}`]);
});

test("a list of endpoints is requested in order, each with its own paging", async () => {
  const sizes: Record<string, number> = { "/a": 3, "/b": 0, "/7": 5 };
  await using api = await startApi((request) => dataset(records(sizes[request.path] ?? 0))(request));
  const jobs = [{ endpoint: ["a", { attr: "second" }, 7], dataType: "all", dataField: "items" }];
  const configuration = { api: { baseUrl: api.url, pagination }, config: { second: "b", jobs } };
  for (const concurrency of [1, 5, "auto"] as const) {
    const { lines, result } = await extractAll(configuration, { concurrency });
    assert.equal(`${lines.join("\n")}\n`, linesOf([...records(3), ...records(5)]));
    assert.deepEqual(
      result.jobs.map(({ verdict, records, pages }) => [verdict, records, pages]),
      [["complete", 8, 6]],
    );
  }
});

test("the elements of a list are requested in parallel", async () => {
  await using api = await startApi(async ({ path }) => {
    await api.received(3);
    return [{ path }];
  });
  const jobs = [{ endpoint: { attr: "paths" }, dataType: "all" }];
  const { lines } = await extractAll(
    { api: { baseUrl: api.url }, config: { paths: ["a", "b", "c"], jobs } },
    { concurrency: 3 },
  );
  assert.deepEqual(
    lines,
    ["a", "b", "c"].map((path) => `{"path":"/${path}"}`),
  );
});

test("the job's verdict is that of its worst element, and the reason names this element", async () => {
  await using api = await startApi({ "/a": () => ({ items: [1] }), "*": () => ({ items: [1], total: 3 }) });
  const jobs = [{ endpoint: ["a", "b", "c"], dataType: "all", dataField: "items" }];
  const { result } = await extractAll({ api: { baseUrl: api.url }, config: { jobs } });
  assert.equal(result.jobs[0]?.verdict, "suspect");
  assert.match(result.jobs[0]?.reason ?? "", /^2 of 3 runs, the first, endpoint "b": .*total/);
});

test("in a child job, placeholders are filled after the expression is evaluated", async () => {
  await using api = await startApi({ "/users": () => [{ id: "a/{x}" }, { id: 2 }], "*": ({ path }) => [{ path }] });
  const child = {
    endpoint: [{ function: "concat", args: [{ attr: "base" }, "/{id}"] }, "v2/{id}"],
    dataType: "orders",
    placeholders: { id: "id" },
  };
  const { lines } = await extractAll({
    api: { baseUrl: api.url },
    config: { base: "orders", jobs: [{ endpoint: "users", children: [child] }] },
  });
  assert.deepEqual(api.targets().slice(1), ["/orders/a/%7Bx%7D", "/v2/a/%7Bx%7D", "/orders/2", "/v2/2"]);
  assert.equal(lines.length, 6);
});

test("addresses from settings are trusted, and those from a response are not", async () => {
  await using other = await startApi(() => []);
  await using api = await startApi({ "/list": () => [{ url: `${other.url}/given` }], "*": () => [] });
  const configuration = (jobs: unknown) => ({
    api: { baseUrl: api.url },
    config: {
      "#token": "t0ken-of-mine",
      http: { headers: { "X-Token": { attr: "#token" } } },
      urls: [`${other.url}/own`],
      jobs,
    },
  });
  const child = { endpoint: { function: "concat", args: ["{url}"] }, placeholders: { url: "url" } };
  await runHere(configuration([{ endpoint: "list", children: [child] }]));
  await runHere(configuration([{ endpoint: { attr: "urls" }, dataType: "own" }]));
  assert.deepEqual(
    other.log.map(({ path, headers }) => [path, headers["x-token"]]),
    [
      ["/given", undefined],
      ["/own", "t0ken-of-mine"],
    ],
  );
});

for (const [value, found] of [
  [{ attr: "none" }, "evaluates to an empty list; it must be an address or a path"],
  [{ attr: "blank" }, "evaluates to an empty text; it must be an address or a path"],
  [["a", ""], "element 2 of 2 evaluates to an empty text; it must be an address or a path"],
  [["a", { attr: "none" }], "element 2 of 2 evaluates to a list in a list; it must be an address or a path"],
  [{ urls: 1 }, "evaluates to an object; it must be an address or a path"],
  [{ attr: "no" }, "evaluates to false; it must be an address or a path"],
] as const) {
  test(`the fault is reported: an endpoint ${found} (${JSON.stringify(value)})`, async () => {
    const configuration = {
      api: { baseUrl: "http://127.0.0.1:9" },
      config: { none: [], blank: "", no: false, jobs: [{ endpoint: "a" }, { endpoint: value, dataType: "x" }] },
    };
    const { code, stderr } = await spileHere(["check", "-"], { stdin: JSON.stringify(configuration) });
    assert.deepEqual([code, stderr], [78, `error /config/jobs/1/endpoint: ${found}\n`]);
  });
}

test("wrong endpoints and impossible expressions in them are reported before the first request", () => {
  const faults = (endpoint: unknown) =>
    faultsOf({ api: { baseUrl: "http://127.0.0.1:9" }, config: { jobs: [{ endpoint }] } }).map(String);
  assert.match(faults(5).join(), /\/config\/jobs\/0\/endpoint/);
  assert.match(faults([]).join(), /\/config\/jobs\/0\/endpoint/);
  assert.match(faults(["a", { attr: "missing" }]).join(), /\/config\/jobs\/0\/endpoint\/1\/attr.*missing/);
});

test("check and plan show every element, and an undefined placeholder is a warning", async () => {
  const child = { endpoint: { function: "concat", args: ["x/{ids}"] }, dataType: "y", placeholders: { id: "id" } };
  const configuration = {
    api: { baseUrl: "https://api.example.com/" },
    config: {
      "#key": "a-secret-key",
      jobs: [{ endpoint: ["a", { attr: "#key" }, "c", "d"], dataType: "x", children: [child] }],
    },
  };
  const stdin = JSON.stringify(configuration);
  const { stdout, stderr } = await spileHere(["check", "-"], { stdin });
  assert.equal(
    stdout,
    "x\tGET a, ***, c, ... (4 in all)\t4 endpoints, one after the other; no paging\n  y\tGET x/{ids}\tno paging\n",
  );
  assert.match(stderr, /^warning \/config\/jobs\/0\/children\/0\/endpoint: "{ids}" has no entry in "placeholders"/m);
  const planned = await spileHere(["plan", "-"], { stdin });
  assert.deepEqual(
    planned.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { url: string }).url),
    ["a", "***", "c", "d"].map((name) => `https://api.example.com/${name}`),
  );
});

test("without dataType, the job is named by its endpoint as written", async () => {
  await using api = await startApi(() => []);
  const configuration = { api: { baseUrl: api.url }, config: { urls: ["a"], jobs: [{ endpoint: { attr: "urls" } }] } };
  const { result } = await runHere(configuration, { jobs: ['{"attr":"urls"}'] });
  assert.equal(result.jobs[0]?.job, '{"attr":"urls"}');
});

test("--resume continues at the element and the page", async () => {
  await using folder = await temporaryFolder();
  // `broken`: number of the failing request, among those of a run that is never interrupted.
  for (let broken = 0; broken < 8; broken += 1) {
    let [failing, number] = [true, 0];
    const answer = dataset(records(3));
    await using api = await startApi((request) => {
      const fails = failing && number === broken;
      number += 1;
      return fails ? json({ error: "no" }, { status: 403 }) : answer(request);
    });
    const jobs = [
      { endpoint: ["a", "b", "c"], dataType: "x", dataField: "items" },
      { endpoint: "d", dataField: "items" },
    ];
    const configuration = { api: { baseUrl: api.url, pagination }, config: { jobs } };
    const state = `${folder.path}/${broken}.json`;
    const first = await runHere(configuration, { state, resume: true });
    assert.equal(first.result.exitCode, 69);
    failing = false;
    const second = await runHere(configuration, { state, resume: true });
    assert.equal(first.output + second.output, linesOf([records(3), records(3), records(3), records(3)].flat()));
    assert.equal(api.log.length, 9);
    assert.deepEqual(
      second.result.jobs.map(({ verdict, records, pages }) => [verdict, records, pages]),
      [
        ["complete", 9, 6],
        ["complete", 3, 2],
      ],
    );
  }
});

test("a file that is resumed after any interruption has every line once, including the lines of children in batches", async () => {
  await using folder = await temporaryFolder();
  const child = {
    endpoint: "of/{ids}",
    dataType: "y",
    scroller: "none",
    placeholders: { ids: { path: "id", batch: 2 } },
  };
  const jobs = [
    { endpoint: ["a", "b"], dataType: "x", dataField: "items", children: [child] },
    { endpoint: "d", dataField: "items" },
  ];
  const scrollers = { default: pagination, none: { method: "none" } };
  let whole = "";
  // `broken`: number of the failing request; -1 for none.
  for (let broken = -1; broken < 10; broken += 1) {
    let [failing, number] = [true, 0];
    const pages = dataset(records(3));
    await using api = await startApi((request) => {
      const fails = failing && number === broken;
      number += 1;
      if (fails) return json({ error: "no" }, { status: 403 });
      return request.path.startsWith("/of") ? [{ path: request.path }] : pages(request);
    });
    const configuration = {
      api: { baseUrl: api.url, pagination: { method: "multiple", scrollers } },
      config: { jobs },
    };
    const path = `${folder.path}/out${broken}`;
    const options = { state: `${path}.json`, resume: true, target: { kind: "file", path } as const };
    const first = await runHere(configuration, options);
    assert.equal(first.result.exitCode, broken < 0 ? 0 : 69);
    failing = false;
    if (broken >= 0) assert.equal((await runHere(configuration, options)).result.exitCode, 0);
    const written = await folder.read(`out${broken}`);
    if (broken < 0) whole = written;
    assert.equal(written, whole, `request ${broken}`);
  }
  assert.equal(whole.split("\n").length, 3 + 2 + 3 + 2 + 3 + 1);
});

test("if the place of the page size is a header, the job's own header of that name is its page size", async () => {
  await using api = await startApi(({ headers }) => {
    const start = Number(headers["x-offset"] ?? 0);
    return [1, 2, 3].slice(start, start + Number(headers["x-size"]));
  });
  const pagination = {
    method: "offset",
    limit: 100,
    limitParam: { header: "X-Size" },
    offsetParam: { header: "X-Offset" },
  };
  const jobs = [{ endpoint: "numbers", headers: { "x-size": "2", "X-Other": "7" } }];
  const { output, result } = await runHere({ api: { baseUrl: api.url, pagination }, config: { jobs } });
  assert.equal(output, "1\n2\n3\n");
  assert.deepEqual(
    api.log.map(({ headers }) => [headers["x-offset"], headers["x-size"], headers["x-other"]]),
    [
      ["0", "2", "7"],
      ["2", "2", "7"],
    ],
  );
  assert.equal(result.jobs[0]?.verdict, "complete");
  const wrong = {
    api: { baseUrl: api.url, pagination },
    config: { jobs: [{ endpoint: "n", headers: { "X-Size": "many" } }] },
  };
  await assert.rejects(runHere(wrong), {
    exitCode: 78,
    message: /headers\/X-Size: as the page size of the job it must be an integer of at least 1, not "many"/,
  });
});
