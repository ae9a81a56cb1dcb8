#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include <kubist/metrics/gateway.hpp>
#include <kubist/util/text.hpp>

#include "gateway_statistics.hpp"
#include "readings.hpp"

namespace kubist::metrics {

using util::cat;

namespace {

/// All that one reading of the gateways' pods brought.
struct Reading {
  std::mutex mutex;  ///< held while it is made, so that those who wait share it
  std::optional<std::chrono::steady_clock::time_point> made;
  std::chrono::system_clock::time_point at;
  Readings readings;
  std::size_t pods = 0;
  std::optional<Answer> failure;
};

class GatewayProvider : public Provider {
 public:
  GatewayProvider(std::shared_ptr<kube::Client> client, GatewayOptions options)
      : m_client(std::move(client)), m_options(std::move(options)) {}

  Expected<Sample> sample(const Subject& subject, const std::stop_token& stop) override {
    const std::shared_ptr<Reading> reading = reading_of(subject);
    const std::lock_guard lock(reading->mutex);
    const auto now = m_options.clock->monotonic();
    if (!reading->made || now - *reading->made > m_options.max_age) {
      read(subject, *reading, stop);
      // What was broken off says nothing to the others.
      const bool cancelled = reading->failure && reading->failure->reason == k_reason_cancelled;
      reading->made = cancelled ? std::nullopt : std::make_optional(m_options.clock->monotonic());
    }
    if (reading->failure) {
      return tl::unexpected<Answer>(*reading->failure);
    }
    auto sample = reading->readings.sample_of(subject, reading->at);
    if (!sample) {
      sample.error().message +=
          cat(" in the statistics of ", reading->pods, " gateway pod(s): no request came yet, or ",
              "the proxies expose neither Envoy's clusters nor istio_requests_total (see ",
              "docs/how-to/metrics.md)");
    }
    return sample;
  }

 private:
  std::shared_ptr<Reading> reading_of(const Subject& subject) {
    std::pair key(subject.ns, subject.gateways);
    std::sort(key.second.begin(), key.second.end());
    const std::lock_guard lock(m_mutex);
    const auto oldest = m_options.clock->monotonic() - m_options.max_age;
    std::erase_if(m_readings, [&](const auto& known) {
      if (known.second.use_count() > 1) {
        return false;
      }
      const std::lock_guard nobody(known.second->mutex);
      return !known.second->made || *known.second->made < oldest;
    });
    std::shared_ptr<Reading>& reading = m_readings[std::move(key)];
    if (!reading) {
      reading = std::make_shared<Reading>();
    }
    return reading;
  }

  void read(const Subject& subject, Reading& reading, const std::stop_token& stop) {
    reading.readings = Readings();
    reading.failure.reset();
    auto pods = find_gateway_pods(m_client, subject.gateways, stop);
    if (!pods) {
      reading.failure = std::move(pods).error();
      return;
    }
    const auto others = std::stable_partition(pods->begin(), pods->end(),
                                              [](const GatewayPod& pod) { return pod.needed; });
    const auto needed = static_cast<std::size_t>(others - pods->begin());
    if (needed > m_options.max_pods) {
      reading.failure =
          Answer{Verdict::inconclusive, std::string(k_reason_too_many_pods),
                 cat(needed, " gateway pods take requests, more than ", m_options.max_pods)};
      return;
    }
    pods->resize(std::min(pods->size(), m_options.max_pods));
    reading.pods = pods->size();
    reading.at = m_options.clock->now();
    reading.failure = GatewayStatistics(*m_client, m_options, subject.ns, m_port, stop)
                          .read(*pods, needed, reading.readings);
  }

  std::shared_ptr<kube::Client> m_client;
  GatewayOptions m_options;
  std::atomic<std::size_t> m_port = 0;  ///< as GatewayStatistics has it
  std::mutex m_mutex;                   ///< guards what follows
  /// By the namespace whose counters it has: what a project's backends answer is in no other's.
  std::map<std::pair<std::string, std::vector<GatewayPods>>, std::shared_ptr<Reading>> m_readings;
};

}  // namespace

std::shared_ptr<Provider> make_gateway_provider(std::shared_ptr<kube::Client> client,
                                                GatewayOptions options) {
  return std::make_shared<GatewayProvider>(std::move(client), std::move(options));
}

}  // namespace kubist::metrics
