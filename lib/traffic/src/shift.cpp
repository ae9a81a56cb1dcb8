#include <numeric>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/shift.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

Json* backend_of(Json& weights, const Shift& shift, const std::string& version) {
  for (Json& backend : weights) {
    if (data::string_at(backend, {"destination"}) == shift.destination &&
        data::string_at(backend, {"version"}) == version) {
      return &backend;
    }
  }
  return nullptr;
}

void divide_by_common(Json& weights) {
  std::int64_t common = 0;
  for (const Json& backend : weights) {
    common = std::gcd(common, data::int_at(backend, {"weight"}));
  }
  for (Json& backend : weights) {
    backend["weight"] = data::int_at(backend, {"weight"}) / std::max<std::int64_t>(common, 1);
  }
}

bool shift_rule(Json& weights, const Shift& shift) {
  if (backend_of(weights, shift, shift.stable) == nullptr) {
    return false;
  }
  if (weights.size() == 1) {
    weights[0]["weight"] = 1;  // a lone destination gets everything, whatever its weight
  }
  if (backend_of(weights, shift, shift.canary) == nullptr) {
    Json canary = *backend_of(weights, shift, shift.stable);
    canary["version"] = shift.canary;
    canary["weight"] = 0;
    weights.push_back(std::move(canary));
  }
  Json& stable = *backend_of(weights, shift, shift.stable);
  Json& canary = *backend_of(weights, shift, shift.canary);
  const std::int64_t both = data::int_at(stable, {"weight"}) + data::int_at(canary, {"weight"});
  for (Json& backend : weights) {
    backend["weight"] = data::int_at(backend, {"weight"}) * 100;
  }
  canary["weight"] = both * shift.percent;
  stable["weight"] = both * (100 - shift.percent);
  divide_by_common(weights);
  return true;
}

}  // namespace

util::Result<Json> shifted_routes(const Json& routes, const Shift& shift) {
  Json shifted = routes;
  bool any = false;
  for (Json& rule : shifted) {
    Json* weights = data::find_path(rule, {"weights"});
    any = (weights != nullptr && weights->is_array() && shift_rule(*weights, shift)) || any;
  }
  if (!any) {
    auto error = util::make_error(
        util::ErrorKind::invalid,
        cat("no route sends to version ", shift.stable, " of ", shift.destination),
        "Name the version that has the traffic in spec.stable, and a route that sends to it.");
    error.reason = "StableNotRouted";
    return util::fail(std::move(error));
  }
  return shifted;
}

std::string routes_hash(const Json& routes) {
  return util::sha256_hex(routes.dump()).substr(0, 16);
}

}  // namespace kubist::traffic
