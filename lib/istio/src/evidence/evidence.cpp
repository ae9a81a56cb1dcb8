#include <kubist/istio/evidence.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

std::vector<Unread> unread(const Evidence& evidence) {
  std::vector<Unread> all;
  const auto add = [&](const auto& part) {
    if (!part) {
      all.push_back(part.error());
    }
  };
  add(evidence.crds);
  add(evidence.injectors);
  add(evidence.validators);
  add(evidence.control_planes);
  add(evidence.services);
  add(evidence.node_agents);
  add(evidence.sail);
  add(evidence.istiod_pods);
  add(evidence.namespaces);
  add(evidence.proxies);
  add(evidence.cluster_roles);
  add(evidence.cluster_role_bindings);
  add(evidence.configs);
  add(evidence.tainted_nodes);
  return all;
}

std::string with_revision(std::string_view name, std::string_view revision) {
  return revision == k_default_revision ? std::string(name) : util::cat(name, '-', revision);
}

}  // namespace kubist::istio
