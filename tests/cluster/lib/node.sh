# The node: containerd, kubelet, kube-proxy, kube-scheduler and CoreDNS. Every path is below $data.

readonly k_script_image=docker.io/library/busybox:stable   # kubist's default for scripts

start_containerd() {
  mkdir -p "$data/cri" "$data/cni"
  cat > "$data/cni/10-bridge.conflist" << K
{"cniVersion": "1.0.0", "name": "pods", "plugins": [
 {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
  "ipam": {"type": "host-local", "dataDir": "$data/ipam", "ranges": [[{"subnet": "10.244.0.0/24"}]],
           "routes": [{"dst": "0.0.0.0/0"}]}}]}
K
  # native: the overlay snapshotter does not work on top of another overlay, as in a container.
  cat > "$data/cri/config.toml" << K
version = 2
root = "$data/cri/root"
state = "$data/cri/state"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$data/cri/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$data/cri/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        Root = "$data/cri/runc"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$data/cni"
K
  start containerd containerd -c "$data/cri/config.toml"
}

import_base_images() {
  wait_for 30 containerd containerd_ctl version
  import_images "$(base_image_dir)/pause.tar" "$(base_image_dir)/busybox.tar"
  # Some pods name it by digest (status.images of the node has both names), and scripts that name no image, as the
  # examples', mean this one.
  local digest
  digest=$(containerd_ctl images ls name==localhost/busybox:1 | awk 'NR == 2 {print $3}')
  containerd_ctl images tag localhost/busybox:1 "localhost/busybox@$digest" "$k_script_image" > /dev/null
}

start_kubelet() {
  # An own resolv.conf: nothing in a pod asks the machine's name servers.
  echo "nameserver $k_node_ip" > "$data/resolv.conf"
  cat > "$data/kubelet.yaml" << K
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {x509: {clientCAFile: $pki/home/ca.crt}, webhook: {enabled: true}, anonymous: {enabled: false}}
authorization: {mode: Webhook}
kubeAPIQPS: 500
kubeAPIBurst: 1000
cgroupDriver: cgroupfs
cgroupRoot: /$CLUSTER_NS
containerRuntimeEndpoint: unix://$data/cri/containerd.sock
clusterDNS: [$k_node_ip]
clusterDomain: cluster.local
resolvConf: $data/resolv.conf
podLogsDir: $log/pods
volumePluginDir: $data/volume-plugins
failSwapOn: false
failCgroupV1: false
makeIPTablesUtilChains: false
enforceNodeAllocatable: []
evictionHard: {memory.available: 50Mi, nodefs.available: 1%, imagefs.available: 1%}
localStorageCapacityIsolation: false
maxPods: 250
tlsCertFile: $pki/home/node.crt
tlsPrivateKeyFile: $pki/home/node.key
K
  start kubelet "$bin/kubelet" --config="$data/kubelet.yaml" --kubeconfig="$pki/home/node.kubeconfig" \
    --node-ip="$k_node_ip" --hostname-override=node0 --root-dir="$data/kubelet" --cert-dir="$data/kubelet-pki"
}

# control_kubelet stop|start: pods run on without it. Kubernetes would take 50 s to notice.
control_kubelet() {
  bin=$(binary_dir)
  case ${1-} in
    stop)
      stop kubelet
      stop kube-controller-manager
      start_controller_manager home --node-monitor-grace-period=6s --node-monitor-period=1s
      ;;
    start)
      stop kube-controller-manager
      start_controller_manager home
      alive "$(< "$run/kubelet.pid")" || start_kubelet
      wait_for 60 "the node" node_ready
      ;;
    *) die "kubelet: say stop or start" ;;
  esac
}

start_scheduler() {
  local kubeconfig=$pki/home/scheduler.kubeconfig
  start kube-scheduler "$bin/kube-scheduler" --kubeconfig="$kubeconfig" --authentication-kubeconfig="$kubeconfig" \
    --authorization-kubeconfig="$kubeconfig" --leader-elect=false --kube-api-qps=500 --kube-api-burst=1000
}

start_proxy() {
  cat > "$data/proxy.yaml" << K
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $(kubeconfig_path home)}
mode: nftables
clusterCIDR: 10.244.0.0/16
hostnameOverride: node0
conntrack: {maxPerCore: 0}
K
  start kube-proxy "$bin/kube-proxy" --config="$data/proxy.yaml"
}

start_coredns() {
  cat > "$data/Corefile" << K
.:53 {
  bind $k_node_ip
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $(kubeconfig_path home)
    pods insecure
  }
}
K
  start coredns "$(coredns_dir)/coredns" -conf "$data/Corefile"
}
