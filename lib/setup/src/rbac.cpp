#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/setup/install.hpp>

#include "rules.hpp"

namespace kubist::setup {

using data::Json;

namespace {

/// As whom kubist does what the project's objects ask for.
std::vector<std::string> impersonated(const ProjectAccount& account) {
  return account.project_accounts.empty() ? std::vector<std::string>{resources::k_project_account}
                                          : account.project_accounts;
}

const Json k_write{"get", "list", "watch", "create", "update", "patch", "delete"};

Json names_of_crds() {
  Json names = Json::array();
  for (const Json& crd : resources::crds()) {
    names.push_back(resources::ObjectView(crd).name());
  }
  return names;
}

/// What the objects of a project need in its own namespace.
Json own_rules(const ProjectAccount& account) {
  Json objects = Json::array();
  Json statuses = Json::array();
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.group != resources::k_kubist_group || !kind.namespaced || kind.name == "Approval") {
      continue;
    }
    objects.push_back(kind.plural);
    if (kind.node) {
      statuses.push_back(std::string(kind.plural) + "/status");
    }
  }
  Json rules = Json::array({
      rule({resources::k_kubist_group}, objects, k_manage),
      rule({resources::k_kubist_group}, statuses, {"patch"}),
      rule({resources::k_kubist_group}, {"approvals"}, {"list", "watch"}),  // a person's to make
      rule({resources::k_landscaper_group}, {"deployitems"}, k_manage),
      rule({resources::k_landscaper_group}, {"deployitems/status"}, {"patch"}),
      rule({"coordination.k8s.io"}, {"leases"}, {"create"}),
      named(rule({"coordination.k8s.io"}, {"leases"}, {"get", "update"}), {"kubist"}),
      rule({""}, {"configmaps"}, k_manage),
      rule({""}, {"events"}, {"list", "create"}),
      named(rule({""}, {"serviceaccounts"}, {"impersonate"}), impersonated(account)),
  });
  for (Json& each : pod_rules()) {
    rules.push_back(std::move(each));
  }
  return rules;
}

/// What kubist itself does in the namespace of a virtual cluster on the home cluster. The rest it
/// does as the project's account.
Json home_namespace_rules() {
  return Json::array({rule({"apps"}, {"deployments"}, {"list", "patch"}),
                      rule({"rbac.authorization.k8s.io"}, {"rolebindings"}, {"get"})});
}

/// Of cluster-scoped objects a project may read what it depends on, and write its own status; its
/// Project, which grants, and its namespace are an administrator's.
Json cluster_rules(const ProjectAccount& account) {
  Json kinds = Json::array();
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.group == resources::k_kubist_group && !kind.namespaced) {
      kinds.push_back(kind.plural);
    }
  }
  Json rules = Json::array({
      rule({resources::k_kubist_group}, kinds, k_read),
      named(rule({resources::k_kubist_group}, {"projects/status"}, {"patch"}), {account.project}),
      named(rule({""}, {"namespaces"}, {"get"}), {"kube-system"}),
      named(rule({""}, {"namespaces"}, k_read), {account.ns}),
      named(rule({"apiextensions.k8s.io"}, {"customresourcedefinitions"}, {"get"}),
            {"deployitems.landscaper.gardener.cloud"}),
  });
  if (account.home_namespaces.empty()) {
    return rules;
  }
  // Each is watched by its name.
  Json verbs{"get", "list", "watch", "patch", "delete"};
  if (account.creates_namespaces) {
    verbs = k_manage;
    const Json rbac{"rbac.authorization.k8s.io"};
    // A namespace that is not there has no Role that could limit these to it.
    rules.push_back(rule({"apps"}, {"deployments"}, {"list", "patch"}));
    rules.push_back(named(rule(rbac, {"rolebindings"}, k_keep), {resources::k_project_account}));
    rules.push_back(named(rule(rbac, {"clusterroles"}, {"bind"}), {k_project_role}));
  }
  rules.push_back(named(rule({""}, {"namespaces"}, verbs), account.home_namespaces));
  return rules;
}

void grant(std::vector<Json>& objects, std::string_view ns, const std::string& name, Json rules,
           const ProjectAccount& account) {
  const std::string kind = ns.empty() ? "ClusterRole" : "Role";
  objects.push_back(role(kind, ns, name, std::move(rules)));
  objects.push_back(
      binding(kind + "Binding", ns, name, kind, name, account.account_ns, {account.name}));
}

