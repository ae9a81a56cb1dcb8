#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#include <kubist/util/path_watch.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Of a folder: a file's folder is watched, not the file, since editors replace files by new ones.
constexpr std::uint32_t k_events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                   IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
/// How often a path that is not there is looked for.
constexpr std::chrono::milliseconds k_look_again{1000};

/// "env/" has no name of its own, "env" has; a file without a folder is in the working one.
fs::path named(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

PathWatch::PathWatch(bool recursive)
    : m_recursive(recursive), m_inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

Result<PathWatch> PathWatch::start(const std::vector<fs::path>& paths, bool recursive) {
  PathWatch watch(recursive);
  if (!watch.m_inotify) {
    return fail(ErrorKind::unavailable,
                cat("cannot watch files: ", std::generic_category().message(errno)),
                "Raise fs.inotify.max_user_instances (sysctl).");
  }
  KUBIST_CHECK(watch.also(paths));
  return watch;
}

Result<> PathWatch::also(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    if (fs::path own = named(path);
        std::find(m_paths.begin(), m_paths.end(), own) == m_paths.end()) {
      m_paths.push_back(std::move(own));
    }
  }
  return arm();
}

/// `name`: what counts in the folder, beside what counts there already; empty: everything.
Result<> PathWatch::add(Watches& watches, const fs::path& folder, const std::string& name) {
  const int watch = ::inotify_add_watch(m_inotify.get(), folder.c_str(), k_events);
  if (watch < 0 && (errno == ENOSPC || errno == ENOMEM)) {
    return fail(ErrorKind::unavailable, cat("cannot watch ", folder.string(), ": no watch is left"),
                "Raise fs.inotify.max_user_watches (sysctl).");
  }
  if (watch < 0) {
    m_missing = true;  // gone since, or not to be read: whoever reads it says why
    return {};
  }
  const auto [entry, added] = watches.try_emplace(watch);
  if (name.empty()) {
    entry->second.clear();
  } else if (added || !entry->second.empty()) {
    entry->second.insert(name);
  }
  return {};
}

Result<> PathWatch::add_below(Watches& watches, const fs::path& folder) {
  std::error_code ended;
  constexpr auto k_options = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator each(folder, k_options, ended);
  for (; !ended && each != fs::recursive_directory_iterator(); each.increment(ended)) {
    std::error_code none;
    if (each->is_directory(none)) {
      KUBIST_CHECK(add(watches, each->path(), ""));
    }
  }
  return {};
}

/// Watches what is there now, and nothing else any more.
Result<> PathWatch::arm() {
  Watches watches;
  m_missing = false;
  for (const fs::path& path : m_paths) {
    std::error_code none;
    // A link's way leads over other names of its folder.
    KUBIST_CHECK(add(watches, path.parent_path(),
                     fs::is_symlink(path, none) ? "" : path.filename().string()));
    if (!fs::exists(path, none)) {
      m_missing = true;
    } else if (!fs::is_directory(path, none)) {
      const fs::path target = fs::weakly_canonical(path, none);
      KUBIST_CHECK(add(watches, target.parent_path(), target.filename().string()));
    } else {
      KUBIST_CHECK(add(watches, path, ""));
      KUBIST_CHECK(m_recursive ? add_below(watches, path) : Result<>{});
    }
  }
  for (const auto& [watch, names] : m_watches) {
    if (!watches.contains(watch)) {
      ::inotify_rm_watch(m_inotify.get(), watch);
    }
  }
  m_watches = std::move(watches);
  return {};
}

/// Takes all that there are. True: one counts.
bool PathWatch::take_events() const {
  alignas(inotify_event) std::array<char, 16384> buffer{};
  bool counts = false;
  for (;;) {
    const ssize_t size = ::read(m_inotify.get(), buffer.data(), buffer.size());
    if (size <= 0) {
      return counts;
    }
    for (ssize_t at = 0; at < size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      const auto watch = m_watches.find(event.wd);
      const bool of_folder = event.len == 0;
      counts = counts || (event.mask & IN_Q_OVERFLOW) != 0 ||
               (watch != m_watches.end() &&
                (of_folder || watch->second.empty() || watch->second.contains(name)));
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

Result<bool> PathWatch::wait(std::chrono::milliseconds quiet, const std::stop_token& stop) {
  const Fd stopped(::eventfd(0, EFD_CLOEXEC));
  const std::stop_callback on_stop(stop, [&] { ::eventfd_write(stopped.get(), 1); });
  std::optional<Clock::time_point> due;
  Clock::time_point at_last;
  while (!stop.stop_requested()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        due ? *due - Clock::now() : Clock::duration(k_look_again));
    if (due && left.count() <= 0) {
      return true;
    }
    std::array<pollfd, 2> all{{{m_inotify.get(), POLLIN, 0}, {stopped.get(), POLLIN, 0}}};
    ::poll(all.data(), all.size(), due || m_missing ? static_cast<int>(left.count()) : -1);
    const bool was_missing = m_missing;
    const bool seen = take_events();
    if (seen || was_missing) {
      KUBIST_CHECK(arm());  // folders that are new, or there again
    }
    if (seen || (was_missing && !m_missing)) {
      at_last = due ? at_last : Clock::now() + 10 * quiet;
      due = std::min(Clock::now() + quiet, at_last);
    }
  }
  return false;
}

}  // namespace kubist::util
