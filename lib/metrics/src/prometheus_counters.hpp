#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "prometheus_reply.hpp"
#include "readings.hpp"

namespace kubist::metrics {

/// What one counters_query() brought, for all of its subjects.
class PrometheusCounters {
 public:
  explicit PrometheusCounters(const std::vector<Point>& points);

  /// The arms of one subject. Inconclusive: NoData, Stale, and what is wrong with only its host
  /// (SeveralSeries: a process is scraped twice; NotANumber).
  Expected<Sample> sample_of(const Subject& subject, std::chrono::system_clock::time_point at,
                             std::chrono::seconds max_age) const;

 private:
  void add(const Point& point);
  void add_counter(const Point& point, const std::string& host);

  Readings m_readings;
  std::map<std::string, double, std::less<>> m_newest;   ///< host -> unix time of the last scrape
  std::map<std::string, Answer, std::less<>> m_trouble;  ///< by host, the first
  std::map<std::string, std::string> m_jobs;             ///< process -> who scrapes it
};

}  // namespace kubist::metrics
