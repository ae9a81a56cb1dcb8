#include <kubist/executors/catalog.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "exec_runtime.hpp"
#include "jsonnet_runtime.hpp"

namespace kubist::executors {

using util::cat;

namespace {

constexpr std::string_view k_own = "PolicyDefinition";
constexpr std::string_view k_clusters = "ClusterPolicyDefinition";

}  // namespace

Catalog::Catalog(LocalConfig config)
    : m_config(std::move(config)),
      m_jsonnet(make_jsonnet_runtime()),
      m_exec(make_exec_runtime(m_config.programs)) {}

util::Result<std::shared_ptr<const engine::PolicyDefinition>> Catalog::read(
    const data::Json& object) const {
  const bool any_runtime = resources::ObjectView(object).kind() == k_clusters;
  KUBIST_TRY(auto definition,
             engine::read_policy_definition(
                 object, [&](const std::string& key) -> std::shared_ptr<engine::PolicyRuntime> {
                   if (key == "jsonnet") {
                     return m_jsonnet;
                   }
                   return key == "exec" && any_runtime ? m_exec : nullptr;
                 }));
  if (definition->runtime == m_exec && !m_config.programs.contains(definition->source)) {
    auto error = util::make_error(util::ErrorKind::invalid,
                                  cat(definition->origin, '/', definition->name,
                                      ": this machine has no program ", definition->source),
                                  cat("Name it under exec: in ", m_config.file.string(), "."));
    error.reason = k_program_not_here;
    return util::fail(std::move(error));
  }
  return definition;
}

engine::PolicyCatalog Catalog::build(const std::vector<data::Json>& objects) const {
  engine::PolicyCatalog catalog;
  policies::add_builtins(catalog);
  for (const data::Json& object : objects) {
    const resources::ObjectView view(object);
    if (view.kind() != k_own && view.kind() != k_clusters) {
      continue;
    }
    auto definition = read(object);
    auto added = definition ? catalog.add(*definition) : util::fail(definition.error());
    if (!added) {
      catalog.add_broken(std::string(view.ns()), std::string(view.name()), added.error());
    }
  }
  return catalog;
}

}  // namespace kubist::executors
