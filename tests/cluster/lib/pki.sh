# Certificates (P-256: making RSA keys would take longer than starting etcd) and kubeconfigs, one authority a plane.

# make_pki PLANE
make_pki() {
  local plane=$1 dir=$pki/$1 key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30)
  mkdir -p "$dir" "$data/kubeconfig"
  openssl req -x509 "${key[@]}" -keyout "$dir/ca.key" -out "$dir/ca.crt" -subj "/CN=$CLUSTER_NS-$plane" 2> /dev/null ||
    die "openssl could not make the authority $dir/ca.crt"
  openssl ecparam -name prime256v1 -genkey -noout -out "$dir/sa.key"
  issue "$dir" apiserver /CN=kube-apiserver serverAuth \
    "IP:127.0.0.1,IP:$k_node_ip,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  issue "$dir" admin /O=system:masters/CN=admin clientAuth
  issue "$dir" front-proxy /CN=front-proxy clientAuth
  issue "$dir" controller-manager /CN=system:kube-controller-manager clientAuth
  write_kubeconfig "$plane" controller-manager "$dir/controller-manager.kubeconfig"
  if [ "$plane" = home ]; then
    issue "$dir" scheduler /CN=system:kube-scheduler clientAuth
    issue "$dir" node /O=system:nodes/CN=system:node:node0 serverAuth,clientAuth "DNS:node0,IP:$k_node_ip"
    write_kubeconfig "$plane" scheduler "$dir/scheduler.kubeconfig"
    write_kubeconfig "$plane" node "$dir/node.kubeconfig"
  fi
  # For the clients, so the last of all: complete, with the data in it, as a Secret needs it.
  write_kubeconfig "$plane" admin "$data/kubeconfig/$plane"
}

# issue DIR NAME SUBJECT USAGE [ALTERNATIVE-NAMES]
issue() {
  local extensions=(-addext "extendedKeyUsage=$4" -addext basicConstraints=CA:FALSE)
  [ -z "${5-}" ] || extensions+=(-addext "subjectAltName=$5")
  openssl req -x509 "${key[@]}" -CA "$1/ca.crt" -CAkey "$1/ca.key" -keyout "$1/$2.key" -out "$1/$2.crt" -subj "$3" \
    "${extensions[@]}" 2> /dev/null || die "openssl could not issue the certificate $1/$2.crt"
}

# write_kubeconfig PLANE USER FILE
write_kubeconfig() {
  local dir=$pki/$1
  (umask 077 && cat > "$3") << K
apiVersion: v1
kind: Config
clusters:
- name: $1
  cluster:
    server: https://$k_node_ip:$(api_port "$1")
    certificate-authority-data: $(base64 -w0 "$dir/ca.crt")
users:
- name: $2
  user:
    client-certificate-data: $(base64 -w0 "$dir/$2.crt")
    client-key-data: $(base64 -w0 "$dir/$2.key")
contexts:
- name: $1
  context:
    cluster: $1
    user: $2
current-context: $1
K
}
