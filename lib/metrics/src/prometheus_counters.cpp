#include "prometheus_counters.hpp"

#include <algorithm>
#include <cmath>

#include <kubist/util/text.hpp>

#include "promql_parts.hpp"

namespace kubist::metrics {

using util::cat;

namespace {

std::string_view text_at(const Point& point, std::string_view label) {
  const auto found = point.labels.find(label);
  return found == point.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// The process that a series is of: its pod, else what was scraped.
std::string process_of(const Point& point) {
  const std::string_view pod = text_at(point, "pod");
  if (pod.empty()) {
    return std::string(text_at(point, "instance"));
  }
  return cat(text_at(point, "namespace"), '/', pod);
}

std::string host_of(const Point& point) {
  ClusterName cluster;
  const std::string_view name = text_at(point, "cluster_name");
  if (parse_cluster_name(name.empty() ? text_at(point, "envoy_cluster_name") : name, cluster)) {
    return std::string(cluster.host);
  }
  return std::string(text_at(point, "destination_service"));
}

std::vector<std::string> hosts_of(const Subject& subject) {
  std::vector<std::string> hosts{subject.host};
  for (const auto& own : subject.hosts) {
    hosts.push_back(own.second);
  }
  return hosts;
}

}  // namespace

PrometheusCounters::PrometheusCounters(const std::vector<Point>& points) {
  for (const Point& point : points) {
    add(point);
  }
}

void PrometheusCounters::add(const Point& point) {
  std::string host = host_of(point);
  if (text_at(point, k_time_label) == "time") {
    double& newest = m_newest[std::move(host)];
    newest = std::max(newest, point.value);
  } else {
    add_counter(point, host);
  }
}

void PrometheusCounters::add_counter(const Point& point, const std::string& host) {
  const std::string process = process_of(point);
  const std::string job(text_at(point, "job"));
  const auto [first, is_new] = m_jobs.emplace(process, job);
  if (!is_new && first->second != job) {
    m_trouble.emplace(
        host, Answer{Verdict::inconclusive, std::string(k_reason_several),
                     cat("Prometheus scrapes ", process, " twice, as jobs ", first->second, " and ",
                         job, ": its requests would count double")});
    return;
  }
  Labels labels;
  for (const auto& [label, value] : point.labels) {
    labels.emplace_back(label, value);
  }
  if (!m_readings.add(text_at(point, "__name__"), labels, point.value, process)) {
    m_trouble.emplace(host, Answer{Verdict::inconclusive, std::string(k_reason_not_a_number),
                                   cat("a counter of ", host, " is no number")});
  }
}

Expected<Sample> PrometheusCounters::sample_of(const Subject& subject,
                                               std::chrono::system_clock::time_point at,
                                               std::chrono::seconds max_age) const {
  double newest = 0;
  for (const std::string& host : hosts_of(subject)) {
    if (const auto trouble = m_trouble.find(host); trouble != m_trouble.end()) {
      return tl::unexpected<Answer>(trouble->second);
    }
    const auto found = m_newest.find(host);
    newest = found == m_newest.end() ? newest : std::max(newest, found->second);
  }
  auto sample = m_readings.sample_of(subject, at);
  if (!sample) {
    sample.error().message += " in Prometheus";
    return sample;
  }
  const double now = std::chrono::duration<double>(at.time_since_epoch()).count();
  if (now - newest > static_cast<double>(max_age.count())) {
    return inconclusive(k_reason_stale, cat("Prometheus last scraped counters of ", subject.host,
                                            ' ', std::llround(now - newest), " s ago"));
  }
  return sample;
}

}  // namespace kubist::metrics
