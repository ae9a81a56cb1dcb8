#pragma once
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/result.hpp>

namespace kubist::convert {

struct Options {
  /// The namespace of kubist's objects; empty: that of the converted object.
  std::string project;
  /// The VirtualCluster that they name; empty: of the name of the converted object's namespace.
  std::string virtual_cluster;
};

struct Converted {
  /// Ready to be applied: for each release what is left of its workload, a Destination, a
  /// TrafficRoute and a CanaryRelease.
  std::vector<data::Json> objects;
  /// What of the input they do not have, and what to do instead, in the order of the input. Each
  /// names object and field, and has a position.
  std::vector<util::Error> warnings;
};

/// Makes kubist's objects of each Canary (flagger.app/v1beta1) and Rollout (argoproj.io/v1alpha1)
/// of the input. Other objects of it are used where these name them: MetricTemplate and
/// AlertProvider; AnalysisTemplate and ClusterAnalysisTemplate; Deployment, Service, VirtualService
/// and DestinationRule. Asks nobody. Every field of what is used is in the result or in a warning,
/// and every object that is not used is a warning.
/// Invalid: neither kind is in the input. Usage: neither an option nor the object names a
/// namespace.
util::Result<Converted> convert(const std::vector<resources::Manifest>& input,
                                const Options& options);

}  // namespace kubist::convert
