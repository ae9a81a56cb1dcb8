# What the reader of a page has done before it: recorded.py sources this with MARK/PAGE, in the page's folder, where the
# files of its blocks are. `.variables` is sourced before each command, and `.clean` when the page is at its end. Pages
# leave their project to the next one, so that a run is short.
before=tests/docs/before

shop() {
  kubist init
  kubist apply -f $before/shop.yaml
  kubist reconcile
}

# examples/traffic without its own release and experiment; and then the page's release, evaluated once.
traffic() {
  kubist init
  kubist apply -f examples/traffic/project.yaml -f $before/web.yaml
  kubist reconcile
  mkdir traffic
  cp examples/traffic/routes.yaml traffic/
}
begun() {
  traffic
  kubist apply -f traffic -f release.yaml
  kubist reconcile --timeout 5s || [ $? = 3 ]
  echo 'kubist delete -f release.yaml' > .clean
}

# contexts NAME CLUSTER...: a kubeconfig with these contexts; the first one is the current one.
contexts() {
  local folder name files=
  folder=$(dirname "$KUBECONFIG")
  while [ $# -gt 0 ]; do
    name=$1
    kubectl config view --raw --minify -o json --kubeconfig "$folder/$2" |
      jq --arg name "$name" '.clusters[0].name = $name | .users[0].name = $name | .contexts = [{name: $name,
        context: {cluster: $name, user: $name}}] | .["current-context"] = $name' > "$name.config"
    files=$files:$name.config
    shift 2
  done
  KUBECONFIG=$files kubectl config view --raw --flatten > kubeconfig
}

# istioctl is not there: this one prints the manifests of the Istio that the tests run.
istio() {
  printf '#!/bin/sh\nexec cat %s\n' "$KUBIST_ISTIO_MANIFEST" > .bin/istioctl
  chmod +x .bin/istioctl
  istioctl > istio.yaml
}

case $1 in
  cluster/README) mkdir environment && cp $before/shop.yaml environment ;;
  cluster/clusters)
    contexts home home prod-eu target1 prod home dev home
    echo "export KUBECONFIG=$PWD/kubeconfig" > .variables
    . ./.variables
    kubist init --context prod-eu
    echo 'kubist delete cluster eu -n shop; kubist uninstall --context prod-eu --force
      kubectl --context prod-eu delete namespace kubist-system --wait=false' > .clean
    shop
    ;;
  cluster/deployitems)
    kubist init
    kubectl create namespace team
    kubectl create rolebinding items --clusterrole=kubist-project --serviceaccount=team:default -n team
    echo 'kubist delete di --all -n team; kubectl delete namespace team --wait=false' > .clean
    sed 's/: pretend/: greet/; s/: deployitems/: team/' examples/deployitems/mock.yaml > item.yaml
    ;;
  cluster/edit-with-schemas)
    kubist init
    cp -r examples/quickstart env
    ;;
  cluster/executors)
    shop
    kubectl create namespace cluster-facts
    kubectl create namespace kubist-system
    kubectl create serviceaccount cluster-facts -n kubist-system
    kubectl create rolebinding cluster-facts --clusterrole=edit --serviceaccount=kubist-system:cluster-facts -n cluster-facts
    echo 'kubist delete cluster eu -n shop; kubist delete kexd cluster-facts
      kubectl delete namespace cluster-facts kubist-system' > .clean
    kubist apply -f examples/executors/cluster-facts.yaml
    kubist apply -f - << 'YAML'
apiVersion: kubist.io/v1alpha1
kind: Cluster
metadata: {name: eu, namespace: shop}
spec: {home: true, executor: {name: cluster-facts, parameters: {owner: team-a}}}
YAML
    kubist reconcile
    ;;
  cluster/helm)
    shop
    kubectl create secret generic sh.helm.release.v1.web.v1 -n shop-dev
    kubectl label secret sh.helm.release.v1.web.v1 owner=helm name=web -n shop-dev
    ;;
  cluster/kubectl-scripts)
    shop
    kubectl create job migrate --image busybox:stable --dry-run=client -o yaml -- echo 42 > schema.yaml
    cp -r $before env && rm env/web.yaml
    ;;
  cluster/run-in-ci)
    shop
    kubist apply -f examples/quickstart
    kubist reconcile
    echo "export GITHUB_ENV=$PWD/github.env" > .variables
    echo 'kubist delete -f ci-rbac.yaml; kubectl delete namespace ci --wait=false' > .clean
    ;;
  cluster/*) shop ;;
  istio/istio) ;;
  istio/canary)
    traffic
    echo 'kubist delete -f release.yaml' > .clean
    ;;
  istio/experiment)
    traffic
    echo 'kubist delete -f experiment.yaml' > .clean
    ;;
  istio/traffic) traffic ;;
  istio/approve-steps | istio/release-in-steps) begun ;;
  install/install-istio)
    istio
    kubist init
    kubist apply -f examples/traffic/project.yaml
    ;;
  install/*)
    istio
    kubist istio install istio.yaml
    ;;
  run/landscaper) cp tests/data/landscaper/items.yaml . ;;
esac
