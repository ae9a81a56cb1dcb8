#include "gateway_statistics.hpp"

#include <algorithm>
#include <map>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "failures.hpp"

namespace kubist::metrics {

using data::Json;
using util::cat;

namespace {

/// Of one pod, most of which need not be kept: what labels say is any client's word, so the filter
/// cannot leave out all of other namespaces.
constexpr std::size_t k_max_statistics = std::size_t{1} << 30U;

/// Raw names of Envoy, which have the tags' values: what Readings knows of a namespace's Services,
/// and one that is always there.
std::string filter_of(const std::string& ns) {
  const std::string domain = cat(R"(\.)", ns, R"(\.svc\.)");
  return cat(R"(^cluster\.outbound.*)", domain, R"(.*\.upstream_rq_([1-5]xx|time)$|)",
             R"(istio_request(s_total|_duration_milliseconds).*)", domain, R"(|^server\.uptime$)");
}

bool is_ours(std::string_view metric) {
  return metric.starts_with("envoy_") || metric.starts_with("istio_request");
}

bool is_ready(const Json& pod) {
  const Json& conditions = data::array_at(pod, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
    return data::string_at(condition, {"type"}) == "Ready" &&
           data::string_at(condition, {"status"}) == "True";
  });
}

Answer no_answer(std::string_view reason, std::string message) {
  return {Verdict::inconclusive, std::string(reason), std::move(message)};
}

bool is_cancelled(const std::optional<Answer>& failure) {
  return failure && failure->reason == k_reason_cancelled;
}

/// What is wrong with an answer besides its lines.
std::optional<Answer> judge(const std::string& who, const http::Request& request,
                            const util::Result<http::Response>& response, bool is_envoy,
                            bool all_numbers) {
  if (!response || response->status / 100 != 2) {
    Answer answer =
        answer_of(response ? kube::api_error("GET", request.url, *response) : response.error());
    answer.message.insert(0, who);
    return answer;
  }
  // The agent answers 200 with only its own metrics while its Envoy does not answer.
  if (!is_envoy && http::find_header(response->headers, "server") != "envoy") {
    return no_answer(k_reason_not_metrics, cat(who, "the answer has nothing of Envoy's"));
  }
  if (!all_numbers) {
    return no_answer(k_reason_not_a_number, cat(who, "a counter is no number"));
  }
  return std::nullopt;
}

}  // namespace

Expected<std::vector<GatewayPod>> find_gateway_pods(const std::shared_ptr<kube::Client>& client,
                                                    const std::vector<GatewayPods>& gateways,
                                                    const std::stop_token& stop) {
  std::map<std::pair<std::string, std::string>, GatewayPod> found;
  std::vector<std::string> names;
  for (const GatewayPods& gateway : gateways) {
    kube::ListOptions options;
    options.label_selector = gateway.selector;
    options.resource_version = "0";
    const auto& lister = gateway.lister ? gateway.lister : client;
    const auto list = lister->list(kube::well_known::pods(), gateway.ns, options, stop);
    if (!list) {
      return tl::unexpected<Answer>(answer_of(list.error()));
    }
    for (const Json& pod : list->items) {
      if (data::string_at(pod, {"status", "phase"}) == "Running") {
        const std::string ns(data::string_at(pod, {"metadata", "namespace"}));
        const std::string name(data::string_at(pod, {"metadata", "name"}));
        const bool going = data::find_path(pod, {"metadata", "deletionTimestamp"}) != nullptr;
        found[{ns, name}] = {ns, name, !going && is_ready(pod)};
      }
    }
    names.push_back(gateway.selector + (gateway.ns.empty() ? "" : " in namespace " + gateway.ns));
  }
  if (found.empty()) {
    return inconclusive(k_reason_no_pods,
                        cat("no gateway pod runs (", util::join(names, "; "), ")"));
  }
  std::vector<GatewayPod> pods;
  for (auto& [key, pod] : found) {
    pods.push_back(std::move(pod));
  }
  return pods;
}

std::chrono::milliseconds GatewayStatistics::left() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(m_end -
                                                               m_options.clock->monotonic());
}

std::optional<Answer> GatewayStatistics::read(std::span<const GatewayPod> pods, std::size_t needed,
                                              Readings& readings) {
  auto failure = read_needed(pods.first(needed), readings);
  if (failure || needed == pods.size()) {
    return failure;
  }
  auto trouble = read_others(pods.subspan(needed), readings);
  return needed == 0 || is_cancelled(trouble) ? trouble : std::nullopt;
}

