// What `init --print-rbac` prints is what the whole job takes: no more, no less.
#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/printed_roles.hpp"

namespace {

using namespace it;
using namespace it::roles;
using kubist::util::cat;
namespace data = kubist::data;

const char* const k_mended = "items' accounts that somebody changed are put right";
const char* const k_script =
    "test ! -e \"$IMPORTS_PATH\" || cat \"$IMPORTS_PATH\"; echo '{\"a\": 1}' > \"$EXPORT_PATH\"";

Json execution(const std::string& ns, const std::string& name, Json more) {
  Json spec{{"items", Json::array({{{"name", "run"},
                                    {"type", "Script"},
                                    {"image", "localhost/busybox:1"},
                                    {"script", k_script},
                                    {"deleteScript", k_script}}})},
            {"exports", Json::array({{{"name", "a"}, {"item", "run"}, {"public", true}}})}};
  spec.update(more);
  return object("Execution", ns, name, std::move(spec));
}

Json config_map(const std::string& ns, const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"data", {{"k", "v"}}}};
}

/// A volume in a folder of this machine, for the claims of one storage class; gone with this.
class Volume {
 public:
  explicit Volume(std::string name) : m_name(std::move(name)) {
    put("home",
        {{{"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata", {{"name", m_name}}},
          {"spec",
           {{"capacity", {{"storage", "1Gi"}}},
            {"accessModes", Json::array({"ReadWriteOnce"})},
            {"persistentVolumeReclaimPolicy", "Retain"},
            {"storageClassName", m_name},
            {"hostPath",
             {{"path", (m_folder.path() / "kept").string()}, {"type", "DirectoryOrCreate"}}}}}}});
  }
  ~Volume() { kubectl("home", {"delete", "persistentvolume", m_name, "--wait=false"}); }
  Volume(const Volume&) = delete;
  Volume& operator=(const Volume&) = delete;

 private:
  std::string m_name;
  kubist::util::TempDir m_folder{"volume"};
};

/// Items that need more than most: state in a volume, and the token of an account.
Json more_items(const std::string& ns, const std::string& storage_class) {
  const Json script{{"type", "Script"}, {"image", "localhost/busybox:1"}, {"script", "true"}};
  Json kept = script;
  kept.update(
      {{"name", "kept"},
       {"state",
        {{"backend", "PersistentVolumeClaim"}, {"claim", {{"storageClassName", storage_class}}}}}});
  Json user = script;
  user.update({{"name", "user"}, {"serviceAccountName", "tool"}});
  return object("Execution", ns, "more", {{"items", Json::array({kept, user})}});
}

