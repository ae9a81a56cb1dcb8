#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

namespace kubist::convert {

/// Names of the versions that are made: foreign kinds have none.
inline constexpr std::string_view k_stable = "v1";
inline constexpr std::string_view k_canary = "v2";
inline constexpr std::string_view k_mesh = "mesh";

/// A TrafficRoute.
struct Route {
  std::string name;
  std::vector<std::string> hosts, gateways;
  Json rules = Json::array();  ///< spec.routes
};

/// What a foreign release says, in kubist's terms; converters fill it in.
struct Release {
  std::string name, ns, virtual_cluster;  ///< of kubist's objects
  std::string foreign_ns;                 ///< where the pods are
  Json labels = Json::object(), annotations = Json::object();

  std::string destination;
  Json selector;  ///< of its pods; null: the label app has the destination's name
  Json ports = Json::array();
  Json traffic_policy;

  std::vector<Route> routes;
  std::string mode;  ///< of the TrafficRoutes; empty: Auto

  Json spec = Json::object();  ///< further fields of the CanaryRelease: weights, interval, ...
  Json policies = Json::array();
  std::optional<Json> workload;  ///< the Deployment of what is stable now, as it was
  /// Of a Deployment that the other tool keeps at 0, since it runs copies: no number, with a
  /// warning.
  void drop_no_replicas(Source& deployment);
};

/// Adds a policy.
void add_policy(Release& release, std::string_view name, Json parameters);

/// Do requests only come from pods of the mesh, which no gateway counts?
bool is_mesh_only(const Release& release);

/// A share of a rule for the stable version.
Json stable_share(const Release& release);

/// The Prometheus of the release; a second one that is another is lost, and so is a word that is no
/// address. `field` of `fields` has the address.
void set_prometheus(Release& release, const Fields& fields, std::string_view field);

/// holdLimit for a release that waits `needed` seconds at one weight; `deadline` is what the
/// foreign release gives its pods (600 by default), and is kept only where it says so or is needed.
void set_hold_limit(Release& release, std::optional<std::int64_t> deadline, std::int64_t needed);

/// Deployment, Destination, TrafficRoutes and CanaryRelease.
std::vector<Json> objects_of(const Release& release);

}  // namespace kubist::convert
