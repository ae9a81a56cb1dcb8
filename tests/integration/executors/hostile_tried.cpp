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

/// Who asked for one object (empty: kubist itself), and the answers' codes.
using Asked = std::set<std::pair<std::string, std::int64_t>>;
using Verbs = std::set<std::string, std::less<>>;

/// The labels by which a request selects objects, as LABEL=VALUE.
std::string selector_of(const Json& event) {
  const std::string uri = event.value("requestURI", "");
  const std::string_view word = "labelSelector=";
  const auto at = uri.find(word);
  return at == std::string::npos
             ? std::string()
             : kubist::util::replace_all(
                   uri.substr(at + word.size(), uri.find('&', at) - at - word.size()), "%3D", "=");
}

/// By RESOURCE.GROUP/NAMESPACE/NAME, or the labels in place of the name, for all requests of these
/// verbs that were not dry runs.
std::map<std::string, Asked> asked_for(Audit& audit, const std::string& user, const Verbs& verbs) {
  std::map<std::string, Asked> all;
  for (const Json& event : audit.requests(user)) {
    const auto part = [&](std::string_view name) {
      return std::string(data::string_at(event, {"objectRef", name}));
    };
    if (verbs.contains(data::string_at(event, {"verb"})) &&
        event.value("requestURI", "").find("dryRun=All") == std::string::npos) {
      const std::string name = part("name").empty() ? selector_of(event) : part("name");
      all[cat(part("resource"), '.', part("apiGroup"), '/', part("namespace"), '/', name)].emplace(
          data::string_at(event, {"impersonatedUser", "username"}),
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

/// Rows may name the same object: what one of them may ask for, another one did not.
using Limits = std::map<std::string, By>;

void add(const Words& things, By by, Limits& limits) {
  for (const std::string& thing : things) {
    By& of = limits.emplace(key_of(thing), by).first->second;
    of = by == By::kubist ? of : by;
  }
}

/// How many of these the project's account alone asked for and was refused. Fails the test for each
/// that was asked for otherwise than its limit says.
std::size_t check_asked(const Limits& limits, const std::map<std::string, Asked>& asked,
                        const Caller& caller, const Names& names) {
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
  return count;
}

}  // namespace

void check_tried(const std::vector<Attempt>& all, Audit& audit, const Caller& caller,
                 const Names& names) {
  Limits writes, reads;
  for (const Attempt& each : all) {
    add(each.never, each.by, writes);
    if (caller.impersonates) {
      add(each.reads, By::server, reads);
    }
  }
  const auto written = asked_for(audit, caller.user, {"create", "update", "patch", "delete"});
  CHECK(written.size() > 100);  // statuses, at least
  CHECK((check_asked(writes, written, caller, names) > 6) == caller.impersonates);
  const auto read = asked_for(audit, caller.user, {"get", "list", "watch"});
  CHECK((check_asked(reads, read, caller, names) > 1) == caller.impersonates);
}

}  // namespace it::hostile
