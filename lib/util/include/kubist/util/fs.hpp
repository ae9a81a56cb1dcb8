#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <kubist/util/fd.hpp>
#include <kubist/util/result.hpp>

/// Any thread, while nobody changes the environment. Only home_folder() is for one thread at a time
/// where $HOME is unset (getpwuid).
namespace kubist::util {

/// The whole file; fails with not_found, forbidden or invalid (a folder, larger than `limit`
/// bytes).
Result<std::string> read_file(const std::filesystem::path& path,
                              std::size_t limit = std::size_t{1} << 30U);
/// The same of a file with secrets: forbidden where it is not this user's own, or others may read
/// or write it, or it is a symbolic link.
Result<std::string> read_private_file(const std::filesystem::path& path);
/// Replaces the file in one step (temporary file in the same folder, fsync, rename). Folders on the
/// way are created with mode 0700: meanwhile that is the umask of the whole process. `mode` is that
/// of the new file. Errors: not_found, forbidden, or invalid for all else, such as a full disk.
Result<> write_file(const std::filesystem::path& path, std::string_view text, unsigned mode = 0600);
/// $HOME, or the password database's home folder; empty when there is none.
std::filesystem::path home_folder();
/// The value of an environment variable; empty when unset.
std::string environment(const char* name);
/// All variables of this process's environment.
std::map<std::string, std::string> all_environment();
/// kubist's own cache folder: $KUBECACHEDIR or .kube/cache of the home folder, then "kubist". Empty
/// where there is neither: the working folder is not asked for, since anybody may have filled it.
std::filesystem::path cache_folder(const std::filesystem::path& home = home_folder());

/// A new folder of mode 0700 below $TMPDIR (or /tmp), removed with all it holds on destruction.
class TempDir {
 public:
  /// Throws std::system_error where no folder can be made: there is nothing a caller could do.
  explicit TempDir(std::string_view prefix = "kubist");
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
};

/// An advisory lock (flock) on a file, released on destruction. Blocks until it is free. It also
/// holds between threads of one process. Nothing is locked where the file cannot be opened.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);

 private:
  Fd m_fd;
};

}  // namespace kubist::util
