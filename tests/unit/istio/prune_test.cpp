// What a revision's record has and its manifests no longer have, on a cluster in memory.
#include "install/prune.hpp"

#include <doctest/doctest.h>

#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using namespace kubist::istio;
using data::Json;
using resources::ObjectRef;

namespace {

/// The record of revision default has a Widget, made in v1beta1, and a ConfigMap.
struct Fixture {
  Fixture() {
    cluster.put(testing::widget_crd({"v1", "v1beta1"}));
    const apply::InventoryName name = inventory_name("default", "default");
    apply::InventoryEntries entries;
    for (Json object : {testing::widget("v1beta1"), testing::map_named("m")}) {
      resources::set_label(object, apply::k_applyset_part_of, apply::applyset_id(name));
      const Json live = cluster.put(object);
      const resources::ObjectView view(live);
      entries[resources::ObjectView(object).ref()] = {object["apiVersion"],
                                                      std::string(view.uid())};
    }
    cluster.put(apply::inventory_objects(name, entries).head);
  }
  util::Result<Stale> find(const std::set<ObjectRef>& wanted = {}) {
    return find_stale(*cluster.connect(), "default", "default", wanted, {});
  }
  testing::FakeCluster cluster;
};

}  // namespace

TEST_CASE("prune: what was made in a version that is served no more is stale like the rest") {
  Fixture f;
  f.cluster.put(testing::widget_crd({"v1"}));
  const auto stale = f.find();
  REQUIRE(stale);
  CHECK(stale->going.size() == 2);
  CHECK(stale->kept.empty());
  CHECK(stale->remaining.empty());
}

TEST_CASE("prune: with a server down nothing of a record is settled") {
  Fixture f;
  f.cluster.silence("example.com");
  const auto stale = f.find();
  REQUIRE_FALSE(stale);
  CHECK(stale.error().kind == util::ErrorKind::unavailable);
}

TEST_CASE("prune: what is wanted, and what others marked, stays") {
  Fixture f;
  f.cluster.patch("configmaps", "m", "default", kube::PatchType::merge,
                  {{"metadata", {{"labels", {{apply::k_applyset_part_of, "another"}}}}}});
  const ObjectRef widget{"example.com", "Widget", "default", "w"};
  const auto stale = f.find({widget});
  REQUIRE(stale);
  CHECK(stale->going.empty());
  REQUIRE(stale->kept.size() == 1);
  CHECK(stale->kept[0].ref.name == "m");
  CHECK(stale->remaining.size() == 1);
  CHECK(stale->remaining.contains(widget));
}

TEST_CASE("prune: what members of a project call a record of Istio's is none") {
  Fixture f;
  Json theirs{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "shop-dev"}}}};
  theirs["metadata"]["annotations"] = {{"kubist.io/owner", "home/VirtualCluster/shop/dev"}};
  f.cluster.put(theirs);
  Json unreadable = testing::map_named("kubist-istio-x");
  unreadable["metadata"]["namespace"] = "shop-dev";
  resources::set_label(unreadable, apply::k_applyset_id_label, "y");
  f.cluster.put(unreadable);
  unreadable["metadata"]["name"] = "kubist-istio-y";
  unreadable["metadata"]["deep"] = Json::parse(std::string(600, '[') + std::string(600, ']'));
  f.cluster.put(unreadable);
  // One that says it has what the true one has would keep all of it.
  const apply::InventoryName name = inventory_name("shop-dev", "evil");
  const Json widget = f.cluster.get("widgets.example.com", "w", "default");
  apply::InventoryEntries entries;
  entries[resources::ObjectView(widget).ref()] = {"example.com/v1beta1",
                                                  std::string(resources::ObjectView(widget).uid())};
  f.cluster.put(apply::inventory_objects(name, entries).head);
  const auto stale = f.find();
  REQUIRE_MESSAGE(stale, stale.error().to_string());
  CHECK(stale->going.size() == 2);
  CHECK(stale->kept.empty());
}
