#include "rules.hpp"

#include <utility>

namespace kubist::setup {

using data::Json;

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

Json named(Json rule, Json names) {
  rule["resourceNames"] = std::move(names);
  return rule;
}

Json binding(std::string_view kind, std::string_view ns, std::string_view name,
             std::string_view role_kind, std::string_view role, std::string_view account_ns,
             const std::vector<std::string>& accounts) {
  Json subjects = Json::array();
  for (const std::string& account : accounts) {
    subjects.push_back({{"kind", "ServiceAccount"}, {"name", account}, {"namespace", account_ns}});
  }
  Json object{
      {"apiVersion", "rbac.authorization.k8s.io/v1"},
      {"kind", kind},
      {"metadata", {{"name", name}}},
      {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", role_kind}, {"name", role}}},
      {"subjects", std::move(subjects)}};
  if (!ns.empty()) {
    object["metadata"]["namespace"] = ns;
  }
  return object;
}

Json istio_check_rules() {
  return Json::array({
      rule({"apiextensions.k8s.io"}, {"customresourcedefinitions"}, {"get", "list"}),
      rule({"admissionregistration.k8s.io"},
           {"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}, {"list", "watch"}),
      rule({"rbac.authorization.k8s.io"}, {"clusterroles", "clusterrolebindings"}, {"list"}),
      rule({"apps"}, {"daemonsets"}, {"list"}), rule({""}, {"nodes"}, {"list"}),
      rule({""}, {"pods/proxy"}, {"get"}), rule({"discovery.k8s.io"}, {"endpointslices"}, {"list"}),
      rule({"networking.istio.io"}, {"gateways"}, {"create"}),  // as a dry run
  });
}

Json pod_rules() {
  return Json::array({
      rule({""}, {"secrets"}, {"get", "list", "watch", "create", "update", "patch", "delete"}),
      rule({""}, {"serviceaccounts"}, k_keep),
      rule({""}, {"serviceaccounts/token"}, {"create"}),
      rule({""}, {"persistentvolumeclaims"}, {"get", "create", "delete"}),
      rule({"rbac.authorization.k8s.io"}, {"roles", "rolebindings"}, k_keep),
      rule({""}, {"pods"}, {"get", "list", "watch", "create", "delete"}),
      rule({""}, {"pods/log"}, {"get"}),
  });
}

}  // namespace kubist::setup
