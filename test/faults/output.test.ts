import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { describe, test } from "node:test";
import { broken, chunked, json } from "../helpers/answers.ts";
import { type Api, type Handler, linesOf, startApi } from "../helpers/api.ts";
import { type Finished, shell, type TemporaryFolder, temporaryFolder } from "../helpers/cli.ts";

/* Tests of readers that are slow or close the pipe, and of full devices (contract P1, P3, P4, C-9). */

/** Records of 10 kB: a pipe holds six of them. */
const wide = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => ({ id: first + index, text: "x".repeat(10_000) }));

const pagesOf =
  (all: readonly unknown[], size = 5): Handler =>
  ({ params }) => {
    const offset = Number(params.get("offset"));
    return { items: all.slice(offset, offset + size) };
  };

// The tests run side by side, since most of them wait.
describe("readers and disks", { concurrency: 4 }, () => {
  test("a slow reader gets everything, and slows down the API", async () => {
    // The API cannot send everything while nobody reads, because sockets and pipes cannot hold it.
    const record = JSON.stringify({ text: "y".repeat(9_980) });
    let sent = 0;
    const count = 4000;
    function* body(): Generator<string> {
      yield "[";
      for (let index = 0; index < count; index += 1) {
        sent += 1;
        yield (index === 0 ? "" : ",") + record;
      }
      yield "]";
    }
    await using api = await startApi(() => chunked(body()));
    await using folder = await temporaryFolder();
    const script = "spile config.json -q --hold 0 | (while [ ! -e read ]; do sleep 0.1; done; wc -c)";
    const finished = run(api, script, { paging: false, folder });
    // Nobody reads: the API is held back, or has sent everything.
    let before = -1;
    while (sent === 0 || sent !== before) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    await folder.write("read", "");
    const { stdout, stderr } = await finished;
    assert.deepEqual([Number(stdout), stderr], [count * (record.length + 1), ""]);
    assert.ok(before < count, `${before} records were sent while nobody read`);
  });

  for (const concurrency of [1, 4]) {
    const flags = `-q --concurrency ${concurrency}`;

    test(`a reader slower than idleTimeout does not fail the run, ${concurrency} in flight`, async () => {
      const all = wide(202);
      await using api = await startApi(pagesOf(all));
      const http = { idleTimeout: 0.3, requestTimeout: 5 };
      const script = `spile config.json ${flags} | (head -c 5000; sleep 1; head -c 200000; sleep 1; cat)`;
      const { stdout, stderr } = await run(api, script, { http });
      assert.equal(stderr, "");
      assert.equal(stdout, linesOf(all));
      assert.ok(api.log.length < 41 + concurrency, `${api.log.length} requests`);
    });

    test(`lines before a failure reach a slow reader, ${concurrency} in flight`, async () => {
      const all = wide(60);
      await using api = await startApi((request) =>
        request.params.get("offset") === "50" ? json({ error: "gone" }, { status: 404 }) : pagesOf(all)(request),
      );
      const { stdout, stderr } = await run(api, `spile config.json ${flags} | (sleep 1; cat)`);
      assert.equal(stdout, linesOf(all.slice(0, 50)));
      assert.match(stderr, /^error items page 11: [^\n]*404 Not Found[^\n]*\n$/);
    });

    test(`a reader that closes the pipe ends the run with 141 and no message, ${concurrency} in flight`, async () => {
      await using api = await startApi(({ params }) => ({ items: wide(5, Number(params.get("offset"))) }));
      const script = `{ spile config.json --concurrency ${concurrency}; echo $? > code; } | head -1 | wc -l`;
      await using folder = await temporaryFolder();
      const { stdout, stderr } = await run(api, script, { folder });
      assert.deepEqual([stdout.trim(), stderr, await folder.read("code")], ["1", "", "141\n"]);
    });

    test(`a reader that closes the pipe is noticed while the server stalls, ${concurrency} in flight`, async () => {
      await using api = await startApi(({ params }) => {
        const offset = Number(params.get("offset"));
        return offset < 50 ? { items: wide(5, offset) } : broken.stalledInBody('{"items":[]}');
      });
      // The reader takes nine bytes, and closes the pipe a second later, when it is full.
      const script = `{ spile config.json --concurrency ${concurrency}; echo $? > code; } | (head -c 9; sleep 1)`;
      await using folder = await temporaryFolder();
      const startTime = performance.now();
      const { stdout, stderr } = await run(api, script, { folder });
      assert.deepEqual([stdout, stderr, await folder.read("code")], ['{"id":0,"', "", "141\n"]);
      assert.ok(performance.now() - startTime < 15_000, "the run waited for the server");
    });
  }

  test("pages that wait for their turn longer than idleTimeout do not fail", async () => {
    const all = wide(32);
    await using api = await startApi(async (request) => {
      // The first page is late. The pages after it wait longer than idleTimeout.
      if (request.params.get("offset") === "0") await new Promise((resolve) => setTimeout(resolve, 1200));
      return pagesOf(all)(request);
    });
    const http = { idleTimeout: 0.3, requestTimeout: 10 };
    const { stdout, stderr } = await run(api, "spile config.json -q --concurrency 8", { http });
    assert.deepEqual([stderr, stdout === linesOf(all)], ["", true]);
    assert.ok(api.log.length <= 7 + 7, `${api.log.length} requests`);
  });

  test("pages beyond the limit of reading ahead wait in their sockets without a time-out", async () => {
    // Seven pages of 8 MB ahead of their turn: the budget is 16 MB.
    const all = Array.from({ length: 8 }, (_, id) => ({ id, text: "z".repeat(8_000_000) }));
    await using api = await startApi(async (request) => {
      if (request.params.get("offset") === "0") await new Promise((resolve) => setTimeout(resolve, 5000));
      return pagesOf(all, 1)(request);
    });
    // On a busy machine, there are further pauses between these 56 MB.
    const http = { idleTimeout: 3, requestTimeout: 20 };
    const { stdout, stderr } = await run(api, "spile config.json -q --concurrency 8 | cksum", { http, limit: 1 });
    const { stdout: expected } = await shell("cksum", { stdin: linesOf(all) });
    assert.deepEqual([stdout, stderr], [expected, ""]);
  });

  const full = [
    { title: "/dev/full on stdout", script: "spile config.json -q > /dev/full; echo $? > code" },
    { title: "/dev/full with -o", script: "spile config.json -q -o /dev/full; echo $? > code" },
    // The shell counts in blocks of 512 or 1,024 bytes. Node ignores SIGXFSZ, so the write fails with EFBIG.
    {
      title: "a file that cannot grow, on stdout",
      script: "trap '' XFSZ; ulimit -f 100; spile config.json -q > out; echo $? > code",
    },
    {
      title: "a file that cannot grow, with -o",
      script: "trap '' XFSZ; ulimit -f 100; spile config.json -q -o out; echo $? > code",
    },
    {
      title: "files that cannot grow, with --split",
      script: "trap '' XFSZ; ulimit -f 100; spile config.json -q --split dir; echo $? > code",
    },
  ];

  test("a disk that becomes full during the last write to stdout ends the run with 74", async () => {
    await using api = await startApi(() => ({ items: wide(12) }));
    await using folder = await temporaryFolder();
    const script = "trap '' XFSZ; ulimit -f 100; spile config.json -q > out; echo $? > code";
    const { stderr } = await run(api, script, { folder });
    assert.equal(await folder.read("code"), "74\n", stderr);
    assert.match(stderr, /^error cannot write to stdout: EFBIG[^\n]*\n$/);
  });

  test("after a failed write, the summary counts no more records than could be written", async () => {
    for (const target of ["-o /dev/full", "-o out", "--split dir"]) {
      await using api = await startApi(pagesOf(wide(400)));
      await using folder = await temporaryFolder();
      const script = `trap '' XFSZ; ulimit -f 100; spile config.json ${target} --summary end.json; echo $? > code`;
      const { stderr } = await run(api, script, { folder });
      assert.equal(await folder.read("code"), "74\n", stderr);
      const { records, jobs } = JSON.parse(await folder.read("end.json")) as {
        records: number;
        jobs: [{ records: number }];
      };
      // The limit is 100 blocks of 512 or 1,024 bytes.
      const most = target === "-o /dev/full" ? 0 : 102_400 / linesOf(wide(1)).length;
      assert.ok(records <= most && jobs[0].records === records, `${target}: ${records} of at most ${most}`);
    }
  });

  for (const { title, script } of full) {
    test(`a full disk ends the run with 74 and one line: ${title}`, async () => {
      await using api = await startApi(pagesOf(wide(400)));
      await using folder = await temporaryFolder();
      const { stdout, stderr } = await run(api, script, { folder });
      assert.deepEqual([stdout, await folder.read("code")], ["", "74\n"], stderr);
      assert.match(stderr, /^error cannot write to [^\n]+: (ENOSPC|EFBIG)[^\n]*\n$/);
      const left = (await readdir(folder.path)).filter((name) => !["config.json", "code", "dir"].includes(name));
      const expected = script.includes("> out") ? ["out"] : [];
      assert.deepEqual(left, expected, "an unfinished file is left");
      if (script.includes("--split")) assert.deepEqual(await readdir(`${folder.path}/dir`), []);
    });
  }
});

