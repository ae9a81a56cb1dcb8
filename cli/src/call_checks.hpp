#pragma once
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/policy.hpp>
#include <kubist/executors/catalog.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/resources/validate.hpp>

namespace kubist::cli {

/// What is wrong with the executors and policies that objects name: unknown names, wrong
/// parameters. Definitions of the input count, and with a client those of the cluster, read when
/// first needed; without one, a name that is known nowhere may be defined there and is an error
/// only where a known one is near. `input` outlives this.
class CallChecks {
 public:
  CallChecks(const std::vector<resources::Manifest>& input, const std::string& default_namespace,
             kube::Client* client, std::stop_token stop);

  std::vector<util::Error> executor(const resources::CallSite& site);
  std::vector<util::Error> policy(const resources::CallSite& site);

 private:
  /// The cluster's (of that namespace, where one is given), then the input's, which will replace
  /// them.
  std::vector<data::Json> definitions(std::string_view kind, const std::string& ns = {}) const;
  const engine::PolicyCatalog& policies(const std::string& ns);

  const std::vector<resources::Manifest>& m_input;
  std::string m_default_namespace;
  kube::Client* m_client;
  std::stop_token m_stop;
  std::optional<std::vector<data::Json>> m_cluster_policies;
  std::map<std::string, engine::PolicyCatalog> m_policies;  ///< by namespace
  /// ExecutorDefinitions
  std::optional<std::map<std::string, util::Result<executors::ExecutorFunction>, std::less<>>>
      m_executors;
};

}  // namespace kubist::cli
