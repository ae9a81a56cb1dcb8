// Which changes of pods and Deployments ask for the nodes of traffic and releases that read there.
#include "session/workload_watches.hpp"

#include <algorithm>
#include <thread>

#include <doctest/doctest.h>

#include <kubist/deployers/item.hpp>
#include <kubist/util/text.hpp>

#include "support/fake_cluster.hpp"

using namespace kubist;
using data::Json;

namespace {

const engine::Key k_route{"kubist.io", "TrafficRoute", "shop", "route"};
const engine::Key k_canary{"kubist.io", "CanaryRelease", "shop", "canary"};

/// A namespace with one pod, which a route and a release have just read.
struct WatchedWorkloads {
  WatchedWorkloads() {
    cluster.put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "web"}}}});
    put("Pod", "first", 0);
    watches.keep(k_route, {client, "", "web"});
    // The release may have read before the pod was written; there is no Deployment.
    CHECK(next(1) == "route: Pod/web/first");
    watches.keep(k_canary, {client, "", "web", true});
    CHECK(next(1) == "canary: Deployment");
  }
  void put(const std::string& kind, const std::string& name, int revision,
           const Json& labels = Json::object()) {
    cluster.put({{"apiVersion", kind == "Pod" ? "v1" : "apps/v1"},
                 {"kind", kind},
                 {"metadata",
                  {{"name", name},
                   {"namespace", "web"},
                   {"labels", labels},
                   {"annotations", {{"revision", std::to_string(revision)}}}}}});
  }
  /// Who is asked for next, and by what; sorted.
  std::string next(std::size_t count) {
    std::vector<std::string> names;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (names.size() < count && std::chrono::steady_clock::now() < until) {
      for (const auto& [key, trigger] : inbox.take(until, {})) {
        CHECK(trigger == engine::Cause::drift);  // which has a pace
        names.push_back(util::cat(key.name, ": ", trigger.of));
      }
    }
    std::sort(names.begin(), names.end());
    return util::join(names, ", ");
  }

  /// As many watches stand, after a moment.
  bool stand(std::size_t count) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (cluster.watches() != count && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return cluster.watches() == count;
  }

  testing::FakeCluster cluster;
  std::shared_ptr<kube::Client> client = cluster.connect();
  executors::Inbox inbox;
  executors::Absences absences;
  executors::WatchRoom room{absences};
  executors::WorkloadWatches watches{room, inbox, absences};
};

}  // namespace

TEST_CASE("workload watches: a pod that changes or goes asks for all that read there") {
  WatchedWorkloads s;
  s.put("Pod", "first", 1);
  CHECK(s.next(2) == "canary: Pod/web/first, route: Pod/web/first");
  s.cluster.remove("pods", "first", "web");
  CHECK(s.next(2) == "canary: Pod/web/first, route: Pod/web/first");
}

TEST_CASE("workload watches: a Deployment asks for releases and no routes") {
  WatchedWorkloads s;
  s.put("Deployment", "app", 0);
  CHECK(s.next(1) == "canary: Deployment/web/app");
  s.put("Pod", "first", 1);  // had the route been asked for, it would come first
  CHECK(s.next(2) == "canary: Pod/web/first, route: Pod/web/first");
}

TEST_CASE("workload watches: the pods of DeployItems ask for nobody") {
  WatchedWorkloads s;
  s.put("Pod", "job", 0, {{deployers::k_item_label, "u1"}});
  s.put("Pod", "first", 1);
  CHECK(s.next(2) == "canary: Pod/web/first, route: Pod/web/first");
}

TEST_CASE("workload watches: nodes that are gone leave, and the last one ends the watch") {
  WatchedWorkloads s;
  CHECK(s.stand(2));
  s.watches.keep(k_canary, {s.client, "", "web", false});
  CHECK(s.stand(1));
  s.watches.follow({s.client}, engine::Graph());
  CHECK(s.stand(0));
}

TEST_CASE("workload watches: a project has 64 of them, what is beyond is told of once") {
  WatchedWorkloads s;
  for (int number = 0; number < 70; ++number) {
    engine::Key route = k_route;
    route.name += std::to_string(number);  // whose drift waits apart from that of others
    s.watches.keep(route, {s.client, util::cat("place", number), util::cat("web", number)});
  }
  CHECK(util::split(s.next(62), ',').size() == 62);  // each tells that there is none
  CHECK(s.stand(64));
  const auto lines = s.absences.take(executors::Absences::Time::clock::now());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with(
      "project namespace shop: changes by others of objects beyond 64 kinds and "));
}
