#include <doctest/doctest.h>

#include <kubist/release/progress.hpp>

using namespace kubist::release;
using kubist::data::Json;

TEST_CASE("release history: an entry for each change of state, attempt or weight, the newest 50") {
  const Time now{std::chrono::seconds(1'800'000'000)};
  Progress before;
  Progress after;
  CHECK(history_after(Json(), before, after, now).is_null());
  after.state = State::progressing;
  after.weight = 5;
  after.reason = "StepBegins";
  Json history = history_after(Json(), before, after, now);
  REQUIRE(history.size() == 1);
  CHECK(history[0]["state"] == "Progressing");
  CHECK(history[0]["weight"] == 5);
  CHECK(history[0]["reason"] == "StepBegins");
  CHECK(history[0]["at"] == "2027-01-15T08:00:00Z");
  CHECK(!history[0].contains("message"));

  before = after;
  after.reason = "Settling";  // another reason alone is no change
  CHECK(history_after(history, before, after, now) == history);
  for (int weight = 6; weight < 66; ++weight) {
    after.weight = weight;
    history = history_after(history, before, after, now);
    before = after;
  }
  REQUIRE(history.size() == 50);
  CHECK(history.front()["weight"] == 16);
  CHECK(history.back()["weight"] == 65);
  after.attempt = 2;
  CHECK(history_after(history, before, after, now).back()["attempt"] == 2);
}

TEST_CASE("release history: its messages are cut, so that 50 of them fit into a status") {
  Progress after;
  after.weight = 5;
  after.message = std::string(1023, 'a') + "\u00e4" + std::string(40'000, 'b');
  const Json history = history_after(Json(), Progress(), after, {});
  CHECK(history[0]["message"] == std::string(1023, 'a'));
}
