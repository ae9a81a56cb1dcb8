# etcd, kube-apiserver and kube-controller-manager of one plane. All planes share the namespace: the index shifts ports.

# prefix PLANE: what stands before the names of its components
prefix() { if [ "$1" = home ]; then echo ""; else echo "$1-"; fi; }

# start_control_plane PLANE: returns when its API server is ready and its controllers have started
start_control_plane() {
  make_pki "$1"
  start_etcd "$1"
  start_apiserver "$1"
  wait_for 60 "the API server of $1" api_answers "$1" /readyz
  start_controller_manager "$1"
}

etcd_port() { echo $((2379 + 10 * $(plane_index "$1"))); }

# A short election time-out: a single member waits that long before it leads. No fsync: the data goes with `down`.
start_etcd() {
  local port
  port=$(etcd_port "$1")
  start "$(prefix "$1")etcd" etcd --data-dir "$data/etcd-$1" --unsafe-no-fsync=true \
    --heartbeat-interval=20 --election-timeout=200 \
    --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
    --listen-peer-urls "http://127.0.0.1:$((port + 1))" \
    --initial-advertise-peer-urls "http://127.0.0.1:$((port + 1))" \
    --initial-cluster "default=http://127.0.0.1:$((port + 1))"
}

start_apiserver() {
  local dir=$pki/$1
  # Aggregator routing: webhooks are called by their endpoints, since no proxy translates for the API server alone.
  start "$(prefix "$1")kube-apiserver" "$bin/kube-apiserver" --etcd-servers="http://127.0.0.1:$(etcd_port "$1")" \
    --bind-address=0.0.0.0 --advertise-address="$k_node_ip" --secure-port="$(api_port "$1")" \
    --tls-cert-file="$dir/apiserver.crt" --tls-private-key-file="$dir/apiserver.key" --client-ca-file="$dir/ca.crt" \
    --service-account-key-file="$dir/sa.key" --service-account-signing-key-file="$dir/sa.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-cluster-ip-range=10.96.0.0/16 \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction --allow-privileged=true \
    --kubelet-client-certificate="$dir/admin.crt" --kubelet-client-key="$dir/admin.key" \
    --kubelet-certificate-authority="$dir/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --requestheader-client-ca-file="$dir/ca.crt" --requestheader-allowed-names=front-proxy \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file="$dir/front-proxy.crt" --proxy-client-key-file="$dir/front-proxy.key" \
    --enable-aggregator-routing=true \
    --audit-policy-file="$data/audit-policy.yaml" --audit-log-path="$(audit_path "$1")" --audit-log-format=json \
    --audit-log-maxsize=100000 # MB; by default it begins a new file at 100, under the eyes of who reads it
}

# restart_component etcd|apiserver: hard
restart_component() {
  bin=$(binary_dir)
  case ${1-} in
    etcd) stop etcd; wait_for_port "$(etcd_port home)"; start_etcd home ;;
    apiserver) stop kube-apiserver; wait_for_port "$(api_port home)"; start_apiserver home ;;
    *) die "restart: say etcd or apiserver" ;;
  esac
  wait_for 60 "the API server of home" api_answers home /readyz
}

# wait_for_port PORT: until nobody listens there; threads of a process that was killed do so for a moment longer
wait_for_port() {
  local tries
  for ((tries = 0; tries < 200; ++tries)); do
    inside bash -c ": < /dev/tcp/127.0.0.1/$1" 2> /dev/null || return 0
    sleep 0.05
  done
  die "port $1 stays in use"
}

# With CLUSTER_AUDIT_BODIES also what was written, which takes some time of the API server.
write_audit_policy() {
  local bodies=
  [ -z "${CLUSTER_AUDIT_BODIES-}" ] || bodies='{level: Request, verbs: [create, update, patch]}, '
  cat > "$data/audit-policy.yaml" << K
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [${bodies}{level: Metadata}]
K
}

# start_controller_manager PLANE [FLAGS...]
start_controller_manager() {
  local dir=$pki/$1 kubeconfig=$pki/$1/controller-manager.kubeconfig
  # At the default of 20 requests a second, its controllers take 5 s to get their accounts and start.
  start "$(prefix "$1")kube-controller-manager" "$bin/kube-controller-manager" --kubeconfig="$kubeconfig" \
    --authentication-kubeconfig="$kubeconfig" --authorization-kubeconfig="$kubeconfig" \
    --secure-port="$((10300 + $(plane_index "$1")))" --leader-elect=false \
    --flex-volume-plugin-dir="$data/volume-plugins" --use-service-account-credentials=true \
    --service-account-private-key-file="$dir/sa.key" --root-ca-file="$dir/ca.crt" \
    --kube-api-qps=500 --kube-api-burst=1000 \
    --allocate-node-cidrs=true --cluster-cidr=10.244.0.0/16 --service-cluster-ip-range=10.96.0.0/16 \
    --cluster-signing-cert-file="$dir/ca.crt" --cluster-signing-key-file="$dir/ca.key" "${@:2}"
}
