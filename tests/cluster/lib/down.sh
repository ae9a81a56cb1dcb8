# Stop an instance and remove all that it left. The same way after a crash: nothing here trusts a pid file.

cluster_down() { with_lock clean_up; }

clean_up() {
  kill_processes
  unmount_all
  remove_outside_files
  remove_cgroups
  rm -rf "$data"
}

# instance_processes: every process in a cgroup of the instance or in its network namespace, but not our own callers
instance_processes() {
  local root own
  own=" $(ancestors) "
  {
    for root in $(cgroup_roots); do
      [ ! -d "$root" ] || find "$root" -name cgroup.procs -exec cat {} + 2> /dev/null || true
    done
    namespace_processes
  } | sort -un | while read -r pid; do
    if [[ $own != *" $pid "* ]] && alive "$pid"; then echo "$pid"; fi
  done
}

namespace_processes() {
  local inode link
  mountpoint -q "$netns" 2> /dev/null || return 0
  inode=$(stat -L -c %i "$netns")
  for link in /proc/[0-9]*/ns/net; do
    [ "$(readlink "$link" 2> /dev/null)" != "net:[$inode]" ] || cut -d/ -f3 <<< "$link"
  done
}

ancestors() {
  local pid=$BASHPID
  while [ "$pid" -gt 1 ]; do
    echo -n "$pid "
    pid=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status")
  done
}

kill_processes() {
  local deadline=$((SECONDS + 20)) pids
  while pids=$(instance_processes) && [ -n "$pids" ]; do
    [ $SECONDS -lt $deadline ] || die "these processes do not end: $(tr '\n' ' ' <<< "$pids")"
    # All at once and hard: the data goes too, and a component that is left restarts what was killed.
    # shellcheck disable=SC2086
    kill -KILL $pids 2> /dev/null || true
    sleep 0.05
  done
}

# Deepest first. Stops when a mount stays: `rm -rf` must not walk into what is mounted.
unmount_all() {
  local mount
  mounts_below | sort -r | while read -r mount; do umount -l "$mount" || true; done
  [ -z "$(mounts_below)" ] || die "still mounted: $(mounts_below | tr '\n' ' ')"
}

mounts_below() { awk -v d="$data/" 'index($2, d) == 1 {print $2}' /proc/mounts; }

# What stands at places that cannot be configured: shims' sockets, CNI's results, links to logs, a kubelet's socket.
remove_outside_files() {
  local address link result
  for address in "$data"/cri/state/io.containerd.runtime.v2.task/*/*/address; do
    [ ! -f "$address" ] || rm -f "$(sed 's,^unix://,,' "$address")"
  done
  for result in /var/lib/cni/results/*; do
    if grep -qsF "$data/" "$result"; then rm -f "$result"; fi
  done
  for link in /var/log/containers/*; do
    if [[ -L $link && $(readlink "$link") == "$data"/* ]]; then rm -f "$link"; fi
  done
  # One socket for all kubelets of the machine: the last one's is left when it is killed.
  pgrep -x kubelet > /dev/null || rm -f /var/lib/kubelet/device-plugins/kubelet.sock
}

remove_cgroups() {
  local root deadline=$((SECONDS + 10))
  for root in $(cgroup_roots); do
    while [ -d "$root" ]; do
      find "$root" -depth -type d -exec rmdir {} + 2> /dev/null || true
      [ ! -d "$root" ] || [ $SECONDS -lt $deadline ] || die "the cgroup $root cannot be removed"
      [ ! -d "$root" ] || sleep 0.05
    done
  done
}
