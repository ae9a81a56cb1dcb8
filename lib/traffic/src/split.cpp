#include <kubist/data/pointer.hpp>
#include <kubist/traffic/split.hpp>
#include <kubist/util/text.hpp>

#include "cookie.hpp"

namespace kubist::traffic {

using data::Json;
using util::cat;

namespace {

util::Error no_such_rule(std::string message, std::string hint) {
  return util::make_error(util::ErrorKind::invalid, std::move(message), std::move(hint),
                          "NoSuchRule");
}

util::Result<std::size_t> find_rule(const Json& routes, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    names.emplace_back(data::string_at(routes[i], {"name"}));
    if (!name.empty() && names.back() == name) {
      return i;
    }
  }
  if (name.empty() && routes.size() == 1) {
    return 0;
  }
  return util::fail(no_such_rule(
      name.empty() ? cat("the route has ", routes.size(), " rules, and none is named")
                   : cat("the route has no rule ", name, ", only ", util::join(names, ", ")),
      "Name one of spec.routes of the TrafficRoute in spec.rule."));
}

Json backend_of(const Split::Variant& variant) {
  Json backend{{"destination", variant.destination}};
  if (!variant.version.empty()) {
    backend["version"] = variant.version;
  }
  if (variant.port != 0) {
    backend["port"] = variant.port;
  }
  return backend;
}

Json rule_of(const Json& rule, const Split& split, const Split::Variant& variant) {
  Json own = rule;
  own["name"] = cat(data::string_at(rule, {"name"}), '-', variant.name);
  const std::string_view condition = data::string_at(rule, {"condition"});
  const std::string cookie = cookie_condition(split.cookie, variant.name);
  own["condition"] = condition.empty() ? cookie : cat('(', condition, ") and ", cookie);
  own["weights"] = Json::array({backend_of(variant)});
  return own;
}

}  // namespace

Json to_json(const Split& split) {
  Json variants = Json::array();
  for (const Split::Variant& variant : split.variants) {
    variants.push_back(backend_of(variant));
    variants.back().update({{"name", variant.name}, {"weight", variant.weight}});
  }
  return {{"rule", split.rule},
          {"cookie", split.cookie},
          {"maxAge", split.max_age},
          {"variants", std::move(variants)}};
}

std::optional<Split> read_split(const Json& json) {
  const Json& variants = data::array_at(json, {"variants"});
  if (variants.size() > k_most_variants) {
    return std::nullopt;
  }
  Split split{.rule = std::string(data::string_at(json, {"rule"})),
              .cookie = std::string(data::string_at(json, {"cookie"})),
              .max_age = data::int_at(json, {"maxAge"}),
              .variants = {}};
  for (const Json& each : variants) {
    split.variants.push_back({std::string(data::string_at(each, {"name"})),
                              std::string(data::string_at(each, {"destination"})),
                              std::string(data::string_at(each, {"version"})),
                              static_cast<int>(data::int_at(each, {"port"})),
                              data::int_at(each, {"weight"}, 1)});
  }
  return split;
}

util::Result<Json> split_routes(const Json& routes, const Split& split) {
  KUBIST_TRY(const std::size_t at, find_rule(routes, split.rule));
  Json all = Json::array();
  for (std::size_t i = 0; i < routes.size(); ++i) {
    Json rule = routes[i];
    if (data::string_at(rule, {"name"}).empty()) {
      rule["name"] = cat("route-", i + 1);  // its place changes
    }
    if (i != at) {
      all.push_back(std::move(rule));
      continue;
    }
    Json weights = Json::array();
    for (const Split::Variant& variant : split.variants) {
      all.push_back(rule_of(rule, split, variant));
      weights.push_back(backend_of(variant));
      weights.back()["weight"] = variant.weight;
      weights.back()["setCookie"] =
          set_cookie(split.cookie, variant.name, std::chrono::seconds(split.max_age));
    }
    rule["weights"] = std::move(weights);
    all.push_back(std::move(rule));
  }
  return all;
}

}  // namespace kubist::traffic
