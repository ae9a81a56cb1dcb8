#include <kubist/data/pointer.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/served.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;

namespace {

std::optional<NamedCall> read_call(const Json* call) {
  std::string_view name = call == nullptr ? std::string_view{} : data::string_at(*call, {"name"});
  if (name.empty()) {
    return std::nullopt;
  }
  return NamedCall{std::string(name), data::object_at(*call, {"parameters"})};
}

/// An object in the namespace of `from`.
ObjectRef sibling(const ObjectView& from, std::string_view kind, std::string_view name) {
  auto [group, plain] = read_qualified_kind(kind);
  const Kind* known = find_kind(group, plain);
  const bool namespaced = known == nullptr || known->namespaced;
  return {std::move(group), std::move(plain), namespaced ? std::string(from.ns()) : std::string{},
          std::string(name)};
}

/// What decides where nobody named a policy.
void add_default(std::vector<NamedCall>& calls, std::string_view kind) {
  if (kind == "CanaryRelease") {
    calls.push_back({"Statistical", Json::object()});
  } else if (kind == "Experiment") {
    calls.push_back({"ABTest", Json::object()});
  }
}

}  // namespace

std::optional<NamedCall> executor_of(const Json& object) {
  if (auto call = read_call(data::find_path(object, {"spec", "executor"}))) {
    return call;
  }
  return read_call(data::find_path(object, {"spec", "policyExecutor"}));
}

std::vector<NamedCall> policies_of(const Json& object) {
  std::vector<NamedCall> calls;
  for (const Json& policy : data::array_at(object, {"spec", "policies"})) {
    if (auto call = read_call(&policy)) {
      calls.push_back(std::move(*call));
    }
  }
  if (calls.empty()) {
    add_default(calls, data::string_at(object, {"kind"}));
  }
  return calls;
}

std::vector<Imposition> impositions_of(const Json& object) {
  std::vector<Imposition> all;
  for (const Json& entry : data::array_at(object, {"spec", "impose"})) {
    Imposition one{data::strings_at(entry, {"kinds"}),
                   {},
                   data::string_at(entry, {"position"}) != "First",
                   data::bool_at(entry, {"allowOverride"})};
    for (const Json& policy : data::array_at(entry, {"policies"})) {
      if (auto call = read_call(&policy)) {
        one.policies.push_back(std::move(*call));
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

bool is_suspended(const Json& object) { return data::bool_at(object, {"spec", "suspend"}); }

std::optional<ObjectRef> resolve_ref(const Json& from, std::string_view text) {
  auto ref = parse_ref(text);
  return ref ? std::optional(sibling(ObjectView(from), ref->kind, ref->name)) : std::nullopt;
}

std::vector<ObjectRef> depends_on(const Json& object) {
  std::vector<ObjectRef> refs;
  for (const Json& entry : data::array_at(object, {"spec", "dependsOn"})) {
    auto ref =
        entry.is_string() ? resolve_ref(object, entry.get_ref<const std::string&>()) : std::nullopt;
    if (ref) {
      refs.push_back(std::move(*ref));
    }
  }
  return refs;
}

std::string_view deletion_policy(const Json& object) {
  return data::string_at(object, {"spec", "deletionPolicy"});
}

const Json& settings_of(const Json& object) {
  return data::object_at(object, {"spec", "settings"});
}

std::optional<ObjectRef> parent_of(const Json& object) {
  ObjectView view(object);
  const Kind* kind = find_kind(view.group(), view.kind());
  if (kind == nullptr || !kind->node || kind->parent.empty()) {
    return std::nullopt;
  }
  if (kind->name == "Project") {
    return ObjectRef{std::string(k_kubist_group), "Root", "", "root"};
  }
  if (auto name = data::string_at(object, {"spec", "clusterRef", "name"}); !name.empty()) {
    return sibling(view, "Cluster", name);
  }
  if (auto name = data::string_at(object, {"spec", "virtualClusterRef", "name"}); !name.empty()) {
    return sibling(view, "VirtualCluster", name);
  }
  if (auto name = data::string_at(object, {"spec", "target", "name"});
      kind->name == "DeployItem" && !name.empty()) {
    return sibling(view, "VirtualCluster", name);
  }
  return ObjectRef{std::string(k_kubist_group), "Project", "", ""};
}

std::vector<ObjectRef> references_of(const Json& object) {
  std::vector<ObjectRef> refs = depends_on(object);
  const ObjectView view(object);
  for (const ImportedExecution& import : imported_executions(view.spec())) {
    refs.push_back(sibling(view, "Execution", import.name));
  }
  return refs;
}

std::string project_namespace(const Json& project) {
  return std::string(data::string_at(project, {"spec", "namespace"}, ObjectView(project).name()));
}

std::string project_account(const Json& project) {
  return std::string(data::string_at(project, {"spec", "serviceAccountName"}, k_project_account));
}

std::string project_user(const Json& project) {
  return service_account_user(project_namespace(project), project_account(project));
}

std::string service_account_user(std::string_view ns, std::string_view name) {
  return util::cat("system:serviceaccount:", ns, ':', name);
}

bool is_reserved_namespace(std::string_view ns) {
  return ns == "default" || ns == "istio-system" || ns == "kubist-system" ||
         ns.starts_with("kube-");
}

std::vector<std::string> project_home_patterns(const Json& project) {
  std::vector<std::string> patterns = {project_namespace(project)};
  const Json* given = data::find_path(project, {"spec", "home", "namespaces"});
  if (given == nullptr || !given->is_array()) {
    patterns.push_back(util::cat(ObjectView(project).name(), "-*"));
    return patterns;
  }
  for (std::string& pattern : data::strings_at(*given, {})) {
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

std::string virtual_cluster_namespace(const Json& virtual_cluster) {
  return std::string(
      data::string_at(virtual_cluster, {"spec", "namespace"}, ObjectView(virtual_cluster).name()));
}

}  // namespace kubist::resources
