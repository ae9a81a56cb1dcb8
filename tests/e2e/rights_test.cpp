// What `init --print-rbac` prints is what the whole job takes: no more, no less.
#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"

namespace {

using namespace it;
using kubist::util::cat;
namespace data = kubist::data;

/// One thing that a role allows, or that somebody did.
struct Right {
  std::string ns;  ///< empty: cluster-wide
  std::string group, resource, verb;
  std::string name;  ///< empty: any
  auto operator<=>(const Right&) const = default;
  std::string to_string() const {
    return cat(ns.empty() ? "cluster" : ns, ": ", verb, ' ', resource, '.', group, ' ', name);
  }
};

/// The rights of the printed roles.
std::vector<Right> rights_of(const std::vector<Json>& objects) {
  std::vector<Right> rights;
  for (const Json& object : objects) {
    const std::string kind(data::string_at(object, {"kind"}));
    if (kind != "Role" && kind != "ClusterRole") {
      continue;
    }
    const std::string ns(data::string_at(object, {"metadata", "namespace"}));
    for (const Json& rule : object["rules"]) {
      for (const Json& resource : rule["resources"]) {
        for (const Json& verb : rule["verbs"]) {
          for (const Json& name : rule.value("resourceNames", Json::array({""}))) {
            rights.push_back({ns, rule["apiGroups"][0], resource, verb, name});
          }
        }
      }
    }
  }
  return rights;
}

/// What a finished request made use of. Server-side apply of something new also takes `create`.
std::vector<Right> used_by(const Json& event) {
  const auto part = [&](std::string_view name) {
    return std::string(data::string_at(event, {"objectRef", name}));
  };
  const std::string sub = part("subresource");
  const std::string resource = part("resource") + (sub.empty() ? "" : "/" + sub);
  const std::string ns = part("resource") == "namespaces" ? "" : part("namespace");
  Right right{ns, part("apiGroup"), resource, std::string(data::string_at(event, {"verb"})),
              part("name")};
  std::vector<Right> all{right};
  if (right.verb == "patch" && data::int_at(event, {"responseStatus", "code"}) == 201) {
    right.verb = "create";
    all.push_back(right);
  }
  return all;
}

bool covers(const Right& printed, const Right& used) {
  return (printed.ns.empty() || printed.ns == used.ns) && printed.group == used.group &&
         printed.resource == used.resource && printed.verb == used.verb &&
         (printed.name.empty() || printed.name == used.name);
}

std::vector<Json> documents(const std::string& yaml) {
  const auto read = data::read_documents(yaml, "roles");
  REQUIRE_MESSAGE(read, (read ? "" : read.error().to_string()));
  std::vector<Json> all;
  for (const data::Document& document : *read) {
    all.push_back(document.value);
  }
  return all;
}

/// Nobody was refused anything, and every right was used but those that `unused` explains.
void check_rights(const std::vector<Right>& printed, const std::vector<Json>& requests,
                  const std::vector<std::pair<Right, std::string>>& unused) {
  std::set<Right> used;
  for (const Json& event : requests) {
    const auto code = data::int_at(event, {"responseStatus", "code"});
    const std::string what = cat(data::string_at(event, {"verb"}), ' ',
                                 data::string_at(event, {"requestURI"}), ": ", code);
    CHECK_MESSAGE(code != 403, what);
    if (data::find_path(event, {"objectRef", "resource"}) != nullptr && code < 400) {
      for (const Right& right : used_by(event)) {
        used.insert(right);
      }
    }
  }
  for (const Right& right : printed) {
    const auto covers_it = [&](const Right& one) { return covers(right, one); };
    const bool explained = std::any_of(unused.begin(), unused.end(), [&](const auto& entry) {
      return entry.first.group == right.group && entry.first.verb == right.verb &&
             (entry.first.resource == right.resource || entry.first.resource == "*");
    });
    CHECK_MESSAGE((explained || std::any_of(used.begin(), used.end(), covers_it)),
                  "printed, but not needed: ", right.to_string());
  }
}

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

/// Traffic needs Istio, which is not here: integration.traffic makes these requests, but with an
/// administrator's rights, so that each of them is needed is not shown yet.
std::vector<std::pair<Right, std::string>> traffic_rights() {
  std::vector<std::pair<Right, std::string>> all;
  const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"kubist.io",
       {"approvals", "canaryreleases", "destinations", "entrygateways", "experiments",
        "externalservices", "trafficroutes", "canaryreleases/status", "destinations/status",
        "entrygateways/status", "experiments/status", "externalservices/status",
        "trafficroutes/status"}},
      {"", {"services"}},
      {"networking.istio.io",
       {"destinationrules", "gateways", "serviceentries", "virtualservices"}},
      {"gateway.networking.k8s.io", {"httproutes"}},
      {"discovery.k8s.io", {"endpointslices"}},
      {"metrics.k8s.io", {"pods"}}};
  for (const auto& [group, resources] : groups) {
    for (const char* resource : resources) {
      for (const char* verb : {"get", "list", "watch", "create", "patch", "delete"}) {
        all.push_back({{"", group, resource, verb, ""}, "traffic"});
      }
    }
  }
  return all;
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
  world.make_project(project);
  must(kubectl("home", {"create", "namespace", home_ns}));
  must(kubectl("home", {"create", "-n", home_ns, "-f", "-"}, k_deployment));
  must(kubectl("home", {"create", "serviceaccount", "kubist", "-n", project}));
  const std::string roles =
      must(run_kubist({"init", "--print-rbac", "-n", project, "--home-namespace", home_ns}));
  std::vector<Json> printed = documents(roles);
  std::erase_if(printed,
                [](const Json& role) { return role["metadata"]["name"] == "kubist-init"; });
  put("home", printed);
  const kubist::util::TempDir folder{"rights"};
  const std::string file = folder.path() / "kubeconfig";
  const std::string token(
      kubist::util::trim(must(kubectl("home", {"create", "token", "kubist", "-n", project}))));
  REQUIRE(kubist::util::write_file(file, token_config("home", token).dump()));
  const auto own = [&](Words args, const std::string& input = {}) {
    args.insert(args.end(), {"--kubeconfig", file});
    return run_kubist(args, input);
  };

  Audit audit("home");
  const std::vector<Json> objects = content(project, home_ns);
  std::vector<Json> more = objects;
  more.push_back(config_map(project, "stale"));
  const Words apply{"apply", "-n", project, "-f", "-", "--inventory", "set", "--prune"};
  must(own(apply, yaml_of(more)));
  must(own(apply, yaml_of(objects)));
  CHECK(!get("home", "configmap", "stale", project));
  must(own({"reconcile", "Project/" + project, "--timeout=120s"}));
  for (const char* name : {"here", "there"}) {
    CHECK(condition(get("home", "executions.kubist.io", name, project), "Ready") == "True");
  }
  CHECK(must(own({"deployitem", "exports", "here-run", "--show", "-n", project})).find("a: 1") !=
        std::string::npos);
  must(own({"deployitem", "logs", "here-run", "-n", project}));
  Audit second("home");
  must(own({"reconcile", "Project/" + project}));
  const std::string account = cat("system:serviceaccount:", project, ":kubist");
  CHECK(second.writes(account).empty());
  must(own({"delete", "-n", project, "-f", "-", "--timeout=120s"}, yaml_of(objects)));
  CHECK(!get("home", "namespace", home_ns));

  std::vector<std::pair<Right, std::string>> unused{
      {{"", "", "secrets", "update", ""},
       "given to items' accounts, which nobody may who has it not"},
      {{"", "kubist.io", "*", "get", ""}, "get, describe and wait by name"},
      {{"", "kubist.io", "*", "watch", ""}, "reconcile --watch, get -w, wait"},
      {{"", "landscaper.gardener.cloud", "deployitems", "watch", ""},
       "items whose type is another deployer's are waited for"},
      {{"", "", "serviceaccounts", "patch", ""}, k_mended},
      {{"", "rbac.authorization.k8s.io", "roles", "patch", ""}, k_mended},
      {{"", "rbac.authorization.k8s.io", "rolebindings", "patch", ""}, k_mended},
      {{"", "", "serviceaccounts/token", "create", ""}, "items with an account"},
      {{"", "", "persistentvolumeclaims", "get", ""}, "items with state in a volume"},
      {{"", "", "persistentvolumeclaims", "list", ""}, "kubist garbage"},
      {{"", "", "persistentvolumeclaims", "create", ""}, "the same"},
      {{"", "", "persistentvolumeclaims", "delete", ""}, "the same"},
      {{"", "", "pods/log", "get", ""}, "logs -f of a pod that still runs, logs of a failed one"}};
  for (auto& each : traffic_rights()) {
    unused.push_back(std::move(each));
  }
  check_rights(rights_of(printed), audit.requests(account), unused);

  for (const std::string& role : {cat("clusterrole/kubist-project-", project),
                                  cat("clusterrolebinding/kubist-project-", project)}) {
    kubectl("home", {"delete", role, "--ignore-not-found"});
  }
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
  const std::string roles =
      must(run_kubist({"init", "--print-rbac", "-n", "default", "--service-account", "init"}));
  must(kubectl("target2", {"apply", "--server-side", "--dry-run=server", "-f", "-"}, roles));
  std::vector<Json> printed = documents(roles);
  std::erase_if(printed,
                [](const Json& role) { return role["metadata"]["name"] != "kubist-init"; });
  REQUIRE(printed.size() == 1);
  put("target2", printed);
  must(kubectl("target2", {"create", "clusterrolebinding", "kubist-init",
                           "--clusterrole=kubist-init", "--user=" + world.user()}));
  const Words init{"init", "--kubeconfig", kubeconfig("target2"), "--as", world.user()};

  Audit audit("target2");
  const std::string first = must(run_kubist(init));
  CHECK(first.find("projects.kubist.io created\n") != std::string::npos);
  Audit second("target2");
  const std::string again = must(run_kubist(init));
  CHECK(count(again, " unchanged\n") == count(first, "\n"));
  CHECK(second.writes(world.user()).empty());
  check_rights(rights_of(printed), audit.requests(world.user()), {});

  put("target2", {object("Project", "", world.name(), Json::object())});
  const CommandResult refused = uninstall(false);
  CHECK(refused.exit_code == 6);
  CHECK_MESSAGE(refused.err.find("1 projects.kubist.io") != std::string::npos, refused.err);
  must(uninstall(true));
  CHECK(must(kubectl("target2", {"get", "crd", "-o", "name"})).find("kubist.io") ==
        std::string::npos);
  clean();
}
