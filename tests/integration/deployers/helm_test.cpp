#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "chart_server.hpp"
#include "stage.hpp"
#include "support/paths.hpp"

// A real helm (tests/cluster/cluster helm) with charts made here.
using namespace kubist;
using namespace kubist::deployers;
using stage::ChartServer;
using stage::Stage;
using State = Progress::State;
namespace fs = std::filesystem;
namespace wk = kube::well_known;

namespace {

std::string output_of(const std::vector<std::string>& args) {
  util::Command command;
  command.args = args;
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, result.error().to_string());
  REQUIRE_MESSAGE(result->exit_code == 0, result->err);
  return std::string(util::trim(result->out));
}

std::string helm() {
  static const std::string path =
      output_of({paths::source_dir() + "/tests/cluster/cluster", "helm"});
  ::setenv("KUBIST_HELM", path.c_str(), 1);
  return path;
}

constexpr std::string_view k_config_map = R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-web
  namespace: {{ .Release.Namespace }}
data:
  colour: {{ .Values.colour | quote }}
  password: {{ .Values.db.password | quote }}
  release: "{{ .Release.IsUpgrade }}"
  kubernetes: {{ .Capabilities.KubeVersion.Version | quote }}
  deploy-items: {{ .Capabilities.APIVersions.Has "landscaper.gardener.cloud/v1alpha1/DeployItem" | quote }}
)";
constexpr std::string_view k_by_chance = R"(apiVersion: v1
kind: ConfigMap
metadata:
  name: chance-{{ randAlphaNum 8 | lower }}
)";
constexpr std::string_view k_hooks = R"(apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations: {"helm.sh/hook": pre-install}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: none}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: probe
  annotations: {"helm.sh/hook": test}
spec: {containers: [{name: c, image: none}]}
)";

/// A chart "web" in a folder of its own.
class Chart {
 public:
  Chart() {
    helm();
    write("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.2.3\n");
    write("values.yaml", "colour: grey\nreplicas: 2\ndb: {password: none}\n");
    write("templates/config.yaml", k_config_map);
    write("templates/hooks.yaml", k_hooks);
  }
  std::string path() const { return (m_folder.path() / "web").string(); }
  void write(const std::string& name, std::string_view text) {
    REQUIRE(util::write_file(m_folder.path() / "web" / name, text, 0644));
  }
  /// The bytes of web-1.2.3.tgz.
  std::string archive() const {
    output_of({helm(), "package", path(), "--destination", m_folder.path().string()});
    return util::read_file(m_folder.path() / "web-1.2.3.tgz").value();
  }

 private:
  util::TempDir m_folder;
};

}  // namespace

TEST_CASE("helm item: a chart in a folder with values of imports, upgraded, removed") {
  Stage stage;
  Chart chart;
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata", {{"name", "imports"}, {"namespace", stage.ns()}}},
                             {"stringData", {{"all", R"({"password": "planted-pw", "x": 1})"}}}});
  const Json spec{{"import", {{"secretRef", {{"name", "imports"}, {"key", "all"}}}}}};
  Json config{
      {"chart", {{"path", chart.path()}}},
      {"name", "shop"},
      {"values", {{"colour", "blue"}}},
      {"valuesFrom", {{{"import", "password"}, {"path", "db.password"}}}},
      {"exportsFromManifests",
       {{{"key", "replicas"}, {"jsonPath", "Values.replicas"}},
        {{"key", "seen"}, {"jsonPath", "Values.colour"}},
        {{"key", "colour"},
         {"jsonPath", ".data.colour"},
         {"fromResource", {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"name", "shop-web"}}}}}}};
  stage.make_item("app", "kubist.io/helm", config, spec);
  const auto outcome = stage.run("app");
  CHECK(outcome.phase == "Succeeded");
  CHECK(outcome.message.find("Job migrate (pre-install)") != std::string::npos);
  CHECK(outcome.message.find("probe") == std::string::npos);
  const Json data = stage.get(wk::config_maps(), "shop-web")["data"];
  CHECK(data["colour"] == "blue");
  CHECK(data["password"] == "planted-pw");
  CHECK(data["release"] == "false");
  CHECK(data["kubernetes"].get<std::string>().starts_with("v1."));
  CHECK(data["deploy-items"] == "true");
  CHECK(stage.exports("app") == Json{{"colour", "blue"}, {"replicas", 2}, {"seen", "blue"}});
  CHECK(stage.item("app").dump().find("planted-pw") == std::string::npos);

  CHECK_FALSE(stage.run("app").ran);
  chart.write("templates/more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n");
  CHECK(stage.run("app").ran);
  CHECK(stage.exists(wk::config_maps(), "more"));
  CHECK(stage.get(wk::config_maps(), "shop-web")["data"]["release"] == "true");
  stage.take_writes();
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(stage.take_writes().empty());

  CHECK(stage.remove("app").state == State::done);
  CHECK_FALSE(stage.exists(wk::config_maps(), "shop-web"));
  CHECK_FALSE(stage.exists(wk::config_maps(), "more"));
}

