import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";
import { json, linesOf, startApi } from "../helpers/api.ts";
import { shell, temporaryFolder } from "../helpers/cli.ts";

/* `npm run schedulers` runs the scripts whose schedulers are installed. */

const folder = fileURLToPath(new URL("../../docs/schedulers", import.meta.url));
const command = ["spile", "shard", "run"];
/** Exit codes after which another attempt does not help. */
const final = [64, 65, 69, 77, 78];

/** The part of a Kubernetes Job that the test reads. */
interface IndexedJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: {
    readonly completionMode: string;
    readonly completions: number;
    readonly parallelism: number;
    readonly backoffLimitPerIndex: number;
    readonly podFailurePolicy: {
      readonly rules: readonly {
        readonly action: string;
        readonly onExitCodes: {
          readonly containerName: string;
          readonly operator: string;
          readonly values: readonly number[];
        };
      }[];
    };
    readonly template: {
      readonly spec: {
        readonly restartPolicy: string;
        readonly containers: readonly {
          readonly name: string;
          readonly command: readonly string[];
          readonly volumeMounts: readonly { readonly name: string }[];
        }[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

test("the Kubernetes job is indexed, and gives up an index only after a failure that another attempt cannot repair", async () => {
  const { apiVersion, kind, spec } = load(await readFile(join(folder, "kubernetes.yaml"), "utf8")) as IndexedJob;
  assert.deepEqual([apiVersion, kind, spec.completionMode], ["batch/v1", "Job", "Indexed"]);
  assert.equal(spec.completions, spec.parallelism);
  assert.ok(spec.backoffLimitPerIndex > 0);
  const [rule] = spec.podFailurePolicy.rules;
  assert.ok(rule);
  const { action, onExitCodes } = rule;
  assert.deepEqual([action, onExitCodes.operator, onExitCodes.values], ["FailIndex", "In", final]);
  const { restartPolicy, containers, volumes } = spec.template.spec;
  const [container] = containers;
  assert.ok(container);
  assert.equal(restartPolicy, "Never");
  assert.equal(container.name, onExitCodes.containerName);
  assert.deepEqual(container.command.slice(0, 3), command);
  assert.equal(container.volumeMounts[0]?.name, volumes[0]?.name);
});

test("the AWS Batch job is an array that gives up only after a failure that another attempt cannot repair", async () => {
  const job = JSON.parse(await readFile(join(folder, "aws-batch.json"), "utf8"));
  assert.ok(job.arrayProperties.size >= 2);
  assert.deepEqual(job.containerOverrides.command.slice(0, 3), command);
  const exits = job.retryStrategy.evaluateOnExit as { onExitCode: string; action: string }[];
  assert.deepEqual(
    exits.map(({ onExitCode, action }) => [Number(onExitCode), action]),
    final.map((code) => [code, "EXIT"]),
  );
});

test("the shell scripts have no syntax errors", () => {
  for (const name of ["parallel.sh", "slurm.sh"]) {
    const { status, stderr } = spawnSync("sh", ["-n", join(folder, name)], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  }
});

/** Replaces GNU parallel: runs the command for one index after the other. */
const parallelShim = `#!/bin/sh
while [ "$1" != spile ]; do shift; done
while read -r index; do sh -c "$(echo "$*" | sed "s/{}/$index/g")" || exit 1; done
`;

/** Replaces pyspark: maps in the driver. */
const sparkModule = `
class SparkSession:
    builder = property(lambda self: self)
    sparkContext = builder
    appName = lambda self, name: self
    getOrCreate = lambda self: self
    stop = lambda self: None
    parallelize = lambda self, items, count: self._of(items)
    def _of(self, items):
        self.items = items
        return self
    def map(self, work):
        self.items = [work(item) for item in self.items]
        return self
    collect = lambda self: self.items
SparkSession.builder = SparkSession()
`;

const scripts = [
  { name: "parallel.sh", words: `sh "$SCRIPT" config.json 2 > all.ndjson`, needs: "sh" },
  { name: "spark.py", words: `python3 "$SCRIPT" config.json 2`, needs: "python3" },
];

for (const { name, words, needs } of scripts) {
  const skip =
    (process.platform === "win32" || spawnSync(needs, ["--version"]).error !== undefined) && `needs ${needs}`;
  test(`${name}: a run uses no parts of an earlier one, and an unfinished run can continue`, { skip }, async () => {
    let [version, refuses] = [1, false];
    await using api = await startApi(({ path }) => {
      if (refuses && path === "/b") return json({}, { status: 403 });
      return [{ path, version }];
    });
    await using site = await temporaryFolder();
    await site.write("config.json", {
      api: { baseUrl: api.url },
      config: { jobs: [{ endpoint: "a" }, { endpoint: "b" }] },
    });
    await mkdir(join(site.path, "bin"));
    await mkdir(join(site.path, "pyspark"));
    await site.write("pyspark/__init__.py", "");
    await site.write("pyspark/sql.py", sparkModule);
    for (const [tool, text] of [
      ["parallel", parallelShim],
      ["spile", '#!/bin/sh\nexec "$NODE" "$SPILE" "$@"\n'],
    ] as const) {
      await chmod(await site.write(`bin/${tool}`, text), 0o755);
    }
    const run = async (RUN: string): Promise<readonly [succeeded: boolean, lines: string]> => {
      const env = {
        RUN,
        SCRIPT: join(folder, name),
        PYTHONPATH: site.path,
        PATH: [join(site.path, "bin"), process.env.PATH].join(delimiter),
      };
      const { code } = await shell(`unset -f spile; rm -f all.ndjson; ${words}`, { cwd: site.path, env });
      return [code === 0, await site.read("all.ndjson").catch(() => "")];
    };
    const lines = (a: number, b = a): string =>
      linesOf([
        { path: "/a", version: a },
        { path: "/b", version: b },
      ]);
    assert.deepEqual(await run("monday"), [true, lines(1)]);
    version = 2;
    assert.deepEqual(await run("monday"), [false, ""]);
    assert.deepEqual(await run("tuesday"), [true, lines(2)]);
    [version, refuses] = [3, true];
    assert.deepEqual(await run("wednesday"), [false, ""]);
    [version, refuses] = [4, false];
    assert.deepEqual(await run("wednesday"), [true, lines(3, 4)]);
    // Without RUN, the name is the day.
    assert.deepEqual(await run(""), [true, lines(4)]);
    assert.equal((await readdir(site.path)).filter((one) => /^\d{4}-\d\d-\d\d$/.test(one)).length, 1);
  });
}
