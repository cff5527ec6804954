import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { readConfiguration } from "../../src/compile/read.ts";
import type { RunOptions } from "../../src/core/runs/run.ts";
import { Secrets } from "../../src/core/secrets/redact.ts";
import { type RunReplacements, run } from "../../src/pipeline/run.ts";
import { openJournal } from "../../src/resume/journal.ts";
import { startApi } from "../helpers/api.ts";
import { command, spile, startCommand, temporaryFolder } from "../helpers/cli.ts";
import { collector } from "../helpers/run.ts";

/*
 * Tests of promises that never settle, each in a different place. If nothing else keeps a process alive, Node would end it with
 * 13 and without a message.
 */

/** Returns variables that patch a process before the command is loaded. `never` is a function whose promise never settles. */
function hook(patch: string): Readonly<Record<string, string>> {
  const script = `
    import fsp from "node:fs/promises";
    import http from "node:http";
    import { syncBuiltinESMExports } from "node:module";
    const never = () => new Promise(() => undefined);
    const handle = await fsp.open(process.execPath);
    const files = Object.getPrototypeOf(handle);
    await handle.close();
    const only = (name, pattern) => {
      const { [name]: original } = fsp;
      fsp[name] = (path, ...others) => (pattern.test(String(path)) ? never() : original(path, ...others));
    };
    const first = (name) => {
      const { [name]: original } = files;
      files[name] = (...given) => ((files[name] = original), never(...given));
    };
    ${patch};
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(script).replaceAll("'", "%27")}` };
}

interface Place {
  readonly patch: string;
  readonly says: RegExp;
  /** Options that make the run reach the place. */
  readonly words?: readonly string[];
  /** True if the failing output is the summary itself. */
  readonly noSummary?: boolean;
}

const file = ["-o", "out.ndjson"];

const places: Readonly<Record<string, Place>> = {
  "an answer": { patch: "http.Agent.prototype.addRequest = () => {}", says: /waits for page 1 of users,/ },
  "opening the output": {
    patch: "only('open', /out[.]ndjson/)",
    words: file,
    says: /waits for the output to open,/,
  },
  "a write": { patch: "first('write')", words: file, says: /waits for the output to take lines,/ },
  "the reader of stdout": { patch: "process.stdout.write = () => true", says: /waits for the output to take lines,/ },
  "a file's sync to the disk": {
    patch: "first('sync')",
    words: file,
    says: /waits for the output or the state to be written,/,
  },
  "the rename of a file": {
    patch: "only('rename', /out[.]ndjson/)",
    words: file,
    says: /waits for the output or the state to be written,/,
  },
  "the rename of the state": {
    patch: "only('rename', /state/)",
    words: ["--state", "state.json"],
    says: /waits for the output or the state|waits for the output to take/,
  },
  "reading the state": {
    patch: "only('readFile', /state/)",
    words: ["--state", "state.json"],
    says: /waits for the state,/,
  },
  "reading the credentials": {
    patch: "only('readFile', /kept/)",
    words: ["--credentials", "kept.json"],
    says: /waits for the credentials file,/,
  },
  "reading the configuration": {
    patch: "only('readFile', /config/)",
    says: /the configuration was not read/,
  },
  "the rename of the report": {
    patch: "only('rename', /report[.]html/)",
    words: ["--report", "report.html"],
    says: /the report or the metrics were not written/,
  },
  "the rename of the summary": {
    patch: "only('rename', /summary/)",
    says: /spile run did not finish/,
    noSummary: true,
  },
};

for (const [what, { patch, says, words = [], noSummary = false }] of Object.entries(places)) {
  test(`a run ends with 70, a message and, if it can be written, a summary if a promise for ${what} never settles`, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    await using folder = await temporaryFolder();
    await folder.write("config.json", {
      api: { baseUrl: api.url, http: { connectTimeout: 0, requestTimeout: 0 } },
      config: { jobs: [{ endpoint: "users" }] },
    });
    await folder.write("state.json", {});
    await folder.write("kept.json", {});
    const { code, stderr } = await spile(["config.json", "--summary", "summary.json", ...words], {
      cwd: folder.path,
      env: hook(patch),
    });
    assert.equal(code, 70, stderr);
    assert.match(stderr, says);
    const left = (await readdir(folder.path)).filter((name) => name.startsWith(".") || name.endsWith(".lock"));
    assert.deepEqual(left, what === "the rename of the state" ? [".state.json.next.partial"] : [], stderr);
    if (!noSummary) assert.equal(JSON.parse(await folder.read("summary.json")).exitCode, 70);
  });
}

