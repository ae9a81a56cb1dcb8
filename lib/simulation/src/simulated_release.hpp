#pragma once
#include <kubist/engine/pipeline.hpp>
#include <kubist/release/loop.hpp>
#include <kubist/simulation/release_simulation.hpp>

namespace kubist::simulation {

/// One simulated CanaryRelease with its clock. An evaluation is arrive(), the policies, decide().
/// One thread.
class SimulatedRelease {
 public:
  /// `plan` is the spec's, before any policy.
  SimulatedRelease(const ReleaseSimulation& simulation, const release::Plan& plan, int index);

  bool is_over() const { return m_over; }
  std::chrono::seconds next_look() const { return m_next; }
  const SimulatedRun& result() const { return m_result; }

  /// Lets the traffic come that there was since the last evaluation. The run may be over then.
  void arrive();
  /// The object with its status, as policies shall see it; its uid is the index.
  data::Json object() const;
  /// The answer to an engine::WindowQuery.
  const data::Json& window() const { return m_window; }
  data::Json observation() const;
  /// Takes the loop's step. Fails with the verdict's error.
  util::Result<> decide(const engine::PolicyVerdict& verdict);

 private:
  release::Time now() const { return m_simulation->begins + m_next; }
  void count(const SimulatedAnswers& answers);
  data::Json measure();
  void conclude(const std::optional<engine::Decision>& decision);
  void end(Ending ending);
  void set_status(const engine::PolicyVerdict& verdict, const release::Progress& before);

  const ReleaseSimulation* m_simulation;
  release::Plan m_plan;  ///< as the policies left it at the last evaluation
  int m_index;
  stats::Random m_random;
  release::Progress m_progress;
  release::Seen m_seen;
  data::Json m_status = data::Json::object();
  std::chrono::seconds m_last{0}, m_next{0};
  /// Since the window began: of this weight; nothing: none is open.
  std::optional<std::chrono::seconds> m_window_began;
  int m_window_weight = 0;
  SimulatedCounts m_stable, m_canary;
  data::Json m_window;
  bool m_over = false;
  SimulatedRun m_result;
};

}  // namespace kubist::simulation
