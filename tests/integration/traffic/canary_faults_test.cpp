// A CanaryRelease in progress while the API server misbehaves: it ends as without that.
#include <algorithm>

#include "credentials.hpp"
#include "integration/faults/rules.hpp"
#include "integration/faults/trial.hpp"
#include "stage.hpp"

using namespace traffic_test;
using namespace faults;

namespace {

const Json k_weight_writes{{"method", "PATCH"}, {"path", "/virtualservices/web"}};
const Json k_route_statuses{{"method", "PATCH"}, {"path", "/trafficroutes/web/status"}};
const Json k_release_statuses{{"method", "PATCH"}, {"path", "/canaryreleases/web/status"}};
const Json k_reads{{"method", "GET"}};
const Words k_quick{"--request-timeout=8s"};

Json on_dev(const std::string& kind, const std::string& ns, const std::string& spec) {
  Json full = yaml(spec);
  full["virtualClusterRef"] = {{"name", "dev"}};
  return object(kind, ns, "web", full);
}

Json wished_release(const std::string& ns, const std::string& more) {
  return on_dev("CanaryRelease", ns,
                cat("{destination: web, stable: v1, canary: v2, routes: [web], ", more, "}"));
}

CommandResult reconcile_all(const Words& names, const std::string& timeout) {
  Words words{"reconcile", "--timeout=" + timeout};
  for (const std::string& name : names) {
    words.push_back("Project/" + name);
  }
  return run_kubist(words);
}

/// Routes that send all to v1, and both versions ready.
void make_routes(const Words& names) {
  Json places = Json::array();
  std::vector<Json> traffic;
  for (const std::string& name : names) {
    places.push_back(object("Project", "", name));
    places.push_back(object("Cluster", name, "home", {{"home", true}}));
    places.push_back(virtual_cluster(name, "dev", "home", name + "-dev",
                                     {{"injection", {{"mode", "Unmanaged"}}}}));
    traffic.push_back(on_dev("Destination", name, k_destination));
    traffic.push_back(on_dev(
        "TrafficRoute", name,
        "{hosts: [shop.example.com], routes: [{weights: [{destination: web, version: v1}]}]}"));
  }
  must(run_kubist(as_administrator({"reconcile", "-f", "-"}),
                  Json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", places}}.dump()));
  for (const std::string& name : names) {
    for (const char* version : {"v1", "v2"}) {
      ready_pod(name + "-dev", cat("web-", version), {{"app", "web"}, {"version", version}});
    }
  }
  put("home", traffic);
  must(reconcile_all(names, "120s"));
}

std::string release_state(const std::string& name) {
  return text_of(get("home", "canaryreleases.kubist.io", "web", name), {"status", "state"});
}

/// Of releases at 20 %, somebody asks for the end.
void make_aborted(const Words& names) {
  make_routes(names);
  std::vector<Json> releases;
  for (const std::string& name : names) {
    releases.push_back(wished_release(name,
                                      "interval: 1h, bake: 0s, weights: [20, 50], policies: "
                                      "[{name: Timed, parameters: {step: 1h}}]"));
  }
  put("home", releases);
  const auto all_wait = [&] {
    return std::all_of(names.begin(), names.end(),
                       [](const std::string& name) { return release_state(name) == "Waiting"; });
  };
  REQUIRE(eventually([&] { return all_wait() || (reconcile_all(names, "10s"), all_wait()); }, 60));
  for (const std::string& name : names) {
    patch("home", "canaryreleases.kubist.io", "web", name, kubist::kube::PatchType::merge,
          {{"metadata", {{"annotations", {{"kubist.io/request", "abort@1"}}}}}});
  }
}

std::vector<Json> left_by_release(const std::string& name) {
  std::vector<Json> all;
  for (const auto& [type, ns] : {std::pair{"canaryreleases.kubist.io", name},
                                 {"trafficroutes.kubist.io", name},
                                 {"destinations.kubist.io", name},
                                 {"leases.coordination.k8s.io", name},
                                 {"virtualservices.networking.istio.io", name + "-dev"},
                                 {"destinationrules.networking.istio.io", name + "-dev"}}) {
    for (Json& object : list("home", type, ns)) {
      all.push_back(std::move(object));
    }
  }
  return all;
}

/// Losing answers, and getting none, to what is written behind the first `skip`.
void add_lost(std::vector<Row>& rows, const std::string& what, const Json& writes, int skip) {
  const Json later = with(writes, {{"skip", skip}});
  rows.push_back({"503 before " + what, {status(2, 503, later)}});
  rows.push_back({"503 after " + what, {after(status(2, 503, later))}});
  rows.push_back({"reset after " + what, {after(first(2, "reset", later))}});
  rows.push_back({"silence after " + what, {after(first(1, "silence", later))}, {}, 0, k_quick});
}

}  // namespace

TEST_CASE("canary faults: a release in progress goes on to its end, each step once") {
  std::vector<Row> rows{{"none", {}},
                        {"503 of reads", {status(3, 503, with(k_reads, {{"skip", 20}}))}},
                        {"reset of reads", {first(3, "reset", with(k_reads, {{"skip", 20}}))}}};
  add_lost(rows, "weights", k_weight_writes, 1);
  add_lost(rows, "a route's status", k_route_statuses, 1);
  add_lost(rows, "a release's status", k_release_statuses, 1);
  const Command command{{"reconcile", "-f", "FOLDER", "--timeout=200s"},
                        [](const std::string& name) {
                          return std::vector<Json>{
                              wished_release(name,
                                             "interval: 1s, bake: 1s, weights: [20, 50], policies: "
                                             "[{name: Timed, parameters: {step: 0s}}]")};
                        },
                        [](const std::string& name) { return release_state(name) == "Succeeded"; },
                        &left_by_release,
                        &make_routes};
  try_all("canary-faults", command, rows);
}

TEST_CASE("canary faults: an abort gives the routes their own weights back, once") {
  std::vector<Row> rows{{"none", {}}};
  add_lost(rows, "weights", k_weight_writes, 0);
  add_lost(rows, "a release's status", k_release_statuses, 0);
  const Command command{{"reconcile", "CanaryRelease/web", "-n", "NAME", "--timeout=200s"},
                        [](const std::string&) { return std::vector<Json>(); },
                        [](const std::string& name) { return release_state(name) == "Aborted"; },
                        &left_by_release,
                        &make_aborted,
                        4};
  try_all("abort-faults", command, rows);
}
