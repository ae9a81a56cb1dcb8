// Where a project's things are.
#include <algorithm>
#include <set>

#include <kubist/deployers/item_state.hpp>

#include "release_site.hpp"

using namespace site;

namespace {

/// Runs DeployItem `x` of Project shop with that spec; the log has what that asks.
auto run_item(Site& s, Json spec) {
  Json item = object("DeployItem", "shop", "x", std::move(spec));
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  s.home->put(item);
  s.forget();
  auto results = s.session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", "x"}},
                                      {}, [](const std::string&) {}, {});
  REQUIRE(results);
  return std::move((*results)[0].outcome);
}

}  // namespace

TEST_CASE("sites: where an item goes is asked for once") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");  // not reconciled yet
  CHECK(run_item(s, {{"type", "kubist.io/mock"}, {"target", {{"name", "dev"}}}}));
  const auto log = s.home->log();
  CHECK(std::count_if(log.begin(), log.end(), [](const LoggedRequest& each) {
          return each.resource == "namespaces" && each.name == "shop-dev";
        }) == 1);
}

TEST_CASE("sites: a namespace that is not there yet is asked as the project") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev", {{"create", false}});
  const Json made{{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "made"}}}};
  run_item(s, {{"type", "kubist.io/manifest"},
               {"target", {{"name", "dev"}}},
               {"config", {{"manifests", Json::array({made})}}}});
  std::size_t asked = 0;
  for (const LoggedRequest& each : s.home->log()) {
    if (each.ns == "shop-dev" && each.resource != "namespaces" && each.resource != "rolebindings") {
      ++asked;
      CHECK_MESSAGE(each.as == "system:serviceaccount:shop:kubist-project", each.to_string());
    }
  }
  CHECK(asked > 0);
}

TEST_CASE("sites: a namespace that stood is asked for again once a tree lacks whose it is") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.settle();
  const auto asked = [&] {
    run_item(s, {{"type", "kubist.io/mock"}, {"target", {{"name", "dev"}}}});
    const auto log = s.home->log();
    return std::ranges::any_of(log, [](const LoggedRequest& each) {
      return each.resource == "namespaces" && each.name == "shop-dev";
    });
  };
  CHECK_FALSE(asked());
  s.session->keep_only(*s.run().graph);
  CHECK_FALSE(asked());
  s.session->keep_only({});
  CHECK(asked());
}

TEST_CASE("sites: in a namespace that goes kubist itself tidies only if it is the target's own") {
  for (const bool is_own : {true, false}) {
    CAPTURE(is_own);
    Shop s;
    s.settle();
    Json held = plain("ConfigMap", "shop-dev", "held");
    held["metadata"]["finalizers"] = {"example.com/hold"};
    s.home->put(held);
    if (!is_own) {
      s.home->patch("namespaces", "shop-dev", "", kube::PatchType::merge,
                    {{"metadata",
                      {{"annotations",
                        {{"kubist.io/owner", cat(s.home->uid(), "/VirtualCluster/bank/dev")}}}}}});
    }
    s.home->remove("namespaces", "shop-dev");
    s.home->remove("destinations.kubist.io", "web", "shop");
    s.forget();
    s.reconcile(only({key("Destination", "shop", "web")}));
    std::set<std::string> callers;
    for (const LoggedRequest& each : s.home->log()) {
      if (each.ns == "shop-dev" && each.resource == "services") {
        callers.insert(each.as);
      }
    }
    CHECK(callers ==
          std::set<std::string>{is_own ? "" : "system:serviceaccount:shop:kubist-project"});
    CHECK(s.get("destinations", "shop", "web").is_null());
  }
}

namespace {

/// Empties the state of a script item with that target, as `deployitem state rm` does.
util::Result<state::Head> empty_state(Site& s, const std::string& target) {
  Json item = object("DeployItem", "shop", "x",
                     {{"type", "kubist.io/script"},
                      {"target", {{"name", target}}},
                      {"config", {{"script", "true"}}}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  s.home->put(item);
  s.forget();
  const util::TempDir empty;
  deployers::World world = s.session->state_world(false, [](const std::string&) {}, {});
  return deployers::put_item_state(world, "shop", "x", empty.path());
}

}  // namespace

TEST_CASE("sites: the state of an item is where its project may be") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev", {{"namespace", "kube-system"}});
  const auto emptied = empty_state(s, "dev");
  REQUIRE(!emptied);
  CHECK(emptied.error().reason == "NamespaceNotAllowed");
  CHECK(s.home->writes().empty());
}

TEST_CASE("sites: the state of an item with a target is the project's account's") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.settle();
  const auto emptied = empty_state(s, "dev");
  REQUIRE_MESSAGE(emptied, (emptied ? "" : emptied.error().to_string()));
  const auto writes = s.home->writes();
  CHECK(!writes.empty());
  for (const LoggedRequest& each : writes) {
    CHECK_MESSAGE(each.resource == "secrets", each.to_string());
    CHECK_MESSAGE(each.ns == "shop-dev", each.to_string());
    CHECK_MESSAGE(each.as == "system:serviceaccount:shop:kubist-project", each.to_string());
  }
}