const loads: Readonly<Record<string, readonly [patch: string, words: readonly string[]]>> = {
  "a file of variables": ["only('readFile', /variables/)", ["--env", "variables", "config.json"]],
  "the names of the files": [
    "only('stat', /./); only('realpath', /./)",
    ["config.json", "-o", "out", "--summary", "s"],
  ],
  "the folder of the output": ["only('readdir', /./)", ["config.json", "-o", "out"]],
  "the reader of the demo": ["process.stdout.write = () => true", ["demo"]],
};

for (const [what, [patch, words]] of Object.entries(loads)) {
  test(`the command ends with 70 and a message if a promise for ${what} never settles`, async () => {
    await using folder = await temporaryFolder();
    await folder.write("config.json", {
      api: { baseUrl: "http://127.0.0.1:9/" },
      config: { jobs: [{ endpoint: "a" }] },
    });
    await folder.write("variables", "A=1\n");
    const { code, stderr } = await spile(words, { cwd: folder.path, env: hook(patch) });
    assert.equal(code, 70, stderr);
    assert.match(stderr, /^error .*(waits for|nothing left to wait for)/m);
    assert.deepEqual((await readdir(folder.path)).sort(), ["config.json", "variables"]);
  });
}

test("shard merge ends with 70 and a message if the promise for its plan never settles", async () => {
  await using folder = await temporaryFolder();
  await folder.write("plan.json", {});
  const { code, stderr } = await spile(["shard", "merge", "plan.json", "parts"], {
    cwd: folder.path,
    env: hook("only('readFile', /plan/)"),
  });
  assert.equal(code, 70);
  assert.match(stderr, /^error spile shard did not finish, and the process has nothing left to wait for/);
});

test("the library's result settles although the run can no longer continue", async () => {
  await using folder = await temporaryFolder();
  const library = pathToFileURL(join(command, "..", "index.js")).href;
  await writeFile(
    join(folder.path, "program.mjs"),
    `import { extract } from ${JSON.stringify(library)};
    const timeouts = { connectTimeout: 0, requestTimeout: 0 };
    const configuration = { api: { baseUrl: "http://127.0.0.1:9/", http: timeouts }, config: { jobs: [{ endpoint: "users" }] } };
    const { exitCode, failure, jobs } = await extract(configuration).result;
    console.log(exitCode, failure.code, failure.message, jobs[0].verdict);`,
  );
  const { code, stdout, stderr } = await startCommand(process.execPath, ["program.mjs"], {
    cwd: folder.path,
    env: hook("http.Agent.prototype.addRequest = () => {}"),
  }).finished;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^70 ERR_BUG the run cannot continue: it waits for page 1 of users, .* failed\n$/);
});

const never = (): Promise<never> => new Promise(() => undefined);

const hanging: Readonly<Record<string, [Partial<RunOptions>, Partial<RunReplacements>]>> = {
  "the network": [{ transport: never }, {}],
  "the state": [{}, { openJournal: never }],
  "the opening of the output": [
    {},
    { openJournal: async (...given) => ({ ...(await openJournal(...given)), open: never }) },
  ],
  "the end of the state": [
    {},
    { openJournal: async (...given) => ({ ...(await openJournal(...given)), succeed: never, fail: never }) },
  ],
};

for (const [what, [options, replacements]] of Object.entries(hanging)) {
  test(`maxTime ends a run that waits for ${what} for ever`, async () => {
    await using api = await startApi(() => [{ id: 1 }]);
    const secrets = new Secrets();
    const text = JSON.stringify({ api: { baseUrl: api.url }, config: { jobs: [{ endpoint: "users" }] } });
    const loaded = readConfiguration(text, {
      name: "configuration",
      set: new Map(),
      environment: {},
      strict: false,
      secrets,
    });
    const messages: string[] = [];
    const result = await run(
      loaded,
      {
        target: { kind: "stream", stream: collector().stream },
        signal: new AbortController().signal,
        emit: ({ level, message }) => void (level === "error" && messages.push(message)),
        secrets,
        maxTime: 50,
        ...options,
      },
      { openJournal, jobs: (compiled) => compiled, ...replacements },
    );
    assert.equal(result.exitCode, 75);
    assert.match(result.failure?.message ?? "", /longer than --max-time of 0.05 s/);
    assert.equal(messages.filter((message) => message.includes("--max-time")).length >= 1, true);
  });
}
