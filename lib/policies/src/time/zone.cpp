#include "time/zone.hpp"

#include <algorithm>
#include <cstdint>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::policies {

using std::chrono::seconds;
using std::chrono::sys_seconds;
using util::cat;
using util::ErrorKind;

namespace {

constexpr std::size_t k_max_file = std::size_t{1} << 20U;
constexpr std::size_t k_block_header = 44;

/// Big-endian numbers of a TZif file; those beyond its end are 0.
class Bytes {
 public:
  explicit Bytes(std::string_view data) : m_data(data) {}
  std::int64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      value =
          value << 8U | (at + i < m_data.size() ? static_cast<unsigned char>(m_data[at + i]) : 0U);
    }
    return size == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
  }
  std::size_t count(std::size_t at) const { return static_cast<std::uint32_t>(number(at, 4)); }

 private:
  std::string_view m_data;
};

/// RFC 8536, section 3.1: how long each part of a block is, in the order of the header's counts.
struct BlockCounts {
  std::size_t isut, isstd, leap, time, type, chars;
  BlockCounts(const Bytes& bytes, std::size_t header)
      : isut(bytes.count(header + 20)),
        isstd(bytes.count(header + 24)),
        leap(bytes.count(header + 28)),
        time(bytes.count(header + 32)),
        type(bytes.count(header + 36)),
        chars(bytes.count(header + 40)) {}
  std::size_t block(std::size_t time_size) const {
    return time * time_size + time + type * 6 + chars + leap * (time_size + 4) + isstd + isut;
  }
};

bool is_zone_name(std::string_view name) {
  return !name.empty() && name.front() != '/' && name.find("..") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '/' || c == '_' || c == '-' || c == '+';
         });
}

}  // namespace

util::Result<Zone> Zone::find(std::string_view name, const std::filesystem::path& folder) {
  const auto unknown = [&](std::string_view why) {
    return util::fail(ErrorKind::invalid, cat("timeZone: \"", util::printable(name), "\" ", why),
                      "Write a name like Europe/Berlin; this machine needs the package tzdata.");
  };
  if (!is_zone_name(name)) {
    return unknown("is no name of a time zone");
  }
  const auto file = util::read_file(folder / name, k_max_file);
  if (!file) {
    auto error = unknown(cat("is not in ", folder.string()));
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      error.value().kind = ErrorKind::not_found;
    }
    return error;
  }
  const Bytes bytes(*file);
  const std::size_t second = k_block_header + BlockCounts(bytes, 0).block(4);
  if (!file->starts_with("TZif") || (*file)[4] < '2' || second >= file->size() ||
      std::string_view(*file).substr(second, 4) != "TZif") {
    return unknown(cat("in ", folder.string(), " is no TZif file of version 2 or above"));
  }
  const BlockCounts counts(bytes, second);
  const std::size_t times = second + k_block_header;
  const std::size_t types = times + counts.time * 9;
  const std::size_t footer = times + counts.block(8);
  if (counts.type == 0 || footer > file->size()) {
    return unknown("is cut off");
  }
  const auto offset_of = [&](std::size_t type) {
    return seconds(bytes.number(types + 6 * type, 4));
  };
  Zone zone(offset_of(0));
  for (std::size_t i = 0; i < counts.time; ++i) {
    const auto type = static_cast<unsigned char>((*file)[times + counts.time * 8 + i]);
    if (type >= counts.type) {
      return unknown("does not read");
    }
    zone.m_transitions.push_back(
        {sys_seconds(seconds(bytes.number(times + 8 * i, 8))), offset_of(type)});
  }
  if (const auto rule = util::trim(std::string_view(*file).substr(footer)); !rule.empty()) {
    zone.m_rule = PosixRule::parse(rule);
    if (!zone.m_rule) {
      return unknown("has a rule that does not read");
    }
  }
  return zone;
}

util::Result<Zone> Zone::read_offset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z" || util::iequals(text, "UTC")) {
    return Zone();
  }
  const std::string digits = util::replace_all(text.substr(1), ":", "");
  const auto number = util::parse_int(digits);
  const bool fits = (text[0] == '+' || text[0] == '-') && digits.size() == 4 && number &&
                    *number >= 0 && *number % 100 < 60 && *number <= 1400;
  if (!fits) {
    return util::fail(ErrorKind::invalid,
                      cat("utcOffset: \"", text, "\" is not an offset like +01:00"));
  }
  const std::chrono::minutes offset(*number / 100 * 60 + *number % 100);
  return Zone(text[0] == '-' ? -offset : offset);
}

seconds Zone::offset_at(sys_seconds time) const {
  const auto next =
      std::upper_bound(m_transitions.begin(), m_transitions.end(), time,
                       [](sys_seconds at, const Transition& each) { return at < each.at; });
  if (next == m_transitions.end() && m_rule) {
    return m_rule->offset_at(time);
  }
  return next == m_transitions.begin() ? m_standard : std::prev(next)->offset;
}

sys_seconds Zone::to_utc(std::chrono::local_seconds time) const {
  constexpr std::chrono::days k_around{1};  // no two changes are nearer
  const sys_seconds naive(time.time_since_epoch());
  const seconds before = offset_at(naive - k_around);
  const seconds after = offset_at(naive + k_around);
  for (const seconds offset : {before, after}) {
    if (offset_at(naive - offset) == offset) {
      return naive - offset;
    }
  }
  return naive - before;
}

}  // namespace kubist::policies