std::optional<Answer> GatewayStatistics::read_needed(std::span<const GatewayPod> pods,
                                                     Readings& readings) {
  std::atomic<std::size_t> done = 0;
  std::optional<Answer> failure;  // guarded by m_mutex
  std::atomic<bool> failed = false;
  util::for_each_index(pods.size(), m_options.at_once, [&](std::size_t i) {
    if (failed || left().count() <= 0) {
      return;
    }
    if (auto why = read_pod(pods[i], readings)) {
      const std::lock_guard lock(m_mutex);
      failure = failure ? failure : std::move(why);
      failed = true;
    } else {
      ++done;
    }
  });
  if (!failure && done < pods.size()) {
    return no_answer(k_reason_timeout, cat(pods.size() - done, " of ", pods.size(),
                                           " gateway pods that take requests were not read within ",
                                           m_options.total.count() / 1000, " s"));
  }
  return failure;
}

std::optional<Answer> GatewayStatistics::read_others(std::span<const GatewayPod> pods,
                                                     Readings& readings) {
  m_end = std::min(m_end, m_options.clock->monotonic() + m_options.timeout);
  std::optional<Answer> trouble;  // guarded by m_mutex
  bool any = false;               // as that
  util::for_each_index(pods.size(), m_options.at_once, [&](std::size_t i) {
    auto why = left().count() > 0 ? read_pod(pods[i], readings)
                                  : no_answer(k_reason_timeout, "there was no time left");
    const std::lock_guard lock(m_mutex);
    any = any || !why;
    trouble = why && !is_cancelled(trouble) ? std::move(why) : trouble;
  });
  return any && !is_cancelled(trouble) ? std::nullopt : trouble;
}

/// Adds the pod's counters, all or none. Why not, if not.
std::optional<Answer> GatewayStatistics::read_pod(const GatewayPod& pod, Readings& readings) {
  std::optional<Answer> first;
  const std::size_t start = m_port;
  for (std::size_t i = 0; i < m_options.ports.size() && (!first || left().count() > 0); ++i) {
    const std::size_t which = (start + i) % m_options.ports.size();
    Readings own(m_ns);
    auto failure = read_port(pod, m_options.ports[which], own);
    if (!failure) {
      m_port = which;
      const std::lock_guard lock(m_mutex);
      readings.merge(std::move(own));
      return std::nullopt;
    }
    m_memory -= own.memory();
    if (failure->reason == k_reason_cancelled || failure->reason == k_reason_forbidden) {
      return failure;
    }
    first = first ? first : std::move(failure);
  }
  return first;
}

std::optional<Answer> GatewayStatistics::read_port(const GatewayPod& pod, int port, Readings& own) {
  bool is_envoy = false;
  bool all_numbers = true;
  bool html = false;
  bool begun = false;
  bool full = false;
  std::optional<util::Error> malformed;
  const std::string process = cat(pod.ns, '/', pod.name);
  PrometheusText text([&](const TextSample& line) {
    is_envoy = is_envoy || is_ours(line.name);
    all_numbers = own.add(line.name, line.labels, line.value, process) && all_numbers;
  });
  const auto feed = [&](std::string_view bytes) {
    html = html || (!begun && looks_like_html(bytes));
    begun = true;
    const std::size_t before = own.memory();
    if (auto fed = text.feed(bytes); !fed) {
      malformed = std::move(fed).error();
    }
    full = (m_memory += own.memory() - before) > m_options.max_memory;
    return !malformed && !full;
  };
  const std::string path =
      cat("/api/v1/namespaces/", pod.ns, "/pods/", pod.name, ':', port,
          "/proxy/stats/prometheus?usedonly&filter=", util::percent_encode(filter_of(m_ns)));
  kube::ApiCall call = kube::raw_get(path, "text/plain");
  call.timeout = std::clamp(left(), std::chrono::milliseconds(1), m_options.timeout);
  call.max_body = k_max_statistics;
  const http::Request request = m_client.request_of(call);
  const auto response = http::stream(m_client.transport(), request, feed, m_stop);
  const std::string who = cat("pod ", pod.ns, '/', pod.name, ", port ", port, ": ");
  if (full) {
    return no_answer(k_reason_error,
                     cat(who, "with it the statistics of the gateway's pods take more than ",
                         m_options.max_memory >> 20U, " MiB of memory"));
  }
  if (!malformed && response && response->status / 100 == 2) {
    const std::size_t before = own.memory();
    if (auto ended = text.finish(); !ended) {
      malformed = std::move(ended).error();
    }
    m_memory += own.memory() - before;
  }
  if (malformed) {
    return no_answer(html ? k_reason_html : k_reason_not_metrics, cat(who, malformed->message));
  }
  return judge(who, request, response, is_envoy, all_numbers);
}

}  // namespace kubist::metrics
