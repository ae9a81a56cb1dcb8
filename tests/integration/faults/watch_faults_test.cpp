// A watch through an API server that misbehaves: what changes meanwhile is seen.
#include <deque>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "rules.hpp"
#include "watcher.hpp"

namespace {

using namespace faults;
using namespace it;
using kubist::util::cat;

const Json k_watches{{"path", "watch=1"}};
/// Behind the first bytes of the stream.
const Json k_begun{{"path", "watch=1"}, {"after", "response"}, {"bytes", 100}};

}  // namespace

TEST_CASE("faults: a watch goes on, and drift is mended") {
  struct Fault {
    const char* name;
    Json rule;
  };
  const std::vector<Fault> rows{
      {"reset", rule("count", k_watches)},
      {"latency", rule("latency", with(k_watches, {{"milliseconds", 300}}))},
      {"slow stream", after(rule("bandwidth", with(k_watches, {{"rate", 20000}})))},
      {"401", status(5, 401, k_watches)},
      {"403", status(5, 403, k_watches)},
      {"410", status(5, 410, k_watches)},
      {"429", status(5, 429, with(k_watches, {{"retryAfter", "1"}}))},
      {"500", status(5, 500, k_watches)},
      {"503", status(5, 503, k_watches)},
      {"reset before", first(5, "reset", k_watches)},
      {"reset after", after(first(5, "reset", k_watches))},
      {"stream cut", first(5, "truncate", k_begun)},
      {"stream reset", first(5, "abort", k_begun)},
      {"GOAWAY", first(5, "goaway", k_watches)},
      {"clock ahead", rule("date", with(k_watches, {{"seconds", 7200}}))},
  };
  World world("watchfaults");
  Words names;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    names.push_back(world.name(cat("r", row)));
  }
  make_projects(names);
  std::deque<FaultProxy> proxies(rows.size());
  std::deque<Watcher> watchers;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    watchers.emplace_back(names[row], proxies[row].through({}));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    REQUIRE_MESSAGE(watchers[row].is_mended(), watchers[row].output());
    proxies[row].rules(Json::array({rows[row].rule}));
    proxies[row].cut();
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    INFO(rows[row].name);
    CHECK_MESSAGE(eventually([&] { return proxies[row].counts().front().seen > 0; }),
                  watchers[row].output());
    watchers[row].drift();
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    INFO(rows[row].name);
    CHECK_MESSAGE(watchers[row].is_mended(), watchers[row].output());
    watchers[row].end();
  }
}
