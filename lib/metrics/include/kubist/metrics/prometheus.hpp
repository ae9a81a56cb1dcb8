#pragma once
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <kubist/http/transport.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/metrics/promql.hpp>
#include <kubist/metrics/provider.hpp>
#include <kubist/util/clock.hpp>

namespace kubist::metrics {

struct PrometheusOptions {
  Names names = Names::istio;                 ///< whose metrics Prometheus has
  std::string reporter = "destination";       ///< of Istio's: only one, or traffic counts twice
  std::chrono::milliseconds timeout{10'000};  ///< of one query, here and there
  std::chrono::seconds max_age{120};          ///< an older newest value is Stale
  bool allow_warnings = false;                ///< take answers that may be partial
  const util::Clock* clock = &util::system_clock();
};

/// A Prometheus, or what speaks its HTTP API. Asks raw counters at one `time`, both arms and
/// several subjects in one query, and leaves subtracting to difference(): increase() extrapolates,
/// overlaps between evaluations and loses a new series' first value. Any thread.
class Prometheus : public Provider {
 public:
  /// At a URL, with a path before /api where it has one. Whether the address is allowed is for the
  /// caller to judge. `headers` (Authorization, X-Scope-OrgID, ...) go with each query. Invalid:
  /// not a http(s) URL.
  static util::Result<std::shared_ptr<Prometheus>> direct(
      std::shared_ptr<http::Transport> transport, const std::string& url,
      http::Headers headers = {}, PrometheusOptions options = {});
  /// Through the API server's service proxy (right: get services/proxy in `ns`). `service` is
  /// "NAME:PORT", with "https:" in front for TLS, and may end in a path: "prometheus:9090/prom".
  /// The API server keeps credentials to itself: a Prometheus that wants its own needs direct().
  static util::Result<std::shared_ptr<Prometheus>> through(std::shared_ptr<kube::Client> client,
                                                           const std::string& ns,
                                                           const std::string& service,
                                                           PrometheusOptions options = {});

  Expected<Sample> sample(const Subject& subject, const std::stop_token& stop) override;
  std::vector<Expected<Sample>> samples(const std::vector<Subject>& subjects,
                                        const std::stop_token& stop) override;

  /// The one number that a PromQL expression gives now. Inconclusive: NoData (an empty vector),
  /// SeveralSeries, NotANumber, and all that samples have.
  Expected<double> query(const std::string& expression, const std::stop_token& stop);

  class Endpoint;

 private:
  Prometheus(std::shared_ptr<Endpoint> endpoint, PrometheusOptions options);
  std::shared_ptr<Endpoint> m_endpoint;
  PrometheusOptions m_options;
};

}  // namespace kubist::metrics
