#pragma once
#include <atomic>
#include <string_view>

/// What the test case that runs now has cost so far. Helpers count here; main.cpp writes it down
/// after each case where $KUBIST_TEST_COSTS names a file, and scripts/test-times makes a table of
/// it.
namespace kubist::cost {

inline std::atomic<int> kubectl = 0;    ///< processes of kubectl
inline std::atomic<int> kubist = 0;     ///< processes of kubist
inline std::atomic<int> requests = 0;   ///< to the API server from this process, by the test itself
inline std::atomic<double> waited = 0;  ///< seconds in polls
/// The largest share of its limit that a poll took, 0 to 1.
inline std::atomic<double> longest_wait = 0;

/// Counts a process by the name of its program.
inline void count_process(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  if (name == "kubectl") {
    ++kubectl;
  } else if (name == "kubist") {
    ++kubist;
  }
}

/// Counts a poll that took `seconds` of the `limit` that it had.
inline void count_wait(double seconds, double limit) {
  waited = waited + seconds;
  if (limit > 0 && seconds / limit > longest_wait) {
    longest_wait = seconds / limit;
  }
}

}  // namespace kubist::cost
