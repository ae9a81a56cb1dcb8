#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/text.hpp>

extern char** environ;

namespace kubist::util {
namespace {

namespace fs = std::filesystem;

auto file_error(std::string_view verb, const fs::path& path, int number) {
  const ErrorKind kind = number == ENOENT   ? ErrorKind::not_found
                         : number == EACCES ? ErrorKind::forbidden
                                            : ErrorKind::invalid;
  return fail(kind, cat("cannot ", verb, " ", path.string(), ": ", std::strerror(number)));
}

Result<> write_all(int fd, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return file_error("write", path, errno);
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<std::string> read_open(const Fd& file, const fs::path& path, std::size_t limit) {
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return file_error("read", path, EISDIR);
  }
  std::string text;
  for (std::size_t size = static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)) + 1;;) {
    const std::size_t have = text.size();
    text.resize(have + size);
    const ssize_t count = ::read(file.get(), text.data() + have, size);
    text.resize(have + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return file_error("read", path, errno);
    }
    if (text.size() > limit) {
      return fail(ErrorKind::invalid,
                  cat("cannot read ", path.string(), ": larger than ", limit, " bytes"));
    }
    size = std::max<std::size_t>(size, 65536);  // pipes and /proc report no size
  }
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return file_error("read", path, errno);
  }
  return read_open(file, path, limit);
}

Result<std::string> read_private_file(const fs::path& path) {
  constexpr std::size_t k_limit = std::size_t{1} << 20U;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    return file_error("read", path, errno);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != ::geteuid() ||
      (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return fail(ErrorKind::forbidden,
                cat("cannot read ", path.string(), ": others may read or write it"));
  }
  return read_open(file, path, k_limit);
}

Result<> write_file(const fs::path& path, std::string_view text, unsigned mode) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::exists(folder, error)) {
    const mode_t before = ::umask(077);
    fs::create_directories(folder, error);
    ::umask(before);
    if (error) {
      return file_error("create folder", folder, error.value());
    }
  }
  const fs::path temporary = path.string() + ".tmp-" + random_suffix(8);
  const Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.get() < 0) {
    return file_error("create", temporary, errno);
  }
  ::fchmod(file.get(), mode);
  auto written = write_all(file.get(), text, temporary);
  if (written && ::fsync(file.get()) != 0) {
    written = file_error("write", temporary, errno);
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = file_error("replace", path, errno);
  }
  if (!written) {
    ::unlink(temporary.c_str());
  }
  return written;
}

fs::path home_folder() {
  if (std::string home = environment("HOME"); !home.empty()) {
    return home;
  }
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr ? fs::path(entry->pw_dir) : fs::path{};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::map<std::string, std::string> all_environment() {
  std::map<std::string, std::string> all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) {
      all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return all;
}

fs::path cache_folder(const fs::path& home) {
  if (const std::string base = environment("KUBECACHEDIR"); !base.empty()) {
    return fs::path(base) / "kubist";
  }
  return home.empty() ? fs::path{} : home / ".kube" / "cache" / "kubist";
}

TempDir::TempDir(std::string_view prefix) {
  std::string pattern = (fs::temp_directory_path() / cat(prefix, "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
  }
  m_path = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(m_path, ignored);
}

FileLock::FileLock(const fs::path& path)
    : m_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (m_fd) {
    ::flock(m_fd.get(), LOCK_EX);
  }
}

}  // namespace kubist::util
