#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <kubist/util/fd.hpp>
#include <kubist/util/result.hpp>

/// Files below a folder that a workload can write: no link in it is ever followed, since it may
/// lead to what only the agent can read or write.
namespace kubist::state {

/// The error behind `errno`: "cannot WHAT PATH: reason".
util::Error system_failure(std::string_view what, std::string_view path, int number);

/// The folder at `path` as the caller names it; the last part may not be a link.
util::Result<util::Fd> open_folder(const std::string& path);
/// The folder `parts` below `root`, step by step without links.
util::Result<util::Fd> open_below(int root, const std::vector<std::string>& parts);

/// The parts of a relative path. Invalid: absolute, empty, "..", a NUL.
util::Result<std::vector<std::string>> relative_parts(std::string_view path);

/// Does a link at `parts` with this target stay inside the root? ".." may only lead the target:
/// from a real folder the way up is known, behind a name it may be another link.
bool link_stays_inside(const std::vector<std::string>& parts, std::string_view target);

/// Counts the entries of one archive.
class EntryCount {
 public:
  /// Invalid: that one is too much (k_max_entries, k_max_path_bytes).
  util::Result<> add(std::string_view path);

 private:
  std::size_t m_entries = 0;
  std::size_t m_path_bytes = 0;
};

}  // namespace kubist::state
