#!/bin/sh
# Slurm. Not run by a test. First: spile shard plan config.json --count 16 --output plan.json
# Then: sbatch slurm.sh; when all have ended: spile shard merge plan.json parts > all.ndjson
# For a temporary failure (75) to be tried again, slurm.conf needs RequeueExit=75.
#SBATCH --array=0-15
#SBATCH --requeue
#SBATCH --open-mode=append
exec spile shard run plan.json config.json --to parts
