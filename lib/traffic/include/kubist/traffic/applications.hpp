#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>

namespace kubist::traffic {

/// A share of a route's requests that a version gets.
struct RouteShare {
  std::string route, rule;  ///< names of the TrafficRoute and of one of its routes
  double percent = 0;
};

/// One version of an application: a Deployment that a VirtualCluster's run found.
struct VersionRow {
  std::string project_namespace, virtual_cluster;
  std::string application, version;  ///< version may be empty
  std::string deployment;
  std::int64_t replicas = 0, ready = 0;
  std::vector<RouteShare> shares;  ///< live ones, by route and rule
};

/// The applications in the status of VirtualClusters, with the shares that TrafficRoutes' status
/// says are live. A route's destination and version are an application's version where the
/// Destination (of the same virtual cluster) has it as spec.application (by default its name) and
/// the subset's label `version` says so (by default the subset's name). Order: as given, then by
/// application and deployment.
std::vector<VersionRow> version_rows(const std::vector<const data::Json*>& virtual_clusters,
                                     const std::vector<const data::Json*>& destinations,
                                     const std::vector<const data::Json*>& routes);

/// "shop 80 %, shop/beta 20 %": for people; a rule is named where it is not the route's only one.
std::string share_words(const std::vector<RouteShare>& shares);

}  // namespace kubist::traffic
