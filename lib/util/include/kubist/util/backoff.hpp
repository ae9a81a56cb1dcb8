#pragma once
#include <chrono>
#include <optional>

namespace kubist::util {

/// How delays between attempts grow.
struct BackoffPolicy {
  std::chrono::milliseconds initial{200};
  std::chrono::milliseconds maximum{30000};
  double factor = 2.0;
};

/// The delay before attempt `attempt` + 1 (attempts count from 1): full jitter over the exponential
/// step, `unit` in [0, 1), never below `retry_after` (the server's floor). Pure.
/// Source: AWS Architecture Blog, "Exponential Backoff And Jitter" (full jitter).
std::chrono::milliseconds backoff_delay(const BackoffPolicy& policy, int attempt, double unit,
                                        std::optional<std::chrono::milliseconds> retry_after = {});

}  // namespace kubist::util
