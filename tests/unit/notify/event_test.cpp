#include <doctest/doctest.h>

#include <kubist/notify/event.hpp>

using namespace kubist;
using data::Json;

namespace {

notify::Batch batch(notify::Level level, std::string ns) {
  notify::Message message;
  message.level = level;
  message.node = {"kubist.io", "CanaryRelease", std::move(ns), "web"};
  message.uid = "u1";
  message.reason = "RolledBack";
  message.text = "7 of 120 requests failed";
  return {
      "run-1-ci", std::chrono::system_clock::from_time_t(1614265330), {message, message}, "run-1"};
}

}  // namespace

TEST_CASE("events: one is about its object, in its namespace") {
  const Json event = notify::event_of(batch(notify::Level::warning, "shop"), 0);
  CHECK(event["metadata"]["namespace"] == "shop");
  CHECK(event["involvedObject"] == Json{{"apiVersion", "kubist.io/v1alpha1"},
                                        {"kind", "CanaryRelease"},
                                        {"namespace", "shop"},
                                        {"name", "web"},
                                        {"uid", "u1"}});
  CHECK(event["metadata"]["annotations"]["kubist.io/run"] == "run-1");
  CHECK(event["type"] == "Warning");
  CHECK(event["reason"] == "RolledBack");
  CHECK(event["message"] == "7 of 120 requests failed");
  CHECK(event["firstTimestamp"] == "2021-02-25T15:02:10Z");
}

TEST_CASE("events: one of a cluster-scoped object is in default") {
  const Json event = notify::event_of(batch(notify::Level::info, ""), 0);
  CHECK(event["metadata"]["namespace"] == "default");
  CHECK(event["involvedObject"]["namespace"] == "");
  CHECK(event["type"] == "Normal");
}

TEST_CASE("events: each message of a run has a name that stays") {
  const auto told = batch(notify::Level::info, "shop");
  const Json first = notify::event_of(told, 0);
  CHECK(first["metadata"]["name"] == notify::event_of(told, 0)["metadata"]["name"]);
  CHECK(first["metadata"]["name"] != notify::event_of(told, 1)["metadata"]["name"]);
}
