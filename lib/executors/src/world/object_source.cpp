#include <kubist/executors/object_source.hpp>

namespace kubist::executors {

kube::ApiResource resource_of(const resources::Kind& kind) {
  kube::ApiResource resource;
  resource.group = kind.group;
  resource.version = resources::k_version;
  resource.kind = kind.name;
  resource.plural = kind.plural;
  resource.namespaced = kind.namespaced;
  return resource;
}

std::set<std::string> ObjectSource::limits(const std::stop_token& /*stop*/) { return {}; }

}  // namespace kubist::executors
