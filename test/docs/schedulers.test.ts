import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "js-yaml";

/* Those that can be run here are run by `npm run schedulers`. */

const folder = fileURLToPath(new URL("../../docs/schedulers", import.meta.url));
const command = ["spile", "shard", "run"];
/** Exit codes after which no other try helps. */
const final = [64, 65, 69, 77, 78];

/** As much of a Kubernetes Job as is looked at. */
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

test("the Kubernetes job is one, indexed, and gives up an index only where no other try helps", async () => {
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

test("the AWS Batch job is an array that gives up only where no other try helps", async () => {
  const job = JSON.parse(await readFile(join(folder, "aws-batch.json"), "utf8"));
  assert.ok(job.arrayProperties.size >= 2);
  assert.deepEqual(job.containerOverrides.command.slice(0, 3), command);
  const exits = job.retryStrategy.evaluateOnExit as { onExitCode: string; action: string }[];
  assert.deepEqual(
    exits.map(({ onExitCode, action }) => [Number(onExitCode), action]),
    final.map((code) => [code, "EXIT"]),
  );
});

test("the shell scripts have no mistakes of syntax", () => {
  for (const name of ["parallel.sh", "slurm.sh"]) {
    const { status, stderr } = spawnSync("sh", ["-n", join(folder, name)], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
  }
});
