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

TEST_CASE("decision: two that name different winners hold, and the last shares count") {
  const Decision green{Action::advance, {}, "", "", "a", "green"};
  const Decision none{Action::advance, {}, "", "", "b"};
  const Decision both = more_cautious(green, none);
  CHECK(both.action == Action::hold);
  CHECK(both.reason == "WinnersDiffer");
  CHECK(both.message == "a names green, b no winner");
  CHECK(more_cautious(green, {Action::advance, {}, "", "", "c", "green"}).winner == "green");
  const Decision shared{Action::hold, {}, "", "", "a", "", {{"green", 70}}};
  const Decision later{Action::hold, {}, "", "", "b", "", {{"green", 60}}};
  CHECK(more_cautious(shared, {Action::hold}).shares == shared.shares);
  CHECK(more_cautious(shared, later).shares == later.shares);
  CHECK(more_cautious(shared, later).by == "a");
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
  const auto shares =
      read(R"({"decision": {"action": "advance", "winner": "green", "shares": {"green": 70}}})");
  REQUIRE(shares);
  CHECK((*shares)->winner == "green");
  CHECK((*shares)->shares == std::map<std::string, int>{{"green", 70}});
  CHECK(to_json(**shares)["shares"] == Json{{"green", 70}});
  CHECK_FALSE(read(R"({"decision": {"action": "hold", "shares": {"green": 70.5}}})"));
  CHECK_FALSE(read(R"({"decision": "jump"})"));
  CHECK_FALSE(read(R"({"decision": {"action": "advance", "weight": 101}})"));
  CHECK_FALSE(read(R"({"decision": {"action": "advance", "weight": "20"}})"));
}