TEST_CASE("helm item: landscaper's type with an archive in it; what is to be kept stays") {
  Stage stage;
  Chart chart;
  chart.write("templates/kept.yaml",
              "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept, annotations: "
              "{helm.sh/resource-policy: keep}}\n");
  chart.write("crds/thing.yaml", util::cat(R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.)",
                                           stage.ns(), R"(.io}
spec:
  group: )",
                                           stage.ns(), R"(.io
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
)"));
  const std::string crd = "things." + stage.ns() + ".io";
  stage.make_item("app", "landscaper.gardener.cloud/helm",
                  {{"apiVersion", "helm.deployer.landscaper.gardener.cloud/v1alpha1"},
                   {"kind", "ProviderConfiguration"},
                   {"name", "shop"},
                   {"namespace", stage.place()},
                   {"createNamespace", true},
                   {"helmDeployment", false},
                   {"chart", {{"archive", {{"raw", util::base64_encode(chart.archive())}}}}},
                   {"values", {{"colour", "red"}}}});
  CHECK(stage.run("app").phase == "Succeeded");
  CHECK(stage.get(wk::config_maps(), "shop-web")["data"]["colour"] == "red");
  CHECK(stage::home()->find(wk::custom_resource_definitions(), "", crd).value());
  CHECK(stage.remove("app").state == State::done);
  CHECK(stage.exists(wk::config_maps(), "kept"));
  CHECK_FALSE(stage.exists(wk::config_maps(), "shop-web"));
  CHECK_FALSE(stage::home()->find(wk::custom_resource_definitions(), "", crd).value());
  const auto ns = stage::home()->find(wk::namespaces(), "", stage.place());
  REQUIRE(ns.value());
  CHECK(resources::ObjectView(**ns).deletion_timestamp().empty());
  CHECK(resources::ObjectView(**ns).label("app.kubernetes.io/managed-by").empty());
}

TEST_CASE("helm item: charts of a repository, a URL and an OCI registry") {
  Stage stage;
  const Chart chart;
  ChartServer server(chart.archive());
  const Json sources{
      {"repo", {{"repo", "http://" + server.host()}, {"name", "web"}, {"version", "1.2.3"}}},
      {"landscaper",
       {{"helmChartRepo",
         {{"helmChartRepoUrl", "http://" + server.host()}, {"helmChartName", "web"}}}}},
      {"url", {{"url", "http://" + server.host() + "/web-1.2.3.tgz"}}},
      {"oci",
       {{"oci", "oci://" + server.host() + "/charts/web"},
        {"version", "1.2.3"},
        {"plainHttp", true}}},
      {"ref", {{"ref", server.host() + "/charts/web:1.2.3"}, {"plainHttp", true}}}};
  for (const auto& [name, source] : sources.items()) {
    CAPTURE(name);
    stage.make_item(name, "helm", {{"chart", source}});
    CHECK(stage.run(name).phase == "Succeeded");
    CHECK(stage.get(wk::config_maps(), name + "-web")["data"]["colour"] == "grey");
  }
}

TEST_CASE("helm item: repositories and registries that want a login") {
  Stage stage;
  const Chart chart;
  ChartServer server(chart.archive(), "reader:planted-pw");
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata", {{"name", "login"}, {"namespace", stage.ns()}}},
                             {"stringData", {{"user", "reader"}, {"password", "planted-pw"}}}});
  const Json login{{"username", "user"}, {"password", "password"}};
  const Json sources{{"repo",
                      {{"repo", "http://" + server.host()},
                       {"name", "web"},
                       {"version", "1.2.3"},
                       {"loginFrom", login}}},
                     {"oci",
                      {{"oci", server.host() + "/charts/web"},
                       {"version", "1.2.3"},
                       {"plainHttp", true},
                       {"loginFrom", login}}}};
  const Json spec{{"import", {{"secretRef", {{"name", "login"}}}}}};
  for (const auto& [name, source] : sources.items()) {
    CAPTURE(name);
    stage.make_item(name, "helm", {{"chart", source}}, spec);
    CHECK(stage.run(name).phase == "Succeeded");
    Json without = source;
    without.erase("loginFrom");
    stage.make_item(name + "-refused", "helm", {{"chart", without}}, spec);
    CHECK(stage.run(name + "-refused").reason == "RenderFailed");
    CHECK(stage.item(name).dump().find("planted-pw") == std::string::npos);
  }
}

