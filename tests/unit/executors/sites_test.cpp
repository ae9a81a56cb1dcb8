// Where a project's things are.
#include <algorithm>

#include "site.hpp"

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
