// The controller as users install it: by a real helm, or by init; with the rights that both give.
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "controller_rights.hpp"
#include "integration/executors/mesh_kinds.hpp"
#include "registry.hpp"

namespace {

using namespace it;
using namespace it::roles;
using namespace kubist::e2e;
using kubist::util::cat;
namespace data = kubist::data;
namespace paths = kubist::paths;
namespace util = kubist::util;

/// The chart, and a helm with folders of its own.
class Chart {
 public:
  Chart() {
    printed({paths::source_dir() + "/packaging/deploy/package", paths::program(), file()});
  }
  std::string file() const { return m_folder.path() / "kubist.tgz"; }
  CommandResult helm(const Words& args) const {
    Words all{"env"};
    for (const char* name : {"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"}) {
      all.push_back(cat(name, '=', m_folder.path().string()));
    }
    all.push_back(m_helm);
    all.insert(all.end(), args.begin(), args.end());
    util::Command command;
    command.args = all;
    command.timeout = std::chrono::minutes(6);
    const auto result = util::run_command(command);
    REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
    return *result;
  }
  /// `helm template`, as for the cluster of the tests.
  CommandResult render(const Words& values) const {
    Words args{"template", "kubist", file(), "-n", "kubist-system", "--kube-version=1.34"};
    args.insert(args.end(), values.begin(), values.end());
    return helm(args);
  }
  std::vector<Json> rendered(Words values = {}) const {
    values.insert(values.end(), {"--set", "image.repository=r/k"});
    return documents(must(render(values)));
  }
  /// A later version of it, in which the kind of Projects has another description.
  std::string later() const {
    const std::string folder = m_folder.path() / "later";
    printed({"mkdir", folder});
    printed({"tar", "-xf", file(), "-C", folder});
    printed({"sed", "-i", "s/^\\(version\\|appVersion\\): .*/\\1: 9.9.9/",
             folder + "/kubist/Chart.yaml"});
    printed({"sed", "-i", "/^  name: projects.kubist.io/i \\  labels: {later: \"yes\"}",
             folder + "/kubist/templates/kinds.yaml"});
    return folder + "/kubist";
  }

