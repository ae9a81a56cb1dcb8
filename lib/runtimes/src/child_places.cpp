#include "child_places.hpp"

#include <algorithm>
#include <string>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::runtimes {

namespace fs = std::filesystem;

namespace {

/// Each child may use a processor. Many of one project would take the time that those of others
/// have.
constexpr std::size_t k_least_share = 4;
constexpr std::size_t k_full_projects = 4;  // may have their share at once

/// What a child may take at most: Jsonnet half of it, helm all. Of a limited memory kubist itself
/// needs as much.
constexpr std::uint64_t k_of_place = std::uint64_t{1} << 30U;
/// One project's and another's: the one would wait for what the other does.
constexpr std::size_t k_fewest = 2;

/// The lowest limit of a cgroup and those above it. In a container the cgroup's own name may be
/// none that is there: what is mounted at the top is the container's.
std::optional<std::uint64_t> limit_below(const fs::path& top, const fs::path& cgroup,
                                         const char* file) {
  std::optional<std::uint64_t> lowest;
  for (fs::path at = cgroup;; at = at.parent_path()) {
    const auto text = util::read_file(top / at / file);
    const auto limit = text ? util::parse_int(util::trim(*text)) : std::nullopt;  // or "max"
    if (limit && *limit > 0) {
      const auto bytes = static_cast<std::uint64_t>(*limit);
      lowest = lowest ? std::min(*lowest, bytes) : bytes;
    }
    if (at.empty()) {
      return lowest;
    }
  }
}

}  // namespace

util::Shares child_places(std::size_t processors, std::optional<std::uint64_t> memory) {
  const std::size_t share = std::max(k_least_share, processors);
  const std::size_t total = 2 * k_full_projects * share - 1;
  if (!memory) {
    return {share, total};
  }
  const auto fit = static_cast<std::size_t>(*memory / k_of_place);
  const std::size_t bounded = std::clamp(fit, k_fewest + 1, total + 1) - 1;
  return {std::min(share, (bounded + 1) / 2), bounded};
}

std::optional<std::uint64_t> memory_limit(const fs::path& root) {
  // "4:memory:/a/b" and others, the last of them "0::/a/b"
  const auto own = util::read_file(root / "proc/self/cgroup");
  const fs::path mounts = root / "sys/fs/cgroup";
  for (const std::string& line : util::split(own.value_or(""), '\n')) {
    const auto parts = util::split(line, ':');
    if (parts.size() < 3 || !parts[2].starts_with('/')) {
      continue;
    }
    const fs::path cgroup = parts[2].substr(1);
    if (parts[1] == "memory") {  // version 1; where there is none, memory is with version 2
      return limit_below(mounts / "memory", cgroup, "memory.limit_in_bytes");
    }
    if (parts[0] == "0") {
      return limit_below(mounts, cgroup, "memory.max");
    }
  }
  return std::nullopt;
}

}  // namespace kubist::runtimes
