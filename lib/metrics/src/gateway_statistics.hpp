#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/metrics/gateway.hpp>

#include "readings.hpp"

namespace kubist::metrics {

struct GatewayPod {
  std::string ns;
  std::string name;
  bool needed = false;  ///< it takes requests: without it the reading is not whole
};

/// The running pods of these gateways, by namespace and name. NoPods: there are none.
Expected<std::vector<GatewayPod>> find_gateway_pods(const std::shared_ptr<kube::Client>& client,
                                                    const std::vector<GatewayPods>& gateways,
                                                    const std::stop_token& stop);

/// One reading of gateways' pods: some at a time, within the options' limits for all of them.
class GatewayStatistics {
 public:
  /// `ns`: whose Services' counters are read. `port`: index of the port that answered last, of this
  /// reading and of others.
  GatewayStatistics(kube::Client& client, const GatewayOptions& options, std::string ns,
                    std::atomic<std::size_t>& port, std::stop_token stop)
      : m_client(client),
        m_options(options),
        m_ns(std::move(ns)),
        m_port(port),
        m_stop(std::move(stop)),
        m_end(options.clock->monotonic() + options.total) {}

  /// Adds up what the pods say. The first `needed` ones are read all, or it says why not; of the
  /// others those that can be, in the time that one of them may take.
  std::optional<Answer> read(std::span<const GatewayPod> pods, std::size_t needed,
                             Readings& readings);

 private:
  std::optional<Answer> read_needed(std::span<const GatewayPod> pods, Readings& readings);
  std::optional<Answer> read_others(std::span<const GatewayPod> pods, Readings& readings);
  std::optional<Answer> read_pod(const GatewayPod& pod, Readings& readings);
  std::optional<Answer> read_port(const GatewayPod& pod, int port, Readings& own);
  std::chrono::milliseconds left() const;

  kube::Client& m_client;
  const GatewayOptions& m_options;
  const std::string m_ns;
  std::atomic<std::size_t>& m_port;
  const std::stop_token m_stop;
  std::chrono::steady_clock::time_point m_end;
  std::atomic<std::size_t> m_memory = 0;  ///< of what is gathered, and on its way
  std::mutex m_mutex;                     ///< guards the readings that all add to
};

}  // namespace kubist::metrics
