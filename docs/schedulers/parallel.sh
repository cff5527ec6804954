#!/bin/sh
# GNU parallel: sh parallel.sh config.json 16 > all.ndjson
# On other machines: SSHLOGIN=host1,host2 sh parallel.sh config.json 16 > all.ndjson
# They need spile, and this folder under the same path. A shard that fails is tried three times. If it still fails, run the
# script again: it runs only the failed shards.
# The plan and the parts of a run are in a folder named after the day. The script refuses a run that was merged, so that no
# run uses the parts of an earlier one. RUN=2026-11-28 continues the run of another day, RUN=evening begins a further run.
set -eu
config=$1
count=$2
run=${RUN:-$(date +%Y-%m-%d)}
if [ -e "$run/done" ]; then
  echo "$run was merged already: set RUN to another name, or remove the folder" >&2
  exit 64
fi
mkdir -p "$run"
[ -e "$run/plan.json" ] || spile shard plan "$config" --count "$count" --output "$run/plan.json"
again=
[ ! -e "$run/shards.log" ] || again=--resume-failed
seq 0 $((count - 1)) |
  parallel ${SSHLOGIN:+--sshlogin "$SSHLOGIN" --workdir "$PWD"} --jobs "${JOBS:-100%}" --retries 3 --joblog "$run/shards.log" $again \
    spile shard run "$run/plan.json" "$config" --to "$run/parts" --index {} --resume --state "$run/parts/{}.state" >&2
spile shard merge "$run/plan.json" "$run/parts"
touch "$run/done"
