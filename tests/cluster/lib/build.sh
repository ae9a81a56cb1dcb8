# The binaries, in a cache outside the checkout, keyed by the pinned modules, Go's version and the recipe.

readonly k_version_package=k8s.io/component-base/version
readonly k_kubernetes_flags="-s -w -X $k_version_package.gitVersion=v$k_kubernetes_version \
-X $k_version_package.gitMajor=${k_kubernetes_version%%.*} \
-X $k_version_package.gitMinor=$(cut -d. -f2 <<< "$k_kubernetes_version")"
readonly k_kubernetes_programs=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)

# go_dir NAME WORDS...: where what is compiled of go/NAME is or will be: a folder for these sources, this Go and WORDS,
# which are flags and functions of the recipe.
go_dir() {
  local name=$1 sum
  shift
  sum=$( (
    cd "$cluster_dir/go/$name"
    find . -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
    go_version
    declare -f go_build "$@" 2> /dev/null || true   # it prints those of WORDS that are functions
    echo "$* $(uname -m)"
  ) | sha256sum)
  echo "$cache/$name-${sum:0:16}"
}

binary_dir() { go_dir kubernetes compile_kubernetes "$k_kubernetes_flags" "${k_kubernetes_programs[@]}"; }
coredns_dir() { go_dir coredns compile_coredns; }
faultproxy_dir() { go_dir faultproxy compile_faultproxy; }

build_cluster() {
  build_once "$(binary_dir)" compile_kubernetes
  build_once "$(coredns_dir)" compile_coredns
  build_once "$(faultproxy_dir)" compile_faultproxy
  build_once "$(base_image_dir)" make_base_images
}

# build_once DIR FUNCTION: FUNCTION TEMP fills a new folder, which becomes DIR in one rename. Two callers build once.
build_once() {
  local dir=$1 function=$2
  [ ! -d "$dir" ] || return 0
  mkdir -p "$(dirname "$dir")"
  (
    flock 8
    [ ! -d "$dir" ] || exit 0
    rm -rf "$dir".??????   # of a build that was killed
    temp=$(mktemp -d "$dir.XXXXXX")
    trap 'rm -rf "$temp"' EXIT
    "$function" "$temp"
    publish_dir "$temp" "$dir"
  ) 8> "$dir.lock" || exit 1
}

publish_dir() {
  mkdir -p "$(dirname "$2")"
  chmod 755 "$1"
  mv -T "$1" "$2"
}

compile_kubernetes() {
  local program packages=()
  for program in "${k_kubernetes_programs[@]}"; do packages+=("k8s.io/kubernetes/cmd/$program"); done
  say "compiling Kubernetes $k_kubernetes_version into $(binary_dir) (about 6 minutes on 2 cores)"
  go_build kubernetes "$k_kubernetes_flags" "$1" "${packages[@]}"
}

compile_coredns() {
  say "compiling CoreDNS into $(coredns_dir) (about a minute on 2 cores)"
  go_build coredns "-s -w" "$1" .
}

compile_faultproxy() {
  say "compiling the fault proxy into $cache"
  go_build faultproxy "-s -w" "$1" .
}

print_faultproxy() {
  build_once "$(faultproxy_dir)" compile_faultproxy
  echo "$(faultproxy_dir)/faultproxy"
}

# print_helm [ARCH]: for the tests of helm items and the image of tools, for this machine or for ARCH, as Go names it; it
# is no part of a cluster
print_helm() {
  local dir
  [ $# = 0 ] || export GOARCH=$1
  dir=$(go_dir helm compile_helm "$@")
  build_once "$dir" compile_helm
  echo "$dir/helm"
}

compile_helm() {
  say "compiling Helm into $cache (about 3 minutes on 2 cores)"
  go_build helm "-s -w" "$1" helm.sh/helm/v3/cmd/helm
}

# print_krm: KRM functions of others' code, for the tests of policies; no part of a cluster either
print_krm() {
  local dir
  dir=$(go_dir krm compile_krm)
  build_once "$dir" compile_krm
  echo "$dir"
}

compile_krm() {
  say "compiling KRM functions into $cache"
  go_build krm "-s -w" "$1" ./set-labels ./replacement sigs.k8s.io/kustomize/kyaml/fn/framework/example
}

# go_build MODULE LDFLAGS OUT PACKAGES... (further flags of `go build` stand before the packages)
go_build() {
  local module=$1 flags=$2 out=$3 go
  shift 3
  go=$(find_go) || die "no Go $k_go_minimum or newer: run 'cluster deps'"
  (
    # The compiler's garbage collector runs less often: GOGC is no part of the key of Go's own cache.
    export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS='-mod=readonly -buildvcs=false -trimpath' GOGC=400
    cd "$cluster_dir/go/$module" || exit 1
    local stale
    stale=$("$go" list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' "$@" | wc -l)
    nice -n 10 "$go" build -v -ldflags "$flags" -o "$out/" "$@" 2>&1 | count_packages "$module" "$stale"
  ) || die "go build of $* failed"
}

# count_packages MODULE TOTAL: of what `go build -v` prints, how many packages are compiled, every other second
count_packages() {
  local line count=0 shown=-2
  while IFS= read -r line; do
    if [[ $line == *[:\ ]* ]]; then
      echo "$line" >&2
      continue
    fi
    count=$((count + 1))
    [ $((SECONDS - shown)) -ge 2 ] || continue
    echo "$1 [$count/$2]" >&2
    shown=$SECONDS
  done
}
