# Container images, made from this machine's files.

# base_image_dir: where the archives of the base images are or will be
base_image_dir() {
  local sum
  sum=$(cat "$cluster_dir/images/pause.c" "$packaging_dir/oci-image" /bin/busybox | sha256sum)
  echo "$cache/images-${sum:0:16}"
}

make_base_images() {
  local out=$1
  gcc -static -Os -s -o "$out/pause" "$cluster_dir/images/pause.c" || die "gcc could not compile images/pause.c"
  "$packaging_dir/oci-image" localhost/pause:1 "$out/pause.tar" --entrypoint /pause "pause=$out/pause"
  "$packaging_dir/oci-image" localhost/busybox:1 "$out/busybox.tar" --busybox /bin/busybox
}

import_images() {
  local archive
  [ $# -gt 0 ] || die "images: name at least one OCI archive"
  for archive in "$@"; do
    containerd_ctl images import "$archive" > /dev/null || die "could not import $archive"
  done
}

# kubist_image BINARY: imports the agent's image as it is shipped.
kubist_image() {
  local archive status=0
  [ -x "${1-}" ] || die "kubist-image: no executable '${1-}': name a kubist binary of the release build"
  require_up
  archive=$(mktemp --suffix .tar)
  # A stopped kubist image of an earlier import stays until containerd's garbage collection; the tag moves at once.
  "$packaging_dir/image" "$1" "$archive" --name localhost/kubist:dev > /dev/null && import_images "$archive" || status=1
  rm -f "$archive"
  return $status
}

containerd_ctl() { ctr -a "$data/cri/containerd.sock" -n k8s.io "$@"; }
