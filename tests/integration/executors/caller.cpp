#include "caller.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

#include "credentials.hpp"
#include "exceptions.hpp"
#include "support/live.hpp"

namespace it::caller {

using namespace kubist;
using util::cat;
namespace fs = std::filesystem;

namespace {

constexpr const char* k_rbac = "rbac.authorization.k8s.io";
/// Suites whose cases work with the printed rights.
const std::vector<std::string> k_suites{"/integration/executors/", "/integration/deployers/",
                                        "/integration/faults/",    "/integration/traffic/",
                                        "/integration/metrics/",   "/e2e/"};

/// The caller of one test case.
struct Caller {
  const doctest::TestCaseData* test = nullptr;
  std::string group;  ///< which has the rights
  fs::path config;
  std::vector<std::string> prefixes;         ///< of projects
  std::map<std::string, std::string> known;  ///< what is granted, by the uid of the project
  std::vector<std::string> roles;            ///< of the whole cluster
  ExtraRights extra;
};

/// The group is whom the roles are bound to.
Json to_group(Json object, const std::string& group) {
  if (object.contains("subjects")) {
    object["subjects"] = Json::array({{{"apiGroup", k_rbac}, {"kind", "Group"}, {"name", group}}});
  }
  return object;
}

bool may(const std::string& group, Json attributes) {
  const auto answer = it::client("home")->json(kube::create(
      resource("home", "subjectaccessreviews.authorization.k8s.io"),
      {{"apiVersion", "authorization.k8s.io/v1"},
       {"kind", "SubjectAccessReview"},
       {"spec", {{"user", "caller"}, {"groups", {group}}, {"resourceAttributes", attributes}}}}));
  REQUIRE_MESSAGE(answer, (answer ? "" : answer.error().to_string()));
  return data::bool_at(*answer, {"status", "allowed"});
}

Caller make_caller(const doctest::TestCaseData& test) {
  Caller made;
  made.test = &test;
  const std::string file = test.m_file.c_str();
  const bool printed = std::any_of(k_suites.begin(), k_suites.end(), [&](const std::string& part) {
    return file.find(part) != std::string::npos;
  });
  const std::string rights = printed ? exception_of(test.m_name) : "administrator";
  if (rights == "administrator") {
    made.group = k_administrators;
    made.config = it::kubeconfig("home");
    return made;
  }
  static const util::TempDir folder("caller");
  made.group = "caller-" + util::random_suffix(8);
  made.config = folder.path() / made.group;
  write_kubeconfig(made.config, issue("home", made.group, made.group));
  if (!rights.empty()) {
    made.extra.grant(made.group, rights);
  }
  return made;
}

std::recursive_mutex s_mutex;

Caller& current() {
  static std::optional<Caller> caller;
  const doctest::TestCaseData* test = doctest::getContextOptions()->currentTest;
  REQUIRE(test != nullptr);
  if (!caller || caller->test != test) {
    caller = make_caller(*test);
  }
  return *caller;
}

/// The namespaces that the project's virtual clusters keep on home, and those of the ones that
/// tests make while kubist runs.
std::vector<std::string> namespaces_of(const Json& project, const std::vector<Json>& clusters,
                                       const std::vector<Json>& virtual_clusters) {
  const std::string ns = resources::project_namespace(project);
  const auto patterns = resources::project_home_patterns(project);
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::any_of(patterns.begin(), patterns.end(),
                    [&](const std::string& pattern) { return util::glob_match(pattern, name); })) {
      names.insert(name);
    }
  };
  add(ns + "-dev");
  add(ns + "-late");
  for (const Json& each : virtual_clusters) {
    const bool home = std::any_of(clusters.begin(), clusters.end(), [&](const Json& cluster) {
      return cluster["metadata"]["namespace"] == ns &&
             cluster["metadata"]["name"] == each["spec"]["clusterRef"]["name"] &&
             data::bool_at(cluster, {"spec", "home"});
    });
    if (home && each["metadata"]["namespace"] == ns) {
      add(resources::virtual_cluster_namespace(each));
    }
  }
  return {names.begin(), names.end()};
}

