#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include <kubist/stats/sampling.hpp>

/// Requests that never were: what the versions of a simulated canary answer.
namespace kubist::simulation {

/// One bucket of a histogram, cumulative as Prometheus has them.
struct LatencyCount {
  double le_ms = 0;  ///< upper bound, inclusive; the last bucket's is infinite
  double count = 0;
};

/// What one version answered in some time.
struct SimulatedCounts {
  double requests = 0;
  double errors = 0;
  std::vector<LatencyCount> latency;  ///< ascending, infinite last; empty: none is known
};
/// Latencies are summed where the bounds are the same, else none are known.
SimulatedCounts& operator+=(SimulatedCounts& sum, const SimulatedCounts& more);

/// What both versions answered in some time.
struct SimulatedAnswers {
  SimulatedCounts stable, canary;
  double expected_errors = 0;  ///< that the canary's requests would have had of stable
  bool bad = true;             ///< the canary failed at its own rate, see TrafficModel::bad_from
};

/// What an evaluation asks for.
struct SimulatedSpan {
  std::chrono::seconds from{0}, to{0};  ///< since the simulation began
  double weight = 0;                    ///< the canary's share of the requests
  std::size_t step = 0;                 ///< the place of that weight among the steps
};

/// Where requests come from. Immutable, any thread; all chance is in `random`.
class Traffic {
 public:
  virtual ~Traffic() = default;
  /// Nothing: nothing is known of that time.
  virtual std::optional<SimulatedAnswers> draw(stats::Random& random,
                                               const SimulatedSpan& span) const = 0;
  virtual double stable_rate() const = 0;  ///< the share of its requests that fail
  virtual double canary_rate() const = 0;
  virtual double requests_per_second() const = 0;  ///< of both versions together
};

/// Requests that fail independently at a fixed rate, or in bursts.
struct TrafficModel {
  double stable_rate = 0.01;  ///< the share of requests that fail
  double canary_rate = 0.01;
  double requests_per_second = 20;            ///< of both versions together
  std::chrono::milliseconds interval{30000};  ///< between evaluations
  /// Intraclass correlation: in each window each version's rate is drawn from a Beta distribution
  /// with this much of its variance; 0: all windows alike.
  double correlation = 0;
  double rising = 1;         ///< both rates grow linearly, to so many times the first by the end
  std::size_t bad_from = 0;  ///< the canary fails as stable does before this step
  int past_windows = 240;    ///< of only stable, before the canary
};
/// `longest`: when the last evaluation is. What was known before (past_windows) is only for judges.
std::shared_ptr<const Traffic> make_traffic(const TrafficModel& model,
                                            std::chrono::seconds longest);

/// What was counted between two readings of real traffic.
struct RecordedWindow {
  double from = 0, to = 0;  ///< seconds since the first reading
  SimulatedCounts stable, canary;
};
/// Replays a recording: in each of its windows there are as many requests as there were, shared
/// again by the simulated weight. How many of them fail is drawn (beta-binomial) from what is known
/// of the version's rate in that window: its own counts, and the version's mean over the recording
/// with its intraclass correlation as the prior, so that few requests at a small recorded weight
/// are not taken for bursts. Latencies likewise. Beyond the last window nothing is known. `windows`
/// is not empty, and each version has requests in it.
std::shared_ptr<const Traffic> make_recorded_traffic(std::vector<RecordedWindow> windows);

}  // namespace kubist::simulation
