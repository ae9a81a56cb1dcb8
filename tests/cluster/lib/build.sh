# The binaries, in a cache outside the checkout, keyed by the pinned modules and the flags.

readonly k_version_package=k8s.io/component-base/version
readonly k_kubernetes_flags="-s -w -X $k_version_package.gitVersion=v$k_kubernetes_version \
-X $k_version_package.gitMajor=${k_kubernetes_version%%.*} \
-X $k_version_package.gitMinor=$(cut -d. -f2 <<< "$k_kubernetes_version")"
readonly k_kubernetes_programs=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl)

# binary_dir: where this tree's binaries are or will be
binary_dir() {
  local sum
  sum=$( (
    cd "$cluster_dir/go"
    cat {kubernetes,coredns}/{go.mod,go.sum,tools.go}
    echo "$k_kubernetes_flags ${k_kubernetes_programs[*]} $(uname -m)"
  ) | sha256sum)
  echo "$cache/${sum:0:16}/bin"
}

build_cluster() {
  build_once "$(binary_dir)" compile_programs
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

compile_programs() {
  local out=$1 program packages=()
  for program in "${k_kubernetes_programs[@]}"; do packages+=("k8s.io/kubernetes/cmd/$program"); done
  say "compiling Kubernetes $k_kubernetes_version and CoreDNS into $(binary_dir) (about 9 minutes on 2 cores)"
  go_build kubernetes "$k_kubernetes_flags" "$out" "${packages[@]}"
  go_build coredns "-s -w" "$out" github.com/coredns/coredns
}

# print_helm: for the tests of helm items; it is no part of a cluster
print_helm() {
  local sum
  sum=$( (cd "$cluster_dir/go/helm" && cat go.mod go.sum tools.go && uname -m) | sha256sum)
  build_once "$cache/helm-${sum:0:16}" compile_helm
  echo "$cache/helm-${sum:0:16}/helm"
}

compile_helm() {
  say "compiling Helm into $cache (about 3 minutes on 2 cores)"
  go_build helm "-s -w" "$1" helm.sh/helm/v3/cmd/helm
}

# print_krm: KRM functions of others' code, for the tests of policies; no part of a cluster either
print_krm() {
  local sum
  sum=$( (cd "$cluster_dir/go/krm" && cat go.mod go.sum ./*.go ./*/*.go && uname -m) | sha256sum)
  build_once "$cache/krm-${sum:0:16}" compile_krm
  echo "$cache/krm-${sum:0:16}"
}

compile_krm() {
  say "compiling KRM functions into $cache"
  go_build krm "-s -w" "$1" ./set-labels ./replacement sigs.k8s.io/kustomize/kyaml/fn/framework/example
}

# go_build MODULE LDFLAGS OUT PACKAGES...
go_build() {
  local module=$1 flags=$2 out=$3 go
  shift 3
  go=$(find_go) || die "no Go $k_go_minimum or newer: run 'cluster deps'"
  (cd "$cluster_dir/go/$module" && CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS= nice -n 10 \
    "$go" build -mod=readonly -buildvcs=false -trimpath -ldflags "$flags" -o "$out/" "$@") ||
    die "go build of $* failed"
}
