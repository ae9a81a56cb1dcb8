#pragma once
#include <map>
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

/// PromQL for all counters of all arms of these subjects: requests, errors, latency buckets, and
/// when they were last scraped, as one vector.
std::string counters_query(const std::vector<Subject>& subjects, Names names,
                           const std::string& reporter);

}  // namespace kubist::metrics
