# Container images, made from this machine's files.

# base_image_dir: where the archives of the base images are or will be
base_image_dir() {
  local sum
  sum=$(cat "$cluster_dir/images/pause.c" "$cluster_dir/oci-image" /bin/busybox | sha256sum)
  echo "$cache/images-${sum:0:16}"
}

make_base_images() {
  local out=$1 applet files=(bin/busybox=/bin/busybox)
  gcc -static -Os -s -o "$out/pause" "$cluster_dir/images/pause.c" || die "gcc could not compile images/pause.c"
  "$cluster_dir/oci-image" localhost/pause:1 "$out/pause.tar" --entrypoint /pause "pause=$out/pause"
  while read -r applet; do
    [ "$applet" = busybox ] || files+=("bin/$applet=->busybox")
  done < <(/bin/busybox --list)
  "$cluster_dir/oci-image" localhost/busybox:1 "$out/busybox.tar" "${files[@]}"
}

import_images() {
  local archive
  [ $# -gt 0 ] || die "images: name at least one OCI archive"
  for archive in "$@"; do
    containerd_ctl images import "$archive" > /dev/null || die "could not import $archive"
  done
}

# kubist_image BINARY [ARCHIVE]: imports the agent's image, or writes it for a registry.
kubist_image() {
  local archive status=0
  if [ -n "${2-}" ]; then
    make_kubist_image "$1" "$2"
    return
  fi
  require_up
  archive=$(mktemp --suffix .tar)
  # A stopped kubist image of an earlier import stays until containerd's garbage collection; the tag moves at once.
  make_kubist_image "${1-}" "$archive" && import_images "$archive" || status=1
  rm -f "$archive"
  return $status
}

# make_kubist_image BINARY ARCHIVE
make_kubist_image() {
  local binary=$1 archive=$2 libraries=()
  [ -x "$binary" ] || die "kubist-image: no executable '$binary': name a kubist binary of the release build"
  [ -x /usr/bin/tini-static ] || die "kubist-image: no /usr/bin/tini-static: run 'apt-get install tini'"
  # The release build needs libc and its linker, nothing else; whatever it needs goes in at its own path.
  while read -r library; do libraries+=("${library#/}=$library"); done < <(needed_libraries "$binary")
  "$cluster_dir/oci-image" localhost/kubist:dev "$archive" --entrypoint /kubist "kubist=$binary" \
    "${libraries[@]}" \
    tini=/usr/bin/tini-static etc/ssl/certs/ca-certificates.crt=/etc/ssl/certs/ca-certificates.crt
}

# The absolute paths of the linker and the shared libraries of a program; nothing for a static one.
needed_libraries() { ldd "$1" 2> /dev/null | grep -oE '/[^ )]+' || true; }

containerd_ctl() { ctr -a "$data/cri/containerd.sock" -n k8s.io "$@"; }
