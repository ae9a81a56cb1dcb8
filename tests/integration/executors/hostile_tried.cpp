#include "hostile_tried.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace it::hostile {

namespace data = kubist::data;
using kubist::util::cat;

namespace {

/// Who asked for a write of one object (empty: kubist itself), and the answers' codes.
using Asked = std::set<std::pair<std::string, std::int64_t>>;

/// By RESOURCE.GROUP/NAMESPACE/NAME, for all requests to write that were not dry runs.
std::map<std::string, Asked> asked_for(Audit& audit, const std::string& user) {
  static const std::set<std::string, std::less<>> verbs{"create", "update", "patch", "delete"};
  std::map<std::string, Asked> all;
  for (const Json& event : audit.requests(user)) {
    const auto part = [&](std::string_view name) {
      return std::string(data::string_at(event, {"objectRef", name}));
    };
    if (verbs.contains(data::string_at(event, {"verb"})) &&
        event.value("requestURI", "").find("dryRun=All") == std::string::npos) {
      all[cat(part("resource"), '.', part("apiGroup"), '/', part("namespace"), '/', part("name"))]
          .emplace(data::string_at(event, {"impersonatedUser", "username"}),
                   data::int_at(event, {"responseStatus", "code"}));
    }
  }
  return all;
}

/// The key in asked_for() of TYPE/NAMESPACE/NAME.
std::string key_of(const std::string& thing) {
  const auto parts = kubist::util::split(thing, '/');
  const kubist::kube::ApiResource of = resource("home", parts[0]);
  return cat(of.plural, '.', of.group, '/', of.plural == "namespaces" ? parts[2] : parts[1], '/',
             parts[2]);
}

std::string to_string(const Asked& asked) {
  std::string text;
  for (const auto& [as, code] : asked) {
    text += cat(' ', as.empty() ? "kubist" : as, ": ", code, ';');
  }
  return text;
}

}  // namespace

void check_tried(const std::vector<Attempt>& all, Audit& audit, const Caller& caller,
                 const Names& names) {
  const auto asked = asked_for(audit, caller.user);
  CHECK(asked.size() > 100);  // statuses, at least
  // Rows may name the same object: what one of them may ask for, another one did not.
  std::map<std::string, By> limits;
  for (const Attempt& each : all) {
    for (const std::string& thing : each.never) {
      By& by = limits.emplace(key_of(thing), each.by).first->second;
      by = each.by == By::kubist ? by : each.by;
    }
  }
  const Asked refused{{names.account(), 403}};
  std::size_t count = 0;
  for (const auto& [key, by] : limits) {
    const auto found = asked.find(key);
    const Asked of = found == asked.end() ? Asked() : found->second;
    // Who may look at no foreign namespace is refused before an object in it is asked for.
    const bool fine = by == By::server   ? of == refused
                      : by == By::either ? of.empty() || (caller.impersonates && of == refused)
                                         : of.empty();
    CHECK_MESSAGE(fine, key, " was asked for by", to_string(of));
    count += of == refused ? 1 : 0;
  }
  CHECK((count > 6) == caller.impersonates);
}

}  // namespace it::hostile
