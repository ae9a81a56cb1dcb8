#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>

#include <kubist/istio/evidence.hpp>
#include <kubist/kube/client.hpp>

namespace kubist::istio {

struct GatherOptions {
  /// For all of it; what has not answered by then counts as `apiserver:timeout`. 0: no limit.
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);
  /// For what crosses the API server to a pod (istiod's version): often a firewall swallows it.
  std::chrono::milliseconds pod_timeout{1500};
  std::int64_t max_proxies = 5000;  ///< pods whose proxies are looked at
  std::size_t max_namespaces = 50;  ///< namespaces of the mesh whose pods are looked at
  bool probe = true;                ///< the server dry run of probe.hpp
  std::optional<kube::ServerVersion> server_version = {};  ///< where it is known: not asked again
};

/// Asks the API server: discovery and lists in parallel, first whether anything of Istio is there
/// and only then the rest, only metadata where that is enough. Sends no write; the probe is a
/// server dry run. A question that fails is part of the evidence. cancelled: stop was requested.
util::Result<Evidence> gather(kube::Client& client, const GatherOptions& options = {},
                              const std::stop_token& stop = {});

}  // namespace kubist::istio
