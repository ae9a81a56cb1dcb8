// Where a project's things are.
#include <algorithm>

#include "site.hpp"

using namespace site;

TEST_CASE("sites: where an item goes is asked for once") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");  // not reconciled yet
  Json item = object("DeployItem", "shop", "x",
                     {{"type", "kubist.io/mock"}, {"target", {{"name", "dev"}}}});
  item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  s.home->put(item);
  s.forget();
  const auto results =
      s.session->run_items({{"landscaper.gardener.cloud", "DeployItem", "shop", "x"}}, {},
                           [](const std::string&) {}, {});
  REQUIRE(results);
  CHECK((*results)[0].outcome);
  const auto log = s.home->log();
  CHECK(std::count_if(log.begin(), log.end(), [](const LoggedRequest& each) {
          return each.resource == "namespaces" && each.name == "shop-dev";
        }) == 1);
}
