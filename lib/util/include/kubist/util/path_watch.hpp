#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/util/fd.hpp>
#include <kubist/util/result.hpp>

namespace kubist::util {

/// Tells when files or folders have changed, by inotify(7): what is written, made, renamed, moved
/// or deleted, also where a link or a whole folder is replaced (as a mounted ConfigMap's is). Not
/// what another machine does on a network's file system, which inotify does not see. One thread.
class PathWatch {
 public:
  /// Watches from now on. `recursive`: folders with all that is below them. A path that does not
  /// exist is looked for again while one waits. Unavailable: the system has no more watches.
  static Result<PathWatch> start(const std::vector<std::filesystem::path>& paths, bool recursive);

  /// Watches these, too; paths that it watches already cost nothing. Errors: as start().
  Result<> also(const std::vector<std::filesystem::path>& paths);

  /// Waits until something has changed since the last call, and nothing more for `quiet` (an
  /// editor or a checkout is done) or for ten times as long. False: stop. Errors: as start().
  Result<bool> wait(std::chrono::milliseconds quiet, const std::stop_token& stop);

 private:
  /// By watch: the names in that folder that count; none: all.
  using Watches = std::map<int, std::set<std::string>>;

  explicit PathWatch(bool recursive);
  Result<> arm();
  Result<> add(Watches& watches, const std::filesystem::path& folder, const std::string& name);
  Result<> add_below(Watches& watches, const std::filesystem::path& folder);
  bool take_events() const;

  std::vector<std::filesystem::path> m_paths;
  bool m_recursive;
  Fd m_inotify;
  Watches m_watches;
  bool m_missing = false;  ///< one of the paths was not there when arm() last ran
};

}  // namespace kubist::util
