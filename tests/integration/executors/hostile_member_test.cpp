// Somebody who may write one project's objects, and nothing else, gets no further by them than the
// project: whoever runs kubist, and while another project's run is as good as ever.
#include <algorithm>
#include <functional>
#include <set>

#include <doctest/doctest.h>

#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "hostile_stage.hpp"
#include "mesh_kinds.hpp"
#include "printed_roles.hpp"

namespace it::hostile {
namespace {

using kubist::util::cat;

/// Who runs kubist.
struct Caller {
  std::function<Words(Words)> as;
  std::string user;
  bool impersonates = true;  ///< the projects' accounts
  bool limited = false;      ///< to the printed roles: foreign namespaces may not be kept
};

void check_attempt(const Attempt& attempt, const Names& names, const Caller& caller) {
  CAPTURE(attempt.name);
  const auto parts = kubist::util::split(
      attempt.verdict.empty() ? cat(attempt.kind, '/', attempt.name) : attempt.verdict, '/');
  const auto judged = get("home", type_of(parts[0]), parts[1], names.project);
  REQUIRE_MESSAGE(judged, parts[1]);
  const std::string why = reason(judged, "Ready");
  auto reasons = kubist::util::split(attempt.reasons, '|');
  if (caller.limited && attempt.kind == "VirtualCluster") {
    reasons.emplace_back("Forbidden");
  }
  const bool expected = std::find(reasons.begin(), reasons.end(), why) != reasons.end();
  CHECK_MESSAGE(expected, why, " is none of ", attempt.reasons, ": ", message(judged, "Ready"));
  CHECK(condition(judged, "Ready") != "True");
  CHECK((message(judged, "Ready").size() > 10 || attempt.reasons.empty()));
  for (const std::string& thing : attempt.never) {
    const auto of = kubist::util::split(thing, '/');
    CHECK_MESSAGE(!get("home", of[0], of[2], of[1]), thing);
  }
}

/// What kubist itself writes in a project's namespaces; all else is the project's account's.
bool is_own_write(const AuditedWrite& write, const Names& names) {
  static const std::set<std::string> kinds{"namespaces", "rolebindings", "serviceaccounts"};
  static const std::set<std::string> of_items{"deployitems", "leases", "secrets", "events"};
  const bool own_ns = write.ns == names.project || write.ns == names.other;
  const auto all = kubist::resources::kinds();
  const bool of_kubist = std::any_of(all.begin(), all.end(), [&](const auto& kind) {
    return kind.plural == write.resource && kind.group == kubist::resources::k_kubist_group;
  });
  return kinds.contains(write.resource) || of_kubist ||
         (own_ns && of_items.contains(write.resource));
}

void check_writes(Audit& audit, const Caller& caller, const Names& names) {
  std::size_t as_projects = 0;
  const auto writes = audit.writes(caller.user);
  CHECK(writes.size() > 100);  // of statuses alone
  for (const AuditedWrite& write : writes) {
    CAPTURE(write.to_string());
    const std::string place =
        write.resource == "namespaces" || write.ns.empty() ? write.name : write.ns;
    CHECK((place == names.project || place == names.dev() || place == names.other ||
           place == names.other + "-dev" ||
           (place == names.theirs() && write.resource == "namespaces")));
    CHECK(write.resource != "pods");
    const bool as_project =
        write.user.starts_with("system:serviceaccount:") && write.user.ends_with(":kubist-project");
    as_projects += as_project ? 1 : 0;
    if (as_project) {
      CHECK(write.user == cat("system:serviceaccount:",
                              place.starts_with(names.project) ? names.project : names.other,
                              ":kubist-project"));
    } else if (caller.impersonates) {
      CHECK(is_own_write(write, names));
    }
  }
  CHECK((as_projects > 0) == caller.impersonates);
}

/// An account that may do all but impersonate, and a token of it; its role is gone with this.
class Powerful {
 public:
  Powerful(const std::string& ns, std::string role)
      : m_role(std::move(role)), m_user(cat("system:serviceaccount:", ns, ":runner")) {
    const Json meta{{"name", m_role}};
    put("home",
        {kubist::testing::plain("ServiceAccount", ns, "runner"),
         {{"apiVersion", cat(k_rbac_group, "/v1")},
          {"kind", "ClusterRole"},
          {"metadata", meta},
          {"rules", Json::array({{{"apiGroups", {"*"}},
                                  {"resources", {"*"}},
                                  {"verbs",
                                   {"get", "list", "watch", "create", "update", "patch", "delete",
                                    "deletecollection", "bind", "escalate"}}}})}},
         {{"apiVersion", cat(k_rbac_group, "/v1")},
          {"kind", "ClusterRoleBinding"},
          {"metadata", meta},
          {"roleRef", {{"apiGroup", k_rbac_group}, {"kind", "ClusterRole"}, {"name", m_role}}},
          {"subjects",
           Json::array({{{"kind", "ServiceAccount"}, {"name", "runner"}, {"namespace", ns}}})}}});
    const std::string token(
        kubist::util::trim(must(kubectl("home", {"create", "token", "runner", "-n", ns}))));
    m_config = m_folder.path() / "kubeconfig";
    REQUIRE(kubist::util::write_file(m_config, token_config("home", token).dump()));
  }
  ~Powerful() {
    kubectl("home", {"delete", "clusterrole,clusterrolebinding", m_role, "--wait=false"});
  }
  Powerful(const Powerful&) = delete;
  Powerful& operator=(const Powerful&) = delete;
  const std::string& user() const { return m_user; }
  Words as(Words args) const {
    args.insert(args.end(), {"--kubeconfig", m_config});
    return args;
  }

