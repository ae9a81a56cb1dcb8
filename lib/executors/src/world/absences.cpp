#include "world/absences.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::executors {

using util::cat;

namespace {

constexpr std::chrono::seconds k_brief{1};  // a connection that is made again is no news
constexpr std::chrono::seconds k_lasting{30};
constexpr std::chrono::milliseconds k_gather_absences{300};
constexpr std::size_t k_names = 3;

std::string subject(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), k_names);
  std::string text =
      util::join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (names.size() > shown) {
    text += cat(" and ", names.size() - shown, " more");
  }
  return cat(names.size() == 1 ? "the watch of " : "the watches of ", text,
             names.size() == 1 ? " is " : " are ");
}

std::string lasted(std::chrono::steady_clock::duration time) {
  return util::human_duration(std::chrono::round<std::chrono::seconds>(time));
}

}  // namespace

Absences::Absences(std::function<void(const std::string&)> tell, Returned returned)
    : m_tell(std::move(tell)), m_returned(std::move(returned)) {
  // Throws where no thread can be made, before any run: cli::run() catches it, and with files
  // FollowedFiles (guarded()).
  m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Absences::trouble(const std::string& watch, const util::Error& error, Time now) {
  const std::lock_guard lock(m_mutex);
  const auto [entry, fresh] = m_watches.try_emplace(watch);
  Watch& known = entry->second;
  if (known.stage == Stage::back) {  // gone again before that was told: it never was back
    known.stage = Stage::told;
    known.due = known.since + k_lasting;
  }
  if (fresh) {
    known.since = now;
    known.due = now + k_brief;
  }
  known.error = error;
  m_changed.notify_all();
}

void Absences::back(const std::string& watch, Time now, const Sight& sight) {
  {
    const std::lock_guard lock(m_mutex);
    const auto known = m_watches.find(watch);
    if (known == m_watches.end()) {
      return;
    }
    if (known->second.stage == Stage::gone) {
      m_watches.erase(known);
      return;
    }
    known->second.stage = Stage::back;
    known->second.until = now;
    known->second.due = now + k_gather_absences;
    m_changed.notify_all();
  }
  if (m_returned) {
    m_returned(sight);
  }
}

void Absences::say(std::string line) {
  const std::lock_guard lock(m_mutex);
  m_lines.push_back(std::move(line));
  m_changed.notify_all();
}

void Absences::forget(const std::string& watch) {
  const std::lock_guard lock(m_mutex);
  m_watches.erase(watch);
}

std::vector<std::string> Absences::take(Time now) {
  struct Line {
    std::vector<std::string> names;
    Watch first;
  };
  const std::lock_guard lock(m_mutex);
  std::map<std::tuple<Stage, int, util::ErrorKind>, Line> lines;
  for (auto entry = m_watches.begin(); entry != m_watches.end();) {
    Watch& watch = entry->second;
    const auto here = entry++;
    // Those that would be told a moment later go along.
    if (watch.stage == Stage::told_again || watch.due > now + k_gather_absences) {
      continue;
    }
    const bool back = watch.stage == Stage::back;
    Line& line = lines[{watch.stage, back ? 0 : watch.error.http_status,
                        back ? util::ErrorKind::internal : watch.error.kind}];
    line.first = line.names.empty() ? watch : line.first;
    line.names.push_back(here->first);
    if (back) {
      m_watches.erase(here);
      continue;
    }
    watch.stage = watch.stage == Stage::gone ? Stage::told : Stage::told_again;
    watch.due = watch.since + k_lasting;
  }
  std::vector<std::string> result = std::exchange(m_lines, {});
  for (const auto& [key, line] : lines) {
    const Watch& watch = line.first;
    const std::string who = subject(line.names);
    switch (std::get<Stage>(key)) {
      case Stage::gone:
        result.push_back(cat(who, "away, trying again: ", watch.error.message));
        break;
      case Stage::back:
        result.push_back(cat(who, "back after ", lasted(watch.until - watch.since)));
        break;
      default:
        result.push_back(cat(who, "still away after ", lasted(now - watch.since),
                             ", changes there are not noticed: ", watch.error.message));
    }
  }
  return result;
}

std::optional<Absences::Time> Absences::next() const {
  const std::lock_guard lock(m_mutex);
  return next_due();
}

std::optional<Absences::Time> Absences::next_due() const {
  std::optional<Time> next = m_lines.empty() ? std::nullopt : std::make_optional<Time>();
  for (const auto& [name, watch] : m_watches) {
    if (watch.stage != Stage::told_again && (!next || watch.due < *next)) {
      next = watch.due;
    }
  }
  return next;
}

void Absences::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(m_mutex);
      if (const auto due = next_due()) {
        m_changed.wait_until(lock, stop, *due, [&] { return next_due() != due; });
      } else {
        m_changed.wait(lock, stop, [&] { return next_due().has_value(); });
      }
    }
    static_cast<void>(util::guarded([&] {
      const auto now = std::chrono::steady_clock::now();
      const auto due = next();
      for (const std::string& line : due&&* due <= now ? take(now) : std::vector<std::string>()) {
        m_tell(line);
      }
    }));
  }
}

}  // namespace kubist::executors
