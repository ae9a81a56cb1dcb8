#include <doctest/doctest.h>

#include "execution/execution_parts.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

ItemRun item(const std::string& name, Progress::State state, const std::string& message = {}) {
  ItemRun run;
  run.name = name;
  run.outcome = ItemOutcome{.state = state, .reason = "WorkloadFailed", .message = message};
  run.outcome->item = Json::object();
  return run;
}

constexpr auto k_done = Progress::State::done;
constexpr auto k_failed = Progress::State::failed;

}  // namespace

TEST_CASE("execution summary: all failed items are named at once") {
  ItemRun unreachable = item("c", k_done);
  unreachable.outcome = util::fail(util::ErrorKind::unavailable, "no answer");
  const auto outcome = summarize({item("a", k_failed, "exit code 1"), item("b", k_done),
                                  unreachable, item("d", k_failed, std::string(300, 'x'))});
  CHECK(outcome.state == ExecutionOutcome::State::failed);
  CHECK(outcome.reason == "WorkloadFailed");
  CHECK(outcome.message == "3 items failed: item a: exit code 1; item c: no answer; item d: " +
                               std::string(200, 'x') + "...");
  CHECK(outcome.status["progress"] == "1/4");
}

TEST_CASE("execution summary: one that failed is told whole, many are counted") {
  const std::string long_text(300, 'x');
  CHECK(summarize({item("a", k_failed, long_text)}).message == "item a: " + long_text);
  std::vector<ItemRun> runs;
  for (int i = 0; i < 12; ++i) {
    runs.push_back(item("i" + std::to_string(i), k_failed, "no"));
  }
  const std::string message = summarize(runs).message;
  CHECK(message.starts_with("12 items failed: item i0: no; "));
  CHECK(message.ends_with("item i9: no; and 2 more"));
}

TEST_CASE("execution summary: a message is not cut within a character") {
  std::string text(199, 'x');
  text += "\xC3\xA4 and more";
  const std::string message =
      summarize({item("a", k_failed, text), item("b", k_failed, "no")}).message;
  CHECK(message.find(std::string(199, 'x') + "...; item b") != std::string::npos);
}

TEST_CASE("execution summary: drift that stays is the reason of what is ready") {
  CHECK(summarize({item("a", k_done)}).reason == "Succeeded");
  ItemRun drifted = item("a", k_done);
  drifted.outcome->drift = "ConfigMap x/y was changed";
  const auto outcome = summarize({drifted});
  CHECK(outcome.state == ExecutionOutcome::State::ready);
  CHECK(outcome.reason == "Drifted");
  CHECK(outcome.message == "1 of 1 items succeeded; drift of item a: ConfigMap x/y was changed");
}
