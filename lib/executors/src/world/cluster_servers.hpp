#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/executors/connections.hpp>
#include <kubist/http/address.hpp>
#include <kubist/http/curl_transport.hpp>
#include <kubist/kube/client.hpp>

#include "world/shared_answer.hpp"

// Which API servers the kubeconfigs of Clusters may name, and how they are asked.
namespace kubist::executors {

/// What a refusal of a server advises.
std::string allow_clusters_hint();

/// The way to the servers that kubeconfigs from Secrets name: engines whose connections go nowhere
/// else, whatever a name resolves to. Any thread.
class ClusterServers {
 public:
  explicit ClusterServers(std::shared_ptr<kube::Client> home) : m_home(std::move(home)) {}

  struct Way {
    std::shared_ptr<http::CurlEngine> engine;
    bool named = false;  ///< a pattern names the host in full
  };
  /// `called`: whose server it is, for the message. Forbidden, reason AddressNotAllowed: a pattern
  /// is missing, or the host is the text of an address that is not asked (a name is judged when it
  /// is resolved: then requests fail so). Else as the home cluster answers.
  util::Result<Way> way_to(const std::string& server, const AllowedServers& allowed,
                           const std::string& called, const std::stop_token& stop);

 private:
  util::Result<http::AddressRule> general_rule(const std::stop_token& stop);

  std::shared_ptr<kube::Client> m_home;
  SharedAnswer<http::AddressRule> m_general_rule;
  std::mutex m_mutex;  ///< guards the engines, which are made when first needed
  std::shared_ptr<http::CurlEngine> m_general;
  std::shared_ptr<http::CurlEngine> m_named;
};

/// The networks that the Services of a cluster have their addresses from: its ServiceCIDRs
/// (Kubernetes 1.33 and newer); else, and for those who may not list them, the block of the usual
/// size (/16, /108) around the Service `kubernetes`, whose address is the first one; in a pod its
/// environment has that. Empty: nobody tells.
util::Result<std::vector<http::Network>> service_networks(kube::Client& home,
                                                          const std::stop_token& stop);

}  // namespace kubist::executors
