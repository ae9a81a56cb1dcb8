#pragma once
#include <string>

#include <kubist/data/pointer.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "support.hpp"

// Executions whose items need no pod.
namespace it::executions {

using kubist::util::cat;
namespace data = kubist::data;

inline Json templates(const std::string& name, const std::string& source,
                      Json more = Json::object()) {
  Json item{{"name", name}, {"type", "Templates"}, {"template", source}};
  item.update(more);
  return item;
}

/// A Templates item of one mock part named "x".
inline Json mock(const std::string& name, const Json& config, Json more = Json::object()) {
  return templates(
      name, cat("function(all) [{name: 'x', type: 'kubist.io/mock', config: ", config.dump(), "}]"),
      std::move(more));
}

inline Json execution(const std::string& project, Json items, Json more = Json::object()) {
  Json spec{{"items", std::move(items)}};
  spec.update(more);
  return object("Execution", project, "job", spec);
}

inline Json kept_map(const std::string& name, const Json& annotations = Json::object()) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"annotations", annotations}}},
          {"data", {{"key", "value"}}}};
}

/// A DeployItem that keeps these objects.
inline Json kept_item(const std::string& ns, const std::string& name, const Json& manifests,
                      const std::string& target = {}) {
  Json object{{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
              {"kind", "DeployItem"},
              {"metadata", {{"name", name}, {"namespace", ns}}},
              {"spec", {{"type", "kubist.io/manifest"}, {"config", {{"manifests", manifests}}}}}};
  if (!target.empty()) {
    object["spec"]["target"]["name"] = target;
  }
  return object;
}

inline CommandResult reconcile(const World& world, const Words& more = {}) {
  Words args{"reconcile", "Project/" + world.name(), "--timeout=60s"};
  args.insert(args.end(), more.begin(), more.end());
  return run_kubist(world.as_user(args));
}

inline std::string phase(const std::string& project, const std::string& item) {
  const auto found = get("home", k_items, item, project);
  return found ? std::string(data::string_at(*found, {"status", "phase"}, "none")) : "gone";
}

inline Json exports(const std::string& project, const std::string& name = "job-exports") {
  const auto found = get("home", "secret", name, project);
  if (!found) {
    return {};
  }
  return Json::parse(
      kubist::util::base64_decode(data::string_at(*found, {"data", "config"})).value_or("null"));
}

inline std::string status_message(const std::string& project) {
  const auto found = get("home", "executions.kubist.io", "job", project);
  return cat(reason(found, "Ready"), ": ", message(found, "Ready"));
}

}  // namespace it::executions
