#pragma once
#include <chrono>
#include <memory>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/metrics/provider.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::metrics {

struct GatewayOptions {
  /// Where the pods' proxies serve /stats/prometheus, tried in order: Envoy's own port, then the
  /// agent's, which answers 200 even where Envoy does not (that is noticed).
  std::vector<int> ports = {15090, 15020};
  /// Subjects of one namespace and the same gateways that are asked about within that time share
  /// one reading.
  std::chrono::milliseconds max_age{1000};
  std::chrono::milliseconds timeout{10'000};  ///< for one pod
  std::size_t at_once = 8;                    ///< pods that are read at the same time
  std::chrono::milliseconds total{30'000};    ///< for all pods of a reading
  std::size_t max_pods = 100;                 ///< of a reading
  /// About how much is kept of all pods of a reading. Twenty pods that know 100 Services of the
  /// namespace each take some 10 MiB.
  std::size_t max_memory = std::size_t{64} << 20U;
  const util::Clock* clock = &util::system_clock();
};

/// The gateway pods' own statistics, read through the API server's pod proxy (rights: list pods,
/// get pods/proxy); no Prometheus. Envoy's counters of clusters where the proxies expose them for
/// the subject's host, else Istio's istio_requests_total; see docs/how-to/metrics.md for what a
/// mesh has to expose. A ready pod that cannot be read makes the reading inconclusive, and so do
/// more of them than max_pods; one that is not ready or is going is left out then. Reasons: NoPods,
/// TooManyPods, NoData, Forbidden, Unreachable, Timeout, NotMetrics, Html, Cancelled, Error.
std::shared_ptr<Provider> make_gateway_provider(std::shared_ptr<kube::Client> client,
                                                GatewayOptions options = {});

}  // namespace kubist::metrics
