#pragma once
#include <chrono>
#include <memory>
#include <vector>

#include <kubist/engine/policy.hpp>
#include <kubist/simulation/simulated_traffic.hpp>
#include <kubist/simulation/simulation.hpp>

/// Releases that never ran: a CanaryRelease with its policies, against traffic that was modelled or
/// recorded, many times.
namespace kubist::simulation {

struct ReleaseSimulation {
  std::shared_ptr<const data::Json> release;  ///< a CanaryRelease that the schema accepts
  /// Its Project and Root, whose settings its policies get.
  std::vector<std::shared_ptr<const data::Json>> above;
  std::vector<data::Json> routes;  ///< its TrafficRoutes, as policies see them; may be empty
  const engine::PolicyCatalog* catalog = nullptr;
  std::shared_ptr<const Traffic> traffic;
  /// What the simulated clock shows first.
  std::chrono::sys_seconds begins =
      std::chrono::sys_days{std::chrono::year{2026} / 1 / 5} + std::chrono::hours(12);
  std::chrono::seconds longest{15'000};  ///< then the canary is given up, undecided
  bool approved = false;                 ///< a person has said yes to every weight
  int runs = 1000;
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: as many as there are processors; the result is the same for any
};

/// What a run that the traffic does not suffice for ends with, undecided.
inline constexpr std::string_view k_recording_ended = "RecordingEnded";

/// All runs, in order. Each is the loop of release/loop.hpp, with the decisions of the engine's
/// policy pipeline, look by look as `kubist reconcile --watch` takes them; pods are ready and
/// routes at their new weights at once. A run ends where the release has succeeded or begins to go
/// back. aborted: rolled back for what a policy saw; undecided: rolled back for want of it
/// (NoTraffic, TooFew, Undecided, the hold limit), or neither by `longest`, with the reason at the
/// last evaluation. Uses threads of its own until it returns; a stop request ends it early, with
/// fewer runs. Fails with invalid: a policy that is unknown, fails, or asks what only a Prometheus
/// can answer.
util::Result<std::vector<SimulatedRun>> simulate(const ReleaseSimulation& simulation,
                                                 const std::stop_token& stop);

}  // namespace kubist::simulation
