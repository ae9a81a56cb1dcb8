#include "machine.hpp"

#include <algorithm>
#include <set>

#include <kubist/release/waves.hpp>
#include <kubist/util/text.hpp>

namespace kubist::release {

using util::cat;

Machine::Machine(const Plan& plan, const Progress& before, const Seen& seen, Time now)
    : m_plan(plan), m_seen(seen), m_now(now), m_progress(before) {
  if (m_progress.since == Time{}) {
    m_progress.since = now;
  }
  if (m_progress.target.empty()) {
    m_progress.target = seen.target;
  }
  std::set<std::string> clusters;
  for (const Member& member : seen.members) {
    clusters.insert(member.cluster);
  }
  m_waves = waves_of(plan, clusters);
  m_progress.waves = 1;
  for (const auto& [cluster, wave] : m_waves) {
    m_progress.waves = std::max(m_progress.waves, wave + 1);
  }
  m_progress.wave = std::min(m_progress.wave, m_progress.waves - 1);
}

bool Machine::fire(Event event, std::string reason, std::string message) {
  const auto to = after(state(), event);
  if (!to) {
    return false;
  }
  if (*to != state()) {
    m_progress.since = m_now;
  }
  if (*to == State::rolling_back) {
    move_to(0);
  }
  if (*to == State::pending) {
    const int attempt = m_progress.attempt + 1;
    m_progress = Progress{};
    m_progress.attempt = attempt;
    m_progress.target = m_seen.target;
    m_progress.since = m_now;
  }
  if (*to != State::paused) {
    m_progress.paused_by.clear();
  }
  if (event == Event::resume) {
    m_progress.observed_at.reset();  // the clock of the step begins again
  }
  m_progress.state = *to;
  m_progress.reason = std::move(reason);
  m_progress.message = std::move(message);
  return true;
}

void Machine::move_to(int weight) {
  m_progress.from = weight == 0 ? 0 : m_progress.weight;
  m_progress.at_zero = false;
  m_progress.wave = 0;
  m_progress.weight = weight;
  m_progress.observed_at.reset();
}

bool Machine::next_wave(std::string reason, std::string message) {
  if (state() != State::promoting) {
    fire(Event::advanced, "", "");
  }
  m_progress.wave += 1;
  m_progress.since = m_now;
  m_progress.observed_at.reset();
  return say(std::move(reason), std::move(message));
}

std::optional<int> Machine::wanted(const Member& member) const {
  return weight_in(m_progress, m_waves.at(member.cluster));
}

bool Machine::all_as_wanted() const {
  return std::all_of(m_seen.members.begin(), m_seen.members.end(), [&](const Member& member) {
    return member.there && member.settled && !member.changed && member.weight == wanted(member);
  });
}

bool Machine::pause(const std::string& by, std::string reason, std::string message) {
  if (!fire(Event::pause, std::move(reason), std::move(message))) {
    return false;
  }
  m_progress.paused_by = by;
  return true;
}

bool Machine::advance_to(int weight, std::string reason, std::string message) {
  const Event event = weight >= 100 ? Event::promoted : Event::advanced;
  if (!fire(event, std::move(reason), std::move(message))) {
    return false;
  }
  m_progress.since = m_now;
  move_to(std::min(weight, 100));
  return true;
}

bool Machine::say(std::string reason, std::string message) {
  m_progress.reason = std::move(reason);
  m_progress.message = std::move(message);
  return true;
}

std::string Machine::behind() const {
  for (const Member& member : m_seen.members) {
    const auto weight = wanted(member);
    if (!member.settled || member.weight != weight) {
      const std::string at =
          member.weight && member.weight != weight ? cat(" at ", *member.weight, " %") : "";
      return cat(" (TrafficRoute/", member.name, at, member.message.empty() ? "" : ": ",
                 member.message, ')');
    }
  }
  return "";
}

}  // namespace kubist::release
