#include <doctest/doctest.h>

#include <kubist/engine/decision.hpp>

using namespace kubist::engine;
using kubist::data::Json;

TEST_CASE("decision: a later policy can only be more cautious, and a rollback is final") {
  const Action all[] = {Action::advance, Action::hold, Action::pause, Action::rollback};
  for (const Action former : all) {
    for (const Action later : all) {
      const Decision both = more_cautious({former, {}, "", "", "a"}, {later, {}, "", "", "b"});
      CHECK(both.action == std::max(former, later));
      CHECK(both.by == (later > former ? "b" : "a"));
    }
  }
}

TEST_CASE("decision: of two advances the smaller weight counts") {
  const Decision to_50{Action::advance, 50, "", "", "a"};
  const Decision to_20{Action::advance, 20, "", "", "b"};
  const Decision next{Action::advance, {}, "", "", "c"};
  CHECK(more_cautious(to_50, to_20).weight == 20);
  CHECK(more_cautious(to_20, to_50).weight == 20);
  CHECK(more_cautious(next, to_20).weight == 20);
  CHECK(more_cautious(to_20, next).weight == 20);
}

TEST_CASE("decision: read from a policy's status") {
  const auto read = [](const char* status) { return read_decision(Json::parse(status)); };
  CHECK_FALSE(read("{}")->has_value());
  CHECK((*read(R"({"decision": "Hold"})"))->action == Action::hold);
  const auto full = read(
      R"({"decision": {"action": "advance", "weight": 20, "reason": "Proven", "message": "m"}})");
  REQUIRE(full);
  CHECK((*full)->weight == 20);
  CHECK(to_json(**full)["reason"] == "Proven");
  CHECK_FALSE(read(R"({"decision": "jump"})"));
  CHECK_FALSE(read(R"({"decision": {"action": "advance", "weight": 101}})"));
  CHECK_FALSE(read(R"({"decision": {"action": "advance", "weight": "20"}})"));
}
