#include <array>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kubist/state/archive.hpp>
#include <kubist/util/text.hpp>

#include "archive_reader.hpp"
#include "beneath.hpp"

namespace kubist::state {
namespace {

using util::ErrorKind;
using util::Fd;
using Parts = std::vector<std::string>;

class Unpacker {
 public:
  Unpacker(int root, std::size_t max_unpacked, const Source& source)
      : m_root(root), m_left(max_unpacked), m_reader(source) {}

  util::Result<> run() {
    KUBIST_TRY(const bool any, m_reader.open());
    while (any) {
      KUBIST_TRY(archive_entry* const entry, m_reader.next());
      if (entry == nullptr) {
        break;
      }
      KUBIST_CHECK(extract(entry));
    }
    return set_folder_modes();
  }

 private:
  static tl::unexpected<util::Error> refuse(const Parts& parts, std::string_view why) {
    return util::fail(
        ErrorKind::invalid,
        util::cat("refused entry \"", util::printable(util::join(parts, "/")), "\": ", why));
  }

  util::Result<> extract(archive_entry* entry) {
    const char* name = archive_entry_pathname(entry);
    KUBIST_TRY(const Parts parts, relative_parts(name == nullptr ? "" : name));
    if (parts.empty()) {
      return {};  // "./"
    }
    const Parts above(parts.begin(), parts.end() - 1);
    KUBIST_TRY(const Fd parent, open_below(m_root, above));
    const bool folder = archive_entry_filetype(entry) == AE_IFDIR;
    // The owner is not kept: a setuid file of somebody else's would be one of whoever restores it.
    const mode_t mode = archive_entry_perm(entry) & (folder ? 01777U : 0777U);
    if (const char* target = archive_entry_hardlink(entry); target != nullptr) {
      return hard_link(parent.get(), parts, target);
    }
    switch (archive_entry_filetype(entry)) {
      case AE_IFDIR:
        return make_folder(parent.get(), parts, mode);
      case AE_IFLNK:
        return make_link(parent.get(), parts, archive_entry_symlink(entry));
      case AE_IFREG:
        return make_file(parent.get(), parts, mode);
      default:
        return refuse(parts, "it is a device, socket or pipe");
    }
  }

  util::Result<> make_folder(int parent, const Parts& parts, mode_t mode) {
    if (::mkdirat(parent, parts.back().c_str(), 0700) != 0) {
      return util::fail(system_failure("make the folder", util::join(parts, "/"), errno));
    }
    m_folders.emplace_back(util::join(parts, "/"), mode);  // set at the end: it may forbid writing
    return {};
  }

  static util::Result<> make_link(int parent, const Parts& parts, const char* target) {
    if (target == nullptr || !link_stays_inside(parts, target)) {
      return refuse(parts, "it is a link that leaves the folder");
    }
    if (::symlinkat(target, parent, parts.back().c_str()) != 0) {
      return util::fail(system_failure("make the link", util::join(parts, "/"), errno));
    }
    return {};
  }

  util::Result<> hard_link(int parent, const Parts& parts, const char* target) {
    KUBIST_TRY(Parts source, relative_parts(target));
    if (source.empty()) {
      return refuse(parts, "it is a link to nothing");
    }
    const std::string name = source.back();
    source.pop_back();
    KUBIST_TRY(const Fd folder, open_below(m_root, source));
    // A link with a second name elsewhere leads elsewhere. pack() makes no such.
    struct stat info {};
    if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        !S_ISREG(info.st_mode)) {
      return refuse(parts, "it is a hard link to what is no file");
    }
    if (::linkat(folder.get(), name.c_str(), parent, parts.back().c_str(), 0) != 0) {
      return util::fail(system_failure("link", util::join(parts, "/"), errno));
    }
    return {};
  }

  util::Result<> make_file(int parent, const Parts& parts, mode_t mode) {
    const std::string path = util::join(parts, "/");
    const Fd file(::openat(parent, parts.back().c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) {
      return util::fail(system_failure("make", path, errno));
    }
    std::array<char, 65536> buffer;
    while (true) {
      const auto count = archive_read_data(m_reader.get(), buffer.data(), buffer.size());
      if (count < 0) {
        return util::fail(m_reader.failure());
      }
      if (count == 0) {
        break;
      }
      const auto size = static_cast<std::size_t>(count);
      if (size > m_left) {
        return refuse(parts, "the state is too large when unpacked");
      }
      m_left -= size;
      KUBIST_CHECK(write_all(file.get(), {buffer.data(), size}, path));
    }
    if (::fchmod(file.get(), mode) != 0) {
      return util::fail(system_failure("set the mode of", path, errno));
    }
    return {};
  }

  static util::Result<> write_all(int file, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
      const auto count = ::write(file, bytes.data(), bytes.size());
      if (count < 0) {
        return util::fail(system_failure("write", path, errno));
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return {};
  }

  util::Result<> set_folder_modes() {
    for (auto entry = m_folders.rbegin(); entry != m_folders.rend(); ++entry) {
      KUBIST_TRY(const Fd folder, open_below(m_root, util::split(entry->first, '/')));
      if (::fchmod(folder.get(), entry->second) != 0) {
        return util::fail(system_failure("set the mode of", entry->first, errno));
      }
    }
    return {};
  }

  int m_root;
  std::size_t m_left;
  ArchiveReader m_reader;
  std::vector<std::pair<std::string, mode_t>> m_folders;
};

}  // namespace

util::Result<> unpack(const Source& source, const std::filesystem::path& folder,
                      std::size_t max_unpacked) {
  KUBIST_TRY(const Fd root, open_folder(folder.string()));
  return Unpacker(root.get(), max_unpacked, source).run();
}

util::Result<> unpack(std::string_view bytes, const std::filesystem::path& folder,
                      std::size_t max_unpacked) {
  const Source once = [&bytes]() -> util::Result<std::string> {
    return std::string(std::exchange(bytes, {}));
  };
  return unpack(once, folder, max_unpacked);
}

}  // namespace kubist::state
