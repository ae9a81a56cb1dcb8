#pragma once
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/metrics/answer.hpp>
#include <kubist/metrics/sample.hpp>

namespace kubist::kube {
class Client;
}

namespace kubist::metrics {

/// Pods of a gateway.
struct GatewayPods {
  std::string ns;        ///< empty: in all, as Istio selects by default
  std::string selector;  ///< label selector, "istio=ingressgateway"
  /// As whom the pods are listed; nothing: as the provider's client.
  std::shared_ptr<kube::Client> lister = nullptr;
  bool operator==(const GatewayPods&) const = default;
  auto operator<=>(const GatewayPods&) const = default;
};

/// Whom to ask about.
struct Subject {
  std::string ns;                     ///< of the Service
  std::string host;                   ///< full name of the Service: "web.shop.svc.cluster.local"
  std::vector<std::string> versions;  ///< subset names, the arms
  /// Version -> Deployment, where known: Istio's metrics are told apart by destination_workload
  /// then, else by destination_version (the pods' label `version`), which must be the version's
  /// name.
  std::map<std::string, std::string> workloads;
  /// Version -> full name of a Service of its own, where versions are Services (HTTPRoute) instead
  /// of subsets of `host`.
  std::map<std::string, std::string> hosts;
  std::vector<GatewayPods> gateways;
};

/// Where cumulative counters come from. Any thread.
class Provider {
 public:
  virtual ~Provider() = default;
  /// One reading of all arms, in as few requests as can be; every arm of the subject is in it.
  /// Errors are Answers that are inconclusive, with their reason (answer.hpp), never a guess.
  virtual Expected<Sample> sample(const Subject& subject, const std::stop_token& stop) = 0;
  /// The same for many subjects, in their order; where the source can, in fewer requests.
  virtual std::vector<Expected<Sample>> samples(const std::vector<Subject>& subjects,
                                                const std::stop_token& stop);
};

}  // namespace kubist::metrics
