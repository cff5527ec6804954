"""Airflow: plan, one mapped task for each shard, merge. Put this file into the folder of the DAGs.

All workers need spile, and the folder of SPILE_FOLDER (it contains config.json) under the same path. Airflow retries a
shard that fails, except after exit codes that another attempt would not change.
"""

import os
import subprocess
from datetime import datetime, timedelta

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException

FOLDER = os.environ.get("SPILE_FOLDER", "/data/spile")
COUNT = int(os.environ.get("SPILE_SHARDS", "16"))
FINAL = {64, 65, 69, 77, 78}


def spile(*words):
    code = subprocess.run(["spile", "shard", *words], cwd=FOLDER).returncode
    if code in FINAL:
        raise AirflowFailException(f"spile shard {words[0]} ended with {code}")
    if code != 0:
        raise RuntimeError(f"spile shard {words[0]} ended with {code}")


@dag(schedule=None, start_date=datetime(2024, 1, 1), catchup=False)
def spile_shards():
    retrying = {"retries": 3, "retry_delay": timedelta(seconds=float(os.environ.get("SPILE_RETRY_SECONDS", "60")))}

    @task(**retrying)
    def plan():
        spile("plan", "config.json", "--count", str(COUNT), "--output", "plan.json")
        return list(range(COUNT))

    @task(**retrying)
    def run(index):
        state = f"parts/{index}.state"
        spile("run", "plan.json", "config.json", "--to", "parts", "--index", str(index), "--resume", "--state", state)

    @task
    def merge():
        spile("merge", "plan.json", "parts", "--output", "all.ndjson")

    run.expand(index=plan()) >> merge()


spile_shards()
