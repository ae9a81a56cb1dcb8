#pragma once
#include <memory>
#include <stop_token>

#include <kubist/kube/client.hpp>
#include <kubist/release/experiment_loop.hpp>

#include "world/work.hpp"

namespace kubist::executors {

/// Asks the goals' sources, Services of the client's cluster or Prometheuses elsewhere, for the
/// counters of every variant. All of them, or none and the first reason (metrics/answer.hpp;
/// NotPlausible: more successes than samples, or fewer than none; of MetricSources).
experiment::Reading read_goals(Work& work, const experiment::Plan& plan,
                               const std::shared_ptr<kube::Client>& client);

}  // namespace kubist::executors
