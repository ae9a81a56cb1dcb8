#include "readings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include <kubist/util/text.hpp>

namespace kubist::metrics {

using util::cat;

namespace {

constexpr std::string_view k_rq = "envoy_cluster_upstream_rq";
constexpr std::string_view k_rq_time = "envoy_cluster_upstream_rq_time";
constexpr std::string_view k_requests = "istio_requests_total";
constexpr std::string_view k_duration = "istio_request_duration_milliseconds";

// About what a series and a bucket of its histogram take besides names.
constexpr std::size_t k_series = 256;
constexpr std::size_t k_bucket = 64;

// What a cursor holds in a status; it is compared with the next reading series by series.
constexpr std::size_t k_most_series = 10'000;
constexpr std::size_t k_most_bounds = 500;

/// Why no cursor could hold the sample; nothing: it could.
std::optional<Answer> too_much(const Sample& sample, const std::string& host) {
  std::size_t count = 0;
  std::set<double> bounds;
  for (const auto& [version, arm] : sample.arms) {
    count += arm.size();
    for (const Series& series : arm) {
      for (const Bucket& bucket : series.latency_ms) {
        bounds.insert(bucket.le);
      }
    }
  }
  if (count > k_most_series) {
    return Answer{Verdict::inconclusive, std::string(k_reason_error),
                  cat("the counters of ", host, " are more than ", k_most_series, " series")};
  }
  if (bounds.size() > k_most_bounds) {
    return Answer{
        Verdict::inconclusive, std::string(k_reason_error),
        cat("the histograms of ", host, " have more than ", k_most_bounds, " different bounds")};
  }
  return std::nullopt;
}

/// The label under Istio's bootstrap, else under Envoy's default tags.
std::string_view either(const Labels& labels, std::string_view istio, std::string_view envoy) {
  const std::string_view value = label(labels, istio);
  return value.empty() ? label(labels, envoy) : value;
}

/// '5' for responses of 500 to 599; '\0' where the line is not one of the classes' counters: the
/// same requests are there by code as well. Envoy puts the class where its tags tell it to.
char response_class(std::string_view name, const Labels& labels) {
  name.remove_prefix(k_rq.size());
  std::string_view text = either(labels, "response_code_class", "envoy_response_code_class");
  if (text.empty() && name.size() == 4 && name.ends_with("xx")) {
    text = name.substr(1);  // _5xx: no tag takes it out
  } else if (!name.empty() && name != "_xx") {
    return '\0';
  }
  const bool is_class = text.size() == 1 || (text.size() == 3 && text.ends_with("xx"));
  return is_class && text.front() >= '1' && text.front() <= '5' ? text.front() : '\0';
}

/// The lines of a histogram that matter, by what stands behind its name.
bool is_histogram(std::string_view name, std::string_view histogram) {
  return name.starts_with(histogram) &&
         (name.substr(histogram.size()) == "_bucket" || name.substr(histogram.size()) == "_sum");
}

}  // namespace

bool parse_cluster_name(std::string_view text, ClusterName& name) {
  constexpr std::string_view k_outbound = "outbound|";
  if (text.ends_with(';')) {
    text.remove_suffix(1);
  }
  if (!text.starts_with(k_outbound)) {
    return false;
  }
  text.remove_prefix(k_outbound.size());
  const auto first = text.find('|');
  const auto second = first == std::string_view::npos ? first : text.find('|', first + 1);
  if (second == std::string_view::npos) {
    return false;
  }
  name = {text.substr(0, first), text.substr(first + 1, second - first - 1),
          text.substr(second + 1)};
  return true;
}

bool is_istio_error(const Labels& labels) {
  if (label(labels, "response_code").starts_with('5')) {
    return label(labels, "response_flags").find("DC") == std::string_view::npos;
  }
  // UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS
  constexpr std::array<std::string_view, 6> k_faults{"2", "4", "12", "13", "14", "15"};
  const std::string_view status = label(labels, "grpc_response_status");
  return std::find(k_faults.begin(), k_faults.end(), status) != k_faults.end();
}

Readings::Readings(std::string_view ns) : m_domain(ns.empty() ? "" : cat('.', ns, ".svc.")) {}

bool Readings::is_wanted(std::string_view host) const {
  host.remove_prefix(std::min(host.find('.'), host.size()));
  return host.starts_with(m_domain);
}

bool Readings::add(std::string_view name, const Labels& labels, double value,
                   std::string_view process) {
  if (name.starts_with(k_rq)) {
    return add_envoy(name, labels, value, process);
  }
  if (name == k_requests || is_histogram(name, k_duration)) {
    return add_istio(name, labels, value, process);
  }
  return true;
}

Readings::Counters& Readings::counters(Table& table, std::string_view host, Key key) {
  auto found = table.find(host);
  if (found == table.end()) {
    found = table.try_emplace(std::string(host)).first;
    m_memory += k_series + host.size();
  }
  const std::size_t names = key.version.size() + key.workload.size() + key.id.size();
  const auto [entry, fresh] = found->second.try_emplace(std::move(key));
  m_memory += fresh ? k_series + names : 0;
  return entry->second;
}

Readings::Counters* Readings::envoy_counters(const Labels& labels, std::string_view process) {
  ClusterName cluster;
  if (!parse_cluster_name(either(labels, "cluster_name", "envoy_cluster_name"), cluster) ||
      !is_wanted(cluster.host)) {
    return nullptr;
  }
  return &counters(m_envoy, cluster.host,
                   {std::string(cluster.subset), {}, cat(process, '|', cluster.port)});
}

Readings::Counters* Readings::istio_counters(const Labels& labels, std::string_view process) {
  const std::string_view service = label(labels, "destination_service");
  if (service.empty() || !is_wanted(service)) {
    return nullptr;
  }
  const std::string_view version = label(labels, "destination_version");
  const std::string_view workload = label(labels, "destination_workload");
  return &counters(
      m_istio, service,
      {std::string(version), std::string(workload), cat(process, '|', workload, '|', version)});
}

/// A line of a histogram. False: the bound is no number.
bool Readings::add_histogram(std::string_view suffix, const Labels& labels, double value,
                             Counters& counters) {
  if (suffix == "_sum") {
    counters.latency_sum += value;
    return true;
  }
  double le = 0;
  if (!parse_metric_value(label(labels, "le"), le) || std::isnan(le)) {
    return false;
  }
  const auto [bucket, fresh] = counters.latency.try_emplace(le, 0);
  bucket->second += value;
  m_memory += fresh ? k_bucket : 0;
  return true;
}

bool Readings::add_envoy(std::string_view name, const Labels& labels, double value,
                         std::string_view process) {
  const bool timed = is_histogram(name, k_rq_time);
  const char response = timed ? '\0' : response_class(name, labels);
  if (!timed && response == '\0') {
    return true;
  }
  Counters* counters = envoy_counters(labels, process);
  if (counters == nullptr) {
    return true;
  }
  if (!std::isfinite(value)) {
    return false;
  }
  if (timed) {
    return add_histogram(name.substr(k_rq_time.size()), labels, value, *counters);
  }
  counters->requests += value;
  counters->errors += response == '5' ? value : 0;
  return true;
}

bool Readings::add_istio(std::string_view name, const Labels& labels, double value,
                         std::string_view process) {
  Counters* counters = istio_counters(labels, process);
  if (counters == nullptr) {
    return true;
  }
  if (!std::isfinite(value)) {
    return false;
  }
  if (name != k_requests) {
    return add_histogram(name.substr(k_duration.size()), labels, value, *counters);
  }
  // A client that went away before any answer says nothing about the version.
  if (label(labels, "response_code") != "0") {
    counters->requests += value;
    counters->errors += is_istio_error(labels) ? value : 0;
  }
  return true;
}

void Readings::merge(Table& table, Table& other) {
  for (auto& [host, more] : other) {
    table[host].merge(more);
  }
}

void Readings::merge(Readings other) {
  merge(m_envoy, other.m_envoy);
  merge(m_istio, other.m_istio);
  m_memory += other.m_memory;
}

Series Readings::to_series(const Key& key, const Counters& counters) {
  Series series;
  series.id = key.id;
  series.requests = counters.requests;
  series.errors = counters.errors;
  series.latency_sum_ms = counters.latency_sum;
  for (const auto& [le, count] : counters.latency) {
    series.latency_ms.push_back({le, count});
  }
  // Without its total a histogram says nothing.
  if (!series.latency_ms.empty() && !std::isinf(series.latency_ms.back().le)) {
    series.latency_ms.clear();
  }
  return series;
}

void Readings::collect(const Table& table, const Subject& subject, bool istio, Sample& sample) {
  for (const std::string& version : subject.versions) {
    std::vector<Series>& arm = sample.arms[version];
    const auto own_host = subject.hosts.find(version);
    const bool has_own = own_host != subject.hosts.end();
    const auto host = table.find(has_own ? own_host->second : subject.host);
    if (host == table.end()) {
      continue;
    }
    const auto workload = subject.workloads.find(version);
    for (const auto& [key, counters] : host->second) {
      const bool by_workload = istio && workload != subject.workloads.end();
      const bool mine = by_workload ? key.workload == workload->second
                        : istio     ? has_own || key.version == version
                                    : key.version == (has_own ? "" : version);
      if (mine) {
        arm.push_back(to_series(key, counters));
      }
    }
  }
}

Expected<Sample> Readings::sample_of(const Subject& subject,
                                     std::chrono::system_clock::time_point at) const {
  // Envoy's first: they also have the requests that never reached a pod, by the version meant.
  for (const bool istio : {false, true}) {
    Sample sample;
    sample.at = at;
    sample.source = istio ? "istio" : "envoy";
    collect(istio ? m_istio : m_envoy, subject, istio, sample);
    if (std::any_of(sample.arms.begin(), sample.arms.end(),
                    [](const auto& arm) { return !arm.second.empty(); })) {
      if (auto why = too_much(sample, subject.host)) {
        return tl::unexpected<Answer>(*std::move(why));
      }
      return sample;
    }
  }
  return inconclusive(k_reason_no_data, cat("there are no counters of ", subject.host));
}

}  // namespace kubist::metrics
