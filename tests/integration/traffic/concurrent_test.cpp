// Somebody else writes to the same objects while kubist does: no edit of either is lost.
#include <atomic>
#include <set>
#include <thread>

#include <kubist/kube/client.hpp>

#include "stage.hpp"

using namespace traffic_test;
namespace kube = kubist::kube;
using kubist::util::replace_all;

namespace {

const char* const k_virtual_service = "virtualservices.networking.istio.io";
constexpr int k_between_routes = 4;

std::string annotation(int edit) { return cat("edits.example.com/", edit); }
std::string route_name(int edit) { return cat("edit-", edit); }

/// Edits a VirtualService all the time as controllers do: reads it, changes it, writes the whole of
/// it back at the resourceVersion that it read, and begins again where that was refused. Edit N
/// adds an annotation; where `routes`, every fourth also a route before all others.
class Editor {
 public:
  Editor(std::string ns, std::string name, bool routes)
      : m_ns(std::move(ns)), m_name(std::move(name)), m_routes(routes) {
    kube::Overrides overrides;
    overrides.kubeconfig = kubeconfig("home");
    auto access = kube::find_access(overrides, kube::process_environment());
    REQUIRE(access);
    auto client = kube::Client::connect(std::move(*access));
    REQUIRE(client);
    m_client = std::move(*client);
    m_resource =
        kube::make_resource("networking.istio.io", "v1", "VirtualService", "virtualservices", true);
    m_thread = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        m_edits += edit(m_edits) ? 1 : 0;
      }
    });
  }

  /// Stops, and says how many edits were accepted.
  int stop() {
    m_thread.request_stop();
    m_thread.join();
    return m_edits;
  }

 private:
  bool edit(int number) {
    auto live = m_client->find(m_resource, m_ns, m_name);
    if (!live || !*live) {
      return false;
    }
    Json object = **std::move(live);
    object["metadata"]["annotations"][annotation(number)] = "here";
    if (m_routes && number % k_between_routes == 0) {
      Json& http = object["spec"]["http"];
      http.insert(http.begin(),
                  Json{{"name", route_name(number)},
                       {"match", Json::array({{{"uri", {{"exact", cat("/", number)}}}}})},
                       {"route", Json::array({{{"destination", {{"host", "web"}}}}})}});
    }
    kube::WriteOptions options;
    options.field_manager = "editor";
    return m_client->run(kube::replace(m_resource, object, options)).has_value();
  }

  std::string m_ns, m_name;
  bool m_routes;
  std::shared_ptr<kube::Client> m_client;
  kube::ApiResource m_resource;
  std::atomic<int> m_edits = 0;
  std::jthread m_thread;
};

/// Two versions with pods, and a gateway.
void set_up_race(Stage& stage) {
  must(run_kubist({"reconcile", "Project/" + stage.project()}));
  stage.ready_pod("web-1", {{"app", "web"}, {"version", "v1"}});
  stage.ready_pod("web-2", {{"app", "web"}, {"version", "v2"}});
  stage.apply("Destination", "web", k_destination);
  stage.apply("EntryGateway", "entry", "{servers: [{port: 80, hosts: ['*.example.com']}]}");
}

/// The first weight of the route with that name; -1: there is none.
int weight_of(const Json& virtual_service, const std::string& name) {
  for (const Json& http : virtual_service["spec"]["http"]) {
    if (http.value("name", "") == name) {
      return http["route"][0].value("weight", 0);
    }
  }
  return -1;
}

std::set<std::string> route_names(const Json& virtual_service) {
  std::set<std::string> names;
  for (const Json& http : virtual_service["spec"]["http"]) {
    names.insert(http.value("name", ""));
  }
  return names;
}

}  // namespace

