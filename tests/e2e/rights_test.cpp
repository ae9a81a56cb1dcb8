// What `init --print-rbac` prints is what the whole job takes: no more, no less.
#include <algorithm>
#include <csignal>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/printed_examples.hpp"

namespace {

using namespace it;
using namespace it::roles;
using kubist::util::cat;
namespace data = kubist::data;

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
      virtual_cluster(ns, "dev", "home", home_ns,
                      {{"adopt", true},
                       {"deletionPolicy", "Delete"},
                       {"injection", {{"mode", "Sidecar"}, {"restart", true}}}}),
      execution(
          ns, "here",
          {{"imports",
            Json::array(
                {{{"name", "one"}, {"configMapRef", {{"name", "values"}, {"key", "k"}}}},
                 {{"name", "two"}, {"secretRef", {{"name", "password"}, {"key", "value"}}}}})}}),
      execution(ns, "there", {{"virtualClusterRef", {{"name", "dev"}}}})};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// Changes what an item's pod runs as: its account, its Role and the RoleBinding.
void spoil_account(const std::string& ns, const std::string& item) {
  const auto live = get("home", "deployitems.landscaper.gardener.cloud", item, ns);
  REQUIRE(live);
  const std::string of =
      cat("kubist.io/deployitem-uid=", data::string_at(*live, {"metadata", "uid"}));
  for (const auto& [kind, patch] :
       {std::pair{"serviceaccounts", R"({"automountServiceAccountToken": true})"},
        {"roles", R"({"rules": []})"},
        {"rolebindings", R"({"subjects": []})"}}) {
    const std::string name(
        kubist::util::trim(must(kubectl("home", {"get", kind, "-n", ns, "-l", of, "-o", "name"}))));
    must(kubectl("home", {"patch", name, "-n", ns, "--type=merge", "-p", patch}));
  }
}

/// What fails is an Event, and so is its end.
void fail_and_mend(const Account& account, const std::string& project) {
  const Json late =
      Json::array({{{"name", "late"}, {"configMapRef", {{"name", "late"}, {"key", "k"}}}}});
  must(account.kubist({"apply", "-n", project, "-f", "-"},
                      execution(project, "late", {{"imports", late}}).dump()));
  const Words reconcile{"reconcile", "Execution/late", "-n", project, "--timeout=60s"};
  CHECK(account.kubist(reconcile).exit_code != 0);
  put("home", {config_map(project, "late")});
  must(account.kubist(reconcile));
  const auto told = [&] {
    return must(account.kubist({"events", "-n", project, "--for", "execution/late"}));
  };
  CHECK_MESSAGE(
      eventually([&] { return count(told(), "Warning") == 1 && count(told(), "Normal") == 1; }),
      told());
  must(account.kubist({"delete", "execution", "late", "-n", project, "--timeout=60s"}));
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
  const Account account(project, {home_ns});
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
  fail_and_mend(account, project);
  Audit second("home");
  must(own({"reconcile", "Project/" + project}));
  CHECK(second.writes(account.user()).empty());
  {
    Background watch(account.as({"reconcile", "Project/" + project, "--watch"}));
    // The first change may be seen by the listing that the watch begins with.
    for (const std::size_t change : {1, 2}) {
      patch("home", "configmap", "values", project, kubist::kube::PatchType::merge,
            {{"data", {{"k", cat("v", change)}}}});
      CHECK_MESSAGE(eventually([&] { return count(watch.output(), "here: drift") >= change; }),
                    watch.output());
    }
    watch.signal(SIGTERM);
    CHECK_MESSAGE(watch.wait(20) == 143, watch.output());
  }
  spoil_account(project, "here-run");
  must(own({"reconcile", "Execution/here", "-n", project, "--force", "--timeout=120s"}));
  must(own({"delete", "-n", project, "-f", "-", "--timeout=120s"}, yaml_of(objects)));
  CHECK(!get("home", "namespace", home_ns));

  std::vector<Right> rights = account.rights();
  std::erase_if(rights, needs_no_pod);
  const std::vector<Unused> unused{
      {{"", "", "secrets", "update", ""}, "the API server asks for it: see the next case"}};
  const auto requests = audit.requests(account.user());
  // It is asked once whether all namespaces may be watched; then each is, by its name.
  check_none_refused(requests, {"managed-by%3Dkubist&limit="});
  CHECK(std::count_if(requests.begin(), requests.end(), [](const Json& event) {
          return data::int_at(event, {"responseStatus", "code"}) == 403;
        }) == 1);
  check_needed(rights, requests, unused);
}

TEST_CASE("rights: who may not update Secrets may not give that to an item's account, either") {
  World world("no-update");
  const std::string project = world.name();
  world.make_project(project);
  const Account account(project, {world.name("home")});
  const std::string role = "kubist-project-" + project;
  Json rules = (*get("home", "roles", role, project))["rules"];
  for (Json& rule : rules) {
    if (rule["resources"] == Json::array({"secrets"})) {
      rule["verbs"].erase(std::find(rule["verbs"].begin(), rule["verbs"].end(), "update"));
    }
  }
  must(kubectl("home", {"patch", "role", role, "-n", project, "--type=merge", "-p",
                        Json{{"rules", rules}}.dump()}));
  must(account.kubist({"apply", "-n", project, "-f", "-"},
                      execution(project, "here", Json::object()).dump()));
  const CommandResult run = account.kubist({"reconcile", "Project/" + project, "--timeout=60s"});
  CHECK(run.exit_code == 1);
  CHECK_MESSAGE(run.out.find("is attempting to grant RBAC permissions not currently held") !=
                    std::string::npos,
                run.out, run.err);
  CHECK_MESSAGE(run.out.find(R"(Verbs:["update"])") != std::string::npos, run.out);
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
  const std::string roles = must(run_kubist(
      {"init", "--print-rbac", "-n", "default", "--service-account", "kube-system/init"}));
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
