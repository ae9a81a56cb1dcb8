#pragma once
#include <array>
#include <string>
#include <string_view>

namespace kubist::metrics {

/// On the vector elements of counters_query() that say when a host's counters were last scraped.
inline constexpr std::string_view k_time_label = "kubist";

/// What Envoy's counters of clusters are called depends on the tags of its bootstrap.
struct EnvoyStyle {
  std::string_view cluster;      ///< label: the cluster
  std::string_view by_class;     ///< metric: responses by class
  std::string_view class_label;  ///< label: the class
  std::string_view class_tail;   ///< what follows the digit in it
  std::string_view by_code;      ///< metric: responses by code
  std::string_view code_label;   ///< label: the code
};

/// Istio's bootstrap ("5xx"), and Envoy's default tags ("5").
inline constexpr std::array<EnvoyStyle, 2> k_envoy_styles{{
    {"cluster_name", "envoy_cluster_upstream_rq", "response_code_class", "xx",
     "envoy_cluster_upstream_rq", "response_code"},
    {"envoy_cluster_name", "envoy_cluster_upstream_rq_xx", "envoy_response_code_class", "",
     "envoy_cluster_upstream_rq", "envoy_response_code"},
}};

/// A regular expression for the name of a subset's clusters, on all ports.
std::string cluster_pattern(std::string_view subset, std::string_view host);

}  // namespace kubist::metrics
