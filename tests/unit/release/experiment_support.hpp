#pragma once
#include <doctest/doctest.h>

#include <kubist/release/experiment_loop.hpp>

namespace kubist::testing {

/// control and green (and blue), one goal, judged by this test.
inline experiment::Plan plan(experiment::Test test = experiment::Test::anytime, int variants = 2) {
  experiment::Plan plan;
  plan.route = "shop";
  for (const char* name : {"control", "green", "blue"}) {
    if (static_cast<int>(plan.variants.size()) < variants) {
      plan.variants.push_back({name, "web", name, 0, 1});
    }
  }
  plan.goals.push_back({"orders", experiment::GoalKind::conversion, true, {}});
  plan.test = test;
  return plan;
}

/// `k` of `n` succeeded.
inline experiment::Totals rate(double n, double k) { return {n, k, k}; }

}  // namespace kubist::testing
