#!/bin/bash
# What others wrote and kubist prints is no command of the CI runner that reads it: runner_commands.sh KUBIST
set -uo pipefail
kubist=$1
file=$(mktemp --suffix=.yaml)
trap 'rm -f "$file"' EXIT
cat > "$file" << 'END'
apiVersion: v1
kind: ConfigMap
metadata: {name: "a\n\u00a0\u3000::debug::b\n::add-mask::b ##[set-output name=c]d ##vso[task.setvariable]e"}
END
commands() { grep -cP '^[^\x21-\x7e]*::|##\[|##vso\[' <<< "$1"; }

plain=$("$kubist" validate -f "$file" 2>&1)
[ "$(commands "$plain")" -gt 0 ] || { echo "the text has no command that could be kept out: $plain"; exit 1; }
for runner in GITHUB_ACTIONS TF_BUILD; do
  said=$(env "$runner=true" "$kubist" validate -f "$file" 2>&1)
  [ "$(commands "$said")" = 0 ] || { echo "$runner reads commands from: $said"; exit 1; }
  for text in add-mask debug; do
    grep -qF "\x3a:$text" <<< "$said" || { echo "$runner: the text is gone: $said"; exit 1; }
  done
done
