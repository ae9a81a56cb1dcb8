#pragma once
#include <optional>

#include <archive.h>
#include <archive_entry.h>

#include <kubist/state/archive.hpp>

#include "beneath.hpp"

namespace kubist::state {

/// A gzipped tar read from a source. Errors of the source win over what libarchive makes of them.
class ArchiveReader {
 public:
  explicit ArchiveReader(const Source& source);
  ~ArchiveReader() { archive_read_free(m_archive); }
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;

  /// False: the source has no bytes, which is an empty state.
  util::Result<bool> open();
  /// The next entry, counted, valid until the next call; null at the end, when the source is read
  /// to its end as well.
  util::Result<archive_entry*> next();
  archive* get() { return m_archive; }
  util::Error failure();

 private:
  util::Result<la_ssize_t> read_on(const void** buffer);
  static la_ssize_t give(archive* /*unused*/, void* self, const void** buffer);
  const Source& m_source;
  std::string m_piece;
  bool m_pending = false;  ///< m_piece was read ahead by open()
  std::optional<util::Error> m_error;
  archive* m_archive;
  EntryCount m_count;
};

}  // namespace kubist::state
