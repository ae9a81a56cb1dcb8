# Shared by the scripts here: progress on stderr, building a preset.

# step WHAT COMMAND...: one line with the time it took; the output only when it fails.
step() {
  local what=$1 log start=$SECONDS
  shift
  log=$(mktemp)
  printf '%s ... ' "$what" >&2
  if "$@" > "$log" 2>&1; then
    printf 'done (%d s)\n' "$((SECONDS - start))" >&2
    rm -f "$log"
  else
    printf 'failed\n' >&2
    tail -n 100 "$log" >&2
    rm -f "$log"
    return 1
  fi
}

# build PRESET [TARGET...]: configures when needed and builds; ccache shares objects between checkouts.
build() {
  local preset=$1
  shift
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
  cmake --build --preset "$preset" ${1+--target "$@"}
}
