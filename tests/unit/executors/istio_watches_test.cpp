// Which changes of Istio ask for the Clusters that lead there.
#include "session/istio_watches.hpp"

#include <atomic>

#include <doctest/doctest.h>

#include "support/comes_true.hpp"
#include "support/fake_cluster.hpp"

using namespace kubist;
using data::Json;

namespace {

using Names = std::vector<std::string>;

const engine::Key k_near{"kubist.io", "Cluster", "shop", "near"};
const engine::Key k_also{"kubist.io", "Cluster", "shop", "also"};

/// A cluster with Istio in `istio-system`.
struct WatchedIstio {
  WatchedIstio() {
    make_namespace("istio-system");
    put("istiod", 1);
    make_webhook("MutatingWebhookConfiguration", "injector");
    make_webhook("ValidatingWebhookConfiguration", "validator");
  }
  /// A run has just judged it. What was written lately the first listings tell.
  void keep() {
    watches.keep(k_near, judged());
    CHECK(testing::comes_true([&] { return forgotten == 3; }));
    watches.keep(k_near, judged());  // after what the last one asks for
    CHECK(next(1) == Names{"near"});
    forgotten = 0;
  }
  executors::JudgedIstio judged() {
    return {client, [this] { ++forgotten; }, {"istio-system"}};
  }
  void put(const std::string& app, int replicas, const std::string& ns = "istio-system") {
    cluster.put({{"apiVersion", "apps/v1"},
                 {"kind", "Deployment"},
                 {"metadata", {{"name", app}, {"namespace", ns}, {"labels", {{"app", app}}}}},
                 {"spec", {{"replicas", replicas}}}});
  }
  void make_namespace(const std::string& name) {
    cluster.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
  }
  void make_webhook(const std::string& kind, const std::string& name, const Json& hooks = {}) {
    cluster.put({{"apiVersion", "admissionregistration.k8s.io/v1"},
                 {"kind", kind},
                 {"metadata", {{"name", name}, {"labels", {{"istio.io/rev", "default"}}}}},
                 {"webhooks", hooks.is_null() ? Json::array() : hooks}});
  }
  /// The names of the Clusters that are asked for next, in order.
  Names next(std::size_t count) {
    Names names;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (names.size() < count && std::chrono::steady_clock::now() < until) {
      for (const auto& [key, cause] : inbox.take(until, {})) {
        CHECK(cause == engine::Cause::drift);  // which has a pace
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
  std::shared_ptr<kube::Client> home = cluster.connect();
  executors::WatchRoom room{absences};
  executors::IstioWatches watches{*home, room, inbox, absences};
};

}  // namespace

TEST_CASE("istio watches: istiod that changes or goes asks for all Clusters that lead there") {
  WatchedIstio s;
  s.keep();
  s.watches.keep(k_also, s.judged());
  s.put("istiod", 2);
  CHECK(s.next(2) == Names{"also", "near"});
  s.put("web", 1);  // nobody's
  s.cluster.remove("deployments.apps", "istiod", "istio-system");
  CHECK(s.next(2) == Names{"also", "near"});
  CHECK(s.forgotten == 2);
}

TEST_CASE("istio watches: a webhook of Istio's asks, and Clusters that are gone do not") {
  WatchedIstio s;
  s.keep();
  s.cluster.remove("mutatingwebhookconfigurations.admissionregistration.k8s.io", "injector");
  CHECK(s.next(1) == Names{"near"});
  s.watches.follow(engine::Graph());
  CHECK(testing::comes_true([&] { return s.cluster.watches() == 0; }));
}

TEST_CASE("istio watches: what calls itself istiod where no webhook of Istio's leads asks nobody") {
  WatchedIstio s;
  s.make_namespace("theirs");
  s.keep();
  for (const int replicas : {1, 2, 3}) {
    s.put("istiod", replicas, "theirs");
  }
  s.put("istiod", 2);
  CHECK(s.next(1) == Names{"near"});
  s.cluster.remove("deployments.apps", "istiod", "istio-system");
  CHECK(s.next(1) == Names{"near"});
  CHECK(s.forgotten == 2);
}

TEST_CASE("istio watches: where Istio is not known any more, nothing is watched") {
  WatchedIstio s;
  s.keep();
  s.watches.keep(k_near, {});
  CHECK(testing::comes_true([&] { return s.cluster.watches() == 0; }));
}

TEST_CASE("istio watches: an Istio that went before it was listed asks") {
  WatchedIstio s;
  s.cluster.remove("deployments.apps", "istiod", "istio-system");
  s.keep();
}
