#include <string>
#include <utility>

#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>

#include "rules.hpp"

namespace kubist::setup {

using data::Json;

Json controller_role() {
  Json read = Json::array();
  Json nodes = Json::array();
  Json removed = Json::array();  // with the Project above them
  Json statuses = Json::array();
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.group != resources::k_kubist_group) {
      continue;
    }
    (kind.node ? nodes : read).push_back(kind.plural);
    if (kind.node) {
      statuses.push_back(std::string(kind.plural) + "/status");
    }
    if (kind.node && kind.namespaced) {
      removed.push_back(kind.plural);
    }
  }
  const Json all{"*"};
  Json rules = Json::array({
      rule({resources::k_kubist_group}, read, {"list", "watch"}),
      rule({resources::k_kubist_group}, nodes, {"get", "list", "watch", "patch"}),
      rule({resources::k_kubist_group}, removed, {"delete"}),
      rule({resources::k_kubist_group}, statuses, {"patch"}),
      rule({resources::k_landscaper_group}, {"deployitems"}, k_manage),
      rule({resources::k_landscaper_group}, {"deployitems/status"}, {"patch"}),
      rule({"coordination.k8s.io"}, {"leases"}, {"list", "watch", "create"}),
      named(rule({"coordination.k8s.io"}, {"leases"}, {"get", "update"}), {"kubist"}),
      // Namespaces of projects and virtual clusters, and the accounts of projects.
      rule({""}, {"namespaces"}, k_manage),
      named(rule({""}, {"serviceaccounts"}, {"impersonate"}), {resources::k_project_account}),
      named(rule({"rbac.authorization.k8s.io"}, {"clusterroles"}, {"bind"}),
            {k_project_role, k_own_namespace_role}),
      rule({""}, {"configmaps"}, k_read),
      rule({""}, {"events"}, {"create"}),
      rule({"apps"}, {"deployments"}, {"list", "watch", "patch"}),  // restarts
      // Drift of what the projects' accounts made.
      rule({""}, {"services"}, k_read),
      rule({"networking.istio.io"}, all, k_read),
      rule({"gateway.networking.k8s.io"}, all, k_read),
  });
  for (const Json& part : {istio_check_rules(), pod_rules()}) {
    rules.insert(rules.end(), part.begin(), part.end());
  }
  Json object = role("ClusterRole", "", "kubist-controller", std::move(rules));
  object["metadata"]["labels"] = {{"app.kubernetes.io/name", "kubist"}};
  return object;
}

}  // namespace kubist::setup
