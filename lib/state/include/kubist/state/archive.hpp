#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::state {

/// The folder's content as a gzipped tar, in memory. The same content gives the same bytes: entries
/// sorted, owner 0:0, times 0. Modes, symbolic and hard links and empty folders are kept; an empty
/// folder gives an empty string. `folder` may not be a link itself, and none below it is followed.
/// Invalid, naming the entry: a link that leaves the folder, a device, socket or pipe, more than
/// `limit` bytes packed. Not_found, forbidden: what cannot be read.
util::Result<std::string> pack(const std::filesystem::path& folder, std::size_t limit);

/// Unpacks into `folder`, which must exist. Nothing is ever written through a link. Invalid, naming
/// the entry: not a gzipped tar, absolute paths, "..", links that leave the folder, devices,
/// sockets and pipes, more than `max_unpacked` bytes. What was unpacked before the fault stays.
util::Result<> unpack(std::string_view bytes, const std::filesystem::path& folder,
                      std::size_t max_unpacked = std::size_t{1} << 30U);

}  // namespace kubist::state
