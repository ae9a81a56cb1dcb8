#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <kubist/metrics/prometheus_text.hpp>
#include <kubist/metrics/provider.hpp>

namespace kubist::metrics {

/// A name like "outbound|80|v2|web.shop.svc.cluster.local", taken apart.
struct ClusterName {
  std::string_view port, subset, host;
};
/// False where it is no such name.
bool parse_cluster_name(std::string_view text, ClusterName& name);

/// Did a request with these labels of istio_requests_total fail for the server's fault? 5xx, and
/// gRPC's codes for such (200 with a trailer); not "0" and DC: the client went away.
bool is_istio_error(const Labels& labels);

/// Counters of many destinations, gathered line by line from a text or a query's answer. Knows the
/// metrics of Istio and of Envoy's clusters by their names and leaves out all others.
class Readings {
 public:
  /// Of Services in the namespace `ns`; empty: of all.
  explicit Readings(std::string_view ns = {});

  /// `process` tells the processes apart whose counters these are. False: a value is no number.
  bool add(std::string_view name, const Labels& labels, double value, std::string_view process);

  /// Takes in what was gathered of other processes.
  void merge(Readings other);

  /// About how many bytes all this takes.
  std::size_t memory() const { return m_memory; }

  /// The arms of a subject. NoData: nothing is known of any of them.
  Expected<Sample> sample_of(const Subject& subject,
                             std::chrono::system_clock::time_point at) const;

 private:
  struct Key {
    std::string version;   ///< Envoy's subset, Istio's destination_version
    std::string workload;  ///< Istio only
    std::string id;
    auto operator<=>(const Key&) const = default;
  };
  struct Counters {
    double requests = 0;
    double errors = 0;
    double latency_sum = 0;
    std::map<double, double> latency;
  };
  using Table = std::map<std::string, std::map<Key, Counters>, std::less<>>;  ///< by host

  bool is_wanted(std::string_view host) const;
  Counters& counters(Table& table, std::string_view host, Key key);
  Counters* envoy_counters(const Labels& labels, std::string_view process);
  Counters* istio_counters(const Labels& labels, std::string_view process);
  bool add_envoy(std::string_view name, const Labels& labels, double value,
                 std::string_view process);
  bool add_istio(std::string_view name, const Labels& labels, double value,
                 std::string_view process);
  bool add_histogram(std::string_view suffix, const Labels& labels, double value,
                     Counters& counters);
  static Series to_series(const Key& key, const Counters& counters);
  static void collect(const Table& table, const Subject& subject, bool istio, Sample& sample);

  static void merge(Table& table, Table& other);

  std::string m_domain;  ///< ".NAMESPACE.svc.", which follows a Service's name
  Table m_envoy;
  Table m_istio;
  std::size_t m_memory = 0;
};

}  // namespace kubist::metrics
