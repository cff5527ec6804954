#!/bin/sh
# What a careful person writes in a shell: one curl and one jq a page, until a page comes back short.
# Arguments: address, page size.
set -eu
page=$(mktemp)
trap 'rm -f "$page"' EXIT
offset=0
while :; do
  curl -sS --fail "$1&limit=$2&offset=$offset" | jq -c '.data.items[]' > "$page"
  cat "$page"
  [ "$(wc -l < "$page")" -eq "$2" ] || break
  offset=$((offset + $2))
done
