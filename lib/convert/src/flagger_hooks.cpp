#include <algorithm>
#include <map>

#include <kubist/util/text.hpp>

#include "flagger.hpp"

namespace kubist::convert {

using util::cat;

namespace {

constexpr std::string_view k_gate = "confirm-traffic-increase";

/// Types without a place in a release.
const std::map<std::string, std::string, std::less<>>& elsewhere() {
  static const std::map<std::string, std::string, std::less<>> types{
      {"post-rollout", "it is no step: a receiver in spec.notifications of the Project is told"},
      {"event", "it is no step: a receiver in spec.notifications of the Project is told"},
      {"rollback", "no gate rolls back: call `kubist canary abort NAME` where it approved"}};
  return types;
}

std::string timeout_of(const Fields& hook) {
  const std::string time = hook.duration("timeout");
  constexpr std::int64_t k_longest = 60;
  if (seconds_of(time) > k_longest) {
    hook.lost("timeout", "a webhook has 1m at most");
    return "1m";
  }
  return time;
}

Json step_of(const Fields& hook, bool gate, std::int64_t failures) {
  constexpr std::int64_t k_most = 100;
  Json step{{"name", hook.text("name")}, {"url", hook.text("url")}};
  if (const std::string time = timeout_of(hook); !time.empty()) {
    step["timeout"] = time;
  }
  if (hook.has("metadata")) {
    step["metadata"] = hook.any("metadata");
  }
  const std::int64_t retries = std::max(hook.number("retries").value_or(0), failures);
  if (gate) {
    step["type"] = k_gate;
  } else if (retries > 0) {
    step["retries"] = std::min(retries, k_most);
  }
  return {{"webhook", std::move(step)}};
}

}  // namespace

std::vector<Hook> read_hooks(const Fields& analysis, std::int64_t failures) {
  std::vector<Hook> hooks;
  for (const Fields& given : analysis.list("webhooks")) {
    const std::string type = given.text("type", "rollout");
    if (const auto found = elsewhere().find(type); found != elsewhere().end()) {
      given.lost(cat(type, ": ", found->second));
      continue;
    }
    if (type == "confirm-rollout") {
      given.lost(cat(type, ": the policy Approval asks a person instead of its address"));
      hooks.push_back({type, {}, given});
      continue;
    }
    const bool gate = type == k_gate || type == "confirm-promotion";
    hooks.push_back({type, step_of(given, gate, failures), given});
  }
  return hooks;
}

}  // namespace kubist::convert
