#pragma once
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/deployers/deployer.hpp>

#include "manifest/limits.hpp"

/// Objects of items, and what is wrong with them on the home cluster.
namespace limits {

using namespace kubist;
using namespace kubist::deployers;

inline Place limited(std::vector<std::string> kinds = {}) {
  Place place;
  place.ns = "shop";
  place.limits = std::make_shared<ItemLimits>(ItemLimits{"shop", std::move(kinds), {}});
  return place;
}

inline Json object(const std::string& api_version, const std::string& kind,
                   Json more = Json::object()) {
  Json made{{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", "x"}}}};
  made.merge_patch(more);
  return made;
}

inline std::vector<util::Error> problems(Json made, const Place& place,
                                         ManagePolicy policy = ManagePolicy::manage) {
  ManifestPlan plan;
  resources::Manifest manifest;
  manifest.object = std::move(made);
  add_manifests({std::move(manifest)}, policy, plan);
  return manifest_problems(plan, place);
}

/// The one problem's reason; empty: there is none.
inline std::string reason(Json made, const Place& place = limited()) {
  const auto found = problems(std::move(made), place);
  REQUIRE(found.size() <= 1);
  return found.empty() ? std::string() : found.front().reason;
}

inline Item item() {
  return parse_item({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                     {"kind", "DeployItem"},
                     {"metadata", {{"name", "m"}, {"namespace", "shop"}, {"uid", "1-2"}}},
                     {"spec", {{"type", "kubist.io/manifest"}}}})
      .value();
}

}  // namespace limits
