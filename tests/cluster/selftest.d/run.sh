# A started cluster does its work.

readonly k_max_seconds=${SELFTEST_UP_SECONDS:-60}   # 25 on an idle machine; a busy one gets the benefit of the doubt

test_run() {
  check "a full cluster and two targets start within $k_max_seconds s" starts_in_time
  check "up a second time changes nothing" cluster up --targets 2
  check "up in another shape is refused" fails cluster up api
  check "status says up" status_is 0
  check "three API servers answer one client, each its own cluster" three_clusters
  check "a pod runs and resolves cluster DNS" pod_resolves
  check "a pod reaches a target's API server" pod_reaches_target
  check "a service answers pods and clients" service_answers
  check "every audit log has the requests, one JSON object each" audit_has_requests
  check "a kubist image is made, imported and runs under tini" kubist_image_runs
  check "a stopped kubelet is noticed, and returns" kubelet_returns
  check "the namespace leads nowhere" fails cluster exec curl -s -m 2 http://192.0.2.1/
}

fails() { ! "$@"; }

starts_in_time() {
  local begin=$SECONDS
  cluster up --targets 2 && [ $((SECONDS - begin)) -le "$k_max_seconds" ]
}

status_is() {
  local status=0
  cluster status || status=$?
  [ $status = "$1" ]
}

three_clusters() {
  local uids
  uids=$(cluster exec bash -ec 'for file in "$@"; do
    kubectl --kubeconfig "$file" get namespace kube-system -o "jsonpath={.metadata.uid}{\"\n\"}"; done' - \
    "$(cluster kubeconfig)" "$(cluster kubeconfig target1)" "$(cluster kubeconfig target2)") || return 1
  [ "$(sort -u <<< "$uids" | grep -c .)" = 3 ]
}

# run_pod NAME SCRIPT: prints its log
run_pod() {
  kubectl run "$1" --image=localhost/busybox:1 --image-pull-policy=Never --restart=Never --quiet \
    --command -- sh -ec "$2" &&
    kubectl wait --for=jsonpath='{.status.phase}'=Succeeded "pod/$1" --timeout=30s > /dev/null || return 1
  kubectl logs "$1"
}

pod_resolves() {
  run_pod resolver 'nslookup -type=a kubernetes.default.svc.cluster.local' | grep -q 'Address: 10\.96\.0\.1'
}

pod_reaches_target() { run_pod visitor 'nc -w 3 10.77.0.2 6444 < /dev/null && echo connected' | grep -qx connected; }

service_answers() {
  kubectl run web --image=localhost/busybox:1 --image-pull-policy=Never --port=8080 --expose --quiet --command -- \
    sh -c 'echo hello > /tmp/index.html; exec httpd -f -h /tmp -p 8080' &&
    kubectl wait --for=condition=Ready pod/web --timeout=30s || return 1
  [ "$(cluster exec curl -s -m 5 --retry 20 --retry-delay 1 --retry-all-errors \
    "http://$(kubectl get service web -o 'jsonpath={.spec.clusterIP}'):8080")" = hello ] || return 1
  run_pod client 'wget -q -O - http://web:8080' | grep -qx hello
}

audit_has_requests() {
  local name
  kubectl create configmap "audited-$$" > /dev/null || return 1
  grep -q "\"verb\":\"create\".*audited-$$" "$(cluster audit)" || return 1
  for name in home target1 target2; do
    python3 - "$(cluster audit "$name")" << 'K' || return 1
import json, sys
requests = [json.loads(line) for line in open(sys.argv[1]) if line.endswith("\n")]
assert len(requests) > 100, len(requests)
assert {request["level"] for request in requests} == {"Metadata"}
K
  done
}

kubist_image_runs() {
  printf '#include <stdio.h>\nint main(void) { puts("kubist ran"); return 0; }\n' |
    gcc -x c -static -Os -o "$scratch/kubist" - && cluster kubist-image "$scratch/kubist" || return 1
  kubectl create -f - << 'K' || return 1
apiVersion: v1
kind: Pod
metadata: {name: kubist}
spec:
  restartPolicy: Never
  initContainers:
  - {name: entrypoint, image: localhost/kubist:dev, imagePullPolicy: Never}
  containers:
  - {name: tini, image: localhost/kubist:dev, imagePullPolicy: Never, command: [/tini, --, /kubist]}
K
  kubectl wait --for=jsonpath='{.status.phase}'=Succeeded pod/kubist --timeout=30s || return 1
  [ "$(kubectl logs kubist -c entrypoint)$(kubectl logs kubist -c tini)" = "kubist rankubist ran" ]
}

kubelet_returns() {
  local status=0
  cluster kubelet stop &&
    kubectl wait --for='jsonpath={.status.conditions[?(@.type=="Ready")].status}=Unknown' node/node0 --timeout=60s ||
    status=1
  cluster kubelet start && kubectl wait --for=condition=Ready node/node0 --timeout=30s && status_is 0 && return $status
}
