#include "archive_reader.hpp"

#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::state {

ArchiveReader::ArchiveReader(const Source& source)
    : m_source(source), m_archive(archive_read_new()) {
  archive_read_support_filter_gzip(m_archive);
  archive_read_support_format_tar(m_archive);
}

util::Result<la_ssize_t> ArchiveReader::read_on(const void** buffer) {
  if (!std::exchange(m_pending, false)) {
    KUBIST_TRY(m_piece, m_source());
  }
  *buffer = m_piece.data();
  return static_cast<la_ssize_t>(m_piece.size());
}

// No exception may cross libarchive, which is C.
la_ssize_t ArchiveReader::give(archive* /*unused*/, void* self, const void** buffer) {
  auto& reader = *static_cast<ArchiveReader*>(self);
  auto read = util::guarded([&] { return reader.read_on(buffer); });
  if (!read) {
    reader.m_error = std::move(read).error();
    return -1;
  }
  return *read;
}

util::Error ArchiveReader::failure() {
  if (m_error) {
    return *m_error;
  }
  const char* why = archive_error_string(m_archive);
  return util::make_error(
      util::ErrorKind::invalid,
      util::cat("the state is not a gzipped tar: ", why == nullptr ? "unknown error" : why));
}

util::Result<bool> ArchiveReader::open() {
  KUBIST_TRY(m_piece, m_source());
  if (m_piece.empty()) {
    return false;
  }
  m_pending = true;
  if (archive_read_open(m_archive, this, nullptr, give, nullptr) != ARCHIVE_OK) {
    return util::fail(failure());
  }
  return true;
}

util::Result<archive_entry*> ArchiveReader::next() {
  archive_entry* entry = nullptr;
  const int result = archive_read_next_header(m_archive, &entry);
  if (result == ARCHIVE_OK) {
    const char* path = archive_entry_pathname(entry);
    KUBIST_CHECK(m_count.add(path == nullptr ? "" : path));
    return entry;
  }
  if (result != ARCHIVE_EOF) {
    return util::fail(failure());
  }
  // A tar ends before its last bytes, but the source may have to say that they are wrong.
  while (true) {
    KUBIST_TRY(const std::string rest, m_source());
    if (rest.empty()) {
      return nullptr;
    }
  }
}

util::Result<std::vector<ArchiveEntry>> list(const Source& source, std::size_t max_unpacked) {
  ArchiveReader reader(source);
  std::vector<ArchiveEntry> entries;
  KUBIST_TRY(const bool any, reader.open());
  while (any) {
    KUBIST_TRY(archive_entry* const entry, reader.next());
    if (entry == nullptr) {
      break;
    }
    const auto text = [](const char* value) { return std::string(value == nullptr ? "" : value); };
    ArchiveEntry one;
    one.path = text(archive_entry_pathname(entry));
    one.mode = archive_entry_perm(entry) & 07777U;
    one.size = static_cast<std::uint64_t>(archive_entry_size(entry));
    if (archive_entry_hardlink(entry) != nullptr) {
      one.type = 'h';
      one.target = text(archive_entry_hardlink(entry));
    } else if (archive_entry_filetype(entry) == AE_IFLNK) {
      one.type = 'l';
      one.target = text(archive_entry_symlink(entry));
    } else if (archive_entry_filetype(entry) == AE_IFDIR) {
      one.type = 'd';
    }
    if (one.size > max_unpacked) {  // else the next entry would be looked for behind all of it
      return util::fail(util::ErrorKind::invalid,
                        util::cat("refused entry \"", util::printable(one.path),
                                  "\": the state is too large when unpacked"));
    }
    max_unpacked -= one.size;
    entries.push_back(std::move(one));
  }
  return entries;
}

}  // namespace kubist::state
