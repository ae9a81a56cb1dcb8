// Watches that several wait on.
#include <atomic>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/kube/watch_hub.hpp>

#include "support/fake_cluster.hpp"
#include "support/widgets.hpp"

using namespace kubist;

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
