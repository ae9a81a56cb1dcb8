// What is released, and whether it is ready: pods and Deployments of both versions.
#include <limits>

#include <kubist/release/snapshot.hpp>

#include "graph_support.hpp"

namespace kubist::release {

using namespace kubist::testing;
using data::Json;

namespace {

Json pod(const std::string& version, const std::string& ready) {
  return yaml("{metadata: {name: p, labels: {app: web, version: " + version +
              "}}, status: {conditions: [{type: Ready, status: '" + ready + "'}]}}");
}

Json deployment(const std::string& version, int wanted, int ready) {
  Json made =
      yaml("{metadata: {name: web-" + version +
           ", generation: 2}, spec: {template: {metadata: {labels: {app: web, version: " + version +
           "}}, spec: {containers: [{image: web}]}}}, status: {observedGeneration: 2, "
           "conditions: [{type: Available, status: 'True'}]}}");
  made["spec"]["replicas"] = wanted;
  made["status"]["readyReplicas"] = ready;
  made["status"]["replicas"] = wanted;
  return made;
}

Snapshot release_of_v2() {
  Snapshot snapshot;
  snapshot.plan.stable = "v1";
  snapshot.plan.canary = "v2";
  snapshot.stable.labels = {{"app", "web"}, {"version", "v1"}};
  snapshot.canary.labels = {{"app", "web"}, {"version", "v2"}};
  return snapshot;
}

Seen see(const Running& there, Snapshot snapshot = release_of_v2()) {
  return see_target(there, "shop-dev", "dev", snapshot);
}

util::Result<Snapshot> read(const std::string& canary, const std::string& destination = "web") {
  const auto graph = engine::Graph::build(
      {node("CanaryRelease", "web", "dev", "{}"),
       node("Destination", "web", "dev",
            "{ports: [{port: 80}], subsets: {v1: {labels: {version: v1}}, v2: {labels: {version: "
            "v2}}}}"),
       traffic_route("web", "dev")});
  return read_snapshot(
      graph, node_of(graph, "CanaryRelease", "web"),
      {{"destination", destination}, {"stable", "v1"}, {"canary", canary}, {"routes", {"web"}}});
}

}  // namespace

TEST_CASE("release snapshot: the graph tells the plan, the versions' labels and the routes") {
  const auto snapshot = read("v2");
  REQUIRE(snapshot);
  CHECK(snapshot->plan.canary == "v2");
  CHECK(snapshot->canary.labels == Json{{"app", "web"}, {"version", "v2"}});
  CHECK(snapshot->stable.labels == Json{{"app", "web"}, {"version", "v1"}});
  REQUIRE(snapshot->seen.members.size() == 1);
  CHECK(snapshot->seen.members.front().settled);
}

TEST_CASE("release snapshot: a version or a Destination that is not there is said") {
  CHECK(read("v3").error().reason == "UnknownSubset");
  CHECK(read("v2", "api").error().reason == "UnknownDestination");
  CHECK(read("v1").error().message.find("stable version already") != std::string::npos);
}

TEST_CASE("release snapshot: a target is ready with one ready pod that stays") {
  CHECK(see({{pod("v2", "True")}, {}}).target_ready);
  const Seen waits = see({{pod("v1", "True"), pod("v2", "False")}, {}});
  CHECK_FALSE(waits.target_ready);
  CHECK(waits.message == "no pod of version v2 (app=web,version=v2) is ready in shop-dev");
  Json going = pod("v2", "True");
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  CHECK_FALSE(see({{going}, {}}).target_ready);
}

TEST_CASE("release snapshot: another image is another target, more pods are not") {
  const std::string first = see({{}, {deployment("v2", 2, 2)}}).target;
  CHECK(first.starts_with("v2/"));
  CHECK(see({{}, {deployment("v2", 5, 5), deployment("v1", 1, 1)}}).target == first);
  Json other = deployment("v2", 2, 2);
  other["spec"]["template"]["spec"]["containers"][0]["image"] = "web:2";
  CHECK(see({{}, {other}}).target != first);
}

TEST_CASE("release snapshot: a Deployment without a pod's spec, which only a false server has") {
  Json odd = deployment("v2", 2, 2);
  odd["spec"]["template"].erase("spec");
  CHECK(see({{}, {odd}}).target.starts_with("v2/"));
}

TEST_CASE("release snapshot: a pod's spec kept as its text is the same target") {
  Json kept = deployment("v2", 2, 2);
  const std::string target = see({{}, {kept}}).target;
  kept["spec"]["template"]["spec"] = kept["spec"]["template"]["spec"].dump();
  CHECK(see({{}, {kept}}).target == target);
}

TEST_CASE("release snapshot: Deployments with fewer pods than they ask for are named") {
  CHECK(see({{}, {deployment("v2", 2, 2)}}).missing_pods.empty());
  CHECK(see({{}, {deployment("v2", 3, 1)}}).missing_pods ==
        "Deployment shop-dev/web-v2 has 1 of 3 pods ready");
}

TEST_CASE("release snapshot: workloads of both versions are summed, stale ones named") {
  Snapshot snapshot = release_of_v2();
  Json stale = deployment("v2", 1, 1);
  stale["status"]["observedGeneration"] = 1;
  stale["status"]["conditions"][0]["status"] = "False";
  see_target({{}, {deployment("v1", 4, 4), deployment("v2", 2, 2), stale}}, "shop-dev", "dev",
             snapshot);
  CHECK(snapshot.stable.on["dev"].replicas == 4);
  CHECK(snapshot.stable.on["dev"].all_available);
  CHECK(snapshot.canary.on["dev"].deployments == 2);
  CHECK(snapshot.canary.on["dev"].replicas == 3);
  CHECK(snapshot.canary.on["dev"].behind == "web-v2");
  CHECK_FALSE(snapshot.canary.on["dev"].all_available);
}

TEST_CASE("release snapshot: counts of pods that nobody can have make no sum negative") {
  Snapshot snapshot = release_of_v2();
  const int most = std::numeric_limits<int>::max();
  see_target({{}, {deployment("v2", most, 1), deployment("v2", most, 1)}}, "shop-dev", "dev",
             snapshot);
  CHECK(snapshot.canary.on["dev"].replicas > 0);
}

TEST_CASE("release snapshot: several virtual clusters are one target") {
  Seen ready;
  ready.target = "v2/a";
  ready.target_ready = true;
  Seen other = ready;
  other.target = "v2/b";
  other.target_ready = false;
  other.message = "no pod";
  other.missing_pods = "one";
  const auto both = [&](const Seen& second) {
    return see_targets(
        {"eu", "us"},
        [&](const std::string& target) -> util::Result<Seen> {
          return target == "eu" ? ready : second;
        },
        "v2");
  };
  CHECK(both(ready).target == "v2/a");
  CHECK(both(ready).target_ready);
  CHECK(both(other).target.starts_with("v2/"));
  CHECK(both(other).target != "v2/a");
  CHECK(both(other).message == "us: no pod");
  CHECK(both(other).missing_pods == "us: one");
}

TEST_CASE("release snapshot: what is released is not known while a virtual cluster is away") {
  const auto away = [](const std::string&) -> util::Result<Seen> {
    return util::fail(util::ErrorKind::unavailable, "nobody answers");
  };
  const Seen seen = see_targets({"eu"}, away, "v2");
  CHECK(seen.target.empty());
  CHECK_FALSE(seen.target_ready);
  CHECK(seen.message == "eu: nobody answers");
  CHECK(see_targets({}, away, "v2").message == "its routes are kept nowhere");
}

}  // namespace kubist::release
