#pragma once
#include <string>
#include <string_view>

#include <kubist/util/result.hpp>

namespace kubist::cli {

/// A temporary file that a person edits, readable by nobody else. It goes with its life, unless
/// kept.
class EditedFile {
 public:
  EditedFile() = default;
  ~EditedFile();
  EditedFile(const EditedFile&) = delete;
  EditedFile& operator=(const EditedFile&) = delete;

  /// Writes `header`, lines of comments, and `text`, and runs $KUBE_EDITOR, else $EDITOR, else vi
  /// with our terminal. What the file holds then, without the header. Not_found: no such editor;
  /// invalid: it failed.
  util::Result<std::string> edit(const std::string& header, const std::string& text);
  /// Does the file hold anything else than was written into it?
  bool touched() const;
  /// Leaves the file there; its path.
  const std::string& keep();

 private:
  std::string m_path;
  std::string m_written;
  bool m_kept = false;
};

}  // namespace kubist::cli
