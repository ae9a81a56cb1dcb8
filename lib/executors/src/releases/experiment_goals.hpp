#pragma once
#include <memory>
#include <stop_token>

#include <kubist/kube/client.hpp>
#include <kubist/release/experiment_loop.hpp>

#include "world/metric_sources.hpp"

namespace kubist::executors {

/// Asks the goals' sources, Services of the client's cluster or Prometheuses elsewhere, for the
/// counters of every variant. All of them, or none and the first reason (metrics/answer.hpp;
/// NotPlausible: more successes than samples, or fewer than none; of MetricSources).
experiment::Reading read_goals(MetricSources& sources, const engine::Node& node,
                               const experiment::Plan& plan,
                               const std::shared_ptr<kube::Client>& client,
                               const std::stop_token& stop);

}  // namespace kubist::executors
