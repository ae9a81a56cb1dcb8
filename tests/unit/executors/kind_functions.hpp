#pragma once
#include <optional>
#include <set>
#include <string>

#include "site.hpp"

/// Executors of users for kubist's own kinds, on the clusters of a Site.
namespace kind_functions {

using namespace site;

// Keeps one ConfigMap that says what it was asked, in the namespace of its parameters or its own.
inline constexpr const char* k_source = R"(function(list)
  local config = list.functionConfig;
  local parameters = config.parameters;
  local resource = list.items[0];
  list {
    items: [resource] + [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: name } + (if std.objectHas(parameters, 'namespace')
                                    then { namespace: parameters.namespace } else {}),
        data: {
          of: resource.kind + '/' + resource.metadata.name,
          version: std.get(std.get(resource, 'status', {}), 'kubernetesVersion', ''),
        },
      }
      for name in std.get(parameters, 'names', ['made'])
    ],
    functionConfig: config { status: std.get(parameters, 'say', {}) },
  })";

inline Json definition(const std::string& name, Json more) {
  more["runtime"] = {{"jsonnet", {{"source", k_source}}}};
  more["parameters"] = {{"properties",
                         {{"names", {{"type", "array"}, {"items", {{"type", "string"}}}}},
                          {"namespace", {{"type", "string"}}},
                          {"say", {{"x-kubernetes-preserve-unknown-fields", true}}}}}};
  return object("ExecutorDefinition", "", name, std::move(more));
}

inline Json executor(const std::string& name, Json parameters = Json::object()) {
  return {{"executor", {{"name", name}, {"parameters", std::move(parameters)}}}};
}

/// The users who asked for a write of that resource since forget().
inline std::set<std::string> writers(const Site& s, const std::string& resource) {
  std::set<std::string> users;
  for (const auto& cluster : {s.home, s.far}) {
    for (const LoggedRequest& each : cluster->writes()) {
      if (each.resource == resource) {
        users.insert(each.as);
      }
    }
  }
  return users;
}

inline std::optional<Json> config_map(const std::shared_ptr<testing::FakeCluster>& where,
                                      const std::string& ns, const std::string& name = "made") {
  const Json found = where->get("configmaps", name, ns);
  return found.is_null() ? std::nullopt : std::optional(found);
}

inline Json home_cluster(Json more) {
  more.update(Json{{"home", true}, {"istio", {{"mode", "Ignore"}}}});
  return more;
}

inline Json no_items() {
  return yaml("items: [{name: one, type: Templates, template: 'function(all) []'}]\n");
}

inline constexpr const char* k_platform = "system:serviceaccount:kubist-system:platform";

}  // namespace kind_functions
