#pragma once
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

#include "time/posix_rule.hpp"

namespace kubist::policies {

/// What the clocks of a place show. Immutable; any thread.
class Zone {
 public:
  /// A fixed distance from UTC.
  explicit Zone(std::chrono::seconds offset = {}) : m_standard(offset) {}
  /// A zone by its name in the IANA database ("Europe/Berlin"), as this machine has it (TZif, RFC
  /// 8536). Invalid: no such zone, or one that does not read. Not found: there is no such folder.
  static util::Result<Zone> find(std::string_view name,
                                 const std::filesystem::path& folder = "/usr/share/zoneinfo");
  /// "+01:00", "-0530", "Z". Invalid: anything else.
  static util::Result<Zone> read_offset(std::string_view text);

  std::chrono::seconds offset_at(std::chrono::sys_seconds time) const;
  /// When clocks there show `time`. Of two such times the first; one that is left out in spring is
  /// taken as if the clocks had not been changed yet.
  std::chrono::sys_seconds to_utc(std::chrono::local_seconds time) const;

 private:
  struct Transition {
    std::chrono::sys_seconds at;
    std::chrono::seconds offset;  ///< from then on
  };
  std::chrono::seconds m_standard;        ///< before all transitions
  std::vector<Transition> m_transitions;  ///< ascending
  std::optional<PosixRule> m_rule;        ///< for what comes after them
};

}  // namespace kubist::policies
