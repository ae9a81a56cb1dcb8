#pragma once
#include <string>
#include <vector>

#include "support.hpp"

/// What somebody tries who may write kubist's objects and DeployItems in the namespace of one
/// project, and nothing else. In all texts PROJECT stands for that project and its namespace, DEV
/// for the namespace of its virtual cluster `dev`, OTHER for another project.
namespace it::hostile {

/// Whose limits hold.
enum class By {
  kubist,  ///< kubist's own: also where it has to use its caller's rights
  server,  ///< the API server's, since kubist asks it as the project's account
  either,  ///< the API server's, where kubist acts as that account, else its own
};

/// One attempt: an object that the member writes.
struct Attempt {
  std::string kind, name;
  std::string spec;  ///< YAML
  /// Of its condition Ready: one of these, parted by '|'; none: it is not run.
  std::string reasons;
  /// TYPE/NAMESPACE/NAME (no namespace: TYPE//NAME) of what must not be there afterwards.
  Words never{};
  By by = By::kubist;
  /// KIND/NAME of the object that has the verdict; this one by default.
  std::string verdict{};
  /// Of a Cluster: the kubeconfig, which a Secret of the project has.
  std::string kubeconfig{};
  /// TYPE/NAMESPACE/NAME, or TYPE/NAMESPACE/LABEL=VALUE, of what it asks to read and is nobody's
  /// business but the project's: the API server refuses it (By::server), where kubist acts as the
  /// project's account.
  Words reads{};
};

/// What the API server does not even take from a member, and what it says.
struct Refusal {
  std::string object;  ///< YAML
  std::string message;
};

/// Objects of manifest items: kinds, namespaces, reading, names.
std::vector<Attempt> object_attempts();
/// Accounts, exports and imports of items and Executions.
std::vector<Attempt> reference_attempts();
/// Pods: of manifest items, and of scripts.
std::vector<Attempt> pod_attempts();
/// Helm items.
std::vector<Attempt> chart_attempts();
/// VirtualClusters and Clusters.
std::vector<Attempt> place_attempts();
/// Executions, policies and their programs.
std::vector<Attempt> program_attempts();
/// Destinations, EntryGateways, ExternalServices, TrafficRoutes, and what releases ask.
std::vector<Attempt> traffic_attempts();
std::vector<Refusal> refusals();
/// Objects, as YAML, that a member may well write: policies that attempts name, and traffic of its
/// own, which must not show outside of its namespaces.
std::vector<std::string> tools();

/// A manifest item without a target: its objects go to the project's own namespace.
inline Attempt writes(const std::string& name, const std::string& object,
                      const std::string& reasons, const Words& never = {}, By by = By::kubist) {
  return {"DeployItem",
          name,
          "{type: kubist.io/manifest, timeout: 10s, config: {manifests: [" + object + "]}}",
          reasons,
          never,
          by};
}

/// The same on the virtual cluster `dev`.
inline Attempt writes_in_dev(const std::string& name, const std::string& object,
                             const std::string& reasons, const Words& never = {},
                             By by = By::kubist) {
  Attempt made = writes(name, object, reasons, never, by);
  made.spec.insert(1, "target: {name: dev}, ");
  return made;
}

/// A manifest item with one harmless ConfigMap of its name, and what reads: exports or checks.
inline Attempt reads(const std::string& name, const std::string& more, const std::string& reasons,
                     const Words& what = {}) {
  return {"DeployItem",
          name,
          "{type: kubist.io/manifest, timeout: 10s, config: {manifests: [{apiVersion: v1, kind: "
          "ConfigMap, metadata: {name: " +
              name + "}}], " + more + "}}",
          reasons,
          {"secret/PROJECT/" + name + "-export"},
          By::kubist,
          {},
          {},
          what};
}

inline Attempt runs(const std::string& name, const std::string& more, const std::string& reasons,
                    const Words& never = {}) {
  return {"DeployItem", name,
          "{type: kubist.io/script, timeout: 20s, target: {name: dev}, config: {image: "
          "'localhost/busybox:1', script: 'true', " +
              more + "}}",
          reasons, never};
}

}  // namespace it::hostile
