// What an item made goes with it: by whatever version it is served, and never somebody else's.
#include "manifest/managed.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using namespace kubist::deployers;
using testing::FakeCluster;

namespace {

/// Item `m` with records of what it made, at home.
struct Made {
  void make(Json object, const std::string& uid_of_item = "1-2") {
    resources::set_label(object, k_managed_label, uid_of_item);
    const Json live = cluster.put(object);
    records.push_back({{"policy", "manage"},
                       {"resource",
                        {{"apiVersion", object["apiVersion"]},
                         {"kind", object["kind"]},
                         {"namespace", "default"},
                         {"name", object["metadata"]["name"]},
                         {"uid", live["metadata"]["uid"]}}}});
  }
  util::Result<Pending> step() {
    const Json object{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                      {"kind", "DeployItem"},
                      {"metadata", {{"name", "m"}, {"namespace", "default"}, {"uid", "1-2"}}},
                      {"spec", {{"type", "kubist.io/manifest"}}},
                      {"status", {{"providerStatus", {{"managedResources", records}}}}}};
    const Item item = parse_item(object).value();
    World world;
    world.home = cluster.connect();
    world.progress = [this](const std::string& text) { said += text; };
    Job job;
    job.place.client = world.home;
    job.place.ns = "default";
    auto managed = managed_of(item);
    auto pending = delete_step(world, item, job, managed);
    records = managed_json(managed);
    return pending;
  }
  bool has(const std::string& type, const std::string& name) {
    return !cluster.get(type, name, "default").is_null();
  }

  FakeCluster cluster;
  Json records = Json::array();
  std::string said;
};

}  // namespace

TEST_CASE("managed: what was made in a version that is served no more goes, too") {
  Made f;
  f.cluster.put(testing::widget_crd({"v1", "v1beta1"}));
  f.make(testing::widget("v1beta1"));
  f.cluster.put(testing::widget_crd({"v1"}));
  REQUIRE(f.has("widgets.v1.example.com", "w"));
  const auto pending = f.step();
  REQUIRE(pending);
  CHECK(pending->empty());
  CHECK_FALSE(f.has("widgets.v1.example.com", "w"));
  CHECK(f.records.empty());
}

TEST_CASE("managed: what nobody may look at goes along with its namespace") {
  Made f;
  f.cluster.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "default"}}}});
  f.cluster.put(testing::widget_crd({"v1"}));
  f.make(testing::widget("v1"));
  constexpr const char* k_look = "GET /apis/example.com/v1/namespaces/default/widgets/w*";
  f.cluster.fail(k_look, 403);
  const auto refused = f.step();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().http_status == 403);
  CHECK_FALSE(f.records.empty());

  Json second = testing::widget("v1");
  second["metadata"]["name"] = "w2";
  f.make(second);
  f.cluster.remove("namespaces", "default");
  f.cluster.fail(k_look, 403, 2);
  f.cluster.forget_log();
  const auto gone = f.step();
  REQUIRE(gone);
  CHECK(gone->empty());
  CHECK(f.records.empty());
  const auto log = f.cluster.log();
  CHECK(std::count_if(log.begin(), log.end(), [](const testing::LoggedRequest& each) {
          return each.resource == "namespaces";
        }) == 1);
}

TEST_CASE("managed: what a server that is down has stays recorded") {
  Made f;
  f.cluster.put(testing::widget_crd({"v1"}));
  f.make(testing::widget("v1"));
  f.cluster.silence("example.com");
  const auto pending = f.step();
  REQUIRE_FALSE(pending);
  CHECK(pending.error().kind == util::ErrorKind::unavailable);
  CHECK(f.records.size() == 1);
  f.cluster.silence("example.com", false);
  REQUIRE(f.step());
  CHECK_FALSE(f.has("widgets.v1.example.com", "w"));
}

TEST_CASE("managed: another item's object is left alone, and told") {
  Made f;
  f.make(testing::map_named("own"));
  f.make(testing::map_named("other"), "3-4");
  REQUIRE(f.step());
  CHECK_FALSE(f.has("configmaps", "own"));
  CHECK(f.has("configmaps", "other"));
  CHECK(f.said.starts_with("did not delete ConfigMap default/other: its label "));
  CHECK(f.records.empty());
}
