#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <kubist/util/fair_queue.hpp>

namespace kubist::runtimes {

/// How many children may run at once, of one project and in all. `memory`: how much this process
/// and its children may use; nothing: as much as there is.
util::Shares child_places(std::size_t processors, std::optional<std::uint64_t> memory);

/// How much memory the cgroup of this process and those above it allow. Nothing: they set no limit.
/// `root` is the folder that has proc and sys.
std::optional<std::uint64_t> memory_limit(const std::filesystem::path& root = "/");

}  // namespace kubist::runtimes
