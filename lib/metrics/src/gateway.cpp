#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/metrics/gateway.hpp>
#include <kubist/util/text.hpp>

#include "failures.hpp"
#include "readings.hpp"

namespace kubist::metrics {

using data::Json;
using util::cat;

namespace {

/// Raw names of Envoy: what Readings knows, and one that is always there.
constexpr std::string_view k_filter =
    R"(^cluster\.outbound.*\.upstream_rq_([1-5]xx|time)$|istio_requests_total|)"
    R"(istio_request_duration_milliseconds|^server\.uptime$)";

constexpr std::size_t k_max_statistics = std::size_t{64} << 20U;  // of one pod

bool is_ours(std::string_view metric) {
  return metric.starts_with("envoy_") || metric.starts_with("istio_request");
}

struct GatewayPod {
  std::string ns;
  std::string name;
  bool needed = false;  ///< it takes requests: without it the reading is not whole
};

bool is_ready(const Json& pod) {
  const Json& conditions = data::array_at(pod, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    return data::string_at(condition, {"type"}) == "Ready" &&
           data::string_at(condition, {"status"}) == "True";
  });
}

/// All that one look at the gateways' pods brought.
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
    const std::shared_ptr<Reading> reading = reading_of(subject.gateways);
    const std::lock_guard lock(reading->mutex);
    const auto now = m_options.clock->monotonic();
    if (!reading->made || now - *reading->made > m_options.max_age) {
      read(subject.gateways, *reading, stop);
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
  std::shared_ptr<Reading> reading_of(std::vector<GatewayPods> gateways) {
    std::sort(gateways.begin(), gateways.end());
    const std::lock_guard lock(m_mutex);
    const auto oldest = m_options.clock->monotonic() - m_options.max_age;
    std::erase_if(m_readings, [&](const auto& known) {
      if (known.second.use_count() > 1) {
        return false;
      }
      const std::lock_guard nobody(known.second->mutex);
      return !known.second->made || *known.second->made < oldest;
    });
    std::shared_ptr<Reading>& reading = m_readings[std::move(gateways)];
    if (!reading) {
      reading = std::make_shared<Reading>();
    }
    return reading;
  }

  void read(const std::vector<GatewayPods>& gateways, Reading& reading,
            const std::stop_token& stop) {
    reading.readings = {};
    reading.failure.reset();
    auto pods = find_pods(gateways, stop);
    if (!pods) {
      reading.failure = std::move(pods).error();
      return;
    }
    reading.pods = pods->size();
    reading.at = m_options.clock->now();
    std::optional<Answer> trouble;
    std::size_t read = 0;
    for (const GatewayPod& pod : *pods) {
      auto failure = read_pod(pod, reading.readings, stop);
      if (failure && (pod.needed || failure->reason == k_reason_cancelled)) {
        reading.failure = std::move(failure);
        return;
      }
      if (failure) {
        trouble = std::move(failure);
      } else {
        ++read;
      }
    }
    if (read == 0) {
      reading.failure = std::move(trouble);
    }
  }

  Expected<std::vector<GatewayPod>> find_pods(const std::vector<GatewayPods>& gateways,
                                              const std::stop_token& stop) {
    std::map<std::string, GatewayPod> found;
    for (const GatewayPods& gateway : gateways) {
      kube::ListOptions options;
      options.label_selector = gateway.selector;
      options.resource_version = "0";
      const auto& client = gateway.lister ? gateway.lister : m_client;
      const auto list = client->list(kube::well_known::pods(), gateway.ns, options, stop);
      if (!list) {
        return tl::unexpected<Answer>(answer_of(list.error()));
      }
      for (const Json& pod : list->items) {
        if (data::string_at(pod, {"status", "phase"}) == "Running") {
          const std::string ns(data::string_at(pod, {"metadata", "namespace"}));
          const std::string name(data::string_at(pod, {"metadata", "name"}));
          const bool going = data::find_path(pod, {"metadata", "deletionTimestamp"}) != nullptr;
          found[cat(ns, '/', name)] = {ns, name, !going && is_ready(pod)};
        }
      }
    }
    if (found.empty()) {
      std::vector<std::string> names;
      for (const GatewayPods& gateway : gateways) {
        names.push_back(gateway.selector +
                        (gateway.ns.empty() ? "" : " in namespace " + gateway.ns));
      }
      return inconclusive(k_reason_no_pods,
                          cat("no gateway pod runs (", util::join(names, "; "), ")"));
    }
    std::vector<GatewayPod> pods;
    for (auto& [key, pod] : found) {
      pods.push_back(std::move(pod));
    }
    return pods;
  }

  /// Adds the pod's counters, all or none. Why not, if not.
  std::optional<Answer> read_pod(const GatewayPod& pod, Readings& readings,
                                 const std::stop_token& stop) {
    std::optional<Answer> first;
    const std::size_t start = m_port;
    for (std::size_t i = 0; i < m_options.ports.size(); ++i) {
      const std::size_t which = (start + i) % m_options.ports.size();
      Readings own;
      const std::size_t most = m_options.max_memory;
      const std::size_t room = most - std::min(most, readings.memory());
      auto failure = read_port(pod, m_options.ports[which], room, own, stop);
      if (!failure) {
        m_port = which;
        readings.merge(std::move(own));
        return std::nullopt;
      }
      if (failure->reason == k_reason_cancelled || failure->reason == k_reason_forbidden) {
        return failure;
      }
      if (!first) {
        first = std::move(failure);
      }
    }
    return first;
  }

  std::optional<Answer> read_port(const GatewayPod& pod, int port, std::size_t room,
                                  Readings& readings, const std::stop_token& stop) {
    bool is_envoy = false;
    bool all_numbers = true;
    bool html = false;
    bool begun = false;
    std::optional<util::Error> malformed;
    const std::string process = cat(pod.ns, '/', pod.name);
    PrometheusText text([&](const TextSample& line) {
      is_envoy = is_envoy || is_ours(line.name);
      all_numbers = readings.add(line.name, line.labels, line.value, process) && all_numbers;
    });
    const std::string path =
        cat("/api/v1/namespaces/", pod.ns, "/pods/", pod.name, ':', port,
            "/proxy/stats/prometheus?usedonly&filter=", util::percent_encode(k_filter));
    kube::ApiCall call = kube::raw_get(path, "text/plain");
    call.timeout = m_options.timeout;
    call.max_body = k_max_statistics;
    const http::Request request = m_client->request_of(call);
    auto response = http::stream(
        m_client->transport(), request,
        [&](std::string_view bytes) {
          html = html || (!begun && looks_like_html(bytes));
          begun = true;
          if (auto fed = text.feed(bytes); !fed) {
            malformed = std::move(fed).error();
          }
          return !malformed && readings.memory() <= room;
        },
        stop);
    const std::string who = cat("pod ", pod.ns, '/', pod.name, ", port ", port, ": ");
    if (readings.memory() > room) {
      return Answer{Verdict::inconclusive, std::string(k_reason_error),
                    cat(who, "with it the statistics of the gateway's pods take more than ",
                        m_options.max_memory >> 20U, " MiB of memory")};
    }
    if (!malformed && response && response->status / 100 == 2) {
      if (auto ended = text.finish(); !ended) {
        malformed = std::move(ended).error();
      }
    }
    if (malformed) {
      return Answer{Verdict::inconclusive, std::string(html ? k_reason_html : k_reason_not_metrics),
                    cat(who, malformed->message)};
    }
    return judge(who, request, response, is_envoy, all_numbers);
  }

  static std::optional<Answer> judge(const std::string& who, const http::Request& request,
                                     const util::Result<http::Response>& response, bool is_envoy,
                                     bool all_numbers) {
    if (!response) {
      Answer answer = answer_of(response.error());
      answer.message.insert(0, who);
      return answer;
    }
    if (response->status / 100 != 2) {
      Answer answer = answer_of(kube::api_error("GET", request.url, *response));
      answer.message.insert(0, who);
      return answer;
    }
    // The agent answers 200 with its own metrics alone while its Envoy does not answer.
    if (!is_envoy && http::find_header(response->headers, "server") != "envoy") {
      return Answer{Verdict::inconclusive, std::string(k_reason_not_metrics),
                    cat(who, "the answer has nothing of Envoy's")};
    }
    if (!all_numbers) {
      return Answer{Verdict::inconclusive, std::string(k_reason_not_a_number),
                    cat(who, "a counter is no number")};
    }
    return std::nullopt;
  }

  std::shared_ptr<kube::Client> m_client;
  GatewayOptions m_options;
  std::atomic<std::size_t> m_port = 0;  ///< index of the port that answered last
  std::mutex m_mutex;                   ///< guards what follows
  std::map<std::vector<GatewayPods>, std::shared_ptr<Reading>> m_readings;
};

}  // namespace

std::shared_ptr<Provider> make_gateway_provider(std::shared_ptr<kube::Client> client,
                                                GatewayOptions options) {
  return std::make_shared<GatewayProvider>(std::move(client), std::move(options));
}

}  // namespace kubist::metrics
