#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/result.hpp>

namespace kubist::traffic {

/// As many as an Experiment may have (spec.variants).
inline constexpr std::size_t k_most_variants = 10;

/// How one rule's requests are shared among variants so that a client keeps the one that it got:
/// its first answer sets a cookie, and the cookie leads back.
struct Split {
  struct Variant {
    std::string name;  ///< the cookie's value
    std::string destination, version;
    int port = 0;  ///< 0: the only one
    std::int64_t weight = 1;
  };
  std::string rule;  ///< the rule's name; empty: the route has only one
  std::string cookie;
  std::int64_t max_age = 0;  ///< of the cookie, in seconds
  std::vector<Variant> variants;
};

data::Json to_json(const Split& split);
/// What to_json() made. Nothing where it has more than k_most_variants: each takes a copy of the
/// rule, and members may write what a status says.
std::optional<Split> read_split(const data::Json& json);

/// spec.routes of a TrafficRoute with the split: before its rule stands one for each variant,
/// "RULE-VARIANT", which takes the clients with that cookie; the rule itself shares the others by
/// the variants' weights, each backend with a `setCookie`. All else of the rule, and all other
/// rules, stay. Invalid: there is no such rule (NoSuchRule), or no name where there are several.
util::Result<data::Json> split_routes(const data::Json& routes, const Split& split);

}  // namespace kubist::traffic
