#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/state/archive.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

#include "beneath.hpp"

namespace kubist::state {
namespace {

using util::ErrorKind;
using util::Fd;

constexpr std::size_t k_max_depth = 200;  // one descriptor a level

struct Output {
  const Sink& sink;
  std::size_t limit;
  std::size_t size = 0;
  std::optional<util::Error> error;  ///< why it took no more
};

la_ssize_t take(archive* /*unused*/, void* data, const void* buffer, std::size_t size) {
  auto& output = *static_cast<Output*>(data);
  output.size += size;
  if (output.size > output.limit) {
    output.error =
        util::make_error(ErrorKind::invalid,
                         util::cat("the state is larger than ", output.limit, " bytes when packed"),
                         "Keep less in the state folder, or give the item a larger state.limit.");
    return -1;
  }
  // No exception may cross libarchive, which is C.
  auto taken = util::guarded([&] { return output.sink({static_cast<const char*>(buffer), size}); });
  if (!taken) {
    output.error = std::move(taken).error();
    return -1;
  }
  return static_cast<la_ssize_t>(size);
}

util::Result<std::vector<std::string>> sorted_names(int folder, const std::string& path) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (stream == nullptr) {
    return util::fail(system_failure("list the folder", path, errno));
  }
  std::vector<std::string> names;
  // One too many is enough for its error.
  for (const dirent* entry = ::readdir(stream); entry != nullptr && names.size() <= k_max_entries;
       entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

class Packer {
 public:
  Packer(std::size_t limit, const Sink& sink)
      : m_output{sink, limit, 0, {}},
        m_archive(archive_write_new()),
        m_entry(archive_entry_new()) {}
  ~Packer() {
    archive_entry_free(m_entry);
    archive_write_free(m_archive);
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  util::Result<> run(int folder) {
    KUBIST_TRY(const auto names, sorted_names(folder, ""));
    if (names.empty()) {
      return {};
    }
    archive_write_set_format_pax_restricted(m_archive);
    archive_write_add_filter_gzip(m_archive);
    // Without it the gzip header has the time of packing.
    archive_write_set_filter_option(m_archive, "gzip", "timestamp", nullptr);
    archive_write_set_bytes_in_last_block(m_archive, 1);
    if (archive_write_open(m_archive, &m_output, nullptr, take, nullptr) != ARCHIVE_OK) {
      return util::fail(archive_failure("start"));
    }
    KUBIST_CHECK(add_folder(folder, ""));
    if (archive_write_close(m_archive) != ARCHIVE_OK) {
      return util::fail(archive_failure("end"));
    }
    return {};
  }

 private:
  util::Error archive_failure(std::string_view path) {
    if (m_output.error) {
      util::Error error = *m_output.error;
      if (error.kind == ErrorKind::invalid) {
        error.message += util::cat(" (at ", util::printable(path), ")");
      }
      return error;
    }
    const char* why = archive_error_string(m_archive);
    return util::make_error(ErrorKind::internal,
                            util::cat("cannot pack ", util::printable(path), ": ",
                                      why == nullptr ? "unknown error" : why));
  }

  util::Result<> add_folder(int folder, const std::string& prefix) {
    if (std::count(prefix.begin(), prefix.end(), '/') > static_cast<long>(k_max_depth)) {
      return util::fail(ErrorKind::invalid,
                        util::cat("the folders in the state nest deeper than ", k_max_depth));
    }
    KUBIST_TRY(const auto names, sorted_names(folder, prefix));
    for (const std::string& name : names) {
      KUBIST_CHECK(add(folder, name, prefix + name));
    }
    return {};
  }

  util::Result<> add(int folder, const std::string& name, const std::string& path) {
    struct stat info {};
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return util::fail(system_failure("look at", path, errno));
    }
    archive_entry_clear(m_entry);
    archive_entry_set_mode(m_entry, info.st_mode);
    archive_entry_set_uid(m_entry, 0);
    archive_entry_set_gid(m_entry, 0);
    archive_entry_set_mtime(m_entry, 0, 0);
    if (S_ISDIR(info.st_mode)) {
      return add_subfolder(folder, name, path);
    }
    archive_entry_set_pathname(m_entry, path.c_str());
    if (S_ISLNK(info.st_mode)) {
      return add_link(folder, name, path);
    }
    if (!S_ISREG(info.st_mode)) {
      return util::fail(ErrorKind::invalid,
                        util::cat("the state has ", util::printable(path),
                                  ", which is a device, socket or pipe and cannot be kept"),
                        "Remove it before the workload ends.");
    }
    return add_file(folder, name, path, info);
  }

  util::Result<> add_subfolder(int folder, const std::string& name, const std::string& path) {
    Fd inner(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner) {
      return util::fail(system_failure("open the folder", path, errno));
    }
    archive_entry_set_pathname(m_entry, (path + "/").c_str());
    KUBIST_CHECK(write_header(path));
    return add_folder(inner.get(), path + "/");
  }

  util::Result<> add_link(int folder, const std::string& name, const std::string& path) {
    std::string target(4096, '\0');
    const auto length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
    if (length < 0) {
      return util::fail(system_failure("read the link", path, errno));
    }
    target.resize(static_cast<std::size_t>(length));
    KUBIST_TRY(const auto parts, relative_parts(path));
    if (!link_stays_inside(parts, target)) {
      return util::fail(ErrorKind::invalid,
                        util::cat("the link ", util::printable(path), " -> ",
                                  util::printable(target), " leaves the state folder"),
                        "Use a relative link to something inside of it.");
    }
    archive_entry_set_symlink(m_entry, target.c_str());
    return write_header(path);
  }

  util::Result<> add_file(int folder, const std::string& name, const std::string& path,
                          const struct stat& info) {
    if (info.st_nlink > 1) {
      const auto [known, fresh] = m_files.try_emplace({info.st_dev, info.st_ino}, path);
      if (!fresh) {
        archive_entry_set_hardlink(m_entry, known->second.c_str());
        return write_header(path);
      }
    }
    Fd file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
      return util::fail(system_failure("open", path, errno));
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    if (size > m_left) {
      return util::fail(ErrorKind::invalid,
                        util::cat("the files in the state have more than ", k_max_unpacked,
                                  " bytes (at ", util::printable(path), ")"),
                        "Keep less in the state folder.");
    }
    m_left -= size;
    archive_entry_set_size(m_entry, info.st_size);
    KUBIST_CHECK(write_header(path));
    return copy(file.get(), path, size);
  }

  util::Result<> copy(int file, const std::string& path, std::size_t size) {
    std::array<char, 65536> buffer;
    while (size > 0) {
      const auto count = ::read(file, buffer.data(), std::min(size, buffer.size()));
      if (count <= 0) {
        return util::fail(system_failure("read", path, count == 0 ? EIO : errno));
      }
      if (archive_write_data(m_archive, buffer.data(), static_cast<std::size_t>(count)) != count) {
        return util::fail(archive_failure(path));
      }
      size -= static_cast<std::size_t>(count);
    }
    return {};
  }

  util::Result<> write_header(const std::string& path) {
    KUBIST_CHECK(m_count.add(path));
    if (archive_write_header(m_archive, m_entry) != ARCHIVE_OK) {
      return util::fail(archive_failure(path));
    }
    return {};
  }

  Output m_output;
  archive* m_archive;
  archive_entry* m_entry;
  std::map<std::pair<dev_t, ino_t>, std::string> m_files;  ///< with several names: the first one
  std::size_t m_left = k_max_unpacked;
  EntryCount m_count;
};

}  // namespace

util::Result<> pack(const std::filesystem::path& folder, std::size_t limit, const Sink& sink) {
  KUBIST_TRY(const Fd root, open_folder(folder.string()));
  return Packer(limit, sink).run(root.get());
}

util::Result<std::string> pack(const std::filesystem::path& folder, std::size_t limit) {
  std::string bytes;
  KUBIST_CHECK(pack(folder, limit, [&bytes](std::string_view piece) -> util::Result<> {
    bytes += piece;
    return {};
  }));
  return bytes;
}

}  // namespace kubist::state
