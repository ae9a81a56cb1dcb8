// What others see of a run while it goes on.
#include <doctest/doctest.h>

#include "fakes.hpp"
#include "support/comes_true.hpp"

using namespace kubist::engine;
using namespace kubist::engine::testing;
using namespace std::chrono_literals;

TEST_CASE("runner: while a node waits its status says for what, and its end has the last word") {
  World world;
  world.add_tree();
  Json& object = world.home.at("Cluster", "p1", "p1c1");
  object["status"] = {{"failures", 3}};
  std::string seen;
  const auto message = [&] {
    const std::lock_guard lock(world.home.mutex);
    const Json* ready = find_condition(world.home.at("Cluster", "p1", "p1c1")["status"], "Ready");
    return ready == nullptr ? std::string() : ready->value("message", "");
  };
  world.executor->on_align = [&](const Node& node, const Context& context) {
    if (node.key.name != "p1c1") {
      return;
    }
    for (const char* text : {"the pod is Pending", "its image cannot be pulled"}) {
      context.progress(text);
      CHECK(kubist::testing::comes_true([&] { return message() == text; }));
    }
    CHECK(world.condition("Cluster", "p1", "p1c1", "Ready") == "False Progressing");
    CHECK(world.home.at("Cluster", "p1", "p1c1")["status"]["failures"] == 3);
    context.progress("too late to be told");
  };
  RunOptions options;
  options.tell_after = 1ms;
  SUBCASE("it becomes Ready") {
    CHECK(world.run(options).summary.ready == 15);
    CHECK(world.condition("Cluster", "p1", "p1c1", "Ready").starts_with("True"));
  }
  SUBCASE("it fails once more") {
    world.executor->faults.emplace(
        "p1c1", kubist::util::make_error(kubist::util::ErrorKind::timeout, "too slow"));
    world.run(options);
    CHECK(message() == "too slow");
    CHECK(world.home.at("Cluster", "p1", "p1c1")["status"]["failures"] == 4);
  }
}

TEST_CASE("runner: a step that a stop cuts short takes back what it told") {
  World world;
  world.add_tree();
  world.run();
  const Json before = world.home.at("Cluster", "p1", "p1c1")["status"];
  std::stop_source source;
  world.executor->on_align = [&](const Node& node, const Context& context) {
    if (node.key.name == "p1c1") {
      context.progress("a pod is Pending");
      CHECK(kubist::testing::comes_true([&] {
        return world.condition("Cluster", "p1", "p1c1", "Ready") == "False Progressing";
      }));
      source.request_stop();
    }
  };
  world.executor->faults.emplace("p1c1",
                                 kubist::util::make_error(kubist::util::ErrorKind::cancelled, "x"));
  RunOptions options;
  options.tell_after = 1ms;
  CHECK(world.run(options, source.get_token()).stopped);
  CHECK(world.home.at("Cluster", "p1", "p1c1")["status"] == before);
}

TEST_CASE("runner: what goes by within a moment is not written") {
  World world;
  world.add_tree();
  world.executor->on_align = [](const Node&, const Context& context) { context.progress("a pod"); };
  world.run();
  const int first = world.home.writes;
  World quiet;
  quiet.add_tree();
  quiet.run();
  CHECK(first == quiet.home.writes);
}
