#pragma once
#include <string>

#include <kubist/istio/bundle.hpp>
#include <kubist/istio/verdict.hpp>

#include "work.hpp"

namespace kubist::executors {

/// spec.istio of a Cluster, with its defaults.
struct IstioWish {
  std::string mode;    ///< Ignore, Check, Require or Install
  istio::Scope scope;  ///< which control plane counts
  std::string version;
  // The source; with mode Install one of config_map and url is given.
  std::string config_map, key, url, sha256;

  bool installs() const { return mode == "Install"; }
  /// As the Project's grant names it: "ConfigMap/NAME", or the URL.
  std::string source() const;
};
IstioWish istio_wish(const data::Json& cluster_spec);

/// Invalid, reason IstioInstallNotGranted: the Project (null: there is none) does not let its
/// clusters have Istio installed, or not from there.
util::Result<> check_istio_grant(const data::Json* project, const IstioWish& wish);

/// The manifests, read and checked. Reasons: IstioSourceNotFound, IstioSourceInvalid; errors of
/// asking keep theirs.
util::Result<istio::Bundle> read_wished_bundle(Work& work, const IstioWish& wish);

}  // namespace kubist::executors
