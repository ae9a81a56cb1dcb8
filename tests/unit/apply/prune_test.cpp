// What an inventory may forget: what is gone, and what is somebody else's.
#include <doctest/doctest.h>

#include <kubist/apply/inventory.hpp>
#include <kubist/apply/set.hpp>

#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using apply::Outcome;
using data::Json;
using testing::FakeCluster;
using testing::map_named;
using testing::widget;

namespace {

const apply::InventoryName k_set{"default", "set"};

struct Set {
  apply::Report apply(const std::vector<Json>& objects) {
    std::vector<resources::Manifest> manifests(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      manifests[i].object = objects[i];
    }
    options.inventory = k_set;
    options.prune = true;
    return apply::apply_set(*client, manifests, options, stop.get_token());
  }
  /// The names that the inventory has.
  std::vector<std::string> known() {
    std::vector<std::string> names;
    const auto inventory = apply::read_inventory(*client, k_set).value();
    for (const auto& [ref, entry] : inventory.entries) {
      names.push_back(ref.name);
    }
    return names;
  }
  bool has_widget(const char* version = "v1") {
    return !cluster.get(std::string("widgets.") + version + ".example.com", "w", "default")
                .is_null();
  }
  /// As a later run, which asks what is served.
  void reconnect() { client = cluster.connect(); }

  FakeCluster cluster;
  std::shared_ptr<kube::Client> client = cluster.connect();
  apply::Options options;
  std::stop_source stop;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("prune: what a server that is down has is not gone") {
  Set set;
  set.cluster.put(testing::widget_crd({"v1"}));
  REQUIRE(set.apply({map_named("a"), widget("v1")}).ok());
  set.cluster.silence("example.com");
  set.reconnect();
  const apply::Report report = set.apply({map_named("a")});
  REQUIRE(report.count(Outcome::failed) == 1);
  const util::Error& error = *report.results.back().error;
  CHECK(error.kind == util::ErrorKind::unavailable);
  CHECK(error.message == "the server of API group example.com does not answer");
  CHECK(set.known() == Names{"a", "w"});

  set.cluster.silence("example.com", false);
  CHECK(set.apply({map_named("a")}).ok());
  CHECK_FALSE(set.has_widget());
  CHECK(set.known() == Names{"a"});
}

TEST_CASE("prune: what went with its kind is gone") {
  Set set;
  set.cluster.put(testing::widget_crd({"v1"}));
  REQUIRE(set.apply({map_named("a"), widget("v1")}).ok());
  set.cluster.remove("customresourcedefinitions", "widgets.example.com");
  CHECK(set.apply({map_named("a")}).ok());
  CHECK(set.known() == Names{"a"});
}

TEST_CASE("prune: what was applied in a version that is served no more goes, too") {
  Set set;
  set.cluster.put(testing::widget_crd({"v1", "v1beta1"}));
  REQUIRE(set.apply({map_named("a"), widget("v1beta1")}).ok());
  set.cluster.put(testing::widget_crd({"v1"}));
  SUBCASE("known from the start") { set.reconnect(); }
  SUBCASE("found out by a 404") {}
  REQUIRE(set.has_widget());
  CHECK(set.apply({map_named("a")}).ok());
  CHECK_FALSE(set.has_widget());
  CHECK(set.known() == Names{"a"});
}

TEST_CASE("prune: a run that is stopped while it looks forgets nothing") {
  Set set;
  REQUIRE(set.apply({map_named("a"), map_named("b"), map_named("c"), map_named("d")}).ok());
  set.cluster.before("GET */configmaps/b*", [&] { set.stop.request_stop(); });
  const apply::Report report = set.apply({map_named("a")});
  CHECK(report.stopped);
  CHECK(report.count(Outcome::pruned) == 0);
  CHECK(report.count(Outcome::skipped) == 3);
  CHECK(set.known() == Names{"a", "b", "c", "d"});

  set.stop = {};
  CHECK(set.apply({map_named("a")}).count(Outcome::pruned) == 3);
  CHECK(set.known() == Names{"a"});
}

TEST_CASE("prune: what was refused, or held until the timeout, is tried again") {
  Set set;
  Json held = map_named("held");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  REQUIRE(set.apply({map_named("a"), map_named("b"), held}).ok());
  set.cluster.fail("DELETE */configmaps/b*", 403);
  set.options.wait = true;
  set.options.timeout = std::chrono::milliseconds(1);
  const apply::Report report = set.apply({map_named("a")});
  CHECK(report.count(Outcome::failed) == 1);
  CHECK(report.not_ready.size() == 1);
  CHECK(set.known() == Names{"a", "b", "held"});

  set.cluster.patch("configmaps", "held", "default", kube::PatchType::merge,
                    {{"metadata", {{"finalizers", nullptr}}}});
  CHECK(set.apply({map_named("a")}).ok());
  CHECK(set.known() == Names{"a"});
}