TEST_CASE("traffic: who edits the same objects without end loses nothing, nor does kubist") {
  constexpr int k_turns = 8;
  Stage stage("race", {{"mode", "Ignore"}});
  set_up_race(stage);
  put("home", {yaml(cat(R"({apiVersion: networking.istio.io/v1, kind: VirtualService,
      metadata: {name: theirs, namespace: )",
                        stage.ns(), R"(}, spec: {hosts: [theirs.example.com],
      gateways: [entry], http: [{name: main, timeout: 7s, route: [
        {destination: {host: web, subset: v1}, weight: 100},
        {destination: {host: web, subset: v2}, weight: 0}]}]}})"))});
  const auto ask_for = [&](int first) {
    Json ours = yaml(route_spec(first, 100 - first));
    Json lent = yaml(replace_all(route_spec(first, 100 - first), "shop.", "theirs."));
    lent["routes"][0]["name"] = "main";
    lent["object"] = {{"name", "theirs"}, {"borrow", true}};
    for (Json* spec : {&ours, &lent}) {
      (*spec)["virtualClusterRef"] = {{"name", "dev"}};
    }
    put("home", {object("TrafficRoute", stage.project(), "web", ours),
                 object("TrafficRoute", stage.project(), "lent", lent)});
  };
  const auto live = [&] {
    return Json::parse(must(kubectl("home", {"get", k_virtual_service, "theirs", "web", "-n",
                                             stage.ns(), "-o", "json"})))["items"];
  };
  ask_for(50);
  must(stage.reconcile());
  Editor theirs(stage.ns(), "theirs", true);
  Editor ours(stage.ns(), "web", false);
  for (int turn = 0; turn < k_turns; ++turn) {
    INFO("turn ", turn);
    const int first = turn % 2 == 0 ? 70 : 30;
    ask_for(first);
    const CommandResult run = stage.reconcile();
    REQUIRE_MESSAGE(run.exit_code == 0, run.out, run.err);
    const Json now = live();
    CHECK(weight_of(now[0], "main") == first);
    CHECK(weight_of(now[1], "route-1") == first);
  }
  CHECK(text_of(stage.node("trafficroutes", "lent"), {"status", "weights"}) ==
        "web v1 30 %, web v2 70 %");
  for (const bool borrowed : {true, false}) {
    const int edits = (borrowed ? theirs : ours).stop();
    CHECK(edits > 3 * k_turns);
    const Json kept = live()[borrowed ? 0 : 1];
    const auto names = route_names(kept);
    for (int edit = 0; edit < edits; ++edit) {
      CHECK_MESSAGE(kept["metadata"]["annotations"].contains(annotation(edit)), edit);
      const bool adds_route = borrowed && edit % k_between_routes == 0;
      CHECK_MESSAGE(names.contains(route_name(edit)) == adds_route, edit);
    }
    CHECK(weight_of(kept, borrowed ? "main" : "route-1") == 30);
  }
  CHECK(live()[0]["spec"]["http"].back()["timeout"] == "7s");
}

TEST_CASE("traffic: what another manager changes of ours is put back or told, what it adds stays") {
  Stage stage("others", {{"mode", "Ignore"}});
  set_up_race(stage);
  stage.apply("TrafficRoute", "web", route_spec(80, 20));
  must(stage.reconcile());
  const auto meddle = [&] {
    const std::string metadata = cat("metadata: {name: web, namespace: ", stage.ns(),
                                     ", labels: {team: others}, annotations: {note: theirs}}");
    for (const std::string& text :
         {cat("{apiVersion: networking.istio.io/v1, kind: VirtualService, ", metadata,
              ", spec: {http: [{name: route-1, route: [{destination: {host: web, subset: "
              "v2}}]}]}}"),
          cat("{apiVersion: v1, kind: Service, ", metadata,
              ", spec: {sessionAffinity: ClientIP, selector: {app: other}}}")}) {
      must(kubectl(
          "home",
          {"apply", "--server-side", "--force-conflicts", "--field-manager=meddler", "-f", "-"},
          yaml(text).dump()));
    }
  };
  const auto check_added = [&] {
    for (const char* type : {k_virtual_service, "service"}) {
      const auto live = stage.live(type, "web");
      CHECK(text_of(live, {"metadata", "labels", "team"}) == "others");
      CHECK(text_of(live, {"metadata", "annotations", "note"}) == "theirs");
    }
    CHECK(text_of(stage.live("service", "web"), {"spec", "sessionAffinity"}) == "ClientIP");
  };
  meddle();
  must(stage.reconcile());
  CHECK(weight_of(*stage.live(k_virtual_service, "web"), "route-1") == 80);
  CHECK(text_of(stage.live("service", "web"), {"spec", "selector", "app"}) == "web");
  check_added();
  Audit quiet("home");
  must(stage.reconcile());
  CHECK(written(quiet, stage) == "");

  // Reported: nothing is put back, not even when the wish changes, until it may be.
  stage.apply("TrafficRoute", "web", route_spec(80, 20, ", drift: Report"));
  must(stage.reconcile());
  CHECK(condition(stage.node("trafficroutes", "web"), "Drifted") == "False");
  meddle();
  for (const int first : {80, 60}) {
    stage.apply("TrafficRoute", "web", route_spec(first, 100 - first, ", drift: Report"));
    must(stage.reconcile());
    const auto route = stage.node("trafficroutes", "web");
    CHECK(condition(route, "Drifted") == "True");
    CHECK_MESSAGE(message(route, "Drifted").find("meddler") != std::string::npos,
                  message(route, "Drifted"));
    CHECK(text_of(route, {"status", "weights"}) == "web v2 100 %");
    CHECK((*stage.live(k_virtual_service, "web"))["spec"]["http"][0]["route"].size() == 1);
  }
  stage.apply("TrafficRoute", "web", route_spec(60, 40));
  must(stage.reconcile());
  CHECK(condition(stage.node("trafficroutes", "web"), "Drifted") == "False");
  CHECK(weight_of(*stage.live(k_virtual_service, "web"), "route-1") == 60);
  check_added();
}
