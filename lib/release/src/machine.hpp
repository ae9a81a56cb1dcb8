#pragma once
#include <map>
#include <optional>
#include <string>

#include <kubist/release/loop.hpp>

namespace kubist::release {

/// A release's progress during one evaluation: what events make of it, by the table of states, and
/// how its members stand to it.
class Machine {
 protected:
  Machine(const Plan& plan, const Progress& before, const Seen& seen, Time now);

  Progress& progress() { return m_progress; }
  const Progress& progress() const { return m_progress; }
  State state() const { return m_progress.state; }

  /// The table decides whether an event means anything in this state.
  bool fire(Event event, std::string reason, std::string message);
  /// The same with the weight that comes next.
  bool advance_to(int weight, std::string reason, std::string message);
  bool pause(const std::string& by, std::string reason, std::string message);
  bool has_more_waves() const { return m_progress.wave + 1 < m_progress.waves; }
  bool next_wave(std::string reason, std::string message);
  void move_to(int weight);
  /// Stays where it is; true.
  bool say(std::string reason, std::string message);

  /// Has every member what it shall have?
  bool all_as_wanted() const;
  /// " (TrafficRoute/shop: why)" for the first member that is not there yet.
  std::string behind() const;

  const Plan& m_plan;
  const Seen& m_seen;
  const Time m_now;

 private:
  /// What the member shall have; nothing: its own weights.
  std::optional<int> wanted(const Member& member) const;

  Progress m_progress;
  std::map<std::string, int> m_waves;  ///< by virtual cluster
};

}  // namespace kubist::release
