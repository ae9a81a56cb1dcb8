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
