#pragma once
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/pointer.hpp>
#include <kubist/engine/report.hpp>
#include <kubist/resources/kinds.hpp>

#include "release_site.hpp"
#include "support/hostile/objects.hpp"

/// An honest project beside one with random hostile objects, and what must hold then.
namespace site {

/// The honest project `shop`, and the project `evil` with what hostile objects can lean on.
class Village : public Shop {
 public:
  Village() {
    route("web");
    put_item();
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

  /// The honest item; another `config` is a change of it.
  void put_item(const Json& config = Json::object()) {
    Json item =
        object("DeployItem", "shop", "honest", {{"type", "kubist.io/mock"}, {"config", config}});
    item["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
    home->put(item);
  }

  /// An honest change: its runs have something to write.
  void change(const std::string& team) {
    virtual_cluster("shop", "dev",
                    {{"injection", {{"mode", "Unmanaged"}}}, {"labels", {{"team", team}}}});
  }

  /// Is all of that, and the item as it is now, done?
  bool is_honest_ready(const std::string& team) const {
    const Json item = home->get("deployitems.landscaper.gardener.cloud", "honest", "shop");
    return data::string_at(item, {"status", "phase"}) == "Succeeded" &&
           item["status"]["observedGeneration"] == item["metadata"]["generation"] &&
           namespace_at(home, "shop-dev")["metadata"]["labels"].value("team", "") == team;
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
};

/// The objects are the same in every run; $KUBIST_HOSTILE_SEED makes others, to look for more.
inline std::uint32_t hostile_seed() {
  constexpr std::uint32_t k_seed = 7;
  const char* given = std::getenv("KUBIST_HOSTILE_SEED");
  return given != nullptr ? static_cast<std::uint32_t>(std::stoul(given)) : k_seed;
}

inline bool is_honest(const engine::NodeReport& node) {
  return node.key.ns == "shop" || (node.key.kind == "Project" && node.key.name == "shop");
}

inline constexpr int k_batch = 80;  ///< objects

/// A Project is an administrator's: none claims what is the honest project's, and none has anything
/// posted from here.
inline void tame(Json& object) {
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
inline void keep_from_waiting(Json& object) {
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
inline std::vector<Json> make_batch(testing::HostileObjects& objects, int batch) {
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

/// An exception that somebody caught is a bug all the same.
inline void check_text(const std::string& text) {
  const auto found = text.find("unexpected: ");
  const bool jsonnet = found != std::string::npos && text.find("STATIC ERROR") < found;
  CHECK_MESSAGE((found == std::string::npos || jsonnet), text.substr(0, 2000));
}

/// Ready, or it says why not. Who suspended it is in no message.
inline void check_node(const engine::NodeReport& node) {
  CAPTURE(node.key.kind);
  CAPTURE(node.key.name);
  CAPTURE(node.reason);
  check_text(node.message);
  CHECK((node.ready || !node.reason.empty()));
  CHECK((node.ready || !node.message.empty() || node.reason == "Suspended"));
}

/// Where the hostile objects may have something written: in their project, and where a hostile
/// Project, which an administrator made, keeps its own.
inline std::set<std::string> places_of(const std::vector<Json>& made) {
  std::set<std::string> places;
  for (const Json& each : made) {
    if (each["kind"] == "Project") {
      places.insert(resources::project_namespace(each));
    }
  }
  return places;
}

inline void check_others(const std::vector<LoggedRequest>& others,
                         const std::set<std::string>& places) {
  for (const LoggedRequest& each : others) {
    const std::string& place = each.ns.empty() ? each.name : each.ns;
    const bool event =
        place == "default" && each.resource == "events";  // about what has no namespace
    CHECK_MESSAGE((event || place.starts_with("evil") || places.contains(place)), each.to_string(),
                  " as ", each.as);
  }
}

}  // namespace site
