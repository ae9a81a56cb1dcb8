#include <kubist/metrics/promql.hpp>
#include <kubist/util/text.hpp>

#include "promql_parts.hpp"

namespace kubist::metrics {

using util::cat;

namespace {

constexpr std::string_view k_process = "namespace, pod, instance, job";

std::string any_of(const std::vector<std::string>& patterns) {
  return promql_quote(util::join(patterns, "|"));
}

/// Marks a vector of times, so that no label of counters can be taken for it.
std::string times(const std::string& by, const std::string& counters) {
  return cat("label_replace(max by (", by, ") (timestamp(", counters, ")), \"", k_time_label,
             "\", \"time\", \"\", \"\")");
}

std::string istio_query(const std::vector<std::string>& hosts, const std::string& reporter) {
  const std::string selector =
      cat("reporter=", promql_quote(reporter), ",destination_service=~", any_of(hosts));
  const std::string keys = cat("__name__, destination_service, destination_workload, ",
                               "destination_version, ", k_process);
  const std::string requests = cat("istio_requests_total{", selector, '}');
  return cat("sum by (", keys, ", response_code, response_flags, grpc_response_status) (", requests,
             ") or sum by (", keys,
             ", le) ({__name__=~\"istio_request_duration_milliseconds_(bucket|sum)\",", selector,
             "}) or ", times("destination_service", requests));
}

/// As regex_literal() but for dots, which stand for any character: what else they let through is of
/// a host or version that nobody asks about, and a URL has room for more.
std::string short_literal(std::string_view text) {
  return util::replace_all(regex_literal(text), R"(\.)", ".");
}

/// `clusters`: what the names end with.
std::string envoy_query(const std::vector<std::string>& clusters) {
  const std::string names =
      promql_quote(cat(R"(outbound\|[0-9]+\|()", util::join(clusters, "|"), ')'));
  std::vector<std::string> parts;
  for (const EnvoyStyle& style : k_envoy_styles) {
    const std::string selector = cat(style.cluster, "=~", names);
    const std::string keys = cat("__name__, ", style.cluster, ", ", k_process);
    const std::string requests =
        cat(style.by_class, '{', selector, ',', style.class_label, "!=\"\"}");
    parts.push_back(cat("sum by (", keys, ", ", style.class_label, ") (", requests, ')'));
    parts.push_back(cat("sum by (", keys,
                        ", le) ({__name__=~\"envoy_cluster_upstream_rq_time_(bucket|sum)\",",
                        selector, "})"));
    parts.push_back(times(std::string(style.cluster), requests));
  }
  return util::join(parts, " or ");
}

}  // namespace

std::string counters_query(const std::vector<Subject>& subjects, Names names,
                           const std::string& reporter) {
  std::vector<std::string> hosts;
  std::vector<std::string> clusters;
  for (const Subject& subject : subjects) {
    hosts.push_back(short_literal(subject.host));
    std::vector<std::string> subsets;
    for (const std::string& version : subject.versions) {
      const auto own = subject.hosts.find(version);
      if (own == subject.hosts.end()) {
        subsets.push_back(short_literal(version));
      } else {
        hosts.push_back(short_literal(own->second));
        clusters.push_back(cat(R"(\|)", hosts.back()));
      }
    }
    if (!subsets.empty()) {
      clusters.push_back(cat('(', util::join(subsets, "|"), R"()\|)", short_literal(subject.host)));
    }
  }
  return names == Names::istio ? istio_query(hosts, reporter) : envoy_query(clusters);
}

}  // namespace kubist::metrics
