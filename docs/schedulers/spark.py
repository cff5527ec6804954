"""Spark, one task a shard: spark-submit spark.py config.json 16

The driver makes the plan, the executors run the shards, the driver merges. All of them need spile, and this folder under
the same path. A task that fails is tried again by Spark (spark.task.maxFailures, 4), but for exit codes that no other try
would change.
"""

import os
import subprocess
import sys

from pyspark.sql import SparkSession

config, count = sys.argv[1], int(sys.argv[2])
folder = os.getcwd()
FINAL = {64, 65, 69, 77, 78}


def spile(*words, **options):
    return subprocess.run(["spile", "shard", *words], cwd=folder, **options).returncode


def shard(index):
    code = spile(
        "run", "plan.json", config, "--to", "parts", "--index", str(index), "--resume", "--state", f"parts/{index}.state"
    )
    if code != 0 and code not in FINAL:
        raise RuntimeError(f"shard {index} ended with {code}")
    return index, code


if not os.path.exists("plan.json") and spile("plan", config, "--count", str(count), "--output", "plan.json") != 0:
    sys.exit("the plan could not be made")
spark = SparkSession.builder.appName("spile").getOrCreate()
ended = spark.sparkContext.parallelize(range(count), count).map(shard).collect()
spark.stop()
failed = [(index, code) for index, code in ended if code != 0]
if failed:
    sys.exit("\n".join(f"shard {index} ended with {code}" for index, code in failed))
sys.exit(spile("merge", "plan.json", "parts", "--output", "all.ndjson"))