/// All that a project may hold, the kinds that others of it need first.
std::vector<Json> content(const std::string& ns, const std::string& home_ns) {
  return {
      object("PolicyDefinition", ns, "nothing",
             {{"runtime", {{"jsonnet", {{"source", "function(list) list"}}}}}}),
      config_map(ns, "values"),
      secret(ns, "password", "secret-value"),
      object("Cluster", ns, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
      virtual_cluster(
          ns, "dev", "home", home_ns,
          {{"adopt", true}, {"deletionPolicy", "Delete"}, {"injection", {{"restart", true}}}}),
      execution(
          ns, "here",
          {{"imports",
            Json::array(
                {{{"name", "one"}, {"configMapRef", {{"name", "values"}, {"key", "k"}}}},
                 {{"name", "two"}, {"secretRef", {{"name", "password"}, {"key", "value"}}}}})}}),
      execution(ns, "there", {{"virtualClusterRef", {{"name", "dev"}}}})};
}

std::string yaml_of(const std::vector<Json>& objects) {
  std::string text;
  for (const Json& each : objects) {
    text += "---\n" + each.dump() + '\n';
  }
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

const char* const k_deployment =
    R"({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
  "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": {
    "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "localhost/pause:1"}]}}}})";

}  // namespace

TEST_CASE(
    "rights: the printed roles are enough for a whole project, and none of them is too much") {
  World world("rights");
  const std::string project = world.name();
  const std::string home_ns = world.name("home");
  // An administrator's part.
  world.make_project(
      project, {{"home", {{"namespaces", {home_ns}}}}, {"items", {{"serviceAccounts", {"tool"}}}}});
  put("home", {kubist::testing::plain("ServiceAccount", project, "tool")});
  const Volume volume(world.name("volume"));
  const Account account(project, home_ns);
  must(kubectl("home", {"create", "-n", home_ns, "-f", "-"}, k_deployment));
  const auto own = [&](const Words& args, const std::string& input = {}) {
    return account.kubist(args, input);
  };

  Audit audit("home");
  std::vector<Json> objects = content(project, home_ns);
  objects.push_back(more_items(project, world.name("volume")));
  std::vector<Json> more = objects;
  more.push_back(config_map(project, "stale"));
  const Words apply{"apply", "-n", project, "-f", "-", "--inventory", "set", "--prune"};
  must(own(apply, yaml_of(more)));
  must(own(apply, yaml_of(objects)));
  CHECK(!get("home", "configmap", "stale", project));
  must(own({"reconcile", "Project/" + project, "--timeout=120s"}));
  for (const char* name : {"here", "there", "more"}) {
    CHECK(condition(get("home", "executions.kubist.io", name, project), "Ready") == "True");
  }
  CHECK(must(own({"deployitem", "exports", "here-run", "--show", "-n", project})).find("a: 1") !=
        std::string::npos);
  must(own({"deployitem", "logs", "here-run", "-n", project}));
  Audit second("home");
  must(own({"reconcile", "Project/" + project}));
  CHECK(second.writes(account.user()).empty());
  must(own({"delete", "-n", project, "-f", "-", "--timeout=120s"}, yaml_of(objects)));
  CHECK(!get("home", "namespace", home_ns));

  std::vector<Right> rights = account.rights();
  std::erase_if(rights, needs_no_pod);
  const std::vector<Unused> unused{
      {{"", "", "secrets", "update", ""},
       "given to items' accounts, which nobody may who has it not"},
      {{"", "", "serviceaccounts", "patch", ""}, k_mended},
      {{"", "rbac.authorization.k8s.io", "roles", "patch", ""}, k_mended},
      {{"", "rbac.authorization.k8s.io", "rolebindings", "patch", ""}, k_mended}};
  const auto requests = audit.requests(account.user());
  check_none_refused(requests);
  check_needed(rights, requests, unused);
}

TEST_CASE("rights: init needs what is printed for it, then writes nothing; uninstall undoes it") {
  World world("init");
  const auto uninstall = [](bool force) {
    Words words{"uninstall", "--kubeconfig", kubeconfig("target2")};
    if (force) {
      words.emplace_back("--force");
    }
    return run_kubist(words);
  };
  const auto clean = [&] {
    uninstall(true);
    kubectl("target2",
            {"delete", "crd", "deployitems.landscaper.gardener.cloud", "--ignore-not-found"});
    kubectl("target2",
            {"delete", "clusterrole,clusterrolebinding", "kubist-init", "--ignore-not-found"});
  };
  clean();
  const std::string roles = must(
      run_kubist({"init", "--print-rbac", "-n", "default", "--service-account", "default/init"}));
  must(kubectl("target2", {"apply", "--server-side", "--dry-run=server", "-f", "-"}, roles));
  std::vector<Json> printed = documents(roles);
  std::erase_if(printed,
                [](const Json& role) { return role["metadata"]["name"] != "kubist-init"; });
  REQUIRE(printed.size() == 1);
  put("target2", printed);
  must(kubectl("target2", {"create", "clusterrolebinding", "kubist-init",
                           "--clusterrole=kubist-init", "--user=" + world.user()}));
  const Words init{"init",         "--agent-image",       "localhost/kubist:dev",
                   "--kubeconfig", kubeconfig("target2"), "--as",
                   world.user()};

  Audit audit("target2");
  const std::string first = must(run_kubist(init));
  CHECK(first.find("projects.kubist.io created\n") != std::string::npos);
  Audit second("target2");
  const std::string again = must(run_kubist(init));
  CHECK(count(again, " unchanged\n") == count(first, "\n"));
  CHECK(second.writes(world.user()).empty());
  const auto requests = audit.requests(world.user());
  check_none_refused(requests);
  check_needed(rights_of(printed), requests,
               {{{"", "rbac.authorization.k8s.io", "clusterroles", "escalate", ""},
                 "the API server itself asks for it when the role is written"}});

  put("target2", {object("Project", "", world.name(), Json::object())});
  const CommandResult refused = uninstall(false);
  CHECK(refused.exit_code == 6);
  CHECK_MESSAGE(refused.err.find("1 projects.kubist.io") != std::string::npos, refused.err);
  must(uninstall(true));
  CHECK(must(kubectl("target2", {"get", "crd", "-o", "name"})).find("kubist.io") ==
        std::string::npos);
  clean();
}
