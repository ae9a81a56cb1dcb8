#include "http_route_match.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include <kubist/util/text.hpp>

#include "value_regex.hpp"

namespace kubist::traffic {
namespace {

using data::Json;
using util::cat;

constexpr const char* k_use_virtual_service = "Use mode: VirtualService.";

// What an HTTPRouteMatch gives when it names no path.
const Test& any_path() {
  static const Test test{.part = Part::uri, .op = Operator::prefix, .value = "/"};
  return test;
}

Json path_match(const Test& test) {
  switch (test.op) {
    case Operator::exact:
      return {{"type", "Exact"}, {"value", test.value}};
    case Operator::prefix:
      return {{"type", "PathPrefix"}, {"value", test.value}};
    default:
      return {{"type", "RegularExpression"}, {"value", test.value}};
  }
}

Json named_match(const Test& test, const std::string& name) {
  Json match{{"name", name}};
  if (test.op == Operator::exact && test.part != Part::cookie) {
    match["type"] = "Exact";
    match["value"] = test.value;
  } else {
    match["type"] = "RegularExpression";
    match["value"] = test.part == Part::cookie ? cookies_regex({&test}) : value_regex(test);
  }
  return match;
}

void add(Json& match, const Test& test, std::set<std::string>& asked, const Refuse& refuse) {
  const std::string name = test.part == Part::cookie ? "cookie" : test.name;
  if (!asked.insert(cat(static_cast<int>(test.part), '/', name)).second) {
    refuse(cat(to_string(test), " (column ", test.column,
               "): a match can ask only once for this part of a request"),
           "Write both as one regex.");
    return;
  }
  switch (test.part) {
    case Part::uri:
      match["path"] = path_match(test);
      return;
    case Part::method:
      if (test.op != Operator::exact) {
        refuse(cat(to_string(test), ": an HTTPRoute asks for one method"), "Write `method exact`.");
      }
      match["method"] = test.value;
      return;
    case Part::query:
      match["queryParams"].push_back(named_match(test, name));
      return;
    case Part::header:
    case Part::cookie:
      if (test.negated) {
        refuse(cat(to_string(test), ": an HTTPRoute has no `not`"), k_use_virtual_service);
      }
      match["headers"].push_back(named_match(test, name));
      return;
    default:
      refuse(cat("an HTTPRoute cannot ask for ", to_string(test)),
             test.part == Part::authority ? "Use the hosts of the route." : k_use_virtual_service);
  }
}

const Test& path_of(const Alternative& alternative) {
  const auto found = std::ranges::find(alternative, Part::uri, &Test::part);
  return found == alternative.end() ? any_path() : *found;
}

// HTTPRouteRule.matches in the API; a regex's place is the implementation's: Istio puts it behind
// all prefixes (sortHTTPRoutes in pilot/pkg/config/kube/gateway/conversion.go).
auto specificity(const Alternative& alternative) {
  const Test& path = path_of(alternative);
  const auto count = [&](auto... parts) {
    return std::ranges::count_if(alternative,
                                 [&](const Test& test) { return ((test.part == parts) || ...); });
  };
  const int kind = path.op == Operator::exact ? 3 : path.op == Operator::prefix ? 2 : 1;
  return std::tuple(kind, path.value.size(), count(Part::method), count(Part::header, Part::cookie),
                    count(Part::query));
}

bool exclude(const Test& a, const Test& b) {
  if (a.part != b.part || a.name != b.name || a.negated || b.negated || a.op == Operator::regex ||
      b.op == Operator::regex || a.op == Operator::present || b.op == Operator::present) {
    return false;
  }
  if (a.op == Operator::exact && b.op == Operator::exact) {
    return a.value != b.value;
  }
  if (a.op == Operator::exact) {
    return !a.value.starts_with(b.value);
  }
  return b.op == Operator::exact ? !b.value.starts_with(a.value)
                                 : !a.value.starts_with(b.value) && !b.value.starts_with(a.value);
}

bool disjoint(const Alternative& a, const Alternative& b) {
  return std::ranges::any_of(a, [&](const Test& left) {
    return std::ranges::any_of(b, [&](const Test& right) { return exclude(left, right); });
  });
}

std::vector<Alternative> alternatives_of(const Condition& condition) {
  return condition.alternatives.empty() ? std::vector<Alternative>{{}} : condition.alternatives;
}

}  // namespace

Json http_route_match(const Alternative& alternative, const Refuse& refuse) {
  Json match = Json::object();
  std::set<std::string> asked;
  for (const Test& test : alternative) {
    add(match, test, asked, refuse);
  }
  return match;
}

bool overtakes(const Condition& later, const Condition& first) {
  for (const Alternative& after : alternatives_of(later)) {
    for (const Alternative& before : alternatives_of(first)) {
      if (specificity(after) > specificity(before) && !disjoint(after, before)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace kubist::traffic
