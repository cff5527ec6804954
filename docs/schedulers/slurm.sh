#!/bin/sh
# Slurm: a job array. First: spile shard plan config.json --count 16 --output plan.json
# Then: sbatch --wait slurm.sh && spile shard merge plan.json parts > all.ndjson
# With RequeueExit=75 in slurm.conf, Slurm retries a shard after a temporary failure (75).
#SBATCH --job-name=spile
#SBATCH --array=0-15
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=slurm-%A_%a.log
code=0
spile shard run plan.json config.json --to parts --resume --state "parts/$SLURM_ARRAY_TASK_ID.state" || code=$?
# A signal ended the shard, for example because the machine ran out of memory.
[ "$code" -le 128 ] || code=75
exit "$code"
