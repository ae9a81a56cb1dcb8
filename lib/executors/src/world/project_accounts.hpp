#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/kube/client.hpp>

#include "world/shared_answer.hpp"

namespace kubist::executors {

/// As whom kubist acts on the home cluster for what a project's objects ask for. It impersonates
/// the project's ServiceAccount, so that the API server judges by that account's rights. A caller
/// who may not impersonate, or does so already (--as), acts with its own rights. Outlives a run;
/// any thread.
class ProjectAccounts {
 public:
  explicit ProjectAccounts(std::shared_ptr<kube::Client> home);

  /// From here on the API server is asked anew who may impersonate: once for all projects, and once
  /// for each where the caller may not impersonate every account.
  void begin_run();

  /// The client for what that Project's objects ask for. Errors: as of the question, which is no
  /// answer.
  util::Result<std::shared_ptr<kube::Client>> client_for(const engine::Node& project,
                                                         const std::stop_token& stop);
  /// Does it act as the project's account?
  util::Result<bool> impersonates(const engine::Node& project, const std::stop_token& stop);

  /// A line for each project of this run for which the caller's own rights were used.
  std::vector<std::string> warnings() const;

 private:
  struct Account {
    SharedAnswer<bool> allowed;
    std::shared_ptr<kube::Client> client;  ///< that acts as it
  };
  Account& account(const std::string& user);
  util::Result<bool> may_impersonate(const std::string& ns, const std::string& name,
                                     const std::stop_token& stop);

  std::shared_ptr<kube::Client> m_home;
  std::atomic<std::uint64_t> m_run = 1;
  SharedAnswer<bool> m_all;    ///< may the caller impersonate every ServiceAccount?
  mutable std::mutex m_mutex;  ///< guards what follows, not what is in the accounts
  std::map<std::string, std::unique_ptr<Account>> m_accounts;  ///< by user name
  std::set<std::string> m_own;                                 ///< projects, of this run
};

}  // namespace kubist::executors