/// Of the project's own account, which kubist binds itself where it may: by that name.
Json project_binding(const std::string& ns, const char* to, const ProjectAccount& account) {
  return binding("RoleBinding", ns, resources::k_project_account, "ClusterRole", to, account.ns,
                 impersonated(account));
}

/// Configuration that gives no power over others: free in a project's own namespace, too.
Json configuration_rules() {
  return Json::array({
      rule({""}, {"configmaps", "services"}, k_write),
      rule({""}, {"endpoints", "events"}, k_read),
      rule({"discovery.k8s.io"}, {"endpointslices"}, k_read),
      rule({"networking.k8s.io"}, {"ingresses", "networkpolicies"}, k_write),
      rule({"networking.istio.io"}, {"*"}, k_write),
      rule({"gateway.networking.k8s.io"}, {"*"}, k_write),
  });
}

}  // namespace

std::vector<Json> project_roles() {
  Json rules = configuration_rules();
  const Json more = Json::array({
      rule({""},
           {"persistentvolumeclaims", "pods", "replicationcontrollers", "secrets",
            "serviceaccounts"},
           k_write),
      rule({""}, {"serviceaccounts/token"}, {"create"}),
      rule({""}, {"pods/log"}, {"get"}),
      rule({""}, {"services/proxy"}, {"get"}),  // metrics by Services of the project
      rule({"apps"}, {"daemonsets", "deployments", "replicasets", "statefulsets"}, k_write),
      rule({"batch"}, {"cronjobs", "jobs"}, k_write),
      rule({"autoscaling"}, {"horizontalpodautoscalers"}, k_write),
      rule({"policy"}, {"poddisruptionbudgets"}, k_write),
      rule({"rbac.authorization.k8s.io"}, {"rolebindings", "roles"}, k_write),
      rule({"security.istio.io", "telemetry.istio.io"}, {"*"}, k_write),
      rule({"metrics.k8s.io"}, {"pods"}, {"get", "list"}),
  });
  rules.insert(rules.end(), more.begin(), more.end());
  std::vector<Json> roles{role("ClusterRole", "", k_project_role, std::move(rules)),
                          role("ClusterRole", "", k_own_namespace_role, configuration_rules())};
  for (Json& each : roles) {
    each["metadata"]["labels"] = {{resources::k_managed_by_label, "kubist"}};
  }
  return roles;
}

std::vector<Json> init_rbac() {
  const Json group{"apiextensions.k8s.io"};
  const Json crds{"customresourcedefinitions"};
  // Server-side apply checks create under the object's name, so names limit it as well.
  const Json own = named(rule(group, crds, {"get", "create", "patch"}), names_of_crds());
  const Json roles{"clusterroles"};
  // A role may be written by who has its rights, or by who may escalate.
  // https://kubernetes.io/docs/reference/access-authn-authz/rbac/#privilege-escalation-prevention-and-bootstrapping
  const Json projects =
      named(rule({"rbac.authorization.k8s.io"}, roles, {"get", "create", "patch", "escalate"}),
            {k_project_role, k_own_namespace_role});
  // Where images are named: --agent-image, --script-image.
  const Json root =
      named(rule({resources::k_kubist_group}, {"roots"}, {"get", "create", "patch"}), {"root"});
  return {role("ClusterRole", "", "kubist-init",
               Json::array({own, rule(group, crds, {"list", "watch"}), projects, root}))};
}

std::vector<Json> project_rbac(const ProjectAccount& account) {
  const std::string name = "kubist-project-" + account.ns;
  std::vector<Json> objects;
  const std::vector<std::string> there =
      account.creates_namespaces ? std::vector<std::string>() : account.home_namespaces;
  grant(objects, account.ns, name, own_rules(account), account);
  for (const std::string& ns : there) {
    grant(objects, ns, name, home_namespace_rules(), account);
  }
  grant(objects, "", name, cluster_rules(account), account);
  const auto accounts = impersonated(account);
  if (std::ranges::find(accounts, resources::k_project_account) != accounts.end()) {
    objects.push_back(  // kubist makes it, where nobody else has
        {{"apiVersion", "v1"},
         {"kind", "ServiceAccount"},
         {"metadata", {{"name", resources::k_project_account}, {"namespace", account.ns}}},
         {"automountServiceAccountToken", false}});
  }
  objects.push_back(project_binding(account.ns, k_own_namespace_role, account));
  for (const std::string& ns : there) {
    objects.push_back(project_binding(ns, k_project_role, account));
  }
  return objects;
}

}  // namespace kubist::setup
