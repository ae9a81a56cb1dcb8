// Somebody who may write one project's objects, and nothing else, gets no further by them than the
// project: whoever runs kubist, and while another project's run is as good as ever.
#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

#include "hostile_checks.hpp"
#include "hostile_reads.hpp"
#include "mesh_kinds.hpp"
#include "printed_roles.hpp"

namespace it::hostile {
namespace {

using kubist::util::cat;

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
  check_reads(audit, caller, names);
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