 private:
  util::TempDir m_folder{"chart"};
  std::string m_helm = helm_program();
};

/// By kind and name, without what tells who installed it.
std::map<std::string, Json> by_name(const std::vector<Json>& objects) {
  std::map<std::string, Json> all;
  for (Json object : objects) {
    Json& metadata = object["metadata"];
    if (metadata.contains("annotations")) {
      metadata["annotations"].erase("kubist.io/version");
      metadata["annotations"].erase("helm.sh/resource-policy");
      if (metadata["annotations"].empty()) {
        metadata.erase("annotations");
      }
    }
    all[cat(object["kind"].get<std::string>(), '/', metadata["name"].get<std::string>())] = object;
  }
  return all;
}

bool has_kind(const std::vector<Json>& objects, const std::string& kind) {
  return std::any_of(objects.begin(), objects.end(),
                     [&](const Json& object) { return object["kind"] == kind; });
}

/// The home cluster without kubist, for as long as this lives; without its controller afterwards.
class Bare {
 public:
  explicit Bare(std::string ns) : m_ns(std::move(ns)) { clean(); }
  ~Bare() { clean(); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

 private:
  void clean() const {
    kubectl("home", {"delete", "clusterrole,clusterrolebinding", "kubist-controller",
                     "--ignore-not-found"});
    kubectl("home", {"delete", "namespace", m_ns, "--ignore-not-found"});
    run_kubist({"uninstall", "--force"});
  }
  std::string m_ns;
};

/// A namespace in which only pods of Pod Security's strictest level may run.
void make_restricted(const std::string& ns) {
  Json space = kubist::testing::plain("Namespace", "", ns);
  space["metadata"]["labels"] = {{"pod-security.kubernetes.io/enforce", "restricted"}};
  put("home", {space});
}

/// Applied as it is written, like a user does.
void apply_by_kubectl(const std::vector<Json>& objects) {
  std::string text;
  for (const Json& each : objects) {
    text += "---\n" + each.dump() + '\n';
  }
  must(kubectl("home", {"apply", "-f", "-"}, text));
}

}  // namespace

TEST_CASE("chart: linted, and made of what init prints") {
  const Chart chart;
  must(chart.helm({"lint", "--strict", chart.file(), "--set", "image.repository=r/k"}));
  const Chart same;
  CHECK(util::read_file(same.file()).value() == util::read_file(chart.file()).value());
  const CommandResult nameless = chart.render({});
  CHECK_MESSAGE(has(nameless.err, "image.repository is not set"), nameless.err);
  const CommandResult misspelt = chart.render({"--set", "image.repository=r/k,replica=1"});
  CHECK_MESSAGE(has(misspelt.err, "replica"), misspelt.err);

  const std::vector<Json> rendered = chart.rendered({"--set", "image.tag=v1"});
  const std::string printed_objects =
      must(run_kubist({"init", "--controller", "--agent-image", "r/k:v1", "--print"}));
  auto expected = by_name(documents(printed_objects));
  CHECK(expected.erase("Namespace/kubist-system") == 1);  // helm's --create-namespace
  const auto found = by_name(rendered);
  CHECK(found.size() == expected.size());
  for (const auto& [name, object] : expected) {
    REQUIRE_MESSAGE(found.contains(name), name);
    CHECK_MESSAGE(found.at(name) == object, found.at(name).dump(2), object.dump(2));
  }
  // Kinds stay, and so do the rights of projects' accounts; the controller's go.
  for (const Json& object : rendered) {
    const bool stays =
        data::string_at(object, {"metadata", "annotations", "helm.sh/resource-policy"}) == "keep";
    const std::string name = object["metadata"]["name"];
    CHECK_MESSAGE(stays == (object["kind"] == "CustomResourceDefinition" ||
                            name.starts_with("kubist-project")),
                  name);
  }

  const auto alone =
      chart.rendered({"--set", "replicas=1", "--set", "networkPolicy.enabled=false"});
  CHECK(!has_kind(alone, "PodDisruptionBudget"));
  CHECK(!has_kind(alone, "NetworkPolicy"));
  CHECK(!has_kind(rendered, "ServiceMonitor"));
  const auto more = by_name(chart.rendered(
      {"--set",      "serviceMonitor.enabled=true",
       "--set",      "serviceMonitor.labels.release=prom",
       "--set-json", R"(networkPolicy.metricsFrom=[{"podSelector":{}}])",
       "--set",      "image.digest=sha256:" + std::string(64, 'a'),
       "--set-json", R"(imagePullSecrets=[{"name":"registry"}])",
       "--set",      "logFormat=text",
       "--set-json", R"(env=[{"name":"HTTPS_PROXY","value":"p:1"}])",
       "--set-json", R"(extraArgs=["-v=4"])",
       "--set-json", R"(nodeSelector={"os":"linux"})",
       "--set-json", R"(podAnnotations={"a":"b"})",
       "--set-json", R"(podLabels={"c":"d"})",
       "--set-json", R"(rbac={"projectAccounts":["tool"],"clusterRoles":["cluster-admin"]})"}));
  CHECK(more.at("ServiceMonitor/kubist")["metadata"]["labels"]["release"] == "prom");
  CHECK(more.at("NetworkPolicy/kubist")["spec"]["ingress"][0]["from"] ==
        Json::array({{{"podSelector", Json::object()}}}));
  const Json pod = more.at("Deployment/kubist")["spec"]["template"];
  CHECK(pod["metadata"]["annotations"]["a"] == "b");
  CHECK(pod["metadata"]["labels"]["c"] == "d");
  CHECK(pod["spec"]["nodeSelector"]["os"] == "linux");
  CHECK(pod["spec"]["imagePullSecrets"][0]["name"] == "registry");
  const Json container = pod["spec"]["containers"][0];
  CHECK(container["image"] == "r/k@sha256:" + std::string(64, 'a'));
  CHECK(container["args"] == Json::array({"--log-format=text", "-v=4"}));
  CHECK(container["env"][1]["name"] == "HTTPS_PROXY");
  CHECK(more.at("ClusterRole/kubist-controller-accounts")["rules"][0]["resourceNames"][0] ==
        "tool");
  CHECK(more.contains("ClusterRoleBinding/kubist-controller:kubist-controller-accounts"));
  CHECK(more.contains("ClusterRoleBinding/kubist-controller:cluster-admin"));
}

TEST_CASE("chart: installed, a project becomes Ready, upgraded, nothing is left behind") {
  World world("helm");
  const std::string ns = world.name("system");
  const std::string project = world.name("p");
  const Bare bare(ns);
  const MeshKinds mesh;
  const PlayedIstio istio(world.name("istio"));
  const Chart chart;
  const Registry registry;
  const util::TempDir folder("images");
  const std::string archive = folder.path() / "kubist.tar";
  const std::string digest = make_image(archive);
  registry.push(archive, "kubist:" + ns);
  make_restricted(ns);
  const Words values{"-n",     ns,
                     "--set",  "image.repository=" + registry.image("kubist"),
                     "--set",  "image.tag=" + ns,
                     "--wait", "--timeout=300s"};
  const auto run_helm = [&](Words args) {
    args.insert(args.end(), values.begin(), values.end());
    const CommandResult done = chart.helm(args);
    CHECK_MESSAGE(done.exit_code == 0, done.err,
                  kubectl("home", {"describe", "pods", "-n", ns}).out);
    REQUIRE(done.exit_code == 0);
  };
  const std::string user = cat("system:serviceaccount:", ns, ":kubist");
  Audit audit("home");
  run_helm({"install", "kubist", chart.file()});
  CHECK(has(registry.log(), "GET /v2/kubist/manifests/" + digest));

  apply_by_kubectl(
      {object("Root", "", "root", Json::object()), object("Project", "", project, Json::object())});
  must(kubectl("home", {"wait", "--for=create", "namespace/" + project, "--timeout=240s"}));
  apply_by_kubectl(content(project));
  const CommandResult ready =
      kubectl("home", {"wait", "--for=condition=Ready",
                       "executions.kubist.io,destinations.kubist.io,externalservices.kubist.io",
                       "--all", "-n", project, "--timeout=300s"});
  const auto logs = [&] {
    return kubectl("home", {"logs", "-n", ns, "-l", "app.kubernetes.io/name=kubist", "--tail=-1"})
        .out;
  };
  CHECK_MESSAGE(ready.exit_code == 0, ready.err, logs());
  must(kubectl("home", {"wait", "--for=condition=Ready", "projects.kubist.io/" + project,
                        "--timeout=120s"}));
  CHECK(has(must(run_kubist({"deployitem", "exports", "there-run", "-n", project, "--show"})),
            "a: 1"));
  make_uses(project, ns);

  // A kind of a later chart is the cluster's; Helm does not upgrade those of crds/.
  CHECK(get("home", "customresourcedefinitions", "projects.kubist.io")->dump().find("later") ==
        std::string::npos);
  run_helm({"upgrade", "kubist", chart.later()});
  CHECK((*get("home", "customresourcedefinitions",
              "projects.kubist.io"))["metadata"]["labels"]["later"] == "yes");

  // A replica that is told to end hands over: it says so, and is not killed.
  const Background told("kubectl", {"--kubeconfig", kubeconfig("home"), "logs", "-f", "-n", ns,
                                    "-l", "app.kubernetes.io/name=kubist"});
  // kubectl lists the pods once: a restart before that would give it one that cannot be read yet.
  REQUIRE(eventually([&] { return !told.output().empty(); }));
  must(kubectl("home", {"rollout", "restart", "deployment/kubist", "-n", ns}));
  must(kubectl("home", {"rollout", "status", "deployment/kubist", "-n", ns, "--timeout=240s"}));
  CHECK_MESSAGE(eventually([&] { return has(told.output(), "its projects are free"); }),
                told.output());

  auto requests = audit.requests(user);
  check_none_refused(requests);
  end_namespace(project);
  const CommandResult deleted = kubectl(
      "home", {"delete", "projects.kubist.io", project, "--ignore-not-found", "--timeout=240s"});
  CHECK_MESSAGE(deleted.exit_code == 0, deleted.err, logs());
  CHECK(!get("home", "namespace", project + "-dev"));
  CHECK(eventually([&] { return !get("home", "namespace", project); }));
  must(kubectl("home", {"delete", "roots.kubist.io", "root", "--timeout=120s"}));

  requests = audit.requests(user);
  check_none_refused(of_itself(requests));
  std::vector<Json> roles{*get("home", "clusterroles", "kubist-controller"),
                          *get("home", "roles", "kubist-controller", ns)};
  check_rights(rights_of(roles), requests);

  must(chart.helm({"uninstall", "kubist", "-n", ns, "--wait"}));
  CHECK(get("home", "customresourcedefinitions", "projects.kubist.io").has_value());
  CHECK(get("home", "clusterroles", "kubist-project").has_value());
  CHECK(!get("home", "clusterroles", "kubist-controller"));
  CHECK(!get("home", "deployments", "kubist", ns));
}

TEST_CASE("init: the controller is installed, ready, unchanged the second time, and goes again") {
  World world("init");
  const std::string ns = world.name("system");
  const Bare bare(ns);
  const Registry registry;
  const util::TempDir folder("images");
  const std::string archive = folder.path() / "kubist.tar";
  make_image(archive);
  registry.push(archive, "kubist:" + ns);
  const Words init{"init", "--controller",  "-n",
                   ns,     "--agent-image", registry.image("kubist:" + ns)};
  Words print = init;
  print.emplace_back("--print");
  make_restricted(ns);
  must(kubectl("home", {"apply", "--server-side", "--dry-run=server", "-f", "-"},
               must(run_kubist(print))));
  must(kubectl("home", {"delete", "namespace", ns}));

  const CommandResult first = run_kubist(init);
  CHECK_MESSAGE(first.exit_code == 0, first.out, first.err);
  CHECK(data::int_at(*get("home", "deployments", "kubist", ns), {"status", "readyReplicas"}) == 2);
  CHECK(label(ns, "pod-security.kubernetes.io/enforce") == "restricted");
  Audit audit("home");
  const std::string again = must(run_kubist(world.as_user(init)));
  CHECK_MESSAGE(!has(again, "configured"), again);
  CHECK(audit.writes(world.user()).empty());
  it::remove("home", "kroot", "root");

  const CommandResult gone = run_kubist({"uninstall", "-n", ns});
  CHECK_MESSAGE(gone.exit_code == 0, gone.out, gone.err);
  CHECK(!get("home", "namespace", ns));
  CHECK(!get("home", "clusterroles", "kubist-controller"));
}
