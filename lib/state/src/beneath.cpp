#include "beneath.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include <kubist/state/archive.hpp>
#include <kubist/util/text.hpp>

namespace kubist::state {

using util::ErrorKind;
using util::Fd;

util::Error system_failure(std::string_view what, std::string_view path, int number) {
  ErrorKind kind = ErrorKind::internal;
  if (number == ENOENT) {
    kind = ErrorKind::not_found;
  } else if (number == EACCES || number == EPERM) {
    kind = ErrorKind::forbidden;
  } else if (number == ELOOP || number == ENOTDIR) {
    kind = ErrorKind::invalid;  // O_NOFOLLOW met a link, or a file where a folder should be
  }
  return util::make_error(kind, util::cat("cannot ", what, " ", util::printable(path), ": ",
                                          std::generic_category().message(number)));
}

util::Result<Fd> open_folder(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return util::fail(system_failure("open the folder", path, errno));
  }
  return fd;
}

util::Result<Fd> open_below(int root, const std::vector<std::string>& parts) {
  Fd at(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  for (const std::string& part : parts) {
    Fd next(::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) {
      return util::fail(system_failure("open the folder", util::join(parts, "/"), errno));
    }
    at = std::move(next);
  }
  return at;
}

util::Result<std::vector<std::string>> relative_parts(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    return util::fail(ErrorKind::invalid,
                      util::cat("refused entry \"", util::printable(path), "\": ", why));
  };
  if (path.empty() || path.front() == '/') {
    return refuse(path.empty() ? "it has no name" : "it is an absolute path");
  }
  if (path.find('\0') != std::string_view::npos) {
    return refuse("its name has a NUL");
  }
  std::vector<std::string> parts;
  for (std::string& part : util::split(path, '/')) {
    if (part == "..") {
      return refuse("it leaves the folder");
    }
    if (!part.empty() && part != ".") {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

util::Result<> EntryCount::add(std::string_view path) {
  m_path_bytes += path.size();
  if (++m_entries > k_max_entries || m_path_bytes > k_max_path_bytes) {
    return util::fail(
        ErrorKind::invalid,
        util::cat("the state has more than ", k_max_entries,
                  " files and folders, or their paths more than ", k_max_path_bytes, " bytes"),
        "Keep less in the state folder, or keep it as one archive.");
  }
  return {};
}

bool link_stays_inside(const std::vector<std::string>& parts, std::string_view target) {
  if (target.empty() || target.front() == '/') {
    return false;
  }
  std::size_t depth = parts.empty() ? 0 : parts.size() - 1;
  bool named = false;
  for (const std::string& part : util::split(target, '/')) {
    if (part == "..") {
      if (named || depth == 0) {
        return false;
      }
      --depth;
    } else if (!part.empty() && part != ".") {
      named = true;
    }
  }
  return true;
}

}  // namespace kubist::state
