import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type BenchApi, startBenchApi } from "../bench/api.ts";
import { spile } from "../bench/contenders.ts";
import { digest } from "../bench/measure.ts";
import { type Work, works } from "../bench/works.ts";

/*
 * Memory does not grow with the size of a response or of a run (contract P4): the built command on works of the bench, each many
 * times larger than the memory it may take. A process reports its own peak when it ends, which works on every platform.
 */
/** MB by which the bounds are higher on versions of Node above 20, which let more garbage accumulate. */
const leeway = Number.parseInt(process.versions.node, 10) > 20 ? 20 : 0;
const tellPeak = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS));',
)}`;

let api: BenchApi;
let folder = "";

before(async () => {
  api = await startBenchApi();
  folder = await mkdtemp(join(tmpdir(), "spile-memory-"));
});

after(async () => {
  api.close();
  await rm(folder, { recursive: true });
});

const memoryWorks = works("memory").flatMap((work) => (work.name === "compact" ? [work, inOneElement(work)] : [work]));

for (const [name, concurrency, most] of [
  ["compact", 1, 110],
  ["pretty", 1, 110],
  ["inner", 1, 120],
  ["gzip", 1, 110],
  ["large-pages", 1, 110],
  ["large-pages", 8, 140],
] as const) {
  const bound = most + leeway;
  const work = memoryWorks.find((candidate) => candidate.name === name);
  assert.ok(work);
  test(`${work.title}, ${concurrency} in flight: all lines are written in less than ${bound} MB`, async () => {
    const peaks: number[] = [];
    // On a busy machine, garbage collection may be late once. Memory that grows with the response is too large each time.
    while (peaks.length < 2 && !peaks.some((peak) => peak < bound)) {
      const { lines, peak, errors } = await extract(work, concurrency);
      assert.equal(lines, digest(work.lines()), errors);
      peaks.push(peak);
    }
    assert.ok(
      peaks.some((peak) => peak < bound),
      `${peaks.join(" and ")} MB`,
    );
  });
}

/** The same response, read as one element whose list holds the records. */
function inOneElement(work: Work): Work {
  const dataField = { path: "data", each: ["items", "*"] };
  return {
    ...work,
    name: "inner",
    title: `${work.title}, in the list of one element`,
    configured: { jobs: [{ endpoint: work.path.slice(1), dataField }] },
  };
}

async function extract(work: Work, concurrency: number): Promise<{ lines: string; peak: number; errors: string }> {
  const [node = "", ...words] = spile(folder, concurrency).commandLine(work, api.base);
  const child = spawn(node, ["--import", tellPeak, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const hash = createHash("sha256");
  let errors = "";
  child.stdout.on("data", (chunk) => hash.update(chunk));
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  await once(child, "close");
  return { lines: hash.digest("hex"), peak: (Number(/peak (\d+)/.exec(errors)?.[1]) * 1024) / 1e6, errors };
}
