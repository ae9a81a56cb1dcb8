#pragma once
#include <string>
#include <string_view>

#include <kubist/istio/bundle.hpp>
#include <kubist/istio/render.hpp>
#include <kubist/istio/verdict.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// spec.istio of a Cluster, with what it leaves out from its Project and the Root, and defaults.
struct IstioWish {
  std::string mode;    ///< Ignore, Check, Require or Install
  istio::Scope scope;  ///< which control plane counts
  std::string version;
  // The source; with mode Install one of config_map, url and renders is given.
  std::string config_map, key, url, sha256;
  bool renders = false;
  istio::Rendering rendering;
  bool granted = false;  ///< Project and Root want just that: an administrator's word

  bool installs() const { return mode == "Install"; }
  /// Shall the cluster have Istio?
  bool wanted() const { return installs() || mode == "Require"; }
  /// As the Project's grant names it: "ConfigMap/NAME", the URL, or "Image/IMAGE ARG...".
  std::string source() const;
};
/// Of a Cluster with that spec, whatever is above it.
IstioWish istio_wish(const data::Json& cluster_spec);
/// Of a Cluster of the tree, whose spec after its policies that is.
IstioWish istio_wish(const engine::Graph& graph, const engine::Node& cluster,
                     const data::Json& spec);

/// The home cluster's uid, where that connection has kubist's own rights there; else empty.
std::string own_home_uid(const World& world, const Connection& connection);
/// What that Cluster may tell of what was seen. `home_uid`: own_home_uid() of the connection. Where
/// kubist looked with its own rights, these are no names of namespaces that the project does not
/// keep. `ns`: for what is written there.
istio::Report judge_istio(const istio::Evidence& evidence, const IstioWish& wish,
                          const engine::Node& cluster, std::string_view home_uid,
                          std::string_view ns = {});

/// Invalid, reason IstioInstallNotGranted: the Project (null: there is none) does not let its
/// clusters have Istio installed, or not from there. Reason IstioSourceInvalid: neither a version
/// nor a source is named.
util::Result<> check_istio_grant(const data::Json* project, const IstioWish& wish);

/// The manifests, read and checked, or rendered on that cluster. Reasons: IstioSourceNotFound,
/// IstioSourceInvalid, IstioRenderFailed; errors of asking keep theirs.
util::Result<istio::Bundle> read_wished_bundle(Work& work, kube::Client& cluster,
                                               const IstioWish& wish);

}  // namespace kubist::executors