TEST_CASE("helm item: names made by chance are made once a run") {
  Stage stage;
  Chart chart;
  chart.write("templates/chance.yaml", k_by_chance);
  stage.make_item("app", "helm", {{"chart", {{"path", chart.path()}}}});
  const auto names = [&] {
    std::vector<std::string> found;
    const auto list = stage::home()->list(wk::config_maps(), stage.place());
    for (const Json& one : list.value().items) {
      const std::string name(data::string_at(one, {"metadata", "name"}));
      if (name.starts_with("chance-")) {
        found.push_back(name);
      }
    }
    return found;
  };
  CHECK(stage.run("app").phase == "Succeeded");
  const auto first = names();
  CHECK(first.size() == 1);
  CHECK(stage.run("app", stage::k_force).phase == "Succeeded");
  CHECK(names().size() == 1);
  CHECK(names() != first);
}

TEST_CASE("helm item: what drifted is mended, and nothing made by chance is made anew for it") {
  Stage stage;
  Chart chart;
  chart.write("templates/login.yaml",
              "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\n"
              "stringData: {password: {{ randAlphaNum 16 | quote }}}\n");
  stage.make_item("app", "helm", {{"chart", {{"path", chart.path()}}}});
  CHECK(stage.run("app").phase == "Succeeded");
  const Json login = stage.get(wk::secrets(), "login")["data"];
  CHECK_FALSE(stage.run("app").ran);
  stage.merge(wk::config_maps(), "app-web", {{"data", {{"colour", "theirs"}}}});
  CHECK(stage.run("app").ran);
  CHECK(stage.get(wk::config_maps(), "app-web")["data"]["colour"] == "grey");
  CHECK(stage.get(wk::secrets(), "login")["data"] == login);
  CHECK_FALSE(stage.run("app").ran);
}

TEST_CASE("helm item: a machine without its chart and helm does not fail what has not changed") {
  Stage stage;
  Chart chart;
  stage.make_item("app", "helm", {{"chart", {{"path", chart.path()}}}});
  CHECK(stage.run("app").phase == "Succeeded");
  const std::string away = std::string(chart.path()) + ".away";
  std::filesystem::rename(chart.path(), away);
  ::setenv("KUBIST_HELM", "/nowhere/helm", 1);
  const auto elsewhere = stage.run("app");
  CHECK_FALSE(elsewhere.ran);
  CHECK(elsewhere.phase == "Succeeded");
  std::filesystem::rename(away, chart.path());
  ::setenv("KUBIST_HELM", helm().c_str(), 1);
  CHECK_FALSE(stage.run("app").ran);
  chart.write("templates/more.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n");
  CHECK(stage.run("app").ran);
}

TEST_CASE("helm item: errors are helm's own words, without import values") {
  Stage stage;
  Chart chart;
  chart.write("templates/fail.yaml", R"({{ fail (printf "no use: %s" .Values.db.password) }})");
  stage.make(wk::secrets(), {{"apiVersion", "v1"},
                             {"kind", "Secret"},
                             {"metadata", {{"name", "imports"}, {"namespace", stage.ns()}}},
                             {"stringData", {{"password", "planted-pw"}}}});
  stage.make_item("fails", "helm",
                  {{"chart", {{"path", chart.path()}}},
                   {"valuesFrom", {{{"import", "password"}, {"path", "db.password"}}}}},
                  {{"import", {{"secretRef", {{"name", "imports"}}}}}});
  const auto outcome = stage.run("fails");
  CHECK(outcome.phase == "Failed");
  CHECK(outcome.reason == "RenderFailed");
  CHECK(outcome.message.find("templates/fail.yaml") != std::string::npos);
  CHECK(outcome.message.find("no use") != std::string::npos);
  CHECK(stage.item("fails").dump().find("planted-pw") == std::string::npos);
  CHECK(stage.remove("fails").state == State::done);

  stage.make_item("nochart", "helm", {{"chart", {{"path", "/nowhere/chart"}}}});
  const auto none = stage.run("nochart");
  CHECK(none.reason == "RenderFailed");
  CHECK(none.message.find("/nowhere/chart") != std::string::npos);

  Chart large;
  large.write("templates/large.yaml", R"(x: {{ repeat 1500000000 "x" }})");
  stage.make_item("large", "helm", {{"chart", {{"path", large.path()}}}});
  const auto much = stage.run("large");
  CHECK(much.reason == "RenderFailed");
  CHECK(much.message.find("needed more than 1024 MiB of memory") != std::string::npos);

  ::setenv("KUBIST_HELM", "/nowhere/helm", 1);
  stage.make_item("nohelm", "helm", {{"chart", {{"path", chart.path()}}}});
  const auto absent = stage.run("nohelm");
  ::setenv("KUBIST_HELM", helm().c_str(), 1);
  CHECK(absent.reason == "HelmNotFound");
  CHECK(absent.message.find("/nowhere/helm") != std::string::npos);
}
