#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/executors/executor_names.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/release/query.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "policies/container_runtime.hpp"
#include "policies/exec_runtime.hpp"
#include "policies/jsonnet_runtime.hpp"
#include "policies/policy_backoff.hpp"

namespace kubist::executors {

using util::cat;

namespace {

constexpr std::string_view k_own = "PolicyDefinition";
constexpr std::string_view k_clusters = "ClusterPolicyDefinition";
constexpr std::string_view k_executors = engine::k_executor_definition;

constexpr std::int64_t k_namespace_patterns = std::int64_t{64} << 20U;

/// Each run compiles all definitions: those beyond what their namespace may take are not read.
util::Error too_many_patterns(const resources::ObjectView& view) {
  return util::make_error(
      util::ErrorKind::invalid,
      cat(view.kind(), '/', view.name(), ": the definitions before it in namespace ", view.ns(),
          " take all ", k_namespace_patterns >> 20U, " MiB of memory for patterns"),
      "Delete definitions that nobody uses, or make their patterns simpler.");
}

/// Has a built-in executor of that kind that name?
bool has_name(std::string_view kind, std::string_view name) {
  const auto names = executor_names(kind);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& each) { return util::iequals(each, name); });
}

/// Does kubist have all kinds that it is for, and may they name an executor?
util::Result<> check_kinds(const ExecutorFunction& function) {
  const auto all = definable_kinds();
  for (const std::string& kind : function.kinds) {
    if (std::find(all.begin(), all.end(), kind) == all.end()) {
      return util::fail(util::ErrorKind::invalid,
                        cat(k_executors, '/', function.definition->name, ": ", kind,
                            " is no kind that may name an executor"),
                        cat("Kinds that may: ", util::join(all, ", "), '.'));
    }
  }
  return {};
}

/// A built-in executor that cannot be replaced has that name.
bool is_taken(std::string_view name) {
  const auto& kinds = resources::kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const resources::Kind& kind) {
    return !is_function_kind(kind.name) && has_name(kind.name, name);
  });
}

}  // namespace

bool is_function_kind(std::string_view kind) {
  return std::find(k_function_kinds.begin(), k_function_kinds.end(), kind) !=
         k_function_kinds.end();
}

std::vector<std::string> definable_kinds() {
  std::vector<std::string> kinds;
  for (const resources::Kind& kind : resources::kinds()) {
    if (kind.node && kind.group == resources::k_kubist_group) {
      kinds.emplace_back(kind.name);
    }
  }
  return kinds;
}

Catalog::Catalog(LocalConfig config)
    : m_config(std::move(config)),
      m_jsonnet(with_backoff(make_jsonnet_runtime(), util::system_clock())),
      m_exec(with_backoff(make_exec_runtime(m_config.programs), util::system_clock())),
      m_no_containers(make_container_runtime(nullptr)) {}

util::Result<std::shared_ptr<const engine::PolicyDefinition>> Catalog::read(
    const data::Json& object, const Runtime& containers) const {
  const bool any_runtime = resources::ObjectView(object).kind() != k_own;
  KUBIST_TRY(auto definition, engine::read_policy_definition(
                                  object,
                                  [&](const std::string& key) -> Runtime {
                                    if (key == "jsonnet") {
                                      return m_jsonnet;
                                    }
                                    if (key == "container" && any_runtime) {
                                      return containers ? containers : m_no_containers;
                                    }
                                    return key == "exec" && any_runtime ? m_exec : nullptr;
                                  },
                                  release::read_query));
  if (definition->runtime == m_exec && !m_config.programs.contains(definition->source)) {
    return util::fail(util::ErrorKind::invalid,
                      cat(definition->origin, '/', definition->name,
                          ": this machine has no program ", definition->source),
                      cat("Name it under exec: in ", m_config.file.string(), "."),
                      std::string(k_program_not_here));
  }
  return definition;
}

