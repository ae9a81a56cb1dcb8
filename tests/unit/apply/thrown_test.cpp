// What is thrown on the threads that read and wait.
#include <new>

#include <doctest/doctest.h>

#include <kubist/apply/set.hpp>
#include <kubist/apply/wait.hpp>
#include <kubist/apply/wait_for.hpp>

#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using data::Json;
using testing::map_named;

TEST_CASE("thrown: a condition that throws fails what it judges, the others are waited for") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  cluster.put(map_named("good"));
  Json secret = testing::object_of("v1", "Secret", "bad");
  cluster.put(secret);
  const std::vector<apply::Awaited> both{{kube::well_known::config_maps(), "default", "good", ""},
                                         {kube::well_known::secrets(), "default", "bad", ""}};
  const auto left = apply::wait_until(*client, both,
                                      [](const Json* live) -> apply::Judgement {
                                        if (live != nullptr && (*live)["kind"] == "Secret") {
                                          throw std::bad_alloc();
                                        }
                                        return {live != nullptr, false, "Current", ""};
                                      },
                                      {});
  REQUIRE(left.size() == 1);
  CHECK(left[0].ref.name == "bad");
  CHECK(left[0].failed);
  CHECK(left[0].message == "unexpected: std::bad_alloc");
}

TEST_CASE("thrown: what a list of live objects throws comes to who applies them") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  std::vector<resources::Manifest> manifests(20);
  for (std::size_t i = 0; i < manifests.size(); ++i) {
    manifests[i].object = map_named("map-" + std::to_string(i));
  }
  cluster.before("GET */configmaps?*", [] { throw std::bad_alloc(); });
  CHECK_THROWS_AS(apply::apply_set(*client, manifests, {}, {}), std::bad_alloc);
  CHECK(apply::apply_set(*client, manifests, {}, {}).ok());
}

TEST_CASE("thrown: what a watch throws ends the waiting with an error") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  cluster.put(map_named("a"));
  apply::WaitForOptions options;
  options.conditions = {{apply::WaitCondition::Kind::created, "create", "", "", false, {}}};
  options.on_met = [](const kube::ApiResource&, const std::string&) { throw std::bad_alloc(); };
  const auto waited =
      apply::wait_for(*client, {{kube::well_known::config_maps(), "default", {"a"}}}, options, {});
  REQUIRE_FALSE(waited);
  CHECK(waited.error().message == "unexpected: std::bad_alloc");
}
