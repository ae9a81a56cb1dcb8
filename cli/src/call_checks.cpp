#include "call_checks.hpp"

#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/executor_names.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;
using util::ErrorKind;

CallChecks::CallChecks(const std::vector<resources::Manifest>& input,
                       const std::string& default_namespace, kube::Client* client,
                       std::stop_token stop)
    : m_input(input),
      m_default_namespace(default_namespace),
      m_client(client),
      m_stop(std::move(stop)) {}

namespace {

/// What cannot be read counts as not there: the run itself will say why.
std::vector<data::Json> definitions_of_cluster(kube::Client& client, std::string_view kind,
                                               const std::string& ns, const std::stop_token& stop) {
  const auto resource = client.discovery().find_kind(resources::k_kubist_api_version, kind, stop);
  if (!resource) {
    return {};
  }
  kube::ListOptions options;
  options.max_memory = kube::k_max_command_list_memory;
  auto list = client.list(*resource, ns, options, stop);
  return list ? std::move(list->items) : std::vector<data::Json>{};
}

executors::Catalog catalog() {
  return executors::Catalog(executors::read_local_config().value_or(executors::LocalConfig{}));
}

std::vector<util::Error> wrong_parameters(const engine::PolicyDefinition& definition,
                                          const resources::CallSite& site) {
  auto errors = engine::parameter_errors(definition, site.call.parameters,
                                         [&site](std::string_view pointer, data::At at) {
                                           return site.positions(cat("/parameters", pointer), at);
                                         });
  // Settings of the objects above may give what is missing here, and the machine that reconciles
  // may have what this one lacks.
  std::erase_if(errors, [](const util::Error& error) {
    return error.kind == ErrorKind::not_found ||
           error.message.find("missing required field") != std::string::npos;
  });
  return errors;
}

/// Built-in executors read none.
std::vector<util::Error> vain_parameters(const resources::CallSite& site) {
  std::vector<util::Error> errors;
  for (const auto& [name, value] : site.call.parameters.items()) {
    std::string pointer = "/parameters";
    data::append_token(pointer, name);
    errors.push_back(util::make_error(
        ErrorKind::invalid, site.positions(pointer, data::At::key),
        cat("unknown parameter \"", name, "\": executor ", site.call.name, " takes none")));
  }
  return errors;
}

}  // namespace

std::vector<data::Json> CallChecks::definitions(std::string_view kind,
                                                const std::string& ns) const {
  auto found = m_client != nullptr ? definitions_of_cluster(*m_client, kind, ns, m_stop)
                                   : std::vector<data::Json>{};
  const resources::Kind* known = resources::find_kind(resources::k_kubist_group, kind);
  for (const resources::Manifest& manifest : m_input) {
    const resources::ObjectView view(manifest.object);
    if (view.kind() == kind && view.group() == resources::k_kubist_group) {
      data::Json object = manifest.object;
      if (view.ns().empty() && known != nullptr && known->namespaced) {
        object["metadata"]["namespace"] = m_default_namespace;
      }
      found.push_back(std::move(object));
    }
  }
  return found;
}

std::vector<util::Error> CallChecks::executor(const resources::CallSite& site) {
  const auto names = executors::executor_names(site.kind);
  const auto known = [&](const std::string& name) { return util::iequals(name, site.call.name); };
  const bool is_built_in = std::any_of(names.begin(), names.end(), known);
  if (is_built_in && site.call.parameters.empty()) {
    return {};
  }
  if (!m_executors) {
    m_executors = catalog().executors(definitions("ExecutorDefinition"));
  }
  const std::string near = util::did_you_mean(site.call.name, names);
  const auto found = m_executors->find(util::lower(site.call.name));
  if (found == m_executors->end() && is_built_in) {
    // A definition that nobody here may read can take the place of one that has its kind's name.
    const auto& kinds = executors::k_function_kinds;
    const bool replaceable = known(std::string(site.kind)) &&
                             std::find(kinds.begin(), kinds.end(), site.kind) != kinds.end();
    return replaceable ? std::vector<util::Error>{} : vain_parameters(site);
  }
  if (found == m_executors->end()) {
    return m_client == nullptr && near.empty()
               ? std::vector<util::Error>{}
               : std::vector{util::make_error(
                     ErrorKind::invalid, cat("unknown executor \"", site.call.name, "\"", near),
                     cat("executors of a ", site.kind, ": ", util::join(names, ", ")))};
  }
  const auto& function = found->second;
  if (!function) {
    return function.error().reason == executors::k_program_not_here ? std::vector<util::Error>{}
                                                                    // as of policies
                                                                    : std::vector{function.error()};
  }
  const auto& kinds = function->kinds;
  if (std::find(kinds.begin(), kinds.end(), site.kind) == kinds.end()) {
    return {util::make_error(ErrorKind::invalid,
                             cat("executor ", found->first, " is not for kind ", site.kind),
                             cat("It is for ", util::join(kinds, ", "), "."))};
  }
  return wrong_parameters(*function->definition, site);
}

// By namespace: who may list a project's definitions may not list those of all.
const engine::PolicyCatalog& CallChecks::policies(const std::string& ns) {
  const auto known = m_policies.find(ns);
  if (known != m_policies.end()) {
    return known->second;
  }
  if (!m_cluster_policies) {
    m_cluster_policies = definitions("ClusterPolicyDefinition");
  }
  auto objects = *m_cluster_policies;
  if (!ns.empty()) {
    for (data::Json& definition : definitions("PolicyDefinition", ns)) {
      objects.push_back(std::move(definition));
    }
  }
  return m_policies.emplace(ns, catalog().build(objects)).first->second;
}

std::vector<util::Error> CallChecks::policy(const resources::CallSite& site) {
  const std::string ns(site.ns);
  const auto found = policies(ns).find(ns, site.call.name);
  if (!found && found.error().reason == executors::k_program_not_here) {
    return {};  // another machine may have it: the one that reconciles
  }
  if (!found) {
    const bool guess = found.error().message.find("did you mean") != std::string::npos;
    return m_client == nullptr && !guess ? std::vector<util::Error>{}
                                         : std::vector<util::Error>{found.error()};
  }
  for (const std::string& kind : site.kinds) {
    if (const auto usable = engine::check_kind(**found, kind); !usable) {
      return {util::with_context(usable.error(), cat("policy ", (*found)->name))};
    }
  }
  return wrong_parameters(**found, site);
}

}  // namespace kubist::cli
