// Random hostile objects of every kind cost only the project that they are in.
#include <algorithm>
#include <cstdlib>
#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/engine/report.hpp>
#include <kubist/resources/validate.hpp>
#include <kubist/runtimes/jsonnet.hpp>

#include "release_site.hpp"
#include "support/hostile/objects.hpp"
#include "support/hostile/values.hpp"

using namespace site;

/// Policies and templates in Jsonnet run in this program: see tests/unit/main.cpp.
int jsonnet_child() { return runtimes::jsonnet_child_main(); }

namespace {

constexpr int k_batches = 13;
constexpr int k_batch = 80;               ///< objects
constexpr std::size_t k_requests = 8000;  ///< of one run at most

/// What was really looked at.
struct Seen {
  std::size_t objects = 0, valid = 0, nodes = 0, ready = 0, traces = 0;
  std::set<std::string> kinds;
};

/// The honest project `shop`, and the project `evil` with what hostile objects can lean on.
class Village : public Shop {
 public:
  Village() {
    route("web");
    put_item("honest");
    put("Project", "", "evil", {{"home", {{"namespaces", Json::array({"evil-*"})}}}});
    settle();
    put("Cluster", "evil", "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}});
    cluster("evil", "far", kubeconfig(far->server()));
    virtual_cluster("evil", "dev", {{"injection", {{"mode", "Unmanaged"}}}});
    virtual_cluster("evil", "other", {{"injection", {{"mode", "Unmanaged"}}}});
    put("Destination", "evil", "web",
        yaml("{virtualClusterRef: {name: dev}, ports: [{port: 80}], subsets: {v1: {labels: "
             "{version: "
             "v1}}, v2: {labels: {version: v2}}}}"));
    for (const char* name : {"web", "web-1", "web-2"}) {
      put("TrafficRoute", "evil", name,
          yaml(cat("{virtualClusterRef: {name: dev}, hosts: [", name,
                   ".evil.example.com], routes: [{weights: [{destination: web, version: v1}]}]}")));
    }
    secret("evil", "secret", std::string("\0\xff{[", 4));
    secret("evil", "kubeconfig", kubeconfig("https://nowhere:6443"));
    settle();
  }

  /// An honest change: its runs have something to write.
  void change(const std::string& team) {
    virtual_cluster("shop", "dev",
                    {{"injection", {{"mode", "Unmanaged"}}}, {"labels", {{"team", team}}}});
  }

  /// Everything that was written at home but the lock's, parted: of the honest project, and
  /// elsewhere. The cluster `far` belongs to who has its kubeconfig: a namespace of the name
  /// shop-dev there is not the honest one.
  std::pair<std::vector<std::string>, std::vector<LoggedRequest>> written_in_shop() const {
    std::vector<std::string> own;
    std::vector<LoggedRequest> others;
    for (const LoggedRequest& each : home->writes()) {
      const std::string& place = each.ns.empty() ? each.name : each.ns;
      if (place != "shop" && !place.starts_with("shop-")) {
        others.push_back(each);
      } else if (each.resource != "leases") {
        own.push_back(each.to_string());
      }
    }
    std::sort(own.begin(), own.end());
    return {own, others};
  }

 private:
  void put_item(const std::string& name) {
    Json item = object("DeployItem", "shop", name,
                       {{"type", "kubist.io/mock"}, {"config", Json::object()}});
    item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    home->put(item);
  }
};

/// The objects are the same in every run; $KUBIST_HOSTILE_SEED makes others, to look for more.
std::uint32_t hostile_seed() {
  constexpr std::uint32_t k_seed = 7;
  const char* given = std::getenv("KUBIST_HOSTILE_SEED");
  return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : k_seed;
}

bool is_honest(const engine::NodeReport& node) {
  return node.key.ns == "shop" || (node.key.kind == "Project" && node.key.name == "shop");
}

/// What an honest change writes where nobody is hostile.
const std::vector<std::string>& honest_writes() {
  static const std::vector<std::string> writes = [] {
    Village s;
    s.forget();
    s.change("a");
    s.run();
    return s.written_in_shop().first;
  }();
  return writes;
}

/// A Project is an administrator's: none claims what is the honest project's, and none has anything
/// posted from here.
void tame(Json& object) {
  if (object["kind"] != "Project" || !object["spec"].is_object()) {
    return;
  }
  Json& spec = object["spec"];
  if (data::string_at(spec, {"namespace"}).starts_with("shop")) {
    spec.erase("namespace");
  }
  Json none = Json::array();
  Json* sinks = data::find_path(spec, {"notifications"});
  for (Json& sink : sinks != nullptr && sinks->is_array() ? *sinks : none) {
    if (sink.is_object()) {
      sink.erase("url");
    }
  }
}

/// What would wait for a pod, a deployer or a controller, of which there is none here (and the
/// clock stands still), does not run: a dry run has looked at it.
void keep_from_waiting(Json& object) {
  Json& spec = object["spec"];
  if (!spec.is_object()) {
    return;
  }
  if (object["kind"] == "Execution") {
    const Json& items = data::array_at(spec, {"items"});
    if (!std::all_of(items.begin(), items.end(), [](const Json& item) {
          return data::string_at(item, {"type"}) == "Templates";
        })) {
      spec["suspend"] = true;
    }
  } else if (object["kind"] == "DeployItem") {
    const std::string type(data::string_at(spec, {"type"}));
    spec["type"] = type.ends_with("manifest") || type.ends_with("helm") ? type : "kubist.io/mock";
    if (spec.contains("config") && spec["config"].is_object()) {
      spec["config"]["readinessChecks"] = {{"disableDefault", true}};
      for (const char* key : {"phase", "delay", "initialPhase"}) {
        spec["config"].erase(key);
      }
    }
  }
}

/// The kinds in turn, so that each comes as often. The Root is everybody's: not among them.
std::vector<Json> make_batch(testing::HostileObjects& objects, int batch) {
  std::vector<const resources::Kind*> kinds;
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.name != "Root") {
      kinds.push_back(&kind);
    }
  }
  std::vector<std::pair<const resources::Kind*, std::string>> named;
  std::vector<std::string> others;
  for (int i = 0; i < k_batch; ++i) {
    const resources::Kind& kind =
        *kinds[static_cast<std::size_t>(batch * k_batch + i) % kinds.size()];
    named.emplace_back(&kind, cat(kind.namespaced ? "x" : "evil-", i));
    others.push_back(cat(kind.name, '/', named.back().second));
  }
  std::vector<Json> made;
  for (const auto& [kind, name] : named) {
    made.push_back(objects.make(*kind, "evil", name, others));
    tame(made.back());
  }
  return made;
}

