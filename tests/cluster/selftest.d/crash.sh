# Whatever was killed, `down` leaves nothing and `up` starts again.

test_down_after_killed_components() {
  local pids
  remember_instance
  # The shims too: their pods' processes go to init, and only the cgroups still know them.
  pids=$(cat "$CLUSTER_HOME/data/run/"{kube-apiserver,containerd,kubelet,target1-etcd}.pid)
  kill -9 $pids $(pgrep -f "containerd-shim.*$CLUSTER_HOME/")
  check "status says broken after kill -9 of components" status_is 1
  check "down ends" cluster down
  check "down leaves nothing after kill -9 of components" nothing_left
  check "status says down" status_is 3
  check "down a second time is fine" cluster down
}

test_down_without_pid_files() {
  check "up with a pod" up_with_pod
  remember_instance
  rm -rf "$CLUSTER_HOME/data/run" "$CLUSTER_HOME/data/ready"
  check "down leaves nothing without pid files" down_leaves_nothing
}

# until_api_server_starts PID: `up`, which runs as PID, is half done then. At most 2 minutes, and not beyond its end.
until_api_server_starts() {
  local deadline=$((SECONDS + 120))
  until [ -s "$CLUSTER_HOME/data/run/kube-apiserver.pid" ]; do
    kill -0 "$1" 2> /dev/null && [ $SECONDS -lt $deadline ] || return
    sleep 0.1
  done
}

# `up` dies in each of its phases; the next `up` or `down` cleans.
test_killed_up() {
  local seconds pid
  for seconds in 0.3 1 3 6; do
    setsid "$here/cluster" up --targets 1 > /dev/null 2>&1 &
    pid=$!
    sleep "$seconds"
    kill -9 -- "-$pid"
    wait $pid 2> /dev/null
    remember_instance
    check "down leaves nothing after kill -9 of up at $seconds s" down_leaves_nothing
  done
  setsid "$here/cluster" up > /dev/null 2>&1 &
  pid=$!
  until_api_server_starts $pid
  kill -9 -- "-$pid"
  wait $pid 2> /dev/null
  check "up after a killed up" up_with_pod
  remember_instance
  check "down leaves nothing after that" down_leaves_nothing
}

# A component that dies, or a signal, ends `up` with an error, and nothing stays.
test_failing_up() {
  local pid status=0
  "$here/cluster" up > "$scratch/up.log" 2>&1 &
  pid=$!
  until_api_server_starts $pid
  remember_instance
  kill -9 "$(< "$CLUSTER_HOME/data/run/kube-apiserver.pid")"
  wait $pid || status=$?
  check "up fails when a component dies" [ $status = 1 ]
  check "it says which" grep -q 'kube-apiserver ended' "$scratch/up.log"
  check "it leaves nothing" nothing_left

  status=0
  "$here/cluster" up > "$scratch/up.log" 2>&1 &
  pid=$!
  until_api_server_starts $pid
  remember_instance
  kill -TERM $pid
  wait $pid || status=$?
  check "up ends on a signal" [ $status != 0 ]
  check "it leaves nothing then" nothing_left
}

test_side_by_side() {
  check "a first instance" cluster up api
  remember_instance
  CLUSTER_HOME=$second check "a second instance at the same time" cluster up api
  CLUSTER_HOME=$second check "down of the second" cluster down
  check "the first still runs" status_is 0
  check "down of the first leaves nothing" down_leaves_nothing
}

up_with_pod() {
  cluster up && kubectl run sleeper --image=localhost/busybox:1 --image-pull-policy=Never -- sleep 1000 &&
    kubectl wait --for=condition=Ready pod/sleeper --timeout=30s
}

down_leaves_nothing() { cluster down && nothing_left; }

host_network() {
  ip -o link | cut -d: -f2
  nft list ruleset
}

remember_machine() { host_network_before=$(host_network); }

# What can no longer be told from outside once the instance is gone
remember_instance() {
  instance_namespaces=$(awk -v home="$CLUSTER_HOME/" '/ - nsfs / && index($5, home) == 1 {print $4}' \
    /proc/self/mountinfo)
  instance_sockets=$(cat "$CLUSTER_HOME"/data/cri/state/io.containerd.runtime.v2.task/*/*/address 2> /dev/null |
    sed 's,unix://,\n,g')
  instance_cgroup=kubist-$(cksum <<< "$CLUSTER_HOME" | cut -d' ' -f1)
}

# Dead processes of pods stay visible until init has reaped them: some take a second or two for that.
cgroup_empties() {
  local deadline=$((SECONDS + 10))
  while grep -ls "/$instance_cgroup/" /proc/[0-9]*/cgroup; do
    [ $SECONDS -lt $deadline ] || return 1
    sleep 0.2
  done
}

nothing_left() {
  local left=0 namespace socket
  complain() { echo "left: $*"; left=1; }
  ! pgrep -af -- "$CLUSTER_HOME/" | grep -v selftest | grep . || complain "processes"
  cgroup_empties || complain "processes in its cgroup"
  ! find /sys/fs/cgroup -name "$instance_cgroup" | grep . || complain "cgroups"
  ! grep -F "$CLUSTER_HOME" /proc/mounts || complain "mounts"
  for namespace in $instance_namespaces; do
    ! find /proc/[0-9]*/ns/net -lname "$namespace" 2> /dev/null | grep . || complain "network namespace $namespace"
  done
  ! ip netns list | grep . || complain "named network namespaces"
  [ "$(host_network)" = "$host_network_before" ] || complain "links or nft tables of the machine"
  for socket in $instance_sockets; do [ ! -e "$socket" ] || complain "$socket"; done
  ! grep -lsrF "$CLUSTER_HOME/" /var/lib/cni/results || complain "CNI results"
  ! find /var/log/containers -lname "$CLUSTER_HOME/*" 2> /dev/null | grep . || complain "links to logs"
  [ ! -e "$CLUSTER_HOME/data" ] || complain "$CLUSTER_HOME/data"
  return $left
}
