// Which node keeps an object, and why its last run wrote.
#include <kubist/executors/why.hpp>

#include "controller.hpp"

using namespace site;

namespace {

std::vector<executors::Keeper> keepers(Site& s, const engine::Key& object) {
  const Json live = object.kind == "Namespace" ? s.home->get("namespaces", object.name) : Json();
  const auto found =
      executors::keepers_of(s.session->home(), object, live.is_null() ? nullptr : &live, {});
  REQUIRE_MESSAGE(found, (found ? "" : found.error().to_string()));
  return *found;
}

std::string text(const executors::Keeper& keeper, const char* field) {
  return std::string(data::string_at(keeper.status, {"lastRun", field}));
}

}  // namespace

TEST_CASE("why: an object is kept by a node, whose last run says what it was for and wrote") {
  Site s;
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  s.settle();
  s.virtual_cluster("shop", "dev", {{"labels", {{"tier", "new"}}}});
  const auto run = s.reconcile();

  const engine::Key ns{"", "Namespace", "", "shop-dev"};
  const auto found = keepers(s, ns);
  REQUIRE(found.size() == 1);
  CHECK(found[0].node == key("VirtualCluster", "shop", "dev"));
  CHECK(found[0].above ==
        std::vector<engine::Key>{key("Cluster", "shop", "home"), key("Project", "", "shop")});
  CHECK(text(found[0], "id") == run.run.id);
  CHECK(run.run.id.size() == 10);
  CHECK(text(found[0], "cause") == "asked for by me@test");
  REQUIRE(found[0].writes.size() == 1);
  CHECK(found[0].writes[0].starts_with("apply v1 Namespace/shop-dev"));
  CHECK_FALSE(found[0].written_at.empty());

  // A run without news changes nothing of that, and writes nothing.
  s.forget();
  s.reconcile();
  CHECK(s.writes() == 0);
  CHECK(text(keepers(s, ns)[0], "id") == run.run.id);
  // The node itself is an object, too; what nobody keeps is nobody's.
  CHECK(keepers(s, key("VirtualCluster", "shop", "dev")).size() == 1);
  CHECK(keepers(s, {"", "Namespace", "", "kube-system"}).empty());
}

TEST_CASE("why: an object on another cluster is found by its inventory") {
  Site s;
  s.make_project("shop");
  s.cluster("shop", "far", Site::kubeconfig(s.far->server()));
  s.home->put(testing::virtual_cluster("shop", "away", "far", "shop-away"));
  s.settle();
  REQUIRE_FALSE(s.namespace_at(s.far, "shop-away").is_null());
  const auto found = keepers(s, {"", "Namespace", "", "shop-away"});
  REQUIRE(found.size() == 1);
  CHECK(found[0].node == key("VirtualCluster", "shop", "away"));
}

TEST_CASE("why: under a watch the cause names the object that changed") {
  Site s;
  s.home->put(plain("Namespace", "", "kubist-system"));
  s.make_project("shop");
  s.virtual_cluster("shop", "dev");
  Controller one(s, "one@test");
  REQUIRE(comes_true([&] { return condition(s.vc("shop", "dev")) == "True"; }));
  const auto cause = [&] {
    return std::string(data::string_at(s.vc("shop", "dev"), {"status", "lastRun", "cause"}));
  };
  const auto tier = [&] {
    return std::string(
        data::string_at(s.home->get("namespaces", "shop-dev"), {"metadata", "labels", "tier"}));
  };
  s.virtual_cluster("shop", "dev", {{"labels", {{"tier", "new"}}}});
  CHECK(comes_true([&] { return cause() == "changed" && tier() == "new"; }));
  // By another's hand.
  s.home->patch("namespaces", "shop-dev", "", kube::PatchType::merge,
                {{"metadata", {{"labels", {{"tier", "old"}}}}}});
  CHECK_MESSAGE(comes_true([&] { return cause() == "drift (Namespace/shop-dev)"; }), cause());
  CHECK(tier() == "new");
  s.home->patch("virtualclusters.kubist.io", "dev", "shop", kube::PatchType::merge,
                {{"metadata", {{"annotations", {{"kubist.io/request", "reconcile@mine"}}}}}});
  CHECK_MESSAGE(comes_true([&] { return cause() == "requested (reconcile@mine)"; }), cause());
}
