#pragma once
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

/// A project with one virtual cluster on home, and what the tests of traffic do in it.
namespace traffic_test {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

inline void set_ready(const std::string& ns, const std::string& name, bool ready) {
  const Json condition{{"type", "Ready"}, {"status", ready ? "True" : "False"}};
  it::patch("home", "pod", name, ns, kubist::kube::PatchType::strategic,
            {{"status", {{"conditions", Json::array({condition})}}}}, "status");
}

/// A pod that nothing runs, said to be ready.
inline void ready_pod(const std::string& ns, const std::string& name, const Json& labels) {
  put("home",
      {{{"apiVersion", "v1"},
        {"kind", "Pod"},
        {"metadata", {{"name", name}, {"namespace", ns}, {"labels", labels}}},
        {"spec",
         {{"nodeSelector", {{"kubist.io/test", "nowhere"}}},
          {"automountServiceAccountToken", false},
          {"containers", Json::array({{{"name", "main"}, {"image", "localhost/busybox:1"}}})}}}}});
  set_ready(ns, name, true);
}

class Stage {
 public:
  explicit Stage(const std::string& test, const Json& istio = Json::object()) : m_world(test) {
    m_world.make_project(project(), {{"allow", {{"gateways", {"istio-system"}}}}});
    put("home", {object("Cluster", project(), "home", {{"home", true}, {"istio", istio}}),
                 virtual_cluster(project(), "dev", "home", ns(),
                                 {{"injection", {{"mode", "Unmanaged"}}}})});
  }

  std::string project() const { return m_world.name(); }
  std::string ns() const { return m_world.name("dev"); }
  World& world() { return m_world; }

  /// An object of the project with spec.virtualClusterRef, applied as a user would.
  void apply(const std::string& kind, const std::string& name, const std::string& spec) {
    Json full = yaml(spec);
    full["virtualClusterRef"] = {{"name", "dev"}};
    put("home", {object(kind, project(), name, full)}, true);
  }
  CommandResult reconcile(const std::string& timeout = "120s") {
    return run_kubist(
        m_world.as_user({"reconcile", "Project/" + project(), "--timeout=" + timeout}));
  }
  /// The kubist object.
  std::optional<Json> node(const std::string& kind, const std::string& name) {
    return get("home", kind + ".kubist.io", name, project());
  }
  /// An object in the virtual cluster's namespace.
  std::optional<Json> live(const std::string& type, const std::string& name) {
    return get("home", type, name, ns());
  }
  /// In the virtual cluster's namespace, or `where`.
  void ready_pod(const std::string& name, const Json& labels, const std::string& where = {}) {
    traffic_test::ready_pod(where.empty() ? ns() : where, name, labels);
  }
  void set_ready(const std::string& name, bool ready, const std::string& where = {}) {
    traffic_test::set_ready(where.empty() ? ns() : where, name, ready);
  }

 private:
  World m_world;
};

/// What the stage's user wrote, but for the lock, which a slow run renews.
inline std::string written(Audit& audit, Stage& stage) {
  std::string text;
  for (const AuditedWrite& write : audit.writes(stage.world().user())) {
    text += write.resource == "leases" ? "" : write.to_string() + '\n';
  }
  return text;
}

inline std::string text_of(const std::optional<Json>& object,
                           std::initializer_list<std::string_view> path) {
  return object ? std::string(data::string_at(*object, path)) : "";
}

inline const char* const k_destination =
    "{ports: [{port: 80, targetPort: 8080}], subsets: {v1: {labels: {version: v1}}, v2: {labels: "
    "{version: v2}}}}";

inline std::string route_spec(int first, int second, const std::string& more = "") {
  return cat(
      "{hosts: [shop.example.com], gateways: [entry], routes: [{weights: [{destination: web, "
      "version: v1, weight: ",
      first, "}, {destination: web, version: v2, weight: ", second, "}]}]", more, "}");
}

}  // namespace traffic_test
