// Objects that an older schema, or somebody else, let in: each is its own problem.
#include <kubist/executors/watch_loop.hpp>

#include "site.hpp"

using namespace site;

TEST_CASE("bad input: an Execution whose items are no list says so, and nothing ends with it") {
  for (const Json& items : {Json("x"), Json(7), Json{{"a", 1}}}) {
    CAPTURE(items.dump());
    Site s;
    s.make_project("shop");
    Json seed = object("Execution", "shop", "seed", {{"items", items}});
    seed["metadata"]["finalizers"] = {"kubist.io/finalizer"};  // nothing is written before it runs
    s.home->plant(seed);
    const auto report = s.reconcile();
    const auto& node = node_of(report, "Execution", "seed");
    CHECK(node.reason == "InvalidItem");
    CHECK(node.message.find("items: expected a list") != std::string::npos);
    CHECK(node_of(report, "Cluster", "home").ready);
  }
}

TEST_CASE("bad input: an inventory that is no list ends no --watch") {
  for (const Json& inventory : {Json("x"), Json(7), Json{{"a", 1}}}) {
    CAPTURE(inventory.dump());
    Site s;
    s.make_project("shop");
    Json seed = object("Destination", "shop", "seed", {{"virtualClusterRef", {{"name", "x"}}}});
    seed["status"]["inventory"] = inventory;
    s.home->plant(seed);
    std::stop_source stop;
    executors::WatchHooks hooks;
    hooks.away = [](const std::string&) {};
    hooks.finished = [&](const executors::Run&) { stop.request_stop(); };
    engine::Observer observer;
    CHECK(executors::watch_and_reconcile(*s.session, {}, observer, hooks, stop.get_token()));
    CHECK(stop.stop_requested());
  }
}
