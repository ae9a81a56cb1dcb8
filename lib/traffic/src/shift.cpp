#include <numeric>

#include <kubist/data/pointer.hpp>
#include <kubist/traffic/shift.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "cookie.hpp"

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

bool sends_to(const Json& backend, const Shift& shift, const std::string& version) {
  return data::string_at(backend, {"destination"}) == shift.destination &&
         data::string_at(backend, {"version"}) == version;
}

Json* backend_of(Json& weights, const Shift& shift, const std::string& version) {
  for (Json& backend : weights) {
    if (sends_to(backend, shift, version)) {
      return &backend;
    }
  }
  return nullptr;
}

/// As percents where these are whole, else in lowest terms.
void simplify(Json& weights) {
  std::int64_t common = 0;
  std::int64_t total = 0;
  for (const Json& backend : weights) {
    common = std::gcd(common, data::int_at(backend, {"weight"}));
    total += data::int_at(backend, {"weight"});
  }
  common = std::max<std::int64_t>(common, 1);
  const std::int64_t shares = total / common;
  const std::int64_t unit = shares > 0 && 100 % shares == 0 ? 100 / shares : 1;
  for (Json& backend : weights) {
    backend["weight"] = data::int_at(backend, {"weight"}) / common * unit;
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
  const std::int64_t both = data::count_at(stable, {"weight"}) + data::count_at(canary, {"weight"});
  for (Json& backend : weights) {
    backend["weight"] = data::count_at(backend, {"weight"}) * 100;
  }
  canary["weight"] = both * shift.percent;
  stable["weight"] = both * (100 - shift.percent);
  simplify(weights);
  return true;
}

std::string both(std::string_view condition, const std::string& other) {
  return condition.empty() ? other : cat('(', condition, ") and (", other, ')');
}

/// Gives the rule copies for the canary; of only some requests it is a rule of its own, before it.
util::Result<> add_copies(Json& rule, const Shift& shift, Json& before) {
  if (rule.contains("mirror")) {
    return util::fail(
        util::ErrorKind::invalid,
        cat("route ", data::string_at(rule, {"name"}), " has a mirror already"),
        "A request can have one copy: take the mirror out of the route, or out of the release.",
        "MirrorTaken");
  }
  Json to = *backend_of(rule["weights"], shift, shift.canary);
  to.erase("weight");
  to["percent"] = shift.mirror.percent;
  if (shift.mirror.match.empty()) {
    rule["mirror"] = std::move(to);
    return {};
  }
  Json own = rule;
  own["name"] = cat(data::string_at(rule, {"name"}), "-mirror");
  own["condition"] = both(data::string_at(rule, {"condition"}), shift.mirror.match);
  own["mirror"] = std::move(to);
  before.push_back(std::move(own));
  return {};
}

bool stays(const Shift& shift) { return !shift.affinity.cookie.empty() && shift.percent < 100; }

/// What the canary gets whatever its share is; empty: nothing.
std::string match_of(const Shift& shift) {
  if (!stays(shift)) {
    return shift.match;
  }
  const std::string cookie = cookie_condition(shift.affinity.cookie, shift.affinity.value);
  return shift.match.empty() ? cookie : cat('(', shift.match, ") or ", cookie);
}

/// The rule for the requests that match, alike but for where they go.
Json rule_of_matching(const Json& rule, const Shift& shift, const std::string& match) {
  Json own = rule;
  own["name"] = cat(data::string_at(rule, {"name"}), "-canary");
  own["condition"] = both(data::string_at(rule, {"condition"}), match);
  Json canary = *backend_of(own["weights"], shift, shift.canary);
  canary.erase("weight");
  own["weights"] = Json::array({std::move(canary)});
  return own;
}

/// The rule for clients that still have the cookie, alike but that it takes it away.
Json rule_of_expiry(const Json& rule, const Affinity& affinity) {
  Json own = rule;
  own["name"] = cat(data::string_at(rule, {"name"}), "-expire");
  own["condition"] =
      both(data::string_at(rule, {"condition"}), cookie_condition(affinity.cookie, affinity.value));
  for (Json& backend : own["weights"]) {
    backend["setCookie"] = set_cookie(affinity.cookie, affinity.value, std::chrono::seconds(0));
  }
  return own;
}

/// The rules that stand before one whose weights are moved, which may get extras itself.
util::Result<Json> rules_before(Json& rule, const Shift& shift) {
  Json before = Json::array();
  if (const std::string match = match_of(shift); !match.empty()) {
    before.push_back(rule_of_matching(rule, shift, match));
  }
  if (stays(shift)) {
    (*backend_of(rule["weights"], shift, shift.canary))["setCookie"] =
        set_cookie(shift.affinity.cookie, shift.affinity.value, shift.affinity.max_age);
  } else if (!shift.affinity.cookie.empty()) {
    before.push_back(rule_of_expiry(rule, shift.affinity));
  }
  if (shift.mirror.percent > 0) {
    KUBIST_CHECK(add_copies(rule, shift, before));
  }
  return before;
}

}  // namespace

