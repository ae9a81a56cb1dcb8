#pragma once
#include <memory>
#include <string>
#include <vector>

#include "world/fallback.hpp"

namespace kubist::executors {

/// What a project's account may not do, as a server dry run finds it out: what the API server
/// denies the account is noted, and asked for again with the caller's rights, so that the dry run
/// goes on as if it had been granted. Only what changes nothing is asked for again: writes with
/// dryRun=All, and a GET of one object, which comes before a write. Any thread.
class ProjectTrial {
 public:
  ProjectTrial(const std::shared_ptr<kube::Client>& home,
               const std::shared_ptr<kube::Client>& account);

  /// Acts as the account, but for that.
  const std::shared_ptr<kube::Client>& client() const { return m_client; }
  /// Takes the account for one that is bound to that ClusterRole of kubist's in a namespace: a run
  /// would bind it first.
  void assume(const std::string& ns, const std::string& role);
  /// Each write that was denied, as "VERB RESOURCE NS/NAME: who grants it, and how"; sorted.
  std::vector<std::string> denied() const;

 private:
  class Transport;
  std::shared_ptr<Transport> m_transport;
  std::shared_ptr<kube::Client> m_client;
};

}  // namespace kubist::executors
