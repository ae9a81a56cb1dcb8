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

TEST_CASE("bad input: values of an import Secret that are no texts are empty") {
  const std::map<std::string, std::string> phases{{"", "Succeeded"}, {"n", "Failed"}};
  for (const auto& each : phases) {
    const std::string& key = each.first;
    CAPTURE(key);
    Site s;
    s.make_project("shop");
    Json import = plain("Secret", "shop", "import");
    import["data"] = {{ "n", 7 }};
    s.home->plant(import);
    Json item = object("DeployItem", "shop", "x",
                       {{"type", "kubist.io/mock"},
                        {"import", {{"secretRef", {{"name", "import"}, {"key", key}}}}}});
    item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    s.home->put(item);
    const auto results =
        s.session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", "x"}}, {},
                             [](const std::string&) {}, {});
    REQUIRE_MESSAGE(results, (results ? "" : results.error().to_string()));
    CHECK((*results)[0].outcome);
    const Json live = s.home->get("deployitems.landscaper.gardener.cloud", "x", "shop");
    CHECK_MESSAGE(data::string_at(live, {"status", "phase"}) == each.second, live.dump());
  }
}
