#include <kubist/apply/install.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>

namespace kubist::apply {

using data::Json;

namespace {

Json rule(Json groups, Json resources, Json verbs) {
  return {{"apiGroups", std::move(groups)},
          {"resources", std::move(resources)},
          {"verbs", std::move(verbs)}};
}

Json role(std::string_view kind, std::string_view ns, std::string_view name, Json rules) {
  Json object{{"apiVersion", "rbac.authorization.k8s.io/v1"},
              {"kind", kind},
              {"metadata", {{"name", name}}},
              {"rules", std::move(rules)}};
  if (!ns.empty()) {
    object["metadata"]["namespace"] = ns;
  }
  return object;
}

Json binding(std::string_view kind, std::string_view ns, std::string_view name,
             std::string_view role_kind, std::string_view account_ns, std::string_view account) {
  Json object{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", kind},
      {"metadata", {{"name", name}}},
      {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", role_kind}, {"name", name}}},
      {"subjects",
       Json::array({{{"kind", "ServiceAccount"}, {"name", account}, {"namespace", account_ns}}})}};
  if (!ns.empty()) {
    object["metadata"]["namespace"] = ns;
  }
  return object;
}

const Json k_read{"get", "list", "watch"};
const Json k_manage{"get", "list", "watch", "create", "patch", "delete"};

Json names_of_crds() {
  Json names = Json::array();
  for (const Json& crd : resources::crds()) {
    names.push_back(resources::ObjectView(crd).name());
  }
  return names;
}

}  // namespace

std::vector<Json> init_rbac() {
  const Json group{"apiextensions.k8s.io"};
  const Json crds{"customresourcedefinitions"};
  // Server-side apply checks create under the object's name, so names limit it as well.
  Json own = rule(group, crds, {"get", "create", "patch"});
  own["resourceNames"] = names_of_crds();
  return {role("ClusterRole", "", "kubist-init",
               Json::array({own, rule(group, crds, {"list", "watch"})}))};
}

std::vector<Json> project_rbac(std::string_view ns, std::string_view service_account) {
  Json kubist = Json::array();
  Json cluster_wide = Json::array();
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.group != resources::k_kubist_group) {
      continue;
    }
    Json& list = kind.namespaced ? kubist : cluster_wide;
    list.push_back(kind.plural);
    if (kind.namespaced) {
      list.push_back(std::string(kind.plural) + "/status");
    }
  }
  const std::string name = "kubist-project-" + std::string(ns);
  const Json rules = Json::array({
      rule({resources::k_kubist_group}, kubist, {"get", "list", "watch", "patch", "update"}),
      rule({resources::k_landscaper_group}, {"deployitems", "deployitems/status"},
           {"get", "list", "watch", "create", "patch", "update", "delete"}),
      rule({"coordination.k8s.io"}, {"leases"}, {"get", "create", "patch", "update"}),
      rule({""}, {"secrets", "configmaps", "serviceaccounts"},
           {"get", "list", "watch", "create", "patch", "update", "delete"}),
      rule({""}, {"pods"}, k_manage),
      rule({""}, {"pods/log"}, {"get"}),
      rule({""}, {"serviceaccounts/token"}, {"create"}),
      rule({""}, {"events"}, {"get", "list", "create", "patch"}),
      rule({"rbac.authorization.k8s.io"}, {"roles", "rolebindings"}, k_manage),
  });
  const Json cluster_rules = Json::array({
      rule({resources::k_kubist_group}, cluster_wide, k_read),
      rule({""}, {"namespaces"}, {"get", "list", "watch", "create", "patch", "delete"}),
  });
  return {role("Role", ns, name, rules),
          binding("RoleBinding", ns, name, "Role", ns, service_account),
          role("ClusterRole", "", name, cluster_rules),
          binding("ClusterRoleBinding", "", name, "ClusterRole", ns, service_account)};
}

}  // namespace kubist::apply