void count(const std::vector<Json>& made, Seen& seen) {
  for (const Json& each : made) {
    ++seen.objects;
    seen.kinds.insert(each["kind"].get<std::string>());
    seen.valid += resources::validate_object({each, {}, {}, {}}).empty() ? 1 : 0;
  }
}

/// An exception that somebody caught is a bug all the same.
void check_text(const std::string& text) {
  const auto found = text.find("unexpected: ");
  const bool jsonnet = found != std::string::npos && text.find("STATIC ERROR") < found;
  CHECK_MESSAGE((found == std::string::npos || jsonnet), text.substr(0, 2000));
}

/// Ready, or it says why not. Who suspended it is in no message.
void check_node(const engine::NodeReport& node) {
  CAPTURE(node.key.kind);
  CAPTURE(node.key.name);
  CAPTURE(node.reason);
  check_text(node.message);
  CHECK((node.ready || !node.reason.empty()));
  CHECK((node.ready || !node.message.empty() || node.reason == "Suspended"));
}

void check_report(const executors::Run& run, Seen& seen) {
  CHECK_FALSE(run.report.stopped);
  for (const engine::NodeReport& node : run.report.nodes) {
    check_node(node);
    if (is_honest(node)) {
      CHECK_MESSAGE(node.ready, node.key.kind, '/', node.key.name, ": ", node.message);
      continue;
    }
    ++seen.nodes;
    seen.ready += node.ready ? 1 : 0;
  }
  for (const util::Error& error : run.report.status_errors()) {
    check_text(error.to_string());
  }
  for (const std::string& warning : run.warnings) {
    check_text(warning);
  }
  CHECK(Json::accept(data::to_json(engine::to_json(run.report))));
}

/// Where the hostile objects may have something written: in their project, and where a hostile
/// Project, which an administrator made, keeps its own.
std::set<std::string> places_of(const std::vector<Json>& made) {
  std::set<std::string> places;
  for (const Json& each : made) {
    if (each["kind"] == "Project") {
      places.insert(resources::project_namespace(each));
    }
  }
  return places;
}