util::Result<ExecutorFunction> Catalog::read_executor(const data::Json& object,
                                                      const Runtime& containers) const {
  ExecutorFunction function;
  KUBIST_TRY(function.definition, read(object, containers));
  function.kinds = function.definition->kinds;
  function.serves = resources::served_kind(object);
  function.wraps = data::string_at(object, {"spec", "wraps"});
  function.before = data::string_at(object, {"spec", "runs"}) == "Before";
  function.account = data::string_at(object, {"spec", "serviceAccountName"});
  if (function.definition->in_pod && !function.account.empty()) {
    return util::fail(util::ErrorKind::invalid,
                      cat(k_executors, '/', function.definition->name,
                          ": an image cannot have spec.serviceAccountName: its answers lie in the "
                          "project's namespace, where members may write them"),
                      "Use jsonnet or exec, or leave the account out.", "NotImposable");
  }
  if (function.serves) {
    KUBIST_CHECK(resources::check_served(*function.serves));
    function.kinds = {function.serves->kind};
  } else if (!function.wraps.empty()) {
    function.kinds = {function.wraps};
  } else if (function.kinds.empty()) {
    function.kinds.assign(k_function_kinds.begin(), k_function_kinds.end());
  }
  if (!function.serves) {
    KUBIST_CHECK(check_kinds(function));
  }
  // While it holds back, nobody would answer a request or steer what gets traffic.
  if (function.before && (function.wraps == "CanaryRelease" || function.wraps == "Experiment")) {
    return util::fail(util::ErrorKind::invalid,
                      cat(k_executors, '/', function.definition->name,
                          ": nothing runs before the built-in executor of ", function.wraps),
                      "Let it run after that one: leave spec.runs out.");
  }
  for (const std::string_view kind : k_function_kinds) {
    if (has_name(kind, function.definition->name) &&
        std::find(function.kinds.begin(), function.kinds.end(), kind) == function.kinds.end()) {
      return util::fail(
          util::ErrorKind::invalid,
          cat(k_executors, '/', function.definition->name,
              " has the name of the built-in executor of ", kind, " and is not for that kind"),
          "Give it another name, or that kind.");
    }
  }
  function.cluster_scoped = data::strings_at(object, {"spec", "allows", "clusterScoped"});
  function.namespaces = data::strings_at(object, {"spec", "allows", "namespaces"});
  return function;
}

std::map<std::string, util::Result<ExecutorFunction>, std::less<>> Catalog::executors(
    const std::vector<data::Json>& objects, const Runtime& containers) const {
  std::map<std::string, util::Result<ExecutorFunction>, std::less<>> found;
  for (const data::Json& object : objects) {
    const resources::ObjectView view(object);
    if (view.kind() == k_executors && !is_taken(view.name())) {
      // An older schema may have let anything in: that is only this definition's problem.
      found.insert_or_assign(std::string(view.name()),
                             util::guarded([&] { return read_executor(object, containers); }));
    }
  }
  std::map<std::string, std::string> by;  // the first by name serves
  for (auto& [name, function] : found) {
    if (!function || !function->serves) {
      continue;
    }
    const auto [first, fresh] = by.emplace(function->serves->kind, name);
    if (!fresh) {
      function = util::fail(util::make_error(
          util::ErrorKind::invalid,
          cat(k_executors, '/', name, ": ", function->serves->kind, " is served by ",
              first->second),
          "Let one of the two serve it; objects name the other in spec.executor."));
    }
  }
  return found;
}

engine::PolicyCatalog Catalog::functions(const std::vector<data::Json>& objects) const {
  engine::PolicyCatalog catalog("executor");
  for (const auto& [name, function] : executors(objects)) {
    const auto added = function ? catalog.add(function->definition) : util::fail(function.error());
    if (!added) {
      catalog.add_broken("", name, added.error());
    }
  }
  return catalog;
}

engine::PolicyCatalog Catalog::build(const std::vector<data::Json>& objects,
                                     const Runtime& containers) const {
  engine::PolicyCatalog catalog;
  policies::add_builtins(catalog);
  std::map<std::string, std::int64_t> patterns;  // by namespace: how much memory they take
  for (const data::Json& object : objects) {
    const resources::ObjectView view(object);
    if (view.kind() != k_own && view.kind() != k_clusters) {
      continue;
    }
    std::int64_t& taken = patterns[std::string(view.ns())];
    auto definition = view.kind() == k_own && taken >= k_namespace_patterns
                          ? util::fail(too_many_patterns(view))
                          : util::guarded([&] { return read(object, containers); });
    taken += definition ? (*definition)->schema->pattern_memory() : 0;
    auto added = definition ? catalog.add(*definition) : util::fail(definition.error());
    if (!added) {
      catalog.add_broken(std::string(view.ns()), std::string(view.name()), added.error());
    }
  }
  return catalog;
}

}  // namespace kubist::executors
