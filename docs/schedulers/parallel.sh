#!/bin/sh
# GNU parallel: sh parallel.sh config.json 4 > all.ndjson
# Not run by a test. A shard that dies is tried three times; its index is PARALLEL_SEQ. On other machines: add --sshlogin, and a folder that all of them share.
set -eu
config=$1
count=$2
[ -e plan.json ] || spile shard plan "$config" --count "$count" --output plan.json
seq "$count" | parallel -N0 --retries 3 spile shard run plan.json "$config" --to parts >&2
spile shard merge plan.json parts
