#!/bin/sh
# The release of docs/canary.md, "Simulated", is simulated as it stands there: KUBIST DOCUMENT.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed -n '/^## Simulated/,/^## Metrics/p' "$2" | sed -n '/^```yaml/,/^```$/p' | sed '/^```/d' > "$folder/shop.yaml"
simulate() { "$1" canary simulate -f "$folder/shop.yaml" --rps 5 --runs 20 -o json "$2" "$3"; }
simulate "$1" --canary-success 99 > "$folder/good"
grep -q '"promotedShare": 1' "$folder/good"
simulate "$1" --canary-success 50 > "$folder/bad"
grep -q '"abortedShare": 1' "$folder/bad"
# The same with the policy that is defined there alone: it holds while requests are few.
"$1" canary simulate -f "$folder/shop.yaml" --policy enough --rps 0.1 --runs 3 -o json > "$folder/few"
grep -q '"reason": "TooFew"' "$folder/few"
# What needs a cluster is refused.
sed 's/jsonnet:/container:/; s/source: |/image: registry.example\/x@sha256:0000000000000000000000000000000000000000000000000000000000000000/; /^        /d
  s/PolicyDefinition/ClusterPolicyDefinition/; s/{name: enough, namespace: traffic}/{name: enough}/' "$folder/shop.yaml" > "$folder/image.yaml"
! "$1" canary simulate -f "$folder/image.yaml" --runs 3 2> "$folder/refusal"
cat "$folder/refusal"
grep -qi 'cluster' "$folder/refusal"
