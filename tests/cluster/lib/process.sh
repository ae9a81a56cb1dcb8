# Processes, cgroups and the network namespace of an instance.
#
# Every process of an instance starts in the cgroup /$CLUSTER_NS/system and every pod below /$CLUSTER_NS/kubepods: what
# a crash left is found there, whatever happened to pid files.

# cgroup_roots: this instance's folder in every hierarchy (one for cgroup v2)
cgroup_roots() {
  local controller
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo "/sys/fs/cgroup/$CLUSTER_NS"
  else
    for controller in /sys/fs/cgroup/*/; do echo "$controller$CLUSTER_NS"; done
  fi
}

# system_cgroup: the one that holds the instance's own processes
system_cgroup() {
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    echo "/sys/fs/cgroup/$CLUSTER_NS/system"
  else
    echo "/sys/fs/cgroup/pids/$CLUSTER_NS/system"
  fi
}

make_cgroups() {
  local root
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    enable_controllers /sys/fs/cgroup
    mkdir -p "/sys/fs/cgroup/$CLUSTER_NS"
    enable_controllers "/sys/fs/cgroup/$CLUSTER_NS"
  fi
  for root in $(cgroup_roots); do mkdir -p "$root"; done
  mkdir -p "$(system_cgroup)"
}

# The kubelet wants its root to offer every controller.
enable_controllers() {
  local controller
  for controller in $(< "$1/cgroup.controllers"); do
    echo "+$controller" > "$1/cgroup.subtree_control" 2> /dev/null || true
  done
}

make_network() {
  touch "$netns"
  unshare --net="$netns" true
  # Dummy links are not everywhere: a veth pair whose other end stays inside serves as the node's interface.
  nsenter --net="$netns" bash -c "ip link set lo up && ip link add node0 type veth peer name node0p &&
    ip addr add $k_node_ip/24 dev node0 && ip link set node0p up && ip link set node0 up &&
    ip route add default via 10.77.0.1 dev node0"
}

# Called in a subshell: moves it into the instance, without what the caller had open (locks, a test's pipes).
join_instance() {
  local descriptor
  echo "$BASHPID" > "$(system_cgroup)/cgroup.procs"
  for descriptor in "/proc/$BASHPID/fd"/*; do
    descriptor=${descriptor##*/}
    if [ "$descriptor" -gt 2 ]; then eval "exec $descriptor>&-"; fi
  done
}

# background FUNCTION ARGS...: a subshell of the instance; its pid is in $!
background() {
  (
    join_instance
    "$@"
  ) &
}

# start NAME COMMAND...: a long-lived process inside the namespace, logging to log/NAME.log
start() {
  local name=$1
  shift
  (
    join_instance
    cd "$data"
    exec setsid nsenter --net="$netns" "$@" > "$log/$name.log" 2>&1 < /dev/null
  ) &
  echo $! > "$run/$name.pid"
  disown
}

# stop NAME: ends what start began, hard; returns when it is gone
stop() {
  local pid
  pid=$(< "$run/$1.pid")
  kill -KILL "$pid" 2> /dev/null || true
  while alive "$pid"; do sleep 0.05; done
}

inside() { nsenter --net="$netns" "$@"; }

exec_inside() {
  [ $# -gt 0 ] || die "exec: name a command"
  # kubectl is the cluster's, whatever the machine has.
  PATH=$(binary_dir):$PATH KUBECONFIG=$(kubeconfig_path home) \
    KUBIST_AGENT_IMAGE=${KUBIST_AGENT_IMAGE-localhost/kubist:dev} exec nsenter --net="$netns" "$@"
}

alive() { [ -e "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2> /dev/null; }

# dead_components: the names of started components that no longer run
dead_components() {
  local file
  for file in "$run"/*.pid; do
    [ -e "$file" ] || continue
    alive "$(< "$file")" || basename "$file" .pid
  done
}
