// Somebody who may write one project's objects, and nothing else, gets no further by them than the
// project: whoever runs kubist, and while another project's run is as good as ever.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

#include "hostile_attempts.hpp"
#include "mesh_kinds.hpp"
#include "printed_roles.hpp"

namespace it::hostile {
namespace {

using kubist::util::cat;
namespace data = kubist::data;

constexpr const char* k_rbac_group = "rbac.authorization.k8s.io";

/// Who runs kubist.
struct Caller {
  std::function<Words(Words)> as;
  std::string user;
  bool impersonates = true;  ///< the projects' accounts
  bool limited = false;      ///< to the printed roles: a Cluster with foreign namespaces is Stalled
};

/// The names of one world.
struct Names {
  explicit Names(const World& world)
      : project(world.name("bad")), other(world.name("good")), people(world.name("people")) {}
  std::string project, other, people;
  std::string dev() const { return project + "-dev"; }
  std::string theirs() const { return project + "-pool-theirs"; }
  std::string account() const { return cat("system:serviceaccount:", project, ":kubist-project"); }
  std::string put_in(std::string text) const {
    for (const auto& [word, name] :
         {std::pair{"PROJECT", project}, std::pair{"DEV", dev()}, std::pair{"OTHER", other}}) {
      text = kubist::util::replace_all(text, word, name);
    }
    return text;
  }
};

std::vector<Attempt> attempts(const Names& names, bool with_rights_of_the_server) {
  const std::string service =
      (*get("home", "service", "kubernetes"))["spec"]["clusterIP"].get<std::string>();
  std::vector<Attempt> all;
  for (const auto& part : {object_attempts(), pod_attempts(), place_attempts(), program_attempts(),
                           traffic_attempts()}) {
    for (Attempt each : part) {
      each.name = kubist::util::lower(names.put_in(each.name));
      each.spec = kubist::util::replace_all(names.put_in(each.spec), "NAME-kubeconfig",
                                            each.name + "-kubeconfig");
      each.kubeconfig = kubist::util::replace_all(each.kubeconfig, "SERVICE", service);
      for (std::string& thing : each.never) {
        thing = names.put_in(thing);
      }
      if (each.by == By::kubist || with_rights_of_the_server) {
        all.push_back(std::move(each));
      }
    }
  }
  return all;
}

std::string type_of(const std::string& kind) {
  const bool item = kind == "DeployItem";
  const auto* found = kubist::resources::find_kind(
      item ? kubist::resources::k_landscaper_group : kubist::resources::k_kubist_group, kind);
  REQUIRE_MESSAGE(found != nullptr, kind);
  return cat(found->plural, '.', found->group);
}

/// One of kubist's kinds, or a DeployItem.
Json node_object(const std::string& kind, const std::string& ns, const std::string& name,
                 Json spec) {
  Json made = object(kind, ns, name, std::move(spec));
  if (kind == "DeployItem") {
    made["apiVersion"] = "landscaper.gardener.cloud/v1alpha1";
  }
  return made;
}

Json config_map(const std::string& ns, const std::string& name, Json values) {
  Json made = kubist::testing::plain("ConfigMap", ns, name);
  made["data"] = std::move(values);
  return made;
}

/// What is there before, and is not the member's: all of it must stay as it is.
std::vector<Json> bystanders(const Names& names) {
  Json export_secret = secret(names.project, "db-export", "theirs");
  export_secret["metadata"]["labels"] = {{"kubist.io/test", "yes"}};
  std::vector<Json> all{export_secret, secret(names.other, "keys", "theirs"),
                        config_map(names.project, "foreign", {{"by", "hand"}}),
                        config_map(names.other, "settings", {{"by", "hand"}})};
  for (const std::string& ns : {names.project, names.dev()}) {
    Json kept = secret(ns, "kept", "a kubeconfig");
    kept["metadata"]["labels"] = {{"kubist.io/internal", "true"}};
    all.push_back(std::move(kept));
  }
  Json service = kubist::testing::plain("Service", names.dev(), "foreign");
  service["spec"] = {{"ports", Json::array({{{"port", 80}}})}};
  all.push_back(std::move(service));
  return all;
}

std::vector<Json> live(const std::vector<Json>& objects) {
  std::vector<Json> all;
  for (const Json& each : objects) {
    all.push_back(get("home", kubist::util::lower(each["kind"].get<std::string>()),
                      each["metadata"]["name"], each["metadata"]["namespace"])
                      .value_or("gone"));
  }
  for (const std::string ns : {"kube-system", "default"}) {
    all.push_back(get("home", "namespace", ns).value_or("gone"));
  }
  return all;
}

/// The two projects, and what else is in the cluster.
void prepare(World& world, const Names& names) {
  world.make_project(names.project,
                     {{"home", {{"namespaces", {names.dev(), names.project + "-pool-*"}}}},
                      {"items", {{"kinds", {"IngressClass.networking.k8s.io"}}}},
                      {"allow", {{"hosts", {"shop.example.com"}}}}});
  world.make_project(names.other, {{"home", {{"namespaces", {names.other + "-dev"}}}}});
  for (const std::string& ns : {names.dev(), names.other + "-dev", names.theirs(),
                                names.project + "-account", names.people}) {
    put("home", {kubist::testing::plain("Namespace", "", ns)});
  }
  for (const std::string& project : {names.project, names.other}) {
    put("home",
        {object("Cluster", project, "home", {{"home", true}, {"istio", {{"mode", "Ignore"}}}}),
         virtual_cluster(project, "dev", "home", project + "-dev", {{"adopt", true}})});
  }
  must(run_kubist({"reconcile", "Project/" + names.project, "Project/" + names.other}));
  make_ready_pod(names.dev(), "v1");
  put("home", bystanders(names));
  put("home",
      {config_map(names.project, "pointer", {{"name", "keys"}, {"namespace", names.other}}),
       node_object("DeployItem", names.other, "honest",
                   yaml("{type: kubist.io/manifest, target: {name: dev}, config: {manifests: "
                        "[{apiVersion: v1, kind: ConfigMap, metadata: {name: honest}}]}}"))});
}

/// A client as somebody who may write kubist's objects in the project's namespace, and no more.
std::shared_ptr<kubist::kube::Client> member(const Names& names) {
  std::map<std::string, Json> plurals;
  for (const kubist::resources::Kind& kind : kubist::resources::kinds()) {
    if (kind.namespaced && kind.name != "Approval") {
      plurals[std::string(kind.group)].push_back(kind.plural);
    }
  }
  plurals[std::string(kubist::resources::k_landscaper_group)] = Json::array({"deployitems"});
  Json role{{"apiVersion", cat(k_rbac_group, "/v1")},
            {"kind", "Role"},
            {"metadata", {{"name", "member"}, {"namespace", names.project}}}};
  for (const auto& [group, list] : plurals) {
    role["rules"].push_back(
        {{"apiGroups", {group}},
         {"resources", list},
         {"verbs", {"get", "list", "watch", "create", "update", "patch", "delete"}}});
  }
  Json binding{
      {"apiVersion", cat(k_rbac_group, "/v1")},
      {"kind", "RoleBinding"},
      {"metadata", {{"name", "member"}, {"namespace", names.project}}},
      {"roleRef", {{"apiGroup", k_rbac_group}, {"kind", "Role"}, {"name", "member"}}},
      {"subjects",
       Json::array(
           {{{"kind", "ServiceAccount"}, {"name", "member"}, {"namespace", names.people}}})}};
  put("home", {kubist::testing::plain("ServiceAccount", names.people, "member"), role, binding});
  auto as = client("home")->as(cat("system:serviceaccount:", names.people, ":member"));
  CHECK(eventually([&] {
    const auto answer = as->can_i({.verb = "create",
                                   .group = std::string(kubist::resources::k_landscaper_group),
                                   .resource = "deployitems",
                                   .ns = names.project});
    return answer && answer->allowed;
  }));
  return as;
}

/// The API server's answer to that object; "" where it takes it.
std::string create_as(kubist::kube::Client& who, const Json& object) {
  const auto of = client("home")->discovery().find_kind(data::string_at(object, {"apiVersion"}),
                                                        data::string_at(object, {"kind"}));
  REQUIRE_MESSAGE(of, (of ? "" : of.error().to_string()));
  const auto made = who.run(kubist::kube::create(*of, object));
  return made ? "" : made.error().to_string();
}

void write_all(kubist::kube::Client& who, const std::vector<Attempt>& all, const Names& names) {
  for (const Refusal& each : refusals()) {
    const std::string answer = create_as(who, yaml(names.put_in(each.object)));
    CHECK_MESSAGE(answer.find(each.message) != std::string::npos, each.object, '\n', answer);
  }
  for (const std::string& tool : tools()) {
    CHECK_MESSAGE(create_as(who, yaml(names.put_in(tool))) == "", tool);
  }
  for (const Attempt& each : all) {
    if (!each.kubeconfig.empty() && each.reasons != "SecretNotFound") {
      put("home", {secret(names.project, each.name + "-kubeconfig", each.kubeconfig)});
    }
    const std::string answer =
        create_as(who, node_object(each.kind, names.project, each.name, yaml(each.spec)));
    CHECK_MESSAGE(answer == "", each.name, ": ", answer);
  }
}

void check_attempt(const Attempt& attempt, const Names& names, const Caller& caller) {
  CAPTURE(attempt.name);
  const auto parts = kubist::util::split(
      attempt.verdict.empty() ? cat(attempt.kind, '/', attempt.name) : attempt.verdict, '/');
  const auto judged = get("home", type_of(parts[0]), parts[1], names.project);
  REQUIRE_MESSAGE(judged, parts[1]);
  const std::string why = reason(judged, "Ready");
  auto reasons = kubist::util::split(attempt.reasons, '|');
  if (caller.limited && attempt.kind == "VirtualCluster") {
    reasons.emplace_back("ParentNotReady");
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
  roles::Account account(names.project, names.dev());
  account.add(names.other, names.other + "-dev");
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
