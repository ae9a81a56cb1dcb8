#!/bin/sh
# What `policy init` and `executor init` write passes `test` and `validate` as it is: KUBIST.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# An editor finds the schemas that packages install, for each file of objects (tests/schemas holds the examples to it).
has_modeline() {
  for file in "$folder"/*.yaml; do
    case $file in *.test.yaml) continue ;; esac
    head -n 1 "$file" | grep -qxF '# yaml-language-server: $schema=/usr/share/kubist/schemas/all.json' || {
      echo "the first line of $file names no schema" >&2
      exit 1
    }
  done
}
"$1" policy init own --dir "$folder"
"$1" policy init own-release --kind canary --dir "$folder"
"$1" policy init own-experiment --kind experiment --dir "$folder"
has_modeline
"$1" policy test "$folder" --report junit > "$folder/report"
grep -q 'tests="5" failures="0"' "$folder/report"
"$1" validate -f "$folder/own.yaml" -f "$folder/own-release.yaml" -f "$folder/own-experiment.yaml"
rm "$folder"/*
for kind in root project cluster virtualcluster execution destination entrygateway externalservice trafficroute; do
  "$1" policy init "of-$kind" --kind "$kind" --dir "$folder"
done
"$1" policy test "$folder" --report junit > "$folder/report"
grep -q 'tests="9" failures="0"' "$folder/report"
# What the kind does not take fails here as on a cluster.
sed -i 's/settings+: { team/labels+: { team/' "$folder"/of-execution.yaml
if "$1" policy test "$folder" > "$folder/report"; then
  echo "a policy that makes a spec which the kind does not take passes its test" >&2
  exit 1
fi
grep -q 'a spec that the kind does not take' "$folder/report"
rm "$folder"/*
# --watch runs the cases again after a change, here of a program beside its definition.
"$1" policy init watched --dir "$folder" > /dev/null
sed -n '/^        function/,$s/^        //p' "$folder/watched.yaml" > "$folder/watched.jsonnet"
sed -i '/^      source: |/,$d' "$folder/watched.yaml"
echo '      sourceFile: watched.jsonnet' >> "$folder/watched.yaml"
"$1" policy test --watch "$folder" > "$folder/out" &
watching=$!
trap 'kill $watching; rm -rf "$folder"' EXIT
wait_for() {
  for _ in $(seq 600); do
    grep -q "$1" "$folder/out" && return
    sleep 0.1
  done
  echo "policy test --watch never printed $1" >&2
  exit 1
}
wait_for '1 passed, 0 failed'
sed -i 's/the team is/it is/' "$folder/watched.jsonnet"
wait_for '0 passed, 1 failed'
kill -TERM $watching
wait $watching && exit 1
trap 'rm -rf "$folder"' EXIT
rm "$folder"/*
for kind in root project cluster virtualcluster execution destination entrygateway externalservice canary experiment \
  trafficroute; do
  "$1" executor init "beside-$kind" --kind "$kind" --dir "$folder"
  "$1" executor init "instead-of-$kind" --kind "$kind" --replace --dir "$folder"
done
has_modeline
"$1" executor test "$folder" --report junit > "$folder/report"
grep -q '<testsuite name="kubist executor test" tests="22" failures="0"' "$folder/report"
"$1" executor run --definition "$folder/beside-project.yaml" -f "$folder/beside-project.test.yaml" -o json > "$folder/out"
grep -q '"name": "example-team"' "$folder/out"
rm "$folder"/*.test.yaml "$folder/report" "$folder/out"
"$1" validate -f "$folder"
