// Watches that several wait on.
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/watch_hub.hpp>

#include "client_support.hpp"
#include "support/comes_true.hpp"
#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;
using data::Json;

TEST_CASE("watch hub: a handler that throws ends its watch as an error, the next one has another") {
  testing::FakeCluster cluster;
  const auto client = cluster.connect();
  cluster.put(testing::map_named("a"));
  const kube::Interest interest{kube::well_known::config_maps(), "default", "a"};
  const auto here = std::this_thread::get_id();
  std::atomic<int> failed = 0;
  std::string why;
  {
    const auto broken = kube::subscribe(client, interest,
                                        {[&](std::string_view) {
                                           if (std::this_thread::get_id() != here) {
                                             throw std::runtime_error("a bug");
                                           }
                                         },
                                         [&](const util::Error& error) {
                                           why = error.message;
                                           failed = 1;
                                           failed.notify_all();
                                         }});
    cluster.put(testing::map_named("a"));
    cluster.patch("configmaps", "a", "default", kube::PatchType::merge, {{"data", {{"x", "y"}}}});
    failed.wait(0);
  }
  CHECK(why == "unexpected: a bug");
  std::atomic<int> changed = 0;
  const auto next = kube::subscribe(client, interest,
                                    {[&](std::string_view) {
                                       ++changed;
                                       changed.notify_all();
                                     },
                                     [](const util::Error&) {}});
  changed.wait(0);
  CHECK(changed > 0);
}

TEST_CASE("watch hub: a name that no API server lets in is passed over") {
  testing::FakeCluster cluster;
  cluster.plant(testing::map_named("b"));
  std::mutex mutex;
  std::vector<std::string> told;
  const auto all =
      kube::subscribe(cluster.connect(), {kube::well_known::config_maps(), "default", ""},
                      {[&](std::string_view version) {
                         const std::lock_guard lock(mutex);
                         told.emplace_back(version);
                       },
                       [](const util::Error&) {}});
  const auto has_told = [&](std::size_t count) {
    return testing::comes_true([&] {
      const std::lock_guard lock(mutex);
      return told.size() >= count;
    });
  };
  REQUIRE(has_told(1));
  cluster.plant(testing::map_named(std::string(254, 'a')));
  cluster.patch("configmaps", "b", "default", kube::PatchType::merge, {{"data", {{"x", "y"}}}});
  REQUIRE(has_told(2));
  const Json plain = cluster.get("configmaps", "b", "default");
  CHECK(told == std::vector<std::string>{
                    "", std::string(data::string_at(plain, {"metadata", "resourceVersion"}))});
}

TEST_CASE_FIXTURE(client_test::ClientFixture,
                  "watch hub: a watch of objects without end is an error") {
  std::string items;
  for (int i = 0; i < 100'002; ++i) {
    items += util::cat(i > 0 ? "," : "", R"({"metadata":{"name":")", i, R"("}})");
  }
  fake->always("GET", "/api/v1/namespaces/x/configmaps*", 200,
               util::cat(R"({"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[)",
                         items, "]}"));
  std::mutex mutex;
  std::string why;
  const auto all = kube::subscribe(client, {kube::well_known::config_maps(), "x", ""},
                                   {[](std::string_view) {},
                                    [&](const util::Error& error) {
                                      const std::lock_guard lock(mutex);
                                      why = error.message;
                                    }});
  CHECK(testing::comes_true([&] {
    const std::lock_guard lock(mutex);
    return why == "a watch of configmaps has more than 100000 objects";
  }));
}