void check_others(const std::vector<LoggedRequest>& others, const std::set<std::string>& places) {
  for (const LoggedRequest& each : others) {
    const std::string& place = each.ns.empty() ? each.name : each.ns;
    const bool event =
        place == "default" && each.resource == "events";  // about what has no namespace
    CHECK_MESSAGE((event || place.starts_with("evil") || places.contains(place)), each.to_string(),
                  " as ", each.as);
  }
}

void check_written(const Village& s, const std::vector<Json>& made) {
  const auto [own, others] = s.written_in_shop();
  CHECK(util::join(own, "\n") == util::join(honest_writes(), "\n"));
  check_others(others, places_of(made));
  CHECK(s.home->log().size() < k_requests);
}

/// As `policy trace` of each does.
void trace(Village& s, const std::vector<Json>& made, Seen& seen) {
  for (const Json& each : made) {
    if (each["kind"] != "CanaryRelease" && each["kind"] != "Experiment") {
      continue;
    }
    const auto look = s.session->trace_policies(resources::ObjectView(each).ref(), {});
    if (!look) {
      check_text(look.error().to_string());
      continue;
    }
    for (const engine::PolicyVerdict& verdict : look->verdicts) {
      for (const engine::PolicyTrace& policy : verdict.trace) {
        check_text(data::to_json(engine::to_json(policy)));
        ++seen.traces;
      }
    }
  }
}

/// The deletion of the hostile project: whatever stays in it, the honest one stays.
void remove_evil(Village& s, const std::vector<Json>& made, Seen& seen) {
  auto options = only({key("Project", "", "evil")});
  options.mode = engine::Mode::remove;
  options.abandon = true;
  s.forget();
  for (int walk = 0; walk < 3; ++walk) {
    options.ignore_missing = true;
    check_report(s.run(options), seen);
  }
  const auto [own, others] = s.written_in_shop();
  CHECK(own.empty());
  check_others(others, places_of(made));
}

void run_batch(testing::HostileObjects& objects, int batch, Seen& seen) {
  Village s;
  const std::vector<Json> made = make_batch(objects, batch);
  count(made, seen);
  for (const Json& each : made) {
    s.home->plant(each);
  }
  s.forget();
  executors::ReconcileOptions dry;
  dry.dry_run = kube::DryRun::client;
  check_report(s.run(dry), seen);
  CHECK(s.writes() == 0);
  for (Json each : made) {
    if (each["kind"] == "Execution" || each["kind"] == "DeployItem") {
      keep_from_waiting(each);
      s.home->plant(each);
    }
  }
  s.forget();
  s.change("a");
  check_report(s.run(), seen);
  check_written(s, made);
  if (batch % 4 == 0) {
    trace(s, made, seen);
  } else if (batch % 4 == 1) {
    remove_evil(s, made, seen);
  }
}

}  // namespace

TEST_CASE("hostile objects: a thousand of every kind fail themselves alone") {
  ::setenv("KUBIST_HELM", "/nonexistent/helm", 1);
  const auto seed = hostile_seed();
  CAPTURE(seed);
  testing::HostileObjects objects(seed);
  Seen seen;
  for (int batch = 0; batch < k_batches; ++batch) {
    CAPTURE(batch);
    run_batch(objects, batch, seen);
  }
  MESSAGE(seen.objects, " objects of ", seen.kinds.size(), " kinds, ", seen.valid,
          " as their schema wants; ", seen.nodes, " nodes looked at, ", seen.ready, " Ready; ",
          seen.traces, " policies traced");
  CHECK(seen.objects >= 1000);
  CHECK(seen.kinds.size() == resources::kinds().size() - 1);
  CHECK(seen.valid > seen.objects / 2);
  CHECK(seen.nodes > seen.objects / 2);
}

TEST_CASE("hostile objects: any Root leaves every node Ready, or with a reason") {
  const auto seed = hostile_seed();
  CAPTURE(seed);
  testing::HostileObjects objects(seed);
  Village s;
  for (int turn = 0; turn < 30; ++turn) {
    CAPTURE(turn);
    s.home->plant(
        objects.make(*resources::find_kind("kubist.io", "Root"), "", "root", {"Project/shop"}));
    const executors::Run run = s.run();
    CHECK_FALSE(run.report.stopped);
    CHECK(run.report.summary.nodes > 10);
    for (const engine::NodeReport& node : run.report.nodes) {
      check_node(node);
    }
  }
}