Json to_json(const Shift& shift) {
  Json json{{"destination", shift.destination},
            {"stable", shift.stable},
            {"canary", shift.canary},
            {"percent", shift.percent}};
  if (!shift.match.empty()) {
    json["match"] = shift.match;
  }
  if (shift.mirror.percent > 0) {
    json["mirror"] = {{"percent", shift.mirror.percent}};
    if (!shift.mirror.match.empty()) {
      json["mirror"]["match"] = shift.mirror.match;
    }
  }
  if (!shift.affinity.cookie.empty()) {
    json["affinity"] = {{"cookie", shift.affinity.cookie},
                        {"value", shift.affinity.value},
                        {"maxAge", shift.affinity.max_age.count()}};
  }
  return json;
}

Shift read_shift(const Json& json) {
  return {std::string(data::string_at(json, {"destination"})),
          std::string(data::string_at(json, {"stable"})),
          std::string(data::string_at(json, {"canary"})),
          static_cast<int>(data::int_at(json, {"percent"})),
          std::string(data::string_at(json, {"match"})),
          read_copies(json.value("mirror", Json::object())),
          {std::string(data::string_at(json, {"affinity", "cookie"})),
           std::string(data::string_at(json, {"affinity", "value"})),
           std::chrono::seconds(data::int_at(json, {"affinity", "maxAge"}))}};
}

Copies read_copies(const Json& json) {
  return {static_cast<int>(data::int_at(json, {"percent"})),
          std::string(data::string_at(json, {"match"}))};
}

util::Result<Json> shifted_routes(const Json& routes, const Shift& shift) {
  Json shifted = Json::array();
  bool any = false;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    Json rule = routes[i];
    const bool splits =
        !shift.match.empty() || !shift.mirror.match.empty() || !shift.affinity.cookie.empty();
    if (splits && data::string_at(rule, {"name"}).empty()) {
      rule["name"] = cat("route-", i + 1);  // its place changes
    }
    Json* weights = data::find_path(rule, {"weights"});
    if (weights != nullptr && weights->is_array() && shift_rule(*weights, shift)) {
      any = true;
      KUBIST_TRY(const Json before, rules_before(rule, shift));
      shifted.insert(shifted.end(), before.begin(), before.end());
    }
    shifted.push_back(std::move(rule));
  }
  if (!any) {
    return util::fail(
        util::ErrorKind::invalid,
        cat("no route sends to version ", shift.stable, " of ", shift.destination),
        "Name the version that has the traffic in spec.stable, and a route that sends to it.",
        "StableNotRouted");
  }
  return shifted;
}

util::Result<Json> released_routes(const Json& routes, const Shift& shift) {
  const Shift all{shift.destination, shift.stable, shift.canary, 100};
  auto moved = shifted_routes(routes, all);
  if (!moved) {
    Shift back = all;  // nothing to do where the canary has it all
    std::swap(back.stable, back.canary);
    return shifted_routes(routes, back) ? util::Result<Json>(routes) : moved;
  }
  for (Json& rule : *moved) {
    Json* weights = data::find_path(rule, {"weights"});
    if (weights == nullptr || !weights->is_array() || weights->size() < 2) {
      continue;
    }
    Json kept = Json::array();
    for (Json& backend : *weights) {
      if (!sends_to(backend, all, all.stable)) {
        kept.push_back(std::move(backend));
      }
    }
    if (kept.size() == 1) {
      kept[0].erase("weight");
    }
    *weights = std::move(kept);
  }
  return moved;
}

std::string routes_hash(const Json& routes) {
  return util::sha256_hex(routes.dump()).substr(0, 16);
}

}  // namespace kubist::traffic
