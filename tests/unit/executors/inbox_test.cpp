// What waits for the loop, and how much of it.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "session/watches.hpp"

using namespace kubist;
using engine::Cause;

namespace {

const engine::Key k_route{"kubist.io", "TrafficRoute", "shop", "route"};
const engine::Key k_canary{"kubist.io", "CanaryRelease", "shop", "canary"};

/// "NAME CAUSE", in the order in which they wait.
std::vector<std::string> take(executors::Inbox& inbox) {
  std::vector<std::string> all;
  for (const auto& [key, trigger] : inbox.take(std::chrono::steady_clock::now(), {})) {
    all.push_back(util::cat(key.name, ' ', engine::to_string(trigger)));
  }
  return all;
}

}  // namespace

TEST_CASE("inbox: drift of a node waits once, by what came first, until it is taken") {
  executors::Inbox inbox;
  for (int i = 0; i < 1000; ++i) {
    inbox.push(k_route, {Cause::drift, util::cat("Pod/web/", i)});
    inbox.push(k_canary, {Cause::drift, util::cat("Pod/web/", i)});
  }
  CHECK(take(inbox) == std::vector<std::string>{"route drift (Pod/web/0)",  //
                                                "canary drift (Pod/web/0)"});
  inbox.push(k_route, {Cause::drift, "Pod/web/0"});
  CHECK(take(inbox) == std::vector<std::string>{"route drift (Pod/web/0)"});
}

TEST_CASE("inbox: nothing but drift is joined, and the order stays") {
  executors::Inbox inbox;
  for (const Cause cause : {Cause::changed, Cause::drift, Cause::deleted, Cause::drift,
                            Cause::created, Cause::created}) {
    inbox.push(k_route, cause);
  }
  CHECK(take(inbox) == std::vector<std::string>{"route changed", "route drift", "route deleted",
                                                "route created", "route created"});
}
