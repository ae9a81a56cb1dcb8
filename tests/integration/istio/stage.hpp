#pragma once
#include <kubist/data/pointer.hpp>

#include "installation.hpp"

namespace istio_it {

/// A project with one Cluster that has that spec.istio, and a namespace and an item on it.
class Stage {
 public:
  Stage(const std::string& test, const Json& grant, const Json& istio) : m_world(test) {
    m_world.make_project(project(), grant);
    put("home",
        {object("Cluster", project(), "home", {{"home", true}, {"istio", istio}}),
         virtual_cluster(project(), "dev", "home", ns(), {{"injection", {{"mode", "Unmanaged"}}}}),
         {{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
          {"kind", "DeployItem"},
          {"metadata", {{"name", "pretend"}, {"namespace", project()}}},
          {"spec",
           {{"type", "kubist.io/mock"},
            {"target", {{"name", "dev"}}},
            {"config", {{"phase", "Succeeded"}}}}}}});
  }

  std::string project() const { return m_world.name(); }
  std::string ns() const { return m_world.name("dev"); }
  std::string user() const { return m_world.user(); }
  Words reconcile(const std::string& timeout = "300s") const {
    return m_world.as_user(
        {"reconcile", "Project/" + project(), "--timeout=" + timeout, "--lock-timeout=60s"});
  }
  std::optional<Json> cluster() const { return get("home", "kcl", "home", project()); }
  std::optional<Json> node(const std::string& type, const std::string& name) const {
    return get("home", type, name, project());
  }
  void change_istio(const Json& patch) {
    must(kubectl("home", {"patch", "kcl", "home", "-n", project(), "--type=merge", "-p",
                          Json{{"spec", {{"istio", patch}}}}.dump()}));
  }
  /// The manifests as an archive in ConfigMap `istio`.
  void make_source() {
    const kubist::util::TempDir folder("istio-source");
    const std::string archive = folder.path() / "istio.tar.gz";
    const std::filesystem::path path = manifest();
    kubist::util::Command command;
    command.args = {"tar", "czf", archive, "-C", path.parent_path(), path.filename()};
    const auto made = kubist::util::run_command(command);
    REQUIRE((made && made->exit_code == 0));
    must(kubectl("home",
                 {"create", "configmap", "istio", "-n", project(), cat("--from-file=", archive)}));
  }
  void check_others_go_on() const {
    CHECK(condition(node("kvc", "dev"), "Ready") == "True");
    const auto item = node("deployitems", "pretend");
    CHECK((item && kubist::data::string_at(*item, {"status", "phase"}) == "Succeeded"));
  }

 private:
  World m_world;
};

/// What a Project grants.
inline Json granting(const std::string& source) {
  return {{"istioInstall", {{"sources", Json::array({source})}}}};
}

}  // namespace istio_it
