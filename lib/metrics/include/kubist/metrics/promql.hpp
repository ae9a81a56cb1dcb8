#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/metrics/provider.hpp>
#include <kubist/util/result.hpp>

namespace kubist::metrics {

/// Whose names the metrics have.
enum class Names {
  istio,  ///< istio_requests_total, istio_request_duration_milliseconds
  envoy,  ///< envoy_cluster_upstream_rq, envoy_cluster_upstream_rq_time of a gateway's clusters
};

/// The text as a PromQL string literal, with its quotes.
std::string promql_quote(std::string_view text);
/// The text as a regular expression (RE2) that matches itself.
std::string regex_literal(std::string_view text);

/// Puts values into a template of PromQL for "{{name}}" ("{{ name }}", "{{args.name}}" too). Inside
/// a string of the template a value is escaped, so it cannot leave it; outside strings it must be a
/// number or a duration. Invalid: an unknown name, a value that cannot stand there.
util::Result<std::string> fill_template(std::string_view text,
                                        const std::map<std::string, std::string>& values);

/// What can be asked about a version by name.
struct Measure {
  enum class What {
    requests,  ///< a counter
    errors,  ///< the requests that failed: 5xx but for clients that went away, gRPC's server faults
    duration,  ///< milliseconds
    cpu,       ///< cores; from metrics.k8s.io, as are those below (workload_health.hpp)
    memory,    ///< bytes
    replicas,
    updated_replicas,
    available_replicas,
    unavailable_replicas,
    availability,  ///< 1 or 0
  };
  What what = What::requests;
  std::string code;    ///< "200", "2xx"; empty: all
  std::string method;  ///< small letters; empty: all
  bool operator==(const Measure&) const = default;
};

/// The measure of a name: `requests`, `errors`, `latency` and Vamp's names: `requests_200`,
/// `requests_get_2xx`, `response_code_500`, `response_duration_2xx`, `cpu`, `availability`, ...,
/// also of its older releases: `upstream_rq_total`, `internal_upstream_rq_2xx`,
/// `external_upstream_rq_5xx`.
std::optional<Measure> find_measure(std::string_view name);

/// PromQL for a measure of requests of one version: the counter summed, or its rate per second over
/// `window` where that is not 0; of a duration the cumulative buckets by `le`. Invalid: a measure
/// that is not in Prometheus; a method with Envoy's names; a version that the subject does not
/// have.
util::Result<std::string> measure_query(const Measure& measure, const Subject& subject,
                                        const std::string& version, Names names,
                                        const std::string& reporter = "destination",
                                        std::chrono::seconds window = {});

/// PromQL for all counters of all arms of these subjects: requests, errors, latency buckets, and
/// when they were last scraped, as one vector.
std::string counters_query(const std::vector<Subject>& subjects, Names names,
                           const std::string& reporter);

}  // namespace kubist::metrics
