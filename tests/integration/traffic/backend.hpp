#pragma once
#include <string>

#include <kubist/util/process.hpp>

#include "stage.hpp"

/// Backends behind the real gateway, and requests through it.
namespace traffic_test {

/// The image of the gateway's own proxy: it has an Envoy.
inline std::string proxy_image() {
  return must(kubectl("home", {"get", "pods", "-n", "istio-system", "-l", "istio=ingressgateway",
                               "-o", "jsonpath={.items[0].spec.containers[0].image}"}));
}

/// An Envoy that answers every request by its version, and this share of them with 500.
inline Json backend(const std::string& ns, const std::string& version, int percent_bad = 0) {
  const std::string bad =
      cat(R"({"match":{"prefix":"/","runtime_fraction":{"default_value":{"numerator":)",
          percent_bad, R"(,"denominator":"HUNDRED"}}},"direct_response":{"status":500}},)");
  const std::string config =
      cat(R"({"static_resources":{"listeners":[{"address":{"socket_address":
    {"address":"0.0.0.0","port_value":8080}},"filter_chains":[{"filters":[{"name":"http",
    "typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.)"
          R"(http_connection_manager.v3.HttpConnectionManager","stat_prefix":"http",
    "route_config":{"virtual_hosts":[{"name":"all","domains":["*"],"routes":[)",
          percent_bad > 0 ? bad : "", R"({"match":{"prefix":"/"},
    "direct_response":{"status":200,"body":{"inline_string":")",
          version,
          R"("}}}]}]},
    "http_filters":[{"name":"router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.)"
          R"(filters.http.router.v3.Router"}}]}}]}]}]}})");
  return yaml(cat(R"(
apiVersion: v1
kind: Pod
metadata: {name: web-)",
                  version, ", namespace: ", ns, ", labels: {app: web, version: ", version, R"(}}
spec:
  automountServiceAccountToken: false
  terminationGracePeriodSeconds: 0
  containers:
    - name: main
      image: )",
                  proxy_image(), R"(
      command: [/usr/local/bin/envoy, --concurrency, "1", --disable-hot-restart, --log-level, error, --config-yaml, )",
                  Json(config).dump(), R"(]
      ports: [{containerPort: 8080}]
      readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}
)"));
}

/// Each test has a host of its own: the gateway is everybody's, and what a test before left may
/// still be on its way out.
inline std::string host_of(Stage& stage) { return cat(stage.ns(), ".example.com"); }

inline std::string gateway_address(Stage& stage) {
  const auto gateway = stage.node("entrygateways", "entry");
  REQUIRE(gateway);
  REQUIRE(condition(gateway, "HasGatewayPods") == "True");
  return (*gateway)["status"]["addresses"][0].get<std::string>();
}

/// The exit code is -1 where it could not be run or took too long.
inline CommandResult run_command(const Words& words) {
  kubist::util::Command command;
  command.args = words;
  command.timeout = std::chrono::minutes(5);
  auto result = kubist::util::run_command(command);
  return result ? *result : CommandResult{-1, "", result.error().to_string()};
}

}  // namespace traffic_test
