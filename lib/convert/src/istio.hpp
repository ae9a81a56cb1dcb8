#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source.hpp"

/// Istio's fields, which Flagger's Canary has, too.
namespace kubist::convert {

/// A list of HTTPMatchRequests as a condition of a TrafficRoute; "" for none. A match of which a
/// test has no counterpart is left out, with a warning: it must not take more than it did.
std::string condition_of(const std::vector<Fields>& matches);

/// The fields that an HTTPRoute and a Canary's service share: match, rewrite, timeout, retries and
/// headers, as an entry of spec.routes without weights. Nothing, with a warning: of its matches
/// none is left, so that it would take all requests.
std::optional<Json> rule_of(const Fields& route);

/// A gateway as a TrafficRoute names one of another owner; `ns` is the namespace of who names it.
std::string gateway_of(const std::string& gateway, std::string_view ns);

}  // namespace kubist::convert
