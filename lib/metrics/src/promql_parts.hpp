#pragma once
#include <array>
#include <string_view>

namespace kubist::metrics {

/// On the vector elements of counters_query() that say when a host's counters were last scraped.
inline constexpr std::string_view k_time_label = "kubist";

/// What Envoy's counters of clusters are called depends on the tags of its bootstrap.
struct EnvoyStyle {
  std::string_view cluster;      ///< label: the cluster
  std::string_view by_class;     ///< metric: responses by class
  std::string_view class_label;  ///< label: the class
};

/// Istio's bootstrap ("5xx"), and Envoy's default tags ("5").
inline constexpr std::array<EnvoyStyle, 2> k_envoy_styles{{
    {"cluster_name", "envoy_cluster_upstream_rq", "response_code_class"},
    {"envoy_cluster_name", "envoy_cluster_upstream_rq_xx", "envoy_response_code_class"},
}};

}  // namespace kubist::metrics
