"""Spark, one task for each shard: spark-submit spark.py config.json 16

The driver makes the plan, the executors run the shards, the driver merges. All of them need spile, and this folder under
the same path. Spark retries a task that fails (spark.task.maxFailures, 4), except after exit codes that another attempt
would not change.

The plan and the parts of a run are in a folder named after the day. The script refuses a run that was merged, so that no
run uses the parts of an earlier one. RUN=2026-11-28 continues the run of another day, RUN=evening begins a further run.
"""

import os
import subprocess
import sys
from datetime import date

from pyspark.sql import SparkSession

config, count = sys.argv[1], int(sys.argv[2])
folder = os.getcwd()
run = os.environ.get("RUN") or date.today().isoformat()
plan, parts, done = f"{run}/plan.json", f"{run}/parts", f"{run}/done"
FINAL = {64, 65, 69, 77, 78}


def spile(*words, **options):
    return subprocess.run(["spile", "shard", *words], cwd=folder, **options).returncode


def shard(index):
    code = spile(
        "run", plan, config, "--to", parts, "--index", str(index), "--resume", "--state", f"{parts}/{index}.state"
    )
    if code != 0 and code not in FINAL:
        raise RuntimeError(f"shard {index} ended with {code}")
    return index, code


if os.path.exists(done):
    sys.exit(f"{run} was merged already: set RUN to another name, or remove the folder")
os.makedirs(run, exist_ok=True)
if not os.path.exists(plan) and spile("plan", config, "--count", str(count), "--output", plan) != 0:
    sys.exit("the plan could not be made")
spark = SparkSession.builder.appName("spile").getOrCreate()
ended = spark.sparkContext.parallelize(range(count), count).map(shard).collect()
spark.stop()
failed = [(index, code) for index, code in ended if code != 0]
if failed:
    sys.exit("\n".join(f"shard {index} ended with {code}" for index, code in failed))
code = spile("merge", plan, parts, "--output", "all.ndjson")
if code == 0:
    open(done, "w").close()
sys.exit(code)
