#!/bin/sh
# GNU parallel: sh parallel.sh config.json 16 > all.ndjson
# On other machines: SSHLOGIN=host1,host2 sh parallel.sh config.json 16 > all.ndjson
# They need spile, and this folder under the same path. A shard that fails is tried three times; run the script again for
# those that have failed all the same: the others are not run again.
set -eu
config=$1
count=$2
[ -e plan.json ] || spile shard plan "$config" --count "$count" --output plan.json
again=
[ ! -e shards.log ] || again=--resume-failed
seq 0 $((count - 1)) |
  parallel ${SSHLOGIN:+--sshlogin "$SSHLOGIN" --workdir "$PWD"} --jobs "${JOBS:-100%}" --retries 3 --joblog shards.log $again \
    spile shard run plan.json "$config" --to parts --index {} --resume --state parts/{}.state >&2
spile shard merge plan.json parts
