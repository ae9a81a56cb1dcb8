# Readiness, asked at short intervals with a deadline.

readonly k_poll_seconds=0.1

# wait_for SECONDS WHAT COMMAND...: until COMMAND succeeds; fails at once when a component has died
wait_for() {
  local seconds=$1 what=$2 dead deadline
  shift 2
  deadline=$((SECONDS + seconds))
  until "$@" > /dev/null 2>&1; do
    dead=$(dead_components)
    [ -z "$dead" ] || die "$(tr '\n' ' ' <<< "$dead")ended while waiting for $what"
    [ $SECONDS -lt $deadline ] || die "$what: not ready after $seconds s"
    sleep $k_poll_seconds
  done
}

# api_get PLANE PATH
api_get() {
  local dir=$pki/$1
  # Not as curl: the API server indents JSON for it.
  inside curl -sf -m 5 -A cluster --cacert "$dir/ca.crt" --cert "$dir/admin.crt" --key "$dir/admin.key" \
    "https://$k_node_ip:$(api_port "$1")$2"
}

api_answers() { api_get "$1" "$2" > /dev/null; }

# A pod needs both: its account, and the authority's certificate that is mounted with the token.
namespace_ready() {
  api_answers "$1" /api/v1/namespaces/default/serviceaccounts/default &&
    api_answers "$1" /api/v1/namespaces/default/configmaps/kube-root-ca.crt
}

node_ready() {
  local node
  node=$(api_get home /api/v1/nodes/node0) || return 1
  [[ $node == *'"type":"Ready","status":"True"'* && $node != *node.kubernetes.io/not-ready* ]]
}

dns_ready() { inside busybox nslookup -type=a kubernetes.default.svc.cluster.local "$k_node_ip"; }
