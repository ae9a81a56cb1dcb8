#include <kubist/executors/catalog.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/resources/object.hpp>

#include "jsonnet_runtime.hpp"

namespace kubist::executors {

Catalog::Catalog() : m_jsonnet(make_jsonnet_runtime()) {}

engine::PolicyCatalog Catalog::build(const std::vector<data::Json>& objects) const {
  engine::PolicyCatalog catalog;
  policies::add_builtins(catalog);
  const auto runtime_for =
      [this](const std::string& key) -> std::shared_ptr<engine::PolicyRuntime> {
    return key == "jsonnet" ? m_jsonnet : nullptr;
  };
  for (const data::Json& object : objects) {
    const resources::ObjectView view(object);
    if (view.kind() != "PolicyDefinition" && view.kind() != "ClusterPolicyDefinition") {
      continue;
    }
    auto definition = engine::read_policy_definition(object, runtime_for);
    auto added = definition ? catalog.add(*definition) : util::fail(definition.error());
    if (!added) {
      catalog.add_broken(std::string(view.ns()), std::string(view.name()), added.error());
    }
  }
  return catalog;
}

}  // namespace kubist::executors
