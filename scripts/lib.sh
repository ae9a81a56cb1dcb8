# Shared by the scripts here: progress on stderr, building a preset.

# step WHAT COMMAND...: one line with the time it took; the output only when it fails. Meanwhile it says how far COMMAND
# is, by the counts [N/M] that it prints: every second on a terminal, else a line every 15 seconds.
step() {
  local what=$1 log start=$SECONDS watcher status=0
  shift
  log=$(mktemp)
  printf '%s ... ' "$what" >&2
  watch_step "$what" "$log" &
  watcher=$!
  "$@" > "$log" 2>&1 || status=$?
  kill "$watcher" 2> /dev/null || true
  wait "$watcher" 2> /dev/null || true
  [ ! -t 2 ] || printf '\r\033[K%s ... ' "$what" >&2
  if [ $status = 0 ]; then
    printf 'done (%d s)\n' "$((SECONDS - start))" >&2
  else
    printf 'failed\n' >&2
    tail -n 100 "$log" >&2
  fi
  rm -f "$log"
  return $status
}

# watch_step WHAT LOG: until it is killed or this script ends
watch_step() {
  local start=$SECONDS seconds
  while sleep 1 > /dev/null 2>&1 && kill -0 $$ 2> /dev/null; do
    seconds=$((SECONDS - start))
    if [ -t 2 ]; then
      printf '\r\033[K%s ... %s(%d s) ' "$1" "$(counts "$2")" "$seconds" >&2
    elif [ $((seconds % 15)) = 0 ]; then
      printf '\n  %s(%d s) ... ' "$(counts "$2")" "$seconds" >&2
    fi
  done
}

# counts LOG: the last [N/M] of each program that prints some, with its words before it
counts() {
  awk 'match($0, /\[[0-9]+\/[0-9]+\]/) {
         who = substr($0, 1, RSTART - 1)
         if (who == "") who = "objects "   # ninja
         if (!(who in last)) order[++programs] = who
         last[who] = substr($0, RSTART, RLENGTH)
       }
       END { for (at = 1; at <= programs; at++) printf "%s%s ", order[at], last[order[at]] }' "$1"
}

# build PRESET [TARGET...]: configures when needed and builds; ccache shares objects between checkouts.
build() {
  local preset=$1
  shift
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
  cmake --build --preset "$preset" ${1+--target "$@"}
}