 private:
  std::string m_role, m_user;
  kubist::util::TempDir m_folder{"powerful"};
  std::string m_config;
};

/// A DeployItem of 600 levels, which the member writes; gone with this, since no list of the test's
/// own could be read with it.
class DeepItem {
 public:
  DeepItem(kubist::kube::Client& who, std::string ns) : m_ns(std::move(ns)) {
    Json value = 1;
    for (int level = 0; level < 600; ++level) {
      value = Json::array({std::move(value)});
    }
    Json item = node_object("DeployItem", m_ns, "deep", {{"type", "kubist.io/mock"}});
    item["spec"]["config"] = {{"v", std::move(value)}};
    CHECK(create_as(who, item) == "");
  }
  ~DeepItem() { it::remove("home", k_items, "deep", m_ns); }
  DeepItem(const DeepItem&) = delete;
  DeepItem& operator=(const DeepItem&) = delete;

 private:
  std::string m_ns;
};

/// Everything in the member's namespace that shows outside of it.
void check_exports(const Names& names) {
  for (const char* type :
       {"virtualservices.networking.istio.io", "serviceentries.networking.istio.io"}) {
    for (const Json& each : list("home", type)) {
      CHECK(each["metadata"]["namespace"] == names.dev());
      CHECK_MESSAGE(each["spec"]["exportTo"] == Json::array({".", "istio-system"}), each.dump());
    }
  }
}

void attack(const Names& names, const Caller& caller) {
  const std::vector<Attempt> all = attempts(names, caller.impersonates);
  CHECK(all.size() >= 60);
  const std::vector<Json> foreign = bystanders(names);
  const std::vector<Json> before = live(foreign);
  const auto who = member(names);
  write_all(*who, all, names);

  Audit audit("home");
  CommandResult run;
  {
    const DeepItem deep(*who, names.project);
    run = run_kubist(caller.as(
        {"reconcile", "Project/" + names.project, "Project/" + names.other, "--timeout=60s"}));
  }
  CHECK_MESSAGE((run.exit_code == 1 || run.exit_code == 3), run.out, run.err);
  const std::string said = run.out + run.err;
  CHECK_MESSAGE(
      said.find(cat("DeployItem/", names.project,
                    "/deep cannot be read: nested deeper than 500 levels")) != std::string::npos,
      said);
  CHECK_MESSAGE(
      (said.find("its objects are handled with") != std::string::npos) != caller.impersonates,
      said);
  for (const Attempt& each : all) {
    check_attempt(each, names, caller);
  }
  CHECK(live(foreign) == before);
  check_writes(audit, caller, names);
  check_exports(names);
  CHECK_MESSAGE(condition(get("home", "projects.kubist.io", names.other), "TreeReady") == "True",
                said);
  CHECK(get("home", "configmap", "honest", names.other + "-dev"));
}

}  // namespace

TEST_CASE("hostile member: gets nowhere where an administrator runs kubist") {
  World world("hostile-admin");
  const MeshKinds kinds;
  const Names names(world);
  prepare(world, names);
  attack(names, {[&](const Words& args) { return world.as_user(args); }, world.user()});
}

TEST_CASE("hostile member: gets nowhere where an account with the printed roles runs kubist") {
  World world("hostile-account");
  const MeshKinds kinds;
  const Names names(world);
  prepare(world, names);
  roles::Account account(names.project, {names.dev()});
  account.add(names.other, {names.other + "-dev"});
  attack(names, {[&](const Words& args) { return account.as(args); }, account.user(), true, true});
}

TEST_CASE("hostile member: meets kubist's own limits where its caller may not impersonate") {
  World world("hostile-as");
  const MeshKinds kinds;
  const Names names(world);
  prepare(world, names);
  const Powerful account(names.people, world.name("runner"));
  attack(names, {[&](const Words& args) { return account.as(args); }, account.user(), false});
}

}  // namespace it::hostile
