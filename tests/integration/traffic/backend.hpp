#pragma once
#include <string>

#include <kubist/util/process.hpp>

#include "envoy.hpp"
#include "stage.hpp"

/// Backends behind the real gateway, and requests through it.
namespace traffic_test {

/// An Envoy that answers every request by its version, and this share of them with 500; after
/// `delay` ("0.2s").
inline Json backend(const std::string& ns, const std::string& version, int percent_bad = 0,
                    const std::string& delay = "") {
  const Json share{{"default_value", {{"numerator", percent_bad}, {"denominator", "HUNDRED"}}}};
  Json routes = Json::array();
  if (percent_bad > 0) {
    routes.push_back(envoy_answer({{"prefix", "/"}, {"runtime_fraction", share}}, 500));
  }
  routes.push_back(envoy_answer({{"prefix", "/"}}, 200, version));
  return envoy_pod(ns, "web-" + version, {{"app", "web"}, {"version", version}},
                   Json::array({envoy_listener(8080, routes, delay)}),
                   {{"tcpSocket", {{"port", 8080}}}, {"periodSeconds", 1}});
}

/// A route waits for the pods that it names; what comes after may need the others, too.
inline void await_ready(const std::string& ns, const Words& pods) {
  for (const std::string& pod : pods) {
    REQUIRE_MESSAGE(
        eventually([&] { return condition(get("home", "pods", pod, ns), "Ready") == "True"; }, 120),
        pod);
  }
}

/// How far a count may be from what is expected, in standard deviations, on either side: 4.42 is
/// one run in 100,000.
inline constexpr double k_deviations = 4.42;

/// Each test has a host of its own: the gateway is everybody's, and what a test before left may
/// still be on its way out.
inline std::string host_of(Stage& stage) { return cat(stage.ns(), ".example.com"); }

inline std::string gateway_address(Stage& stage) {
  const auto gateway = stage.node("entrygateways", "entry");
  REQUIRE(gateway);
  const Json* targets = data::find_path(*gateway, {"status", "targets"});
  const Json& status = targets == nullptr ? (*gateway)["status"] : (*targets)[0];
  CAPTURE(status.dump());
  REQUIRE(status.contains("addresses"));
  return status["addresses"][0].get<std::string>();
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
