#!/bin/sh
# What `kubist policy init` writes passes `kubist policy test` and `kubist validate` as it is: KUBIST.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" policy init own --dir "$folder"
"$1" policy init own-release --kind canary --dir "$folder"
"$1" policy test "$folder" --report junit > "$folder/report"
grep -q 'tests="3" failures="0"' "$folder/report"
"$1" validate -f "$folder/own.yaml" -f "$folder/own-release.yaml"
