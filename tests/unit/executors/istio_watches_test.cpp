// Which changes of Istio ask for the Clusters that lead there.
#include "session/istio_watches.hpp"

#include <atomic>

#include <doctest/doctest.h>

#include "support/fake_cluster.hpp"

using namespace kubist;
using data::Json;

namespace {

struct WatchedIstio {
  void keep(const std::string& name) {
    watches.keep({"kubist.io", "Cluster", "shop", name}, {client, [this] { ++forgotten; }});
  }
  void put(const std::string& name, const std::string& app, int replicas) {
    cluster.put(
        {{"apiVersion", "apps/v1"},
         {"kind", "Deployment"},
         {"metadata", {{"name", name}, {"namespace", "default"}, {"labels", {{"app", app}}}}},
         {"spec", {{"replicas", replicas}}}});
  }
  /// The names of the Clusters that are asked for next, in order.
  std::vector<std::string> next(std::size_t count) {
    std::vector<std::string> names;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (names.size() < count && std::chrono::steady_clock::now() < until) {
      for (const auto& [key, cause] : inbox.take(until, {})) {
        names.push_back(key.name);
      }
    }
    return names;
  }

  testing::FakeCluster cluster;
  std::shared_ptr<kube::Client> client = cluster.connect();
  std::atomic<int> forgotten = 0;
  executors::Inbox inbox;
  executors::Absences absences;
  executors::IstioWatches watches{inbox, absences};
};

}  // namespace

TEST_CASE("istio watches: istiod that changes or goes asks for all Clusters that lead there") {
  WatchedIstio s;
  s.keep("near");
  s.keep("also");
  s.put("istiod", "istiod", 1);
  CHECK(s.next(2) == std::vector<std::string>{"also", "near"});
  s.put("istiod", "istiod", 0);
  CHECK(s.next(2).size() == 2);
  s.put("web", "web", 1);  // nobody's
  s.cluster.remove("deployments.apps", "istiod", "default");
  CHECK(s.next(2).size() == 2);
  CHECK(s.forgotten == 3);
}

TEST_CASE("istio watches: a webhook of Istio's asks, and Clusters that are gone do not") {
  WatchedIstio s;
  s.keep("near");
  s.cluster.put({{"apiVersion", "admissionregistration.k8s.io/v1"},
                 {"kind", "MutatingWebhookConfiguration"},
                 {"metadata", {{"name", "injector"}, {"labels", {{"istio.io/rev", "default"}}}}}});
  CHECK(s.next(1) == std::vector<std::string>{"near"});
  s.watches.follow(engine::Graph());
  CHECK(s.cluster.watches() == 0);
}
