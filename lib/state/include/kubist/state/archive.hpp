#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/result.hpp>

namespace kubist::state {

/// State may have this many bytes in its files, whatever they shrink to.
inline constexpr std::size_t k_max_unpacked = std::size_t{1} << 30U;
/// Files, folders and links in one state, and the bytes of their paths: empty ones cost inodes, and
/// memory of the agent, which has little.
inline constexpr std::size_t k_max_entries = 100'000;
inline constexpr std::size_t k_max_path_bytes = std::size_t{16} << 20U;

/// Takes packed bytes in pieces of any size; its error ends the packing.
using Sink = std::function<util::Result<>(std::string_view piece)>;
/// Gives packed bytes in pieces of any size; an empty one is the end.
using Source = std::function<util::Result<std::string>()>;

/// The folder's content as a gzipped tar, without ever holding all of it. The same content gives
/// the same bytes: entries sorted, owner 0:0, times 0. Modes, symbolic and hard links and empty
/// folders are kept; an empty folder gives no bytes at all. `folder` may not be a link itself, and
/// none below it is followed. Invalid, naming the entry: a link that leaves the folder, a device,
/// socket or pipe, more than `limit` bytes packed or k_max_unpacked bytes unpacked, more than
/// k_max_entries or k_max_path_bytes. Not_found, forbidden: what cannot be read. The sink may have
/// got bytes before an error is found.
util::Result<> pack(const std::filesystem::path& folder, std::size_t limit, const Sink& sink);
/// The same in memory.
util::Result<std::string> pack(const std::filesystem::path& folder, std::size_t limit);

/// Unpacks into `folder`, which must exist, and reads the source to its end. Nothing is ever
/// written through a link, and no file has a setuid or setgid bit. Invalid, naming the entry: not a
/// gzipped tar, absolute paths, "..", links that leave the folder, hard links to what is no file,
/// devices, sockets and pipes, more than `max_unpacked` bytes; too many entries, as pack(). What
/// was unpacked before the fault stays.
util::Result<> unpack(const Source& source, const std::filesystem::path& folder,
                      std::size_t max_unpacked = k_max_unpacked);
util::Result<> unpack(std::string_view bytes, const std::filesystem::path& folder,
                      std::size_t max_unpacked = k_max_unpacked);

/// One entry as a listing shows it.
struct ArchiveEntry {
  std::string path;  ///< of folders with a slash at the end
  char type = '-';   ///< '-' file, 'd' folder, 'l' symbolic link, 'h' hard link
  unsigned mode = 0;
  std::uint64_t size = 0;
  std::string target;  ///< of links
};
/// What is in a packed state, in its order. Invalid: not a gzipped tar, too many entries, more than
/// `max_unpacked` bytes.
util::Result<std::vector<ArchiveEntry>> list(const Source& source,
                                             std::size_t max_unpacked = k_max_unpacked);

}  // namespace kubist::state