/// Grants what is printed for the projects of the test whose namespaces kubist has made.
void grant_projects(Caller& caller) {
  std::vector<Json> projects = list("home", "projects.kubist.io");
  std::erase_if(projects, [&](const Json& project) {
    const std::string name = project["metadata"]["name"];
    return std::none_of(caller.prefixes.begin(), caller.prefixes.end(),
                        [&](const std::string& prefix) { return name.starts_with(prefix); }) ||
           data::find_path(project, {"status", "namespaceUID"}) == nullptr ||
           data::find_path(project, {"metadata", "deletionTimestamp"}) != nullptr;
  });
  if (projects.empty()) {
    return;
  }
  const auto clusters = list("home", "clusters.kubist.io");
  const auto virtual_clusters = list("home", "virtualclusters.kubist.io");
  for (const Json& project : projects) {
    const auto namespaces = namespaces_of(project, clusters, virtual_clusters);
    std::string& known = caller.known[project["metadata"]["uid"]];
    const std::string now = util::join(namespaces, " ") + ' ';
    if (known != now) {
      known = now;
      grant({.project = project["metadata"]["name"],
             .ns = resources::project_namespace(project),
             .home_namespaces = namespaces,
             .creates_namespaces = true});
    }
  }
}

}  // namespace

fs::path kubeconfig() {
  const std::lock_guard lock(s_mutex);
  Caller& caller = current();
  if (!is_administrator() && !caller.prefixes.empty()) {
    grant_projects(caller);
  }
  return caller.config;
}

void add_projects(const std::string& prefix) {
  const std::lock_guard lock(s_mutex);
  current().prefixes.push_back(prefix);
}

void revoke() {
  const std::lock_guard lock(s_mutex);
  current().extra.end();
  for (const std::string& role : current().roles) {
    for (const auto* of :
         {&kube::well_known::cluster_roles(), &kube::well_known::cluster_role_bindings()}) {
      static_cast<void>(it::client("home")->run(kube::remove(*of, "", role)));
    }
  }
  current().roles.clear();
  current().known.clear();
}

bool is_administrator() {
  const std::lock_guard lock(s_mutex);
  return current().group == k_administrators;
}

void grant(const setup::ProjectAccount& printed) {
  const std::lock_guard lock(s_mutex);
  Caller& caller = current();
  if (is_administrator()) {
    return;
  }
  const std::string theirs = "kubist-project-" + printed.ns;
  const std::string role = cat(caller.group, '-', printed.ns);
  for (Json& object : setup::project_rbac(printed)) {
    if (object["metadata"]["name"] == theirs) {
      object["metadata"]["name"] = role;
      if (object.contains("roleRef")) {
        object["roleRef"]["name"] = role;
      }
      put("home", {to_group(object, caller.group)}, true);
    } else if (!printed.creates_namespaces) {  // else kubist has made the project's account
      put("home", {object});
    }
  }
  caller.roles.push_back(role);
  CHECK(eventually([&] {
    return may(caller.group, {{"verb", "impersonate"},
                              {"resource", "serviceaccounts"},
                              {"namespace", printed.ns},
                              {"name", resources::k_project_account}}) &&
           may(caller.group, {{"verb", "patch"},
                              {"group", resources::k_kubist_group},
                              {"resource", "projects"},
                              {"subresource", "status"},
                              {"name", printed.project}});
  }));
}

std::shared_ptr<kube::Client> client() {
  kube::Overrides overrides;
  overrides.kubeconfig = kubeconfig();
  const auto access = kube::find_access(overrides, kube::process_environment());
  REQUIRE_MESSAGE(access, (access ? "" : access.error().to_string()));
  kube::ClientOptions options;
  options.discovery_cache = false;
  const auto made = kube::Client::connect(*access, options);
  REQUIRE_MESSAGE(made, (made ? "" : made.error().to_string()));
  return *made;
}

Certificate certificate(const std::string& user) {
  const std::lock_guard lock(s_mutex);
  return issue("home", user, current().group);
}

}  // namespace it::caller
