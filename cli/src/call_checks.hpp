#pragma once
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/policy.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/validate.hpp>

namespace kubist::cli {

/// What is wrong with the executors and policies that objects name: unknown names, wrong
/// parameters. With a client the cluster's definitions count too, read when first needed; without
/// one, a name that is not built in may be defined there and is an error only where a built-in one
/// is near.
class CallChecks {
 public:
  CallChecks(kube::Client* client, std::stop_token stop);

  std::vector<util::Error> executor(const resources::CallSite& site);
  std::vector<util::Error> policy(const resources::CallSite& site);

 private:
  std::vector<data::Json> definitions(std::string_view kind) const;

  kube::Client* m_client;
  std::stop_token m_stop;
  std::optional<engine::PolicyCatalog> m_policies;
  std::optional<std::set<std::string, std::less<>>> m_executors;  ///< ExecutorDefinitions
};

}  // namespace kubist::cli
