# Public manifests for tests/integration/world: files of modules that go/* pins and builds from. None is copied here.

readonly k_world_table=$cluster_dir/../data/world/files.tsv
# In the place of each namespace that they name: all of a set goes into one of the test's.
readonly k_world_namespace='s/^( *(- )?namespace: +)"?[a-z0-9-]+"?( *#.*)?$/\1NAMESPACE-OF-THE-TEST/'

# print_world [SET]: the path of the set's manifests or of the folder of all; brought and checked the first time
print_world() {
  [ "${1-}" != pin ] || { pin_world; return; }
  local dir path
  dir=$(world_dir)
  build_once "$dir" make_world
  path=$dir${1:+/$1.yaml}
  [ -e "$path" ] || die "tests/data/world/files.tsv has no set $1"
  echo "$path"
}

world_dir() {
  local sum
  sum=$( (cat "$k_world_table"; declare -f make_world; echo "$k_world_namespace") | sha256sum)
  echo "$cache/world-${sum:0:16}"
}

make_world() {
  local out=$1 word set module path sum dir version
  local -A dirs
  while IFS=$'\t' read -r word set module path sum; do
    case $word in
      module)   # NAME, the folder in go, the module, its version
        IFS=' ' read -r version dir < <(world_module "$module" "$path")
        [ "$version" = "$sum" ] ||
          die "go/$module has $path '$version', tests/data/world/files.tsv '$sum': see 'cluster world pin'"
        dirs[$set]=$dir
        ;;
      file)
        sha256sum --quiet --check - <<< "$sum  ${dirs[$module]}/$path" >&2 ||
          die "$path is not the one of tests/data/world/files.tsv: see 'cluster world pin'"
        { echo "---"; sed -E "$k_world_namespace" "${dirs[$module]}/$path"; echo; } >> "$out/$set.yaml"
        ;;
    esac
  done < "$k_world_table"
}

# world_module GO MODULE: "VERSION DIR", where go/GO pins it; downloaded first where it is not there
world_module() {
  (
    export GOTOOLCHAIN=local GOFLAGS=-mod=readonly
    go=$(find_go) && cd "$cluster_dir/go/$1" && "$go" mod download "$2" >&2 && "$go" list -m -f '{{.Version}} {{.Dir}}' "$2"
  ) || die "go could not bring the module $2 of go/$1"
}

# pin_world: after go/* has another version, writes it and the files' sums into the table; what changed is to be looked at
pin_world() {
  local word set module path sum dir version temp
  local -A dirs
  temp=$(mktemp)
  while IFS=$'\t' read -r word set module path sum; do
    case $word in
      module)
        IFS=' ' read -r version dir < <(world_module "$module" "$path")
        dirs[$set]=$dir sum=$version
        ;;
      file) sum=$(sha256sum < "${dirs[$module]}/$path") || die "no $path any more: take it out of the table"; sum=${sum%% *} ;;
      *) echo "$word"; continue ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s\n' "$word" "$set" "$module" "$path" "$sum"
  done < "$k_world_table" > "$temp"
  cat "$temp" > "$k_world_table"
  rm -f "$temp"
}
