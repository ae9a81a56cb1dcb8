# Start an instance.

cluster_up() {
  local shape=full targets=0
  while [ $# -gt 0 ]; do
    case $1 in
      api) shape=api ;;
      --targets) targets=${2-}; shift ;;
      --targets=*) targets=${1#*=} ;;
      *) die "up: unknown argument '$1'" ;;
    esac
    shift
  done
  [[ $targets =~ ^[0-9]$ ]] || die "up: --targets '$targets' is not a number from 0 to 9"
  [ "$(id -u)" = 0 ] || die "up: needs root, for namespaces and cgroups"
  with_lock up_locked "$shape" "$targets"
}

up_locked() {
  if cluster_runs; then
    [ "$(< "$data/ready")" = "$1 $2" ] ||
      die "up already, as '$(< "$data/ready")' (asked for: '$1 $2'): run 'cluster down' first"
    say "up already: $CLUSTER_HOME"
    return
  fi
  build_cluster
  clean_up
  bin=$(binary_dir)
  trap 'failed_up' EXIT
  start_all "$@"
  trap - EXIT
  say "up in ${SECONDS} s: $CLUSTER_HOME ($1, $2 targets); KUBECONFIG=$(kubeconfig_path home)"
}

start_all() {
  local shape=$1 targets=$2 number jobs=() job
  mkdir -p "$log" "$run"
  raise_inotify_limit
  make_cgroups
  make_network
  write_audit_policy
  for ((number = 1; number <= targets; number++)); do
    background bring_up_target "target$number"
    jobs+=($!)
  done
  if [ "$shape" = full ]; then
    start_containerd
    background import_base_images
    jobs+=($!)
  fi
  start_control_plane home
  if [ "$shape" = full ]; then bring_up_node; fi
  wait_for 60 "the default ServiceAccount" namespace_ready home
  for job in "${jobs[@]}"; do wait "$job" || exit 1; done
  echo "$shape $targets" > "$data/ready"
}

# A control plane has 11 inotify instances and a node 8. The kernel's 128 are three instances of the tests' size.
raise_inotify_limit() {
  local limit=/proc/sys/fs/inotify/max_user_instances
  [ "$(< $limit)" -ge 1024 ] || echo 1024 > $limit 2> /dev/null || true
}

bring_up_target() {
  start_control_plane "$1"
  wait_for 60 "the default ServiceAccount of $1" namespace_ready "$1"
}

bring_up_node() {
  start_kubelet
  start_scheduler
  start_coredns
  start_proxy
  wait_for 60 "the node" node_ready
  wait_for 60 CoreDNS dns_ready
}

# The logs are kept for the reader; all else goes.
failed_up() {
  local name
  for name in $(dead_components); do
    say "the last lines of $name:"
    tail -n 5 "$log/$name.log" >&2 || true
  done
  rm -rf "$CLUSTER_HOME/failed-log"
  cp -r "$log" "$CLUSTER_HOME/failed-log" 2> /dev/null || true
  clean_up
  say "up failed; the logs are in $CLUSTER_HOME/failed-log"
}
