#pragma once
#include <map>
#include <optional>
#include <string>

#include <kubist/traffic/shift.hpp>
#include <kubist/traffic/split.hpp>

namespace kubist::traffic {

/// What a release or an experiment gives a TrafficRoute instead of the weights of its spec.
struct Override {
  std::string by;  ///< "CanaryRelease/NAME", "Experiment/NAME"
  int attempt = 1;
  std::string for_spec = {};  ///< routes_hash() of the spec.routes that it was made for
  bool final = false;         ///< the release is over: the weights stay without it
  /// Neither: the route's own weights.
  std::optional<Shift> shift = {};
  std::optional<Split> split = {};
  /// Percents of virtual clusters that another one holds than the shift has; 0: their own weights.
  std::map<std::string, int> held = {};

  bool moves() const { return shift || split; }
  /// What it is on one virtual cluster.
  Override on(const std::string& cluster) const;
};

/// status.override of a TrafficRoute, without `held`. REQUIRES: it moves.
data::Json to_json(const Override& given);
/// What to_json() made; nothing: there is none.
std::optional<Override> read_override(const data::Json* json);

/// spec.routes with it. REQUIRES: it moves. Errors are those of shifted_routes(), split_routes().
util::Result<data::Json> overridden_routes(const data::Json& routes, const Override& given);

}  // namespace kubist::traffic
