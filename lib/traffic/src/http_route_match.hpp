#pragma once
#include <functional>
#include <string>

#include <kubist/data/json.hpp>
#include <kubist/traffic/condition.hpp>

namespace kubist::traffic {

/// Called with why something cannot be expressed, and what to do instead.
using Refuse = std::function<void(const std::string& why, const std::string& hint)>;

/// One HTTPRouteMatch.
data::Json http_route_match(const Alternative& alternative, const Refuse& refuse);

/// Would a gateway ask the later condition before the first, for a request that both may match?
bool overtakes(const Condition& later, const Condition& first);

}  // namespace kubist::traffic