test("a merge onto a full disk ends with 74, one line and its summary, and leaves no hidden file", async () => {
  await using api = await startApi(pagesOf(wide(400)));
  await using folder = await temporaryFolder();
  const plan = "spile shard plan config.json --count 1 -o plan.json -q";
  const shard = "spile shard run plan.json config.json --to parts --index 0 -q";
  const merge =
    "trap '' XFSZ; ulimit -f 100; spile shard merge plan.json parts -o out --summary end.json; echo $? > code";
  const { stderr } = await run(api, `${plan} && ${shard} && ${merge}`, { folder });
  assert.equal(await folder.read("code"), "74\n");
  assert.match(stderr, /^error cannot write to out: EFBIG[^\n]*\n$/);
  assert.equal((JSON.parse(await folder.read("end.json")) as { exitCode: number }).exitCode, 74);
  assert.deepEqual((await readdir(folder.path)).sort(), ["code", "config.json", "end.json", "parts", "plan.json"]);
});

test("a partial write to a full disk is an error", async () => {
  await using api = await startApi(pagesOf(wide(15), 20));
  await using folder = await temporaryFolder();
  const script = "trap '' XFSZ; ulimit -f 100; spile config.json -q -o out; echo $? > code";
  const { stderr } = await run(api, script, { folder, limit: 20 });
  assert.equal(await folder.read("code"), "74\n");
  assert.match(stderr, /^error cannot write to out: EFBIG[^\n]*\n$/);
});

async function run(
  api: Api,
  script: string,
  options: {
    readonly http?: Record<string, unknown>;
    readonly paging?: false;
    readonly limit?: number;
    readonly folder?: TemporaryFolder;
  } = {},
): Promise<Finished> {
  const { http = {}, paging, limit = 5 } = options;
  await using temporary = await temporaryFolder();
  const folder = options.folder ?? temporary;
  const pagination = paging === false ? {} : { pagination: { method: "offset", limit } };
  await folder.write("config.json", {
    api: { baseUrl: api.url, ...pagination, http, retryConfig: { maxRetries: 0 } },
    config: { jobs: [{ endpoint: "items" }] },
  });
  return await shell(script, { cwd: folder.path });
}
